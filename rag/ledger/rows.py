"""Rows of the ledger: papers, files and sources come in and go out as the SQL that stores them."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from rag.domain import Chunk, Paper, Sentence
from rag.embedders import EmbedderIdentity
from rag.ledger import packing
from rag.ledger.packing import Matrix
from rag.ledger.strings import storable, visible
from rag.papers.duplicates import fingerprint
from rag.papers.sketches import scheme
from rag.text.digits import whole
from rag.text.words import fold_name

K = TypeVar("K")
V = TypeVar("V")

PAPER_COLUMNS = "seq, id, name, text, original, title, authors, year, venue, url, doi, extra"
FILE_COLUMNS = "name, path, digest"
_SOURCE_ROW = (
    " WHERE file = (SELECT id FROM files WHERE name = ?)"
    " AND seq = (SELECT seq FROM papers WHERE id = ?) AND ordinal = ?"
)
DROP_SOURCE = f"DELETE FROM paper_sources{_SOURCE_ROW}"
MARK_SOURCE = f"UPDATE paper_sources SET gone = 1{_SOURCE_ROW}"


@dataclass(frozen=True, slots=True)
class PreparedPaper:
    """A paper ready to be stored: vectors are float32, one unit row for each chunk and each sentence."""

    paper: Paper
    sentences: tuple[Sentence, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: Matrix
    sentence_vectors: Matrix


@dataclass(frozen=True, slots=True)
class Imprint:
    """Who wrote a paper, where and when it came out; all there is to it but its text."""

    id: str
    authors: tuple[str, ...]
    year: int | None
    venue: str


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that was read: `name` stands in sources, `digest` is empty if it must be read again."""

    name: str
    path: str
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One place in a file that holds, or (`gone`) held, a paper; `record` as in `Sighting`."""

    paper_id: str
    ordinal: int
    gone: bool = False
    record: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A paper read at a place, `file name#ordinal`: `record` is a digest of all that stood there.

    Where that is another text or title than the paper's, `why` says why it is the same paper, and `likeness`
    how alike the texts are, from 0 to 1.
    """

    paper_id: str
    source: str
    record: str = ""
    why: str = ""
    likeness: float | None = None


def next_generation(db: sqlite3.Connection) -> int:
    """Begin a generation; return its number."""
    cursor = db.execute("INSERT INTO generations (token) VALUES (?)", (secrets.token_hex(8),))
    return int(cursor.lastrowid or 0)


def put_identity(db: sqlite3.Connection, identity: EmbedderIdentity) -> None:
    """Record whose vectors are stored, under a new mark."""
    for key, value in (("embedder", to_json(asdict(identity))), ("vector_mark", secrets.token_hex(8))):
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def remove_papers(db: sqlite3.Connection, ids: Sequence[str]) -> None:
    """Remove papers, and keep which chunks they had for the indexes."""
    if not ids:
        return
    generation = next_generation(db)
    for paper_id in ids:
        # Its files must be read again at the next ingest, or the paper could never come back.
        db.execute(
            "UPDATE files SET digest = '' WHERE id IN (SELECT file FROM paper_sources"
            " JOIN papers USING (seq) WHERE papers.id = ?)",
            (paper_id,),
        )
        note_removal(db, paper_id, generation)
        db.execute("DELETE FROM papers WHERE id = ?", (paper_id,))


def note_removal(db: sqlite3.Connection, paper_id: str, generation: int) -> None:
    """Keep for the indexes which chunks a paper had that is about to go."""
    db.execute(
        "INSERT INTO removals SELECT ?, id, (SELECT count(*) FROM chunks c WHERE c.seq = p.seq)"
        " FROM papers p WHERE id = ?",
        (generation, paper_id),
    )


def insert_paper(db: sqlite3.Connection, item: PreparedPaper, generation: int) -> int:
    """Store a new paper with its sentences, chunks, vectors and fingerprint; return its seq."""
    paper = item.paper
    values = _values(paper) | {"generation": generation}
    cursor = db.execute(
        f"INSERT INTO papers ({', '.join(values)}) VALUES ({','.join('?' * len(values))})",
        list(values.values()),
    )
    seq = int(cursor.lastrowid or 0)
    put_fingerprint(db, seq, paper)
    db.executemany(
        "INSERT INTO sentences VALUES (?, ?, ?, ?)",
        [(seq, s.ordinal, s.start, s.end) for s in item.sentences],
    )
    db.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
        [(seq, c.ordinal, c.start, c.end, c.tokens) for c in item.chunks],
    )
    insert_vectors(db, seq, item.chunk_vectors, item.sentence_vectors)
    return seq


def rewrite_paper(db: sqlite3.Connection, paper: Paper, generation: int) -> int:
    """Store what is known of a paper now, its text apart; return its seq."""
    values = _values(paper) | {"generation": generation}
    settings = ", ".join(f"{column} = ?" for column in values)
    db.execute(f"UPDATE papers SET {settings} WHERE id = ?", [*values.values(), paper.id])
    (seq,) = db.execute("SELECT seq FROM papers WHERE id = ?", (paper.id,)).fetchone()
    put_fingerprint(db, seq, paper)
    return int(seq)


def put_fingerprint(db: sqlite3.Connection, seq: int, paper: Paper) -> None:
    """Store what duplicates of a paper are found by."""
    made = fingerprint(paper)
    sketch = packing.pack_sketch(made.sketch)
    db.execute("INSERT OR REPLACE INTO fingerprints VALUES (?, ?, ?)", (seq, scheme(), sketch))
    db.execute("DELETE FROM paper_keys WHERE seq = ?", (seq,))
    db.executemany(
        "INSERT OR IGNORE INTO paper_keys VALUES (?, ?)", [(storable(key), seq) for key in made.keys]
    )


def replace_vectors(db: sqlite3.Connection, seq: int, chunk_rows: Matrix, sentence_rows: Matrix) -> None:
    """Store other vectors of a paper."""
    db.execute("DELETE FROM chunk_vectors WHERE seq = ?", (seq,))
    db.execute("DELETE FROM sentence_vectors WHERE seq = ?", (seq,))
    insert_vectors(db, seq, chunk_rows, sentence_rows)


def insert_vectors(db: sqlite3.Connection, seq: int, chunk_rows: Matrix, sentence_rows: Matrix) -> None:
    """Store the vectors of a paper."""
    db.execute("INSERT INTO chunk_vectors VALUES (?, ?)", (seq, packing.pack(chunk_rows)))
    db.execute("INSERT INTO sentence_vectors VALUES (?, ?, ?)", (seq, *packing.quantise(sentence_rows)))


def insert_sources(db: sqlite3.Connection, sightings: Iterable[Sighting]) -> None:
    """Store where papers stand, or stand again."""
    for seen in sightings:
        name, ordinal = split_source(seen.source)
        db.execute("INSERT OR IGNORE INTO files VALUES (NULL, ?, '', '')", (name,))
        db.execute(
            "INSERT INTO paper_sources SELECT p.seq, f.id, ?, 0, ?, ?, ? FROM papers p, files f"
            " WHERE p.id = ? AND f.name = ? ON CONFLICT DO UPDATE SET gone = 0, record = excluded.record,"
            " why = excluded.why, likeness = excluded.likeness",
            (ordinal, seen.record, storable(seen.why), seen.likeness, storable(seen.paper_id), name),
        )


def move_sources(db: sqlite3.Connection, old_seq: int, new_seq: int) -> None:
    """Give the sources of a paper to the one that takes its place: they held, or hold, an earlier text."""
    db.execute(
        "UPDATE OR REPLACE paper_sources SET seq = ?,"
        " why = CASE why WHEN '' THEN 'an earlier text' ELSE why END WHERE seq = ?",
        (new_seq, old_seq),
    )


def _values(paper: Paper) -> dict[str, Any]:
    """Return the columns of a paper's row, but for its generation."""
    values = {
        "id": paper.id,
        "name": paper.name,
        "folded_name": fold_name(paper.name) or paper.name.casefold(),
        "text": paper.text,
        "original": None if paper.original == paper.text else paper.original,
        "title": paper.title,
        "authors": to_json(list(paper.authors)),
        "year": paper.year,
        "venue": paper.venue,
        "url": paper.url,
        "doi": paper.doi,
        "extra": to_json(dict(paper.extra)),
    }
    return {key: storable(value) if isinstance(value, str) else value for key, value in values.items()}


def split_source(source: str) -> tuple[str, int]:
    """Return file name and ordinal of `name#ordinal`; ordinal 0 for a source without one."""
    name, mark, ordinal = source.rpartition("#")
    number = whole(ordinal)
    return (visible(source), 0) if not mark or number is None else (visible(name), number)


def place(file_name: str, ordinal: int) -> str:
    """Return a source, `name#ordinal`; an ordinal of 0 is left out."""
    return f"{file_name}#{ordinal}" if ordinal else file_name


def to_papers(rows: Iterable[Any], sources: Mapping[int, tuple[tuple[str, bool], ...]]) -> list[Paper]:
    """Return papers from rows of PAPER_COLUMNS, and the sources of each by seq."""
    return [
        Paper(
            id=row[1],
            name=row[2],
            text=row[3],
            original=row[3] if row[4] is None else row[4],
            title=row[5],
            authors=tuple(json.loads(row[6])),
            year=row[7],
            venue=row[8],
            url=row[9],
            doi=row[10],
            sources=tuple(source for source, _ in sources.get(row[0], ())),
            extra=json.loads(row[11]),
            gone=tuple(source for source, is_gone in sources.get(row[0], ()) if is_gone),
        )
        for row in rows
    ]


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    """Return the values of each key, in their order."""
    groups: defaultdict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return {key: tuple(values) for key, values in groups.items()}


def to_json(value: Any) -> str:
    """Return JSON that SQLite can store."""
    return storable(json.dumps(value, ensure_ascii=False, default=str))
