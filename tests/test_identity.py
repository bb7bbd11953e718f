"""Paper ids: one for one abstract, however it is marked up; and papers made from records."""

from __future__ import annotations

from rag.domain import Record
from rag.papers import make_paper
from rag.papers.identity import paper_id


def test_the_latex_and_the_plain_form_of_an_abstract_share_an_id() -> None:
    assert paper_id(r"We gain 4.6$\times$ on **A$^3$Bench**,\n a 85\% cut.".replace(r"\n", "\n")) == paper_id(
        "we gain 4.6× on A³Bench, a 85% cut."
    )


def test_ids_are_stable_hexadecimal_and_depend_on_the_text_and_title() -> None:
    first = paper_id("We propose A.")
    assert len(first) == 20 and int(first, 16)
    assert len({first, paper_id("We propose B."), paper_id("We propose A.", "A title")}) == 3


def test_a_paper_keeps_its_original_and_lists_its_aliases() -> None:
    raw = r"We propose \textbf{Prefix-Guided Sampling} (PreG), a method. PreG gains 5\%."
    paper = make_paper(Record(text=raw, source="list.txt#1", year=2026), frozenset())
    assert (paper.name, paper.original, paper.year, paper.source) == ("PreG", raw, 2026, "list.txt#1")
    assert paper.text == "We propose Prefix-Guided Sampling (PreG), a method. PreG gains 5%."
    assert paper.extra["aliases"] == ["Prefix-Guided Sampling"]


def test_a_second_paper_of_one_name_is_told_apart() -> None:
    raw = "We propose EVA, an Evidence-seeking Visual Agent that reasons. EVA gains 5%."
    assert make_paper(Record(text=raw, source="a#1"), {"eva"}).name == "EVA: Evidence-seeking Visual Agent"
