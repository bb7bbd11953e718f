"""Tables: which character parts the cells, which column is which, rows that are broken."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from rag.errors import UnknownFormat
from rag.sources.values import people
from tests.reading import ALPHA, BETA, items, records, told


def table(rows: list[list[str]], separator: str = ",") -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator).writerows(rows)
    return stream.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["papers.csv", "papers.tsv", "papers.txt"])
def test_the_separator_and_the_columns_are_found_out(tmp_path: Path, separator: str, name: str) -> None:
    rows = [
        ["Title", "Authors", "Year", "Source title", "Abstract", "DOI", "Link"],
        [
            "Alpha, a method",
            "Lovelace, A.; Turing, A.",
            "2021",
            "J. Methods",
            ALPHA,
            "10.1/X",
            "https://a.org/1",
        ],
        ["Beta; “two”", "", "", "", f"{BETA}\nIt has\na second line.", "", ""],
    ]
    first, second = records(tmp_path, table(rows, separator), name)
    assert (first.title, first.text, first.year, first.venue) == (
        "Alpha, a method",
        ALPHA,
        2021,
        "J. Methods",
    )
    assert (first.authors, first.url) == (("A. Lovelace", "A. Turing"), "https://a.org/1")
    assert (second.title, second.authors, second.line) == ("Beta; “two”", (), 3)


def test_a_table_without_a_header_is_read_by_what_is_in_it(tmp_path: Path) -> None:
    rows = [["1", "Alpha: a method of ours", ALPHA * 3], ["2", "Beta: another one of them", BETA * 3]]
    assert [(r.title, r.text) for r in records(tmp_path, table(rows), "papers.csv")] == [
        ("Alpha: a method of ours", ALPHA * 3),
        ("Beta: another one of them", BETA * 3),
    ]


def test_a_table_of_excel_in_utf16(tmp_path: Path) -> None:
    text = "sep=;\n" + table([["title", "abstract"], ["Größe", ALPHA]], ";")
    (record,) = records(tmp_path, text.encode("utf-16"), "papers.csv")
    assert (record.title, record.text) == ("Größe", ALPHA)


@pytest.mark.parametrize(
    ("encoding", "title"),
    [("cp1252", "Größe – café"), ("cp1250", "Łódź – příliš žluťoučký"), ("cp1257", "Šiauliai – žąsų ūkis")],
)
def test_tables_in_pages_of_windows(tmp_path: Path, encoding: str, title: str) -> None:
    text = table([["title", "abstract"], *([title, f"{n}: {title}. {ALPHA}"] for n in range(9))])
    found = items(tmp_path, text.encode(encoding), "papers.csv")
    assert told(found) == [("", 1, "papers.csv")]
    assert [getattr(item, "title", None) for item in found[1:]] == [title] * 9


def test_a_row_without_an_abstract_is_told_with_its_line(tmp_path: Path) -> None:
    text = table([["title", "abstract"], ["Alpha", ALPHA], ["Gamma", "N/A"], ["Beta", BETA]])
    assert told(items(tmp_path, text, "p.csv")) == [("no abstract", 3, "p.csv#2")]


def test_a_quotation_that_never_ends_loses_no_row_before_it_and_is_told(tmp_path: Path) -> None:
    text = table([["title", "abstract"], ["Alpha", ALPHA]]) + f'"Gamma,{"x" * 200_000}\nBeta,"{BETA}"\n'
    found = items(tmp_path, text, "p.csv")
    assert told(found) == [("unreadable", 3, "p.csv#2")]
    assert [getattr(item, "text", "") for item in found] == [ALPHA, "", BETA]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "name,score\nx,1\ny,2\n", "\n\n"])
def test_a_table_without_abstracts_is_of_another_kind(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnknownFormat):
        items(tmp_path, text, "scores.csv")


def test_chinese_columns(tmp_path: Path) -> None:
    (record,) = records(
        tmp_path, table([["题名", "作者", "摘要", "年"], ["甲", "王伟;李娜", ALPHA, "2020"]]), "p.csv"
    )
    assert (record.title, record.authors, record.year) == ("甲", ("王伟", "李娜"), 2020)


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("Ng K", ("K Ng",)),
        ("Ng AK; Smith J.A.", ("AK Ng", "J.A. Smith")),
        ("van Dam J; O'Neil B", ("J van Dam", "B O'Neil")),
        ("Kai Chen; Ada Lovelace", ("Kai Chen", "Ada Lovelace")),
        ("WHO; Plato", ("WHO", "Plato")),
        ("J K Rowling", ("J K Rowling",)),
    ],
)
def test_initials_behind_a_family_name_are_given_names(written: str, read_as: tuple[str, ...]) -> None:
    assert people(written) == read_as
