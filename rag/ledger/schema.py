"""The ledger's tables: creates a new file whole or not at all, and brings an older one up to date."""

from __future__ import annotations

import os
import secrets
import sqlite3
from pathlib import Path

from rag.errors import LibraryError

VERSION = 2
APPLICATION_ID = (
    0x41736B4C  # "AskL": tells our files from other SQLite files, and from drafts of ours ("AskP")
)

# Everything a filter looks at, small enough to be read whole.
_FACTS = "CREATE INDEX papers_facts ON papers (year, venue, authors, id);"
_RECORDS = "CREATE INDEX paper_sources_record ON paper_sources (record) WHERE record != '';"
_FINGERPRINTS = """
-- What duplicates are found by. A paper whose row is missing, or was made by another scheme, gets one at the
-- next ingest.
CREATE TABLE fingerprints (
    seq INTEGER PRIMARY KEY REFERENCES papers (seq) ON DELETE CASCADE,
    scheme TEXT NOT NULL,
    sketch BLOB NOT NULL
);
CREATE TABLE paper_keys (
    key TEXT NOT NULL,                  -- `doi:…`, `arxiv:…`, `title:…`, `start:…`
    seq INTEGER NOT NULL REFERENCES papers (seq) ON DELETE CASCADE,
    PRIMARY KEY (key, seq)
) WITHOUT ROWID;
CREATE INDEX paper_keys_seq ON paper_keys (seq);
"""

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row for each transaction that changed the papers. The random token tells two histories apart
-- that reached the same number, such as a restored backup and what it replaced.
CREATE TABLE generations (generation INTEGER PRIMARY KEY, token TEXT NOT NULL);

CREATE TABLE papers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    folded_name TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    original TEXT,                      -- NULL when it equals text
    title TEXT NOT NULL,
    authors TEXT NOT NULL,              -- JSON list
    year INTEGER,
    venue TEXT NOT NULL,
    url TEXT NOT NULL,
    doi TEXT NOT NULL,
    extra TEXT NOT NULL,                -- JSON object
    generation INTEGER NOT NULL
);
CREATE INDEX papers_generation ON papers (generation);
{_FACTS}

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,          -- as shown in a source, `name#ordinal`
    path TEXT NOT NULL,                 -- absolute; empty for what is not a file
    digest TEXT NOT NULL                -- empty: must be read again
);

CREATE TABLE paper_sources (
    seq INTEGER NOT NULL REFERENCES papers (seq) ON DELETE CASCADE,
    file INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0,    -- the file no longer holds it
    record TEXT NOT NULL DEFAULT '',    -- digest of what was read there; empty: not known
    why TEXT NOT NULL DEFAULT '',       -- for another text or title than the paper's: why it is the same
    likeness REAL,                      -- and how alike the texts are, from 0 to 1
    PRIMARY KEY (seq, file, ordinal)
) WITHOUT ROWID;
CREATE INDEX paper_sources_file ON paper_sources (file);
{_RECORDS}

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

-- One row a paper: float32 rows, one for each chunk in order.
CREATE TABLE chunk_vectors (
    seq INTEGER PRIMARY KEY REFERENCES papers (seq) ON DELETE CASCADE,
    vectors BLOB NOT NULL
);

-- One row a paper: an int8 row for each sentence, and the float32 factor of each.
CREATE TABLE sentence_vectors (
    seq INTEGER PRIMARY KEY REFERENCES papers (seq) ON DELETE CASCADE,
    scales BLOB NOT NULL,
    codes BLOB NOT NULL
);

CREATE TABLE removals (
    generation INTEGER NOT NULL,
    paper_id TEXT NOT NULL,
    chunks INTEGER NOT NULL,            -- how many it had: their ids follow from it
    PRIMARY KEY (generation, paper_id)
) WITHOUT ROWID;

CREATE TABLE runs (id INTEGER PRIMARY KEY, finished REAL NOT NULL, report TEXT NOT NULL);
{_FINGERPRINTS}"""

MIGRATIONS: dict[int, str] = {
    1: f"""
ALTER TABLE paper_sources ADD COLUMN record TEXT NOT NULL DEFAULT '';
ALTER TABLE paper_sources ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE paper_sources ADD COLUMN likeness REAL;
{_FACTS}
{_RECORDS}
{_FINGERPRINTS}
""",
}
"""From a schema version, the statements that lead to the next."""


def create(path: Path) -> None:
    """Make a new ledger file at `path`.

    It is made beside its place and moved there, so that an empty or half-made ledger is always damage.
    """
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        # Rows of vectors take 1 to 4 KB: on SQLite's own pages of 4 KB half of the space stayed empty.
        connection.execute("PRAGMA page_size = 16384")
        connection.executescript(f"BEGIN;{TABLES}COMMIT;")
        connection.execute("INSERT INTO generations VALUES (0, ?)", (secrets.token_hex(8),))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    os.replace(draft, path)


def version(connection: sqlite3.Connection) -> int:
    """Return the schema version of an open ledger; raise LibraryError if it is not ours or too new."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise LibraryError(
            "The ledger file is a database of another program, or was made before the first release.",
            hint="Name another folder with --library.",
        )
    if found > VERSION:
        raise LibraryError(
            f"The library has schema {found}, newer than this program, which knows {VERSION}.",
            hint="Upgrade with `pip install -U askpapers`, or name another folder with --library.",
        )
    return int(found)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring an older ledger to the present schema, one version and one transaction at a time."""
    for found in range(version(connection), VERSION):
        script = f"BEGIN IMMEDIATE;{MIGRATIONS[found]};PRAGMA user_version = {found + 1};COMMIT;"
        connection.executescript(script)
