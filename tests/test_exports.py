from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import rispy
from markdown_it import MarkdownIt

from rag.cli import giving, main
from rag.domain import Answer, AnswerSentence, Paper
from rag.errors import OutputError, UsageError
from rag.outputs.bibtex import escaped, papers_bibtex
from rag.outputs.exports import ANSWER_FORMATS, PAPER_FORMATS, export, format_of
from rag.outputs.files import check_writable, file_named, write_whole
from rag.outputs.tables import FORMULA_STARTS
from rag.outputs.weblinks import doi_address
from rag.text.latex import readable
from tests.fakes import run_python
from tests.sample_answers import (
    EDGE,
    EVERY,
    FAST,
    answered,
    comparison,
    doubtful,
    fact,
    hostile,
    not_found,
    overview,
)

every = pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)


def rows(answer: Answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export(answer, "csv"))))


@every
@pytest.mark.parametrize("name", ANSWER_FORMATS)
def test_every_answer_has_every_form(make: Callable[[], Answer], name: str) -> None:
    text = export(make(), name)
    assert isinstance(text, str) and (text.endswith("\n") or text == "")
    if name != "json":
        assert not {"\x1b", "\u202e"} & set(text)


def test_the_command_line_offers_the_formats_there_are() -> None:
    assert tuple(ANSWER_FORMATS) == giving.ANSWERS and tuple(PAPER_FORMATS) == giving.PAPERS


def test_an_unknown_form_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="markdown, html, json, csv, bibtex, ris"):
        export(fact(), "docx")


@pytest.mark.parametrize(
    ("path", "name"),
    [("a.md", "markdown"), ("A.HTML", "html"), ("x/a.htm", "html"), ("a.b.bib", "bibtex"), ("a.ris", "ris")],
)
def test_the_ending_of_a_file_tells_the_form(path: str, name: str) -> None:
    assert format_of(path) == name


@pytest.mark.parametrize("path", ["answer", "a.docx", ".md", "a.md.gz"])
def test_an_ending_that_tells_nothing_names_the_endings(path: str) -> None:
    with pytest.raises(UsageError, match=r"\.md, \.markdown, \.html, \.htm, \.json, \.csv, \.bib, \.ris"):
        format_of(path)


@every
def test_json_is_the_answer(make: Callable[[], Answer]) -> None:
    assert json.loads(export(make(), "json")) == json.loads(json.dumps(make().to_dict()))


def test_csv_of_an_answer_has_a_row_for_each_citation() -> None:
    first, second, third = rows(fact())
    assert (first["sentence"], first["quote"], first["marker"]) == ("It is 14× faster.", FAST.quote, "1")
    assert second["sentence"] == first["sentence"] and second["quote"] == EDGE.quote
    assert (third["paper"], third["source"], third["verdict"]) == ("AntWalk", "b.txt#1", "supported")


def test_csv_keeps_sentences_that_cite_nothing_and_tells_why_one_is_doubted() -> None:
    table = rows(doubtful())
    assert table[-1]["sentence"] == "So it is best." and table[-1]["verdict"] == "unsupported"
    assert table[1]["reason"] == "45 is not in the quote"


def test_csv_of_a_comparison_has_a_row_for_each_paper() -> None:
    eva, ant = rows(comparison())
    assert list(eva) == ["paper", "source", "Method", "Method: quote", "Result", "Result: quote"]
    assert list(eva.values()) == [
        "EVA-0",
        "a.txt#9",
        "runs | on the edge",
        EDGE.quote,
        "14× faster",
        FAST.quote,
    ]
    assert ant["Method"] == "not stated" and ant["Method: quote"] == ""
    assert ant["Result"] == "85% explained (not supported by [2]: 85 is not in the quote)"


def test_csv_of_an_overview_tells_sections_and_related_papers() -> None:
    table = rows(overview())
    assert [(row["section"], row["sentence"]) for row in table] == [
        ("Speed", "It is 14× faster."),
        ("Speed", "It runs on the edge."),
        ("Animals", "Ants loop."),
        ("Also related", ""),
    ]
    assert table[-1]["quote"] == "Ants search in loops."


@every
def test_no_cell_of_a_csv_runs_as_a_formula(make: Callable[[], Answer]) -> None:
    for row in csv.reader(io.StringIO(export(make(), "csv"))):
        assert not any(cell.startswith(FORMULA_STARTS) for cell in row)


def test_a_formula_behind_spaces_is_guarded_too() -> None:
    assert rows(answered(AnswerSentence(" \t=cmd()", (FAST,))))[0]["sentence"] == "'=cmd()"


def test_markdown_of_a_comparison_is_a_table_github_shows() -> None:
    lines = export(comparison(), "markdown").splitlines()
    start = lines.index("| Paper | Method | Result |")
    assert lines[start + 1 : start + 4] == [
        "| --- | --- | --- |",
        r"| EVA-0 \[1\] | runs \| on the edge \[1\] | 14× faster \[1\] |",
        r"| AntWalk \[2\] | *not stated* | 85% explained \[2\]"
        r" *(not supported by \[2\]: 85 is not in the quote)* |",
    ]
    assert f"   > {FAST.quote}" in lines


def test_markdown_of_an_overview_has_headings_coverage_and_related_papers() -> None:
    text = export(overview(), "markdown")
    assert "### Speed (3 papers)\n\nIt is 14× faster. \\[1\\]\nIt runs on the edge. \\[1\\]\n" in text
    assert "\n5 papers belong here; 2 used.\n" in text
    assert "### Also related\n\n- AntWalk · b.txt\\#1\n  > Ants search in loops.\n" in text


def test_hostile_text_breaks_no_markdown_table_and_makes_no_tag() -> None:
    text = export(hostile(), "markdown")
    page = MarkdownIt().enable("table").render(text)
    assert [page.count(tag) for tag in ("<table>", "<tr>", "<th>", "<td>")] == [1, 2, 2, 2]
    assert not re.search("<(script|img|style|mark)|href=.(?!https?:)", page)
    cells = [re.split(r"(?<!\\)\|", line) for line in text.splitlines() if line.startswith("|")]
    assert [len(row) for row in cells] == [4, 4, 4]
    assert not re.search(r"(?<!\\)<(?!https?://)", text) and "javascript" not in text


def test_markdown_ends_with_what_the_answer_warned_of() -> None:
    assert export(doubtful(), "markdown").endswith("\n*Remark: the model was asked twice*\n")


def test_references_come_in_the_order_of_their_numbers() -> None:
    assert re.findall(r"^@(\w+)\{", export(fact(), "bibtex"), re.MULTILINE) == ["inproceedings", "misc"]
    assert [entry["title"] for entry in rispy.loads(export(fact(), "ris"))][1] == "AntWalk"


@pytest.mark.parametrize("name", ["bibtex", "ris"])
def test_where_nothing_is_cited_the_list_is_empty_and_says_so(name: str) -> None:
    assert export(not_found(), name) == ""
    assert ANSWER_FORMATS[name].remark(not_found()) == "nothing is cited: the list of references is empty"
    assert ANSWER_FORMATS[name].remark(fact()) == ""


@pytest.mark.parametrize(
    ("doi", "address"),
    [
        ("10.1234/a(b)c", "https://doi.org/10.1234/a(b)c"),
        ("https://doi.org/10.1234/x", "https://doi.org/10.1234/x"),
        ("doi: 10.1234/x", "https://doi.org/10.1234/x"),
        ('10.1234/"><script>', "https://doi.org/10.1234/%22%3E%3Cscript%3E"),
        ("not a doi", ""),
    ],
)
def test_a_doi_is_a_link_however_it_is_written(doi: str, address: str) -> None:
    assert doi_address(doi) == address


# -- files ------------------------------------------------------------------------------------------


def test_a_file_is_written_whole_keeps_its_rights_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    write_whole(path, "14×\n")
    path.chmod(0o640)
    write_whole(path, "new\n")
    assert path.read_bytes() == b"new\n" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed_and_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.md").write_text("old")
    (tmp_path / "link.md").symlink_to("real.md")
    write_whole(tmp_path / "link.md", "new")
    assert (tmp_path / "link.md").is_symlink() and (tmp_path / "real.md").read_text() == "new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="/dev/full cannot be written: No space left on device"):
        write_whole(Path("/dev/full"), "text")


@pytest.mark.parametrize(("name", "why"), [("", "it is a folder"), ("no/a.md", "there is no folder")])
def test_a_place_where_no_file_can_be_is_told_before_any_work(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(OutputError, match=why):
        check_writable(tmp_path / name)


@pytest.mark.skipif(sys.platform != "linux", reason="gives up rights as Linux does")
def test_a_file_that_may_not_be_changed_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("mine")
    path.chmod(0o444)
    done = run_python(
        """
        import sys
        from pathlib import Path
        from fakes import _GIVE_UP_RIGHTS
        exec(_GIVE_UP_RIGHTS)
        from rag.errors import OutputError
        from rag.outputs.files import write_whole
        try:
            write_whole(Path(sys.argv[1]), "new")
        except OutputError as error:
            print(error.message)
        """,
        str(path),
    )
    assert done.stdout.endswith("cannot be written: it may not be changed\n"), done.stderr
    assert path.read_text() == "mine"


# -- command line -----------------------------------------------------------------------------------

QUESTION = "How much faster than FOA is EVA-0?"
MISSING = "How many GPUs were used to train EVA-0?"


@pytest.fixture
def ask(
    clean_place: None, seed_library_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: str, command: tuple[str, ...] = ("ask",)) -> tuple[int, str, str]:
        code = main([*command, *arguments, "--library", str(seed_library_path)])
        return code, *capsys.readouterr()

    return run


Ask = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("option", "begins"),
    [
        (("--format", "html"), "<!doctype html>"),
        (("--format", "csv"), "sentence,verdict,marker,paper,source,quote,reason\n"),
        (("--format", "bibtex"), "@misc{EVA0,"),
        (("--format", "ris"), "TY  - GEN\n"),
        (("--format", "json"), "{"),
        (("--json",), "{"),
        (("--markdown",), "## How much"),
        (("--json", "--format", "json", "-o", "-"), "{"),
    ],
)
def test_ask_prints_in_the_format_wanted(ask: Ask, option: tuple[str, ...], begins: str) -> None:
    code, out, _ = ask(QUESTION, *option)
    assert code == 0 and out.startswith(begins)


def test_output_is_written_in_the_format_of_its_ending(ask: Ask, tmp_path: Path) -> None:
    code, out, err = ask(QUESTION, "--output", "answer.html")
    assert (code, out) == (0, "") and "answer.html written (html)\n" in err
    assert (tmp_path / "answer.html").read_text("utf-8").startswith("<!doctype html>")
    code, out, _ = ask(QUESTION, "-o", "answer.txt", "--format", "markdown")
    assert (code, out) == (0, "") and (tmp_path / "answer.txt").read_text("utf-8").startswith("## ")


def test_not_found_keeps_its_exit_code_and_is_told(ask: Ask, tmp_path: Path) -> None:
    code, out, err = ask(MISSING, "-o", "a.bib")
    assert (code, out) == (3, "") and (tmp_path / "a.bib").read_text() == ""
    assert "warning: nothing is cited: the list of references is empty\n" in err
    assert "These papers do not answer this.\n" in err


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--json", "--markdown"), 2, "choose one of --json, --markdown and --format"),
        (("--json", "--format", "html"), 2, "choose one of"),
        (("-o", "a.txt"), 2, "the ending of 'a.txt' does not tell the format"),
        (("-o", "no/a.md"), 1, "no/a.md cannot be written: there is no folder no"),
        (("-o", "."), 1, "it is a folder"),
        (("--dry-run", "-o", "a.md"), 2, "--dry-run makes no answer"),
        (("--dry-run", "--format", "csv"), 2, "--dry-run makes no answer"),
    ],
)
def test_what_cannot_be_given_is_refused_first(
    ask: Ask, options: tuple[str, ...], code: int, said: str
) -> None:
    found, out, err = ask(QUESTION, *options)
    assert (found, out) == (code, "") and said in err.replace(f".{os.sep}", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_a_failure_with_its_reason(ask: Ask) -> None:
    code, _, err = ask(QUESTION, "-o", "/dev/full", "--format", "json")
    assert code == 1 and "error: /dev/full cannot be written: No space left on device\n" in err


def test_papers_are_exported_to_a_file_and_as_ris(ask: Ask, tmp_path: Path) -> None:
    code, out, err = ask("-o", "all.ris", command=("papers", "export"))
    assert (code, out) == (0, "") and "all.ris written (ris)" in err
    assert len(rispy.loads((tmp_path / "all.ris").read_text("utf-8"))) == 38
    assert ask(command=("papers", "export"))[1].count("\n") == 38
    assert ask("-o", "all.html", command=("papers", "export"))[0] == 2


@pytest.mark.parametrize("odd", ["Ada } Lovelace", "Ada { Lovelace", "}{", "{balanced} x"])
def test_braces_of_a_bibtex_entry_are_balanced_and_read_back(odd: str) -> None:
    paper = Paper("i", "Odd", f"We keep {odd} as it is.", title=odd, authors=(odd,), venue=odd)
    text = papers_bibtex([paper])
    assert text.count("{") == text.count("}")
    fields = re.findall(r"= (\{.*\}),?$", text, re.MULTILINE)
    assert len(fields) == 4
    for field in fields:
        depths = list(itertools.accumulate((c == "{") - (c == "}") for c in field))
        assert min(depths) >= 0 and depths[-1] == 0
    assert readable(escaped(odd)) == odd


def test_a_name_that_ends_as_a_folder_does_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="names a folder"):
        file_named(f"{tmp_path}/ro.html/")
    assert file_named("ro.html") == Path("ro.html")
