from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from rag.domain import Answer, AnswerSentence, Paper, Reference
from rag.outputs.answer_html import answer_html
from rag.outputs.page import STYLE
from tests.sample_answers import (
    ANT,
    BOTH,
    EDGE,
    EVA,
    EVERY,
    FAST,
    answered,
    cite,
    comparison,
    doubtful,
    fact,
    hostile,
    not_found,
    overview,
)

VOID = {"meta", "br"}


class Page(HTMLParser):
    """A page read back: its tags in order; fails where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.words.append(data)

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] for _, attrs in self.tags if attribute in attrs]

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


every = pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)


@every
def test_a_page_nests_and_every_link_leads_somewhere(make: Callable[[], Answer]) -> None:
    page = Page(answer_html(make()))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for link in page.values("href"):
        assert link[1:] in ids if link.startswith("#") else link.startswith(("https://", "http://"))
    assert set(page.values("aria-describedby")) <= set(ids)


@every
def test_a_page_loads_and_runs_nothing(make: Callable[[], Answer]) -> None:
    page = Page(answer_html(make()))
    assert ("meta", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'") in [
        (tag, attrs.get("content")) for tag, attrs in page.tags
    ]
    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object", "form", "base"}
    assert [tag for tag, _ in page.tags].count("style") == 1
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "src"]
    assert "url(" not in STYLE and "@import" not in answer_html(make())


def test_hostile_text_is_shown_and_does_nothing() -> None:
    text = answer_html(hostile())
    assert not {"\u202e", "\x1b"} & set(text)
    assert not re.search(r"<(script|img|b>|/mark></style)", text.replace("<b>=cmd", ""))
    page = Page(text)
    assert "<script>alert(1)</script>" in page.text
    assert not any(link.startswith("javascript") for link in page.values("href"))


def test_a_marker_shows_the_quotes_and_leads_to_the_mark_in_the_abstract() -> None:
    text = answer_html(fact())
    start = EVA.text.index(FAST.quote)
    assert f'<a href="#r1-{start}" aria-describedby="q1-1">[1]</a>' in text
    box = re.search(r'<span class="quote" id="q1-1" role="tooltip">(.*?)</span>', text)
    assert box and FAST.quote in box.group(1) and EDGE.quote in box.group(1)
    marks = re.findall(r'<mark id="r1-(\d+)" tabindex="-1">(.*?)</mark>', text)
    assert marks == [("0", EDGE.quote), (str(start), FAST.quote)]


def test_the_whole_abstract_stands_in_the_reference() -> None:
    abstract = re.search(r'<p class="abstract" dir="auto">(.*?)</p>', answer_html(fact()), re.DOTALL)
    assert abstract and unescape(re.sub("<[^>]*>", "", abstract.group(1))) == EVA.text


def test_quotes_that_overlap_are_one_mark_that_both_lead_to() -> None:
    long, inner = cite(1, EVA, EVA.text[:60]), cite(1, EVA, EVA.text[20:70])
    text = answer_html(answered(AnswerSentence("A.", (long,)), AnswerSentence("B.", (inner,))))
    assert re.findall(r'<mark id="r1-0" tabindex="-1">(.*?)</mark>', text) == [EVA.text[:70]]
    assert text.count('href="#r1-0"') == 2


def test_offsets_outside_the_abstract_lead_to_the_reference() -> None:
    text = answer_html(answered(AnswerSentence("A.", (replace(FAST, start=5000, end=5010),))))
    assert 'href="#r1"' in text and "<mark" not in text


def test_a_reference_tells_what_is_known_of_it() -> None:
    page = Page(answer_html(fact()))
    facts = "EVA-0 · Äder, Ann, Bo de Vries · 2025 · Proc. of X & Y · doi:10.1234/eva.0 · "
    assert f"[1] {EVA.title} {facts}https://example.org/a_b?c=1&d=2 · a.txt#9" in page.text
    assert {"https://doi.org/10.1234/eva.0", EVA.url} <= set(page.values("href"))
    assert "[2] AntWalk b.txt#1 Ants search in loops." in page.text


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//x.org", "http://[", "file:///a"]
)
def test_an_address_that_is_not_of_the_web_is_no_link(url: str) -> None:
    paper = Paper("1", "X", "A text.", url=url, sources=("f#1",))
    assert answer_html(answered(references=(Reference(1, paper),))).count("href=") == 0


def test_a_reference_leads_back_to_the_sentences_that_cite_it() -> None:
    text = answer_html(doubtful())
    assert re.findall(r'aria-label="Back to sentence (\d)"', text) == ["1", "2", "3", "3"]


def test_doubtful_sentences_are_flagged_with_words_a_symbol_and_a_class() -> None:
    text = answer_html(doubtful())
    page = Page(text)
    assert "✗ not supported by [1]: 45 is not in the quote" in page.text
    assert "~ only partly supported by [1]: “always” is stronger" in page.text
    assert "✗ not supported: it cites nothing" in page.text
    classes = re.findall(r'<div class="sentence (\w+)"', text)
    assert classes == ["supported", "unsupported", "partial", "unsupported"]


def test_the_foot_tells_who_answered_at_what_cost_and_the_warnings() -> None:
    text = Page(answer_html(doubtful())).text
    assert "the model was asked twice" in text
    assert "openai:gpt-5-mini: 2 calls, 900 + 100 tokens, cost" in text
    assert "no language model was used" in Page(answer_html(fact())).text


def test_a_comparison_is_a_table_whose_cells_open_their_quotes() -> None:
    text = answer_html(comparison())
    assert "<summary>" in text and f"“{EDGE.quote}”" in text
    assert re.findall(r'<th scope="(\w+)"', text) == ["col", "col", "col", "row", "row"]
    assert '<span class="missing">not stated</span>' in text
    assert "✗ not supported by [2]: 85 is not in the quote" in Page(text).text
    # What the table quotes is marked in the abstracts too.
    assert EDGE.quote in re.findall(r"<mark [^>]*>(.*?)</mark>", text)


def test_a_compared_paper_that_is_nowhere_cited_is_named_all_the_same() -> None:
    answer = replace(comparison(), references=BOTH[:1])
    assert re.search(r'role="rowheader" dir="auto">AntWalk</th>', answer_html(answer))


def test_an_overview_has_headings_related_papers_and_coverage() -> None:
    page = Page(answer_html(overview()))
    assert "Overview How fast is EVA-0? Speed 3 papers It is 14× faster." in page.text
    assert "5 papers belong here; 2 used. Also related AntWalk b.txt#1 “Ants" in page.text


def test_sentences_outside_every_section_are_not_lost() -> None:
    answer = replace(overview(), sections=overview().sections[:1])
    assert "Ants loop." in Page(answer_html(answer)).text


def test_not_found_says_so_and_shows_the_nearest_papers() -> None:
    text = Page(answer_html(not_found())).text
    assert "These papers do not answer this." in text
    assert "Nearest papers (they do not answer the question)" in text
    assert f"AntWalk b.txt#1 {ANT.text.splitlines()[0]}" in text and "References" not in text


def test_a_question_understood_otherwise_is_told() -> None:
    assert "Understood as: meant" in Page(answer_html(hostile())).text
    assert "Understood" not in answer_html(fact())


def luminance(colour: str) -> float:
    digits = colour if len(colour) == 6 else "".join(d * 2 for d in colour)
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_has_the_contrast_of_wcag_aa(scheme: int) -> None:
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    colours = dict(re.findall(r"--([\w-]+): #([0-9a-f]{3,6})", blocks[scheme]))
    backs = ("paper", "card", "good-back", "some-back", "bad-back")
    pairs = [(ink, back) for ink in ("ink", "soft", "link") for back in backs]
    pairs += [
        ("mark-ink", "mark"),
        ("some", "some-back"),
        ("bad", "bad-back"),
        ("bad", "paper"),
        ("some", "paper"),
    ]
    pairs += [("bad", "card"), ("some", "card")]
    for ink, back in pairs:
        light, dark = sorted((luminance(colours[ink]), luminance(colours[back])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, back)
