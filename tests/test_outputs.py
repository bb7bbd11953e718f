from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from rag.domain import Answer, AnswerSentence, Citation, Hit, Paper, Reference
from rag.outputs.bibtex import papers_bibtex
from rag.outputs.grid import Layout, grid, middle
from rag.outputs.markdown import answer_markdown, escaped
from rag.outputs.printable import clean, one_line, to_json
from rag.outputs.tables import COLUMNS, papers_csv, papers_jsonl
from rag.outputs.terminal import (
    Line,
    answer_lines,
    hit_lines,
    hit_rows,
    paper_lines,
    print_lines,
    print_table,
    why,
)
from rag.settings import SETTINGS, Settings

TEXT = "EVA-0 runs on edge devices. It achieves a 14× speed-up over FOA."
EVA = Paper(
    "e" * 16,
    "EVA-0",
    TEXT,
    sources=("003_a.txt#9", "b.txt#1"),
    title="Test-time [bold]adaptation[/bold]",
    authors=("Ann Äder", "Bo de Vries"),
    year=2025,
    venue="Proc. of X & Y",
    url="https://example.org/a_b?c=1",
)
OTHER = Paper("f" * 16, "网格细胞", "=1+1 looks like a formula.", sources=("c.txt#2",))


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def cite(quote: str, **more: str) -> Citation:
    start = TEXT.index(quote)
    return Citation(1, EVA.id, quote, start, start + len(quote), **more)  # type: ignore[arg-type]


def answered(*sentences: AnswerSentence, **more: object) -> Answer:
    sentences = sentences or (
        AnswerSentence("It is 14× faster.", (cite("It achieves a 14× speed-up over FOA."),)),
    )
    return Answer("How fast?", "answered", sentences=sentences, references=(Reference(1, EVA),), **more)  # type: ignore[arg-type]


def plain(answer: Answer) -> str:
    stream = io.StringIO()
    print_lines(answer_lines(answer), stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("hostile", "safe"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;AAAA\x1b\\b", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x90payload\x9cb", "ab"),
        ("a\x1b(Bb", "ab"),
        ("bell\x07 null\x00 del\x7f", "bell null del"),
        ("tab\tfeed\fline\u2028", "tab feed line "),
        ("right\u202eleft\u2066", "rightleft"),
        ("half \ud800", "half \ufffd"),
        ("keeps\nlines, 14×, A³, 网格, e\u0301", "keeps\nlines, 14×, A³, 网格, e\u0301"),
    ],
)
def test_clean_text_cannot_act_on_a_terminal(hostile: str, safe: str) -> None:
    assert clean(hostile) == safe


def test_one_line_cuts_with_an_ellipsis_inside_the_limit() -> None:
    assert one_line("a  b\n c") == "a b c"
    assert one_line("abcdefghij", 5) == "abcd…"
    assert one_line("abcde", 5) == "abcde"


def test_json_is_readable_and_cannot_act_on_a_terminal() -> None:
    text = to_json({"a": "14× \x1b[31m \x9b \u202e \ud800"})
    assert "14×" in text and not re.search(r"[\x1b\x9b\u202e\ud800]", text)
    assert json.loads(text) == {"a": "14× \x1b[31m \x9b \u202e \ud800"}


def test_json_never_fails_on_a_value_json_has_no_word_for() -> None:
    value = {"a": float("nan"), "b": [float("inf"), 1.5, (2,)], "c": Path("x")}
    assert json.loads(to_json(value)) == {"a": None, "b": [None, 1.5, [2]], "c": "x"}


def test_answer_shows_markers_reference_and_quote() -> None:
    assert plain(answered()) == (
        "It is 14× faster. [1]\n"
        "\n"
        "References\n"
        "[1] Äder & de Vries 2025, Proc. of X & Y\n"
        "    EVA-0 · Test-time [bold]adaptation[/bold] · 003_a.txt#9\n"
        "    “It achieves a 14× speed-up over FOA.”\n"
    )


def test_a_quote_used_twice_is_shown_once() -> None:
    sentence = AnswerSentence(
        "So.", (cite("EVA-0 runs on edge devices."), cite("EVA-0 runs on edge devices."))
    )
    text = plain(answered(sentence, sentence))
    assert text.count("“EVA-0 runs on edge devices.”") == 1
    assert text.count("So. [1]\n") == 2


def test_doubtful_sentences_are_marked_with_the_reason() -> None:
    text = plain(
        answered(
            AnswerSentence("A.", (cite("EVA-0", verdict="partial", reason="14 is not in the quote"),)),
            AnswerSentence("B.", (cite("EVA-0", verdict="unsupported"),)),
        )
    )
    assert "! only partly supported by [1]: 14 is not in the quote\n" in text
    assert "! not supported by [1]\n" in text


def test_one_doubt_about_two_quotes_of_a_paper_is_told_once() -> None:
    sentence = AnswerSentence(
        "It is slow.",
        (
            cite("EVA-0", verdict="unsupported"),
            cite("It achieves a 14× speed-up over FOA.", verdict="unsupported"),
        ),
    )
    assert plain(answered(sentence)).count("! not supported by [1]") == 1


def test_not_found_says_so_and_labels_the_nearest_papers() -> None:
    hits = tuple(Hit(Paper(str(n), f"P{n}", "t", sources=(f"f#{n}",)), 1.0 / (n + 1)) for n in range(9))
    text = plain(Answer("q", "not_found", hits=hits))
    assert text.startswith("These papers do not answer this.\n")
    assert "Nearest papers (they do not answer the question):\n  - P0 · f#0\n" in text
    assert "P4" in text and "P5" not in text


def test_not_found_in_an_empty_library_lists_nothing() -> None:
    assert plain(Answer("q", "not_found")) == "These papers do not answer this.\n"


def test_partial_answer_says_that_it_is_partial() -> None:
    assert "only in part" in plain(Answer("q", "partial", sentences=(AnswerSentence("A."),)))


def test_escape_sequences_in_papers_never_reach_the_screen() -> None:
    evil = Paper("1", "N\x1b[2J", "T\x1b]0;x\x07", sources=("f\x1b[1m#1",))
    answer = Answer(
        "q", "answered", sentences=(AnswerSentence("S\x1b[31m."),), references=(Reference(1, evil),)
    )
    stream = io.StringIO()
    print_lines(answer_lines(answer), stream)
    print_lines(paper_lines(evil), stream)
    print_table(("a",) * 6, hit_rows([Hit(evil, 1.0)]), stream)
    assert "\x1b" not in stream.getvalue()


def test_on_a_terminal_lines_are_wrapped_and_brackets_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    print_lines(answer_lines(answered(AnswerSentence("word " * 30, (cite("EVA-0"),)))), screen)
    text = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    assert all(len(line) <= 40 for line in text.splitlines())
    assert "[bold]adaptation[/bold]" in re.sub(r"\s+", " ", text)
    assert "\n\nReferences\n" in text and not re.search(" $", text, re.MULTILINE)


def test_no_color_means_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = Screen()
    monkeypatch.delenv("NO_COLOR", raising=False)
    print_lines(answer_lines(answered()), coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    uncoloured = Screen()
    print_lines(answer_lines(answered()), uncoloured)
    assert re.search(r"\x1b\[[0-9;]*36m", coloured.getvalue())
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", uncoloured.getvalue())


def test_table_away_from_a_terminal_is_tab_separated_whole_cells() -> None:
    stream = io.StringIO()
    print_table(("a", "b"), [("x\ty", "z\n" * 3)], stream)
    assert stream.getvalue() == "x y\tz z z\n"


LONG = "recurrent network model: grid and place cells in the brain"
PAPERS = [
    (LONG, "000_4a7b9ac06c042d5b.txt#10", "Grid cells in the medial entorhinal cortex and place cells " * 2),
    ("EVA-0", "a.txt#2 (gone)", "Short."),
    ("中文论文的名字" * 4, "中文论文的名字很长很长很长.txt#3", "中文论文的第一句话。" * 9),
]


@pytest.mark.parametrize("width", [24, 40, 80, 100])
def test_a_table_fits_the_terminal(width: int) -> None:
    layout = Layout(frozenset({"source"}), lines=2)
    lines = list(grid(("name", "source", "first words"), PAPERS, width, layout))
    assert all(cell_len(line) <= width for line in lines)
    assert len(lines) <= 1 + 2 * len(PAPERS) or width < 80


def test_names_wrap_at_words_sources_keep_both_ends_and_the_rest_is_cut() -> None:
    layout = Layout(frozenset({"source"}), lines=2)
    lines = list(grid(("name", "source", "first words"), PAPERS[:2], 80, layout))
    assert lines == [
        "name                            source            first words",
        "recurrent network model: grid   000_4a…5b.txt#10  Grid cells in the medial",
        "and place cells in the brain                      entorhinal cortex and place c…",
        "EVA-0                           a.txt#2 (gone)    Short.",
    ]


def test_words_are_not_broken_while_the_last_column_can_give_way() -> None:
    rows = [("evidence_tokens", "900", "default", "RAG_EVIDENCE_TOKENS", "How many tokens of evidence")]
    lines = list(grid(("setting", "value", "from", "set with", "meaning"), rows, 80, Layout()))
    assert lines[1].startswith("evidence_tokens  900    default  RAG_EVIDENCE_TOKENS  How many tokens of")


def shown(monkeypatch: pytest.MonkeyPatch, columns: int, *table: Sequence[str]) -> list[str]:
    """Return the lines of a table on a terminal of this width, without colours."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    print_table(table[0], table[1:], screen)
    return re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue()).splitlines()


PROMPTS = (
    ("prompt", "variables", "what it does", "file"),
    (
        "answer",
        "question, evidence",
        "Writes it",
        "/home/ann/lib/python3.11/site-packages/rag/_data/answer.md",
    ),
)


@pytest.mark.parametrize("columns", [40, 60])
def test_where_a_table_has_no_room_its_rows_are_blocks_of_whole_words(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    lines = shown(monkeypatch, columns, *PROMPTS)
    assert lines[-1] == f"    {PROMPTS[1][3]}"
    assert " ".join(lines).split() == [word for row in PROMPTS for cell in row for word in cell.split()]
    assert all(cell_len(line) <= columns for line in lines[:-1])


def test_a_table_with_room_stays_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, 120, *PROMPTS) == [
        "prompt  variables           what it does  file",
        f"answer  question, evidence  Writes it     {PROMPTS[1][3]}",
    ]


def test_settings_in_80_columns_are_short_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(s.name, value or "–", origin, s.env, s.help) for s, value, origin in Settings().rows()]
    lines = shown(monkeypatch, 80, ("setting", "value", "from", "set with", "meaning"), *rows)
    assert lines[:4] == [
        "setting  value  from  set with",
        "    meaning",
        "library  .rag  default  RAG_LIBRARY",
        "    Folder that holds the library.",
    ]
    assert all(cell_len(line) <= 80 for line in lines) and len(lines) < 4 * len(rows)
    assert {s.env for s in SETTINGS} <= set(" ".join(lines).split())


def test_middle_keeps_the_number_at_the_end() -> None:
    assert middle("short.txt#1", 16) == "short.txt#1"
    assert middle("000_4a7b9ac06c042d5b.txt#19", 16) == "000_4a…5b.txt#19"


def test_hits_are_laid_out_one_below_the_other() -> None:
    hit = Hit(Paper("1", LONG, "A text.", sources=("a.txt#1",), gone=("a.txt#1",)), 0.5, {"words": 2})
    assert [(line.indent, line.text) for line in hit_lines([hit])] == [
        (0, f" 1  {LONG} · a.txt#1 (gone)"),
        (4, "0.5000 · words 2"),
        (4, "A text."),
    ]


def test_a_name_that_wraps_hangs_under_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    print_lines([Line(f"[1] {LONG} · a.txt#1", "name", hang=4), Line("- x", indent=2, hang=2)], screen)
    text = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    assert text.splitlines() == [
        "[1] recurrent network model: grid",
        "    and place cells in the brain ·",
        "    a.txt#1",
        "  - x",
    ]


def test_why_names_each_ranking_with_its_place() -> None:
    assert why(Hit(EVA, 1.0, {"vectors": 1, "words": 2, "name": 1})) == "vectors 1 · words 2 · name"


def test_markdown_numbers_references_and_quotes() -> None:
    text = answer_markdown(answered())
    assert "It is 14× faster. \\[1\\]" in text
    assert (
        "1. EVA-0 · 003\\_a.txt\\#9 <https://example.org/a_b?c=1>\n"
        "   Test-time \\[bold\\]adaptation\\[/bold\\] · Ann Äder, Bo de Vries · Proc. of X \\& Y · 2025\n"
        "   > It achieves a 14× speed-up over FOA." in text
    )


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("<img src=x> *a* _b_ `c`", "\\<img src=x\\> \\*a\\* \\_b\\_ \\`c\\`"),
        ("[a](http://x) $4 and $5", "\\[a\\](http://x) \\$4 and \\$5"),
        ("1. first", "1\\. first"),
        ("- item", "\\- item"),
        ("# head &amp;", "\\# head \\&amp;"),
    ],
)
def test_markdown_shows_paper_text_as_it_is(text: str, safe: str) -> None:
    assert escaped(text) == safe


def test_markdown_leaves_out_addresses_that_run_code() -> None:
    paper = Paper("1", "X", "t", url="javascript:alert(1)", sources=("f#1",))
    text = answer_markdown(
        Answer("q", "answered", sentences=(AnswerSentence("A."),), references=(Reference(1, paper),))
    )
    assert "javascript" not in text


def test_csv_holds_every_column_and_defuses_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(papers_csv([EVA, OTHER]))))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["authors"] == "Ann Äder; Bo de Vries" and rows[0]["text"] == TEXT
    assert rows[1]["text"] == "'=1+1 looks like a formula." and rows[1]["year"] == ""


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_csv_cell_never_begins_as_a_formula(start: str) -> None:
    row = next(csv.DictReader(io.StringIO(papers_csv([Paper("1", f"{start}cmd", "t")]))))
    assert row["name"] == f"'{start}cmd"


def test_jsonl_is_one_object_a_line_with_text_and_sources() -> None:
    first, second = map(json.loads, papers_jsonl([EVA, OTHER]).splitlines())
    assert first["text"] == TEXT and first["sources"] == ["003_a.txt#9", "b.txt#1"]
    assert second["name"] == "网格细胞" and second["title"] is None


def test_bibtex_entry_is_complete_and_escaped() -> None:
    text = papers_bibtex([EVA])
    assert text.startswith("@inproceedings{Ader2025EVA0,\n  title = {{Test-time [bold]adaptation[/bold]}},\n")
    assert "author = {Ann Äder and Bo de Vries}" in text
    assert r"booktitle = {Proc. of X \& Y}" in text
    assert "url = {https://example.org/a_b?c=1}" in text
    assert r"note = {003\_a.txt\#9}" in text


def test_bibtex_keys_of_names_in_another_script_are_the_papers_ids() -> None:
    papers = [Paper(f"id{n}", "论文", "t", year=2024) for n in range(3)]
    assert re.findall(r"@misc\{(\w+),", papers_bibtex(papers)) == ["paperid0", "paperid1", "paperid2"]


def test_bibtex_keys_go_on_counting_where_they_were() -> None:
    papers = [Paper(f"id{n}", "EVA", "t") for n in range(4)] + [Paper("id9", "EVAx3", "t")]
    keys = re.findall(r"@misc\{(\w+),", papers_bibtex(papers))
    assert keys == ["EVA", "EVAx2", "EVAx3", "EVAx4", "EVAx3x2"]


def test_bibtex_keys_are_unique_ignoring_case_and_plain() -> None:
    papers = [
        Paper("1", "EVA-0", "t"),
        Paper("2", "Eva 0", "t"),
        Paper("3", "EVA0x2", "t"),
        OTHER,
        Paper("4", "网", "t"),
    ]
    keys = re.findall(r"^@misc\{([A-Za-z0-9]+),$", papers_bibtex(papers), re.MULTILINE)
    assert len(keys) == 5 and len({key.casefold() for key in keys}) == 5


def test_bibtex_keeps_the_keys_of_the_users_file() -> None:
    given = (
        "smith2021reefacoustic",
        "Lee:2023-a",
        "twice",
        "Twice",
        "a}b",
        "17",
        "https://x.example/1",
        None,
    )
    papers = [Paper(str(i), "EVA-0", "t", extra={"source_id": key}) for i, key in enumerate(given)]
    papers.append(Paper("9", "Other", "t", extra={"source_id": "EVA0x2"}))
    keys = re.findall(r"^@misc\{(.*),$", papers_bibtex(papers), re.MULTILINE)
    assert keys[:2] == ["smith2021reefacoustic", "Lee:2023-a"]
    assert keys[2:] == ["EVA0", "EVA0x3", "EVA0x4", "EVA0x5", "EVA0x6", "EVA0x7", "EVA0x2"]


def test_bibtex_braces_balance_whatever_the_text() -> None:
    text = papers_bibtex([Paper("1", "a}b{", "100% of \\x{ $y$ ~ ^ _ #", authors=("A and B, Inc.",))])
    without_escapes = re.sub(r"\\[{}]", "", text)
    assert without_escapes.count("{") == without_escapes.count("}")
    assert "author = {{A and B, Inc.}}" in text


@pytest.mark.parametrize(
    ("venue", "kind", "field"),
    [
        ("Journal of Octopus Studies", "article", "journal"),
        ("NeurIPS 2024", "inproceedings", "booktitle"),
        ("Proceedings of the Ninth Workshop on Kites", "inproceedings", "booktitle"),
        ("arXiv", "misc", "howpublished"),
        ("Focus on Optics", "article", "journal"),
    ],
)
def test_bibtex_entry_is_of_the_kind_of_its_venue(venue: str, kind: str, field: str) -> None:
    text = papers_bibtex([Paper("1", "EVA-0", "t", venue=venue)])
    assert text.startswith(f"@{kind}{{EVA0,")
    assert f"{field} = {{{venue}}}" in text


def test_bibtex_is_read_back_as_it_was_written() -> None:
    bibtexparser = pytest.importorskip("bibtexparser", reason="it reads BibTeX independently of this program")
    papers = [
        replace(EVA, doi="10.1000/x_y", extra={"keywords": ["edge, devices", "100% $x$"]}),
        replace(EVA, id="1", name="eva 0", authors=("Gödel, Kurt", "A and B, Inc.")),
        OTHER,
        Paper("4", "a}b{", '100% of \\x{ $y$ ~ ^ _ # @article{x, "quoted"', title="A {B} title"),
    ]
    read = bibtexparser.parse_string(papers_bibtex(papers))
    assert not read.failed_blocks
    assert len({entry.key.casefold() for entry in read.entries}) == len(papers)
    first = read.entries[0].fields_dict
    assert first["doi"].value == "10.1000/x_y"
    assert first["keywords"].value == r"edge, devices, 100\% \$x\$"
    assert [entry.fields_dict["abstract"].value != "" for entry in read.entries] == [True] * 4


def test_what_gave_way_in_a_merge_is_shown() -> None:
    merged = replace(EVA, extra={"keywords": ["edge"], "also": {"venue": ["arXiv"], "text": ["x" * 300]}})
    stream = io.StringIO()
    print_lines(paper_lines(merged), stream)
    shown = stream.getvalue()
    assert "cited as: Äder & de Vries 2025, Proc. of X & Y\n" in shown
    assert "keywords: edge\n" in shown
    assert f"also: venue: arXiv; text: {'x' * 79}…\n" in shown
