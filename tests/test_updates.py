from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rag.domain import Record
from rag.indexes.chroma import open_embedded
from rag.indexes.words import WordIndex
from rag.ledger import LEDGER_FILE
from rag.library import Library
from rag.text.words import terms
from tests.fakes import HashEmbedder, Shelf

KRAKEN = (
    "We present Kraken, a compiler for octopus memory models. It lowers sketches of dens to schedules, and "
    "saves half of the energy that earlier compilers spent. Experiments on nine reefs show that it is quick."
)
TRAM = (
    "Tram schedules in winter suffer from snow on the points. We measure delays in 12 cities over three "
    "years and show that heating the points pays when a line is longer than 5 km."
)
KITE = (
    "Kites that fly in the lee of a hill turn without warning. Wind tunnel runs with a scale model trace "
    "this to a vortex that leaves the ridge every 40 seconds, and a longer tail keeps the kite steady."
)


def record(text: str, **more) -> Record:
    return Record(text, "x#1", **more)


@pytest.fixture
def shelf(tmp_path):
    shelf = Shelf(tmp_path / "lib")
    yield shelf
    shelf.close()


def traces(folder: Path, *needles: str) -> list[str]:
    """Name every place of a library, closed, where a text still stands: each table, tantivy and Chroma."""
    found = []
    # Those left out say that a paper was removed, by its id.
    with sqlite3.connect(folder / LEDGER_FILE) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in sorted(set(tables) - {"removals", "runs", "sqlite_sequence"}):
            for row in db.execute(f"SELECT * FROM {table}"):
                found += [f"{table}: {needle}" for needle in needles if needle in " ".join(map(str, row))]
    db.close()
    words = WordIndex.open(folder / "words")
    found += [f"words: {needle}" for needle in needles if needle in words.ids()]
    found += [f"words: {n}" for n in needles if n.islower() and words.frequencies(terms(n))[terms(n)[0]]]
    vectors = open_embedded(folder / "vectors")
    found += [f"vectors: {n}" for n in needles if any(chunk.startswith(n) for chunk in vectors.ids())]
    vectors.close()
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (record(KRAKEN, doi="10.1000/k"), record(f"{TRAM} We call it Kraken.", doi="10.1000/k")),
        (
            record(KRAKEN, extra={"arxiv": "2401.00001v1"}),
            record(KRAKEN.replace("nine", "ten"), extra={"arxiv": "2401.00001v2"}),
        ),
        (
            record(KRAKEN, title="A compiler for memory models"),
            record(f"{KRAKEN[21:]} It is free.", title="A Compiler for Memory Models"),
        ),
        (record(KRAKEN), record(KRAKEN.replace("half", "a third").replace("nine", "eleven"))),
    ],
    ids=["doi", "arxiv", "title", "edited list"],
)
def test_a_changed_abstract_takes_the_place_of_the_old(shelf, before, after):
    shelf.read("a.bib", before, record(KITE))
    old = shelf.papers()[0]
    counts = shelf.read("a.bib", after, record(KITE)).counts
    assert (counts.updated, counts.added, counts.merged, counts.unchanged) == (1, 0, 0, 1)
    new = next(p for p in shelf.papers() if "a.bib#1" in p.sources)
    assert new.text == after.text
    assert (new.sources, new.gone) == (("a.bib#1",), ())
    assert len(shelf.papers()) == 2
    shelf.check()
    folder, words = shelf.folder, ("memory models. It lowers",) if "lowers" not in after.text else ()
    shelf.close()
    assert traces(folder, old.id, *words) == []


def test_an_update_keeps_the_sources_in_other_files(shelf):
    title = "Kraken: a compiler for memory models"
    shelf.read("a.bib", record(KRAKEN, title=title))
    shelf.read("b.bib", record(KRAKEN, title=title))
    later = record(KRAKEN.replace("nine", "ten"), title=title)
    assert shelf.read("a.bib", later).counts.updated == 1
    (paper,) = shelf.papers()
    assert paper.sources == ("a.bib#1", "b.bib#1")
    assert "ten reefs" in paper.text
    # The other file still says what it said: that is known, and changes nothing back.
    counts = shelf.read("b.bib", record(KRAKEN, title=title)).counts
    assert (counts.updated, counts.unchanged) == (0, 1)
    assert "ten reefs" in shelf.papers()[0].text


def test_an_edit_that_is_undone_brings_the_old_text_back(shelf):
    title = "Kraken: a compiler for memory models"
    old, new = record(KRAKEN, title=title), record(KRAKEN.replace("nine", "ten"), title=title)
    shelf.read("a.bib", old)
    shelf.read("b.bib", old)
    shelf.read("a.bib", new)
    counts = shelf.read("a.bib", old).counts
    assert (counts.updated, counts.added, counts.merged) == (1, 0, 0)
    (paper,) = shelf.papers()
    assert (paper.text, paper.sources) == (KRAKEN, ("a.bib#1", "b.bib#1"))
    shelf.check()


def test_an_entry_that_is_still_there_is_not_updated_by_its_double(shelf):
    first, double = record(KRAKEN, doi="10.1000/k"), record(f"{KRAKEN} It is free.", doi="10.1000/k")
    shelf.read("a.bib", first)
    counts = shelf.read("a.bib", first, double).counts
    assert (counts.updated, counts.merged) == (0, 1)
    assert shelf.papers()[0].text == KRAKEN


def test_what_a_file_corrects_about_a_paper_is_taken_over(shelf):
    shelf.read("a.bib", record(KRAKEN, venue="NeurIPS", year=2023, doi="10.1000/k"))
    counts = shelf.read("a.bib", record(KRAKEN, venue="ICML", year=2024)).counts
    (paper,) = shelf.papers()
    assert (counts.updated, counts.unchanged) == (1, 0)
    assert (paper.venue, paper.year, paper.doi) == ("ICML", 2024, "10.1000/k")
    assert "also" not in paper.extra


def test_entries_that_only_moved_are_unchanged(shelf):
    shelf.read("a.txt", record(KRAKEN), record(TRAM), record(KITE))
    counts = shelf.read("a.txt", record(KITE), record(KRAKEN), record(TRAM)).counts
    assert (counts.updated, counts.added, counts.unchanged) == (0, 0, 3)
    assert sorted(s for p in shelf.papers() for s in p.sources) == ["a.txt#1", "a.txt#2", "a.txt#3"]


def test_an_edit_is_no_update_while_another_file_holds_the_old_text(shelf):
    shelf.read("a.txt", record(KRAKEN))
    shelf.read("b.txt", record(KRAKEN))
    counts = shelf.read("a.txt", record(KRAKEN.replace("nine", "ten"))).counts
    assert (counts.updated, counts.added) == (0, 1)


def test_swapped_and_edited_entries_find_their_own(shelf):
    twins = [record(KRAKEN.replace("nine", str(n))) for n in (21, 22, 23)]
    shelf.read("a.txt", *twins)
    edited = [record(KRAKEN.replace("nine", "99")), twins[2], twins[0]]
    counts = shelf.read("a.txt", *edited).counts
    assert (counts.updated, counts.added, counts.unchanged) == (1, 0, 2)
    assert sorted(p.text for p in shelf.papers()) == sorted(r.text for r in edited)
    shelf.check()


def test_two_entries_edited_to_one_text_become_one_paper(shelf):
    shelf.read("a.txt", *(record(KRAKEN.replace("nine", str(n))) for n in (12, 15)), record(KITE))
    same = record(KRAKEN.replace("nine", "18"))
    counts = shelf.read("a.txt", same, same, record(KITE)).counts
    assert (counts.updated, counts.added, counts.unchanged) == (1, 0, 2)
    (now,) = (p for p in shelf.papers() if p.text == same.text)
    assert {s for s in now.sources if s not in now.gone} == {"a.txt#1", "a.txt#2"}
    shelf.check()


def test_entries_edited_to_a_paper_that_is_held_add_a_place_to_it(shelf):
    texts = [record(KRAKEN.replace("nine", str(n))) for n in (12, 15, 18)]
    shelf.read("a.txt", *texts)
    counts = shelf.read("a.txt", texts[2], texts[2], texts[2]).counts
    assert (counts.updated, counts.added) == (0, 0)
    (held,) = (p for p in shelf.papers() if p.text == texts[2].text)
    assert {f"a.txt#{n}" for n in (1, 2, 3)} <= set(held.sources) - set(held.gone)
    shelf.check()


def test_what_the_ledger_refuses_of_one_file_does_not_end_the_run(tmp_path):
    for name, text in (("a", KRAKEN), ("b", TRAM), ("c", KITE)):
        (tmp_path / f"{name}.txt").write_text(f"Papers\n\n{text}\n", encoding="utf-8")
    files = [tmp_path / f"{name}.txt" for name in "abc"]
    folder = tmp_path / "lib"
    with Library.open(folder, write=True, embedder=HashEmbedder()) as library:
        with sqlite3.connect(folder / LEDGER_FILE) as db:
            db.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON papers WHEN NEW.text LIKE 'Tram%'"
                " BEGIN SELECT RAISE(ABORT, 'held already'); END"
            )
        db.close()
        report = library.ingest(files)
        assert (report.added, [f.file for f in report.failures]) == (2, ["b.txt"])
        assert "held already" in report.failures[0].reason and report.failures[0].hint
        with sqlite3.connect(folder / LEDGER_FILE) as db:
            db.execute("DROP TRIGGER refuse")
        db.close()
        assert library.ingest(files).added == 1
        assert sorted(p.text for p in library.papers()) == sorted((KRAKEN, TRAM, KITE))


@pytest.fixture
def library(tmp_path):
    (tmp_path / "a.txt").write_text(f"Papers\n\n{KRAKEN}\n\n{TRAM}\n\n{KITE}\n", encoding="utf-8")
    with Library.open(tmp_path / "lib", write=True, embedder=HashEmbedder()) as library:
        library.ingest(tmp_path / "a.txt")
        yield library


def forgotten(library: Library, folder: Path, paper_id: str) -> None:
    assert paper_id not in {hit.paper.id for hit in library.search("octopus memory compiler", k=10)}
    answer = library.ask("What does Kraken save?")
    assert paper_id not in {r.paper.id for r in answer.references} | {h.paper.id for h in answer.hits}
    library.close()
    assert traces(folder, paper_id, "octopus memory models", "octopus") == []


def test_a_removed_paper_is_left_in_no_table_and_no_index(library, tmp_path):
    wanted = library.paper("Kraken")
    assert library.remove(wanted.id) == 1
    forgotten(library, tmp_path / "lib", wanted.id)


def test_a_paper_removed_by_sync_is_left_nowhere(library, tmp_path):
    wanted = library.paper("Kraken")
    (tmp_path / "a.txt").write_text(f"Papers\n\n{TRAM}\n\n{KITE}\n", encoding="utf-8")
    assert library.ingest(tmp_path / "a.txt", sync=True).removed == (wanted.id,)
    forgotten(library, tmp_path / "lib", wanted.id)


def test_an_edited_list_leaves_the_old_wording_nowhere(library, tmp_path):
    wanted = library.paper("Kraken")
    text = KRAKEN.replace("nine reefs", "ten reefs").replace("octopus memory", "cuttlefish memory")
    (tmp_path / "a.txt").write_text(f"Papers\n\n{text}\n\n{TRAM}\n\n{KITE}\n", encoding="utf-8")
    report = library.ingest(tmp_path / "a.txt")
    assert (report.updated, report.added, report.gone) == (1, 0, ())
    forgotten(library, tmp_path / "lib", wanted.id)


def arxiv(version: int, text: str, **more) -> Record:
    return record(
        text, url=f"https://arxiv.org/abs/2401.00001v{version}", extra={"arxiv": "2401.00001"}, **more
    )


@pytest.mark.parametrize("one_file", [False, True])
def test_the_text_of_the_later_arxiv_version_stands_whichever_comes_first(shelf, one_file):
    first = arxiv(1, KRAKEN, title="Kraken", venue="NeurIPS")
    second = arxiv(2, KRAKEN.replace("nine reefs", "ten banks"), title="Kraken")
    if one_file:
        shelf.read("a.atom", first, second)
    else:
        shelf.read("a.atom", first)
        assert shelf.read("b.atom", second).counts.updated == 1
        assert shelf.read("a.atom", first).counts.unchanged == 1
    shelf.read("c.atom", first)
    (paper,) = shelf.papers()
    assert "ten banks" in paper.text
    assert (paper.url[-2:], paper.venue) == ("v2", "NeurIPS")
    assert len(paper.sources) == 3
    shelf.check()
    folder = shelf.folder
    shelf.close()
    assert [trace for trace in traces(folder, "nine reefs") if "also" not in trace] == []


def test_an_earlier_arxiv_version_that_comes_later_changes_no_text(shelf):
    shelf.read("b.atom", arxiv(2, KRAKEN.replace("nine reefs", "ten banks")))
    assert shelf.read("a.atom", arxiv(1, KRAKEN)).counts.merged == 1
    (paper,) = shelf.papers()
    assert "ten banks" in paper.text and paper.url.endswith("v2")
