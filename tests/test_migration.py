from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rag.domain import Record
from rag.indexes.healing import open_indexes
from rag.ledger import LEDGER_FILE, Ledger, WriterLock
from rag.ledger.schema import APPLICATION_ID, VERSION
from rag.twins import duplicates
from tests.fakes import HashEmbedder, Shelf, fill
from tests.test_duplicates import EVA, OTHER

# The schema of version 1, as the program wrote it before it had a version 2.
TABLES_1 = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE generations (generation INTEGER PRIMARY KEY, token TEXT NOT NULL);
CREATE TABLE papers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    original TEXT,
    title TEXT NOT NULL,
    authors TEXT NOT NULL,
    year INTEGER,
    venue TEXT NOT NULL,
    url TEXT NOT NULL,
    doi TEXT NOT NULL,
    extra TEXT NOT NULL,
    generation INTEGER NOT NULL
);
CREATE INDEX papers_generation ON papers (generation);
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE TABLE paper_sources (
    seq INTEGER NOT NULL REFERENCES papers (seq) ON DELETE CASCADE,
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (seq, file, ordinal)
) WITHOUT ROWID;
CREATE INDEX paper_sources_file ON paper_sources (file);
CREATE TABLE sentences (
    seq INTEGER NOT NULL REFERENCES papers (seq) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    PRIMARY KEY (seq, ordinal)
) WITHOUT ROWID;
CREATE TABLE chunks (
    seq INTEGER NOT NULL REFERENCES papers (seq) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (seq, ordinal)
) WITHOUT ROWID;
CREATE TABLE chunk_vectors (
    seq INTEGER PRIMARY KEY REFERENCES papers (seq) ON DELETE CASCADE,
    vectors BLOB NOT NULL
);
CREATE TABLE sentence_vectors (
    seq INTEGER PRIMARY KEY REFERENCES papers (seq) ON DELETE CASCADE,
    scales BLOB NOT NULL,
    codes BLOB NOT NULL
);
CREATE TABLE removals (
    generation INTEGER NOT NULL,
    paper_id TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    PRIMARY KEY (generation, paper_id)
) WITHOUT ROWID;
CREATE TABLE runs (id INTEGER PRIMARY KEY, finished REAL NOT NULL, report TEXT NOT NULL);
"""


def columns(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    """Return the columns of every table and the names of its indexes."""
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        table: [
            *db.execute(f"SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('{table}')"),
            *sorted(db.execute(f"SELECT name, \"unique\" FROM pragma_index_list('{table}')")),
        ]
        for table in tables
    }


def as_version_1(folder: Path) -> None:
    """Turn the ledger in `folder` into one of version 1, with what that version stored."""
    new, old = folder / LEDGER_FILE, folder / "old.sqlite"
    with sqlite3.connect(old) as db:
        db.executescript(TABLES_1)
        db.execute("ATTACH ? AS new", (str(new),))
        for table in columns(db):
            if table != "sqlite_sequence":
                kept = ", ".join(
                    row[0] for row in db.execute(f"SELECT name FROM pragma_table_info('{table}')")
                )
                db.execute(f"INSERT INTO main.{table} SELECT {kept} FROM new.{table}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("PRAGMA user_version = 1")
    db.close()
    for leftover in folder.glob(f"{LEDGER_FILE}*"):
        leftover.unlink()
    old.rename(new)


@pytest.fixture
def old_library(tmp_path):
    """Return the folder of a library of version 1 with three papers."""
    shelf = Shelf(tmp_path / "lib")
    shelf.read("a.txt", Record(EVA, "x#1"), Record(OTHER, "x#2"))
    fill(shelf.ledger, [1], shelf.embedder)
    shelf.indexes.update()
    shelf.close()
    as_version_1(tmp_path / "lib")
    return tmp_path / "lib"


def version(folder: Path) -> int:
    with sqlite3.connect(folder / LEDGER_FILE) as db:
        (found,) = db.execute("PRAGMA user_version").fetchone()
    db.close()
    return int(found)


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_library_of_version_1_is_brought_up_to_date_when_opened(old_library, mode):
    assert version(old_library) == 1
    with Ledger.open(old_library, mode) as ledger:
        assert [p.sources for p in ledger.papers()] == [("a.txt#1",), ("a.txt#2",), ("list.txt#1",)]
        assert ledger.check() == []
    assert version(old_library) == VERSION


def test_migrated_and_new_libraries_have_the_same_tables(old_library, tmp_path):
    Ledger.open(old_library).close()
    Ledger.open(tmp_path / "new", "write").close()
    found = []
    for folder in (old_library, tmp_path / "new"):
        with sqlite3.connect(folder / LEDGER_FILE) as db:
            found.append(columns(db))
        db.close()
    assert found[0] == found[1]


def test_duplicates_of_papers_from_version_1_are_found(old_library):
    shelf = Shelf(old_library)
    assert len(shelf.ledger.unfingerprinted()) == 3
    assert duplicates(shelf.ledger) == []
    counts = shelf.read("b.txt", Record(f"{EVA} © 2019 IEEE.", "x#1"), Record(OTHER, "x#2")).counts
    assert (counts.merged, counts.unchanged, counts.added) == (1, 1, 0)
    assert shelf.ledger.unfingerprinted() == []
    shelf.check()
    shelf.close()


def test_an_entry_read_by_version_1_is_updated_when_it_changes(old_library):
    shelf = Shelf(old_library)
    counts = shelf.read("a.txt", Record(EVA.replace("54.3", "57.9"), "x#1"), Record(OTHER, "x#2")).counts
    assert (counts.updated, counts.unchanged, counts.added) == (1, 1, 0)
    shelf.check()
    shelf.close()


def test_indexes_need_not_be_made_again(old_library):
    with Ledger.open(old_library, "write") as ledger:
        indexes = open_indexes(ledger)
        assert indexes.warnings == []
        assert indexes.words.query(["eva0"], 1)
        indexes.close()


def test_a_migration_that_is_cut_off_leaves_version_1(old_library, monkeypatch):
    from rag.ledger import schema

    monkeypatch.setitem(schema.MIGRATIONS, 1, f"{schema.MIGRATIONS[1]}; SELECT nonsense FROM nowhere")
    with pytest.raises(Exception, match="nowhere"):
        Ledger.open(old_library, "write")
    assert version(old_library) == 1
    monkeypatch.undo()
    with Ledger.open(old_library, "write") as ledger:
        assert ledger.check() == []


def test_a_library_of_version_1_that_another_process_writes_says_so(old_library):
    with WriterLock(old_library).acquire(), pytest.raises(Exception, match="writing") as caught:
        Ledger.open(old_library)
    assert caught.value.hint


def test_papers_of_version_1_keep_their_embedder(old_library):
    with Ledger.open(old_library) as ledger:
        assert ledger.identity == HashEmbedder().identity
