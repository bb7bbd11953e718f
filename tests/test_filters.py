from __future__ import annotations

import json

import pytest

from rag.cli import main
from rag.domain import Record
from rag.errors import NothingMatches, UnknownPaper, UsageError
from rag.library import Library
from rag.retrieve.filters import Filters, parse_years
from tests.fakes import HashEmbedder, Shelf

PAPERS = (
    ("Octopus memory lasts for weeks in the wild.", 2019, "NeurIPS 2019", ("Ada Lovelace", "Gödel, Kurt")),
    ("Glacier melting is measured from orbit.", 2021, "ICML", ("A. Turing", "Martin Luther King Jr.")),
    ("Violin acoustics depend on varnish and wood.", 2023, "Advances in NeurIPS", ("Lee Ann Müller",)),
    ("Beehive ventilation follows the temperature.", 2024, "NAACL", ("Anna B. Lovelace", "J. van der Berg")),
    ("Tram schedules in winter suffer from snow.", None, "", ()),
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return the folder of a library with five papers, the last of them in a file of its own."""
    folder = tmp_path_factory.mktemp("filters") / "lib"
    shelf = Shelf(folder)
    records = [
        Record(f"{text} We describe how that was found.", "x#1", year=year, venue=venue, authors=a)
        for text, year, venue, a in PAPERS
    ]
    shelf.read("refs/main.bib", *records[:4])
    shelf.read("list.txt", *records[4:])
    shelf.close()
    return folder


@pytest.fixture
def library(place):
    with Library.open(place, embedder=HashEmbedder()) as library:
        yield library


def numbers(library: Library, **given) -> list[int]:
    only = library.select(Filters(**given))
    return [n for n, paper in enumerate(library.papers()) if paper.id in only]


@pytest.mark.parametrize(
    ("written", "years", "found"),
    [
        ("2021", (2021, 2021), [1]),
        ("2020..2023", (2020, 2023), [1, 2]),
        ("2023..", (2023, None), [2, 3]),
        ("..2021", (None, 2021), [0, 1]),
    ],
)
def test_years(library, written, years, found):
    assert parse_years(written) == years
    assert numbers(library, years=years) == found


@pytest.mark.parametrize(
    "written", ["", "..", "2020-2024", "last year", "2024..2020", "20245", "2020...2024"]
)
def test_what_is_no_year_is_told_the_right_form(written):
    with pytest.raises(UsageError) as caught:
        parse_years(written)
    assert ".." in caught.value.hint


@pytest.mark.parametrize(
    ("venue", "found"), [("NeurIPS", [0, 2]), ("neurips 2019", [0]), ("ÍCML", [1]), ("naacl", [3])]
)
def test_a_venue_is_meant_by_its_words_whatever_their_case(library, venue, found):
    assert numbers(library, venues=(venue,)) == found


def test_a_part_of_a_word_is_no_venue(library):
    with pytest.raises(NothingMatches) as caught:
        library.select(Filters(venues=("ACL",)))
    assert "NAACL" in caught.value.hint


@pytest.mark.parametrize(
    ("author", "found"),
    [
        ("Lovelace", [0, 3]),
        ("ada lovelace", [0]),
        ("Lovelace, Ada", [0]),
        ("A. Lovelace", [0, 3]),
        ("Anna Lovelace", [3]),
        ("godel", [0]),
        ("Kurt Gödel", [0]),
        ("Muller", [2]),
        ("Berg", [3]),
        ("van der Berg", [3]),
        ("King", [1]),
        ("King, Jr., Martin Luther", [1]),
        ("Martin L. King", [1]),
    ],
)
def test_an_author_is_meant_by_family_name_or_whole_name(library, author, found):
    assert numbers(library, authors=(author,)) == found


@pytest.mark.parametrize("author", ["Lee", "Love", "Turin"])
def test_a_first_name_or_a_part_of_a_name_is_no_author(library, author):
    with pytest.raises(NothingMatches):
        library.select(Filters(authors=(author,)))


def test_an_author_nobody_is_called_is_told_who_comes_near(library):
    with pytest.raises(NothingMatches, match="no author is called “Lovelase”") as caught:
        library.select(Filters(authors=("Lovelase",)))
    assert "Ada Lovelace" in caught.value.hint


@pytest.mark.parametrize("file", ["refs/main.bib", "main.bib"])
def test_a_file_is_meant_by_its_name(library, file):
    assert numbers(library, files=(file,)) == [0, 1, 2, 3]


def test_papers_are_meant_by_name_source_or_id(library):
    papers = library.papers()
    assert numbers(library, papers=(papers[0].name, papers[1].source, papers[2].id)) == [0, 1, 2]
    with pytest.raises(UnknownPaper):
        library.select(Filters(papers=("Nobody",)))


def test_values_of_one_filter_are_alternatives_and_all_filters_hold(library):
    assert numbers(library, venues=("ICML", "NAACL")) == [1, 3]
    assert numbers(library, authors=("Lovelace",), years=(2020, None)) == [3]
    with pytest.raises(NothingMatches, match="all of them together by none"):
        library.select(Filters(authors=("Turing",), years=(2024, 2024)))


def test_a_filter_that_leaves_nothing_says_what_there_is(library):
    with pytest.raises(NothingMatches, match="no paper is from 1990..2000") as caught:
        library.select(Filters(years=(1990, 2000)))
    assert caught.value.hint == "The library has papers from 2019 to 2024."
    with pytest.raises(NothingMatches) as caught:
        library.select(Filters(files=("other.txt",)))
    assert "list.txt" in caught.value.hint


def test_no_filter_is_no_limit(library):
    assert library.select(Filters()) is None


def test_search_and_ask_find_nothing_else(library):
    only = library.select(Filters(years=(2021, 2023)))
    hits = library.search("octopus memory in the wild", only=only)
    assert {hit.paper.id for hit in hits} == only
    answer = library.ask("How long does octopus memory last?", only=only)
    assert {h.paper.id for h in answer.hits} <= only


def test_years_venues_and_authors_are_read_off_one_index(library):
    ledger = library._ledger
    for query in (
        "SELECT id FROM papers WHERE year BETWEEN 1 AND 2",
        "SELECT venue, count(*) FROM papers WHERE venue != '' GROUP BY venue",
        "SELECT id FROM papers WHERE venue IN ('a')",
        "SELECT id, authors FROM papers WHERE authors != '[]'",
    ):
        plan = " ".join(row[3] for row in ledger._all(f"EXPLAIN QUERY PLAN {query}"))
        assert "COVERING INDEX papers_facts" in plan, query


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("--year", "2020..2023"), 2),
        (("--venue", "neurips", "--author", "Lovelace"), 1),
        (("--file", "list.txt"), 1),
        (("--papers", "refs/main.bib#1,list.txt#1", "--papers", "refs/main.bib#2"), 3),
    ],
)
def test_commands_take_the_filters(clean_place, place, capsys, arguments, count):
    assert main(["papers", "list", "--json", "--library", str(place), *arguments]) == 0
    assert len(json.loads(capsys.readouterr().out)) == count
    assert main(["papers", "export", "--library", str(place), *arguments]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == count
    assert f"among {count} of 5 papers" in shown.err


@pytest.mark.parametrize("command", [("ask", "x"), ("search", "x"), ("papers", "list"), ("papers", "export")])
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--year", "1990"), 3, "no paper is from 1990"),
        (("--venue", "KDD"), 3, "NeurIPS 2019"),
        (("--year", "2020-2024"), 2, "--year 2024, 2020..2024, 2020.. or ..2024"),
        (("--papers", "Nobody"), 2, "no paper is called 'Nobody'"),
    ],
)
def test_a_filter_that_leaves_nothing_is_code_3_and_a_wrong_one_2(
    clean_place, place, capsys, command, arguments, code, told
):
    assert main([*command, "--library", str(place), *arguments]) == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--papers", "--author", "--venue", "--file"])
@pytest.mark.parametrize("value", ["", ",,", " "])
def test_an_empty_filter_is_wrong_usage(clean_place, place, capsys, option, value):
    assert main(["papers", "list", "--library", str(place), option, value]) == 2
    assert f"{option} needs a value" in capsys.readouterr().err


def test_a_named_paper_that_the_filters_leave_out_is_not_compared(library):
    octopus, glacier, violin = (paper.name for paper in library.papers()[:3])
    only = library.select(Filters(years=(2021, None)))
    with pytest.raises(NothingMatches, match=f"{octopus} is left out by the filters"):
        library.compare([octopus, glacier], only=only)
    assert library.compare([glacier, violin], only=only).table is not None


def test_aspects_without_a_word_are_wrong_usage(clean_place, place, capsys):
    assert main(["compare", "--topic", "octopus", "--aspects", ",,,", "--library", str(place)]) == 2
    assert "--aspects needs a value" in capsys.readouterr().err
