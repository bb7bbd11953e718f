"""The ledger: stores papers with their sentences, chunks and vectors, and says what changed since when."""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from rag.domain import Chunk, Paper, Sentence
from rag.embedders import EmbedderIdentity
from rag.errors import LibraryDamaged, LibraryError
from rag.ledger import packing, schema
from rag.ledger.connections import Connections, Mode, check_file, edge
from rag.ledger.lock import WriterLock
from rag.ledger.packing import Matrix
from rag.ledger.strings import storable, visible
from rag.text.words import fold_name

K = TypeVar("K")
V = TypeVar("V")

LEDGER_FILE = "ledger.sqlite"
_IDS_PER_QUERY = 500

_PAPER_COLUMNS = "seq, id, name, text, original, title, authors, year, venue, url, doi, extra"


@dataclass(frozen=True, slots=True)
class PreparedPaper:
    """A paper ready to be stored: vectors are float32, one unit row for each chunk and each sentence."""

    paper: Paper
    sentences: tuple[Sentence, ...]
    chunks: tuple[Chunk, ...]
    chunk_vectors: Matrix
    sentence_vectors: Matrix


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file that was read: `name` stands in sources, `digest` is empty if it must be read again."""

    name: str
    path: str
    size: int = 0
    mtime_ns: int = 0
    digest: str = ""


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """One place in a file that holds, or (`gone`) held, a paper."""

    paper_id: str
    ordinal: int
    gone: bool = False


class Ledger:
    """A library's ledger, open for reading or, by one process at a time, for writing.

    Safe to use from many threads. Papers come out in the order they were stored.
    """

    def __init__(self, folder: Path, mode: Mode, lock: WriterLock | None) -> None:
        self.folder = folder
        self.path = folder / LEDGER_FILE
        self.mode = mode
        self._lock = lock
        self._connections = Connections(self.path, mode)

    @classmethod
    def open(cls, folder: Path | str, mode: Mode = "read") -> Ledger:
        """Open the library in `folder`; mode "write" takes the writer's lock and makes a missing library.

        Raises LibraryError if it is missing or newer than the program, LibraryLocked if another process
        writes to it, LibraryDamaged if the file is cut short or no ledger.
        """
        folder = Path(folder)
        return _open_to_write(folder) if mode == "write" else _open_to_read(folder)

    def close(self) -> None:
        """Close every connection and give back the writer's lock."""
        self._connections.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- what it holds ------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """The number of the last transaction that changed the papers; 0 for a new library."""
        return int(self._one("SELECT max(generation) FROM generations"))

    def token(self, generation: int) -> str:
        """Return the random mark of a generation, or "" if this library never had it."""
        rows = self._all("SELECT token FROM generations WHERE generation = ?", (generation,))
        return str(rows[0][0]) if rows else ""

    def count(self) -> int:
        """Return the number of papers."""
        return int(self._one("SELECT count(*) FROM papers"))

    def chunk_count(self) -> int:
        """Return the number of chunks."""
        return int(self._one("SELECT count(*) FROM chunks"))

    def ids(self) -> list[str]:
        """Return the ids of all papers."""
        return [row[0] for row in self._all("SELECT id FROM papers ORDER BY seq")]

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return those of `ids` that the ledger holds."""
        return {row[0] for row in self._where_id("SELECT id FROM papers WHERE id IN ({})", ids)}

    def paper(self, paper_id: str) -> Paper:
        """Return one paper; raise LibraryError if the ledger does not hold it."""
        found = self.papers([paper_id])
        if not found:
            raise LibraryError(f"No paper has the id {paper_id}.", hint="See `rag papers list`.")
        return found[0]

    def papers(self, ids: Iterable[str] | None = None) -> list[Paper]:
        """Return all papers, or those of `ids` that the ledger holds."""
        if ids is None:
            rows = self._all(f"SELECT {_PAPER_COLUMNS} FROM papers ORDER BY seq")
            return _to_papers(rows, self._sources(None))
        rows = self._where_id(f"SELECT {_PAPER_COLUMNS} FROM papers WHERE id IN ({{}})", ids)
        return _to_papers(sorted(rows), self._sources([row[0] for row in rows]))

    def folded_names(self) -> dict[str, str]:
        """Return the paper id of each name, names folded as `rag.text.words.fold_name` does."""
        return dict(self._all("SELECT folded_name, id FROM papers"))

    def names(self) -> list[tuple[str, str]]:
        """Return pairs of a name as written and a paper id: names first, then the aliases papers give."""
        return [
            *self._all("SELECT name, id FROM papers ORDER BY seq"),
            *self._all(
                "SELECT value, papers.id FROM papers, json_each(papers.extra, '$.aliases') ORDER BY seq"
            ),
        ]

    def sample_vectors(self, n: int) -> Matrix:
        """Return `(at most n, dim)` float32 chunk rows, evenly spaced over the library."""
        step = max(1, self.count() // n)
        rows = self._all("SELECT vectors FROM chunk_vectors WHERE seq % ? = 0 LIMIT ?", (step, n))
        width = self.dimension * 4
        return self._unpack(b"".join(row[0][:width] for row in rows))

    def sentences(self, ids: Iterable[str]) -> dict[str, tuple[Sentence, ...]]:
        """Return the sentences of each paper of `ids` that the ledger holds."""
        rows = self._where_id(
            "SELECT p.id, s.ordinal, s.start, s.stop FROM papers p JOIN sentences s USING (seq)"
            " WHERE p.id IN ({}) ORDER BY p.seq, s.ordinal",
            ids,
        )
        return _grouped((row[0], Sentence(*row)) for row in rows)

    def chunks(self, ids: Iterable[str]) -> dict[str, tuple[Chunk, ...]]:
        """Return the chunks of each paper of `ids` that the ledger holds."""
        rows = self._where_id(
            "SELECT p.id, c.ordinal, c.start, c.stop, c.tokens FROM papers p JOIN chunks c USING (seq)"
            " WHERE p.id IN ({}) ORDER BY p.seq, c.ordinal",
            ids,
        )
        return _grouped((row[0], Chunk(*row)) for row in rows)

    def chunk_vectors(self, ids: Iterable[str] | None = None) -> tuple[list[str], Matrix]:
        """Return chunk ids and their `(n, dim)` float32 rows: of all papers, or of those of `ids`."""
        query = "SELECT p.seq, p.id, v.vectors FROM papers p JOIN chunk_vectors v USING (seq)"
        if ids is None:
            rows = self._all(f"{query} ORDER BY p.seq")
        else:
            rows = sorted(self._where_id(f"{query} WHERE p.id IN ({{}})", ids))
        width = self.dimension * 4
        names = [f"{row[1]}:{n}" for row in rows for n in range(len(row[2]) // max(width, 1))]
        return names, self._unpack(b"".join(row[2] for row in rows))

    def sentence_vectors(self, ids: Iterable[str]) -> dict[str, Matrix]:
        """Return the `(m, dim)` float32 rows of each paper's sentences, restored from int8."""
        rows = self._where_id(
            "SELECT p.id, v.scales, v.codes FROM papers p JOIN sentence_vectors v USING (seq)"
            " WHERE p.id IN ({})",
            ids,
        )
        return {row[0]: packing.restore(row[1], row[2], self.dimension) for row in rows}

    def changes_since(self, generation: int) -> tuple[list[str], list[str]]:
        """Return the ids of papers added, and of papers removed, after `generation`.

        A paper removed and stored again is in both: remove first, then add.
        """
        added = self._all("SELECT id FROM papers WHERE generation > ? ORDER BY seq", (generation,))
        removed = self._all("SELECT DISTINCT paper_id FROM removals WHERE generation > ?", (generation,))
        return [row[0] for row in added], [row[0] for row in removed]

    def removed_chunks(self, generation: int) -> list[str]:
        """Return the ids of the chunks that papers removed after `generation` had."""
        rows = self._all("SELECT paper_id, chunks FROM removals WHERE generation > ?", (generation,))
        return list(dict.fromkeys(f"{paper_id}:{n}" for paper_id, chunks in rows for n in range(chunks)))

    # -- changing the papers ------------------------------------------------------------------------

    def add(self, batch: Sequence[PreparedPaper]) -> int:
        """Store papers and their sources in one transaction; return how many were new.

        A paper already held keeps all it has and gains the sources.
        """
        with self._transaction() as db:
            known = self.known(item.paper.id for item in batch)
            fresh = {item.paper.id: item for item in reversed(batch) if item.paper.id not in known}
            generation = _next_generation(db) if fresh else 0
            for item in reversed(fresh.values()):
                _insert_paper(db, item, generation)
            for item in batch:
                _insert_sources(db, item.paper.id, item.paper.sources)
        return len(fresh)

    def add_sources(self, sources: Iterable[tuple[str, str]]) -> None:
        """Record more places, as pairs of paper id and `file name#ordinal`, for papers already held."""
        with self._transaction() as db:
            for paper_id, source in sources:
                _insert_sources(db, paper_id, [source])

    def remove(self, ids: Iterable[str]) -> int:
        """Remove papers with all that belongs to them; return how many were held."""
        with self._transaction() as db:
            held = sorted(self.known(ids))
            _remove_papers(db, held)
        return len(held)

    def replace_vectors(
        self, identity: EmbedderIdentity, vectors: Iterable[tuple[str, Matrix, Matrix]]
    ) -> None:
        """Put new vectors (paper id, of its chunks, of its sentences) and their embedder in place of all.

        One transaction: until it ends, and if it fails, the library has the vectors it had.
        """
        with self._transaction() as db:
            db.execute("DELETE FROM chunk_vectors")
            db.execute("DELETE FROM sentence_vectors")
            for paper_id, chunk_rows, sentence_rows in vectors:
                (seq,) = db.execute("SELECT seq FROM papers WHERE id = ?", (paper_id,)).fetchone()
                _insert_vectors(db, seq, chunk_rows, sentence_rows)
            _put_identity(db, identity)
            _next_generation(db)

    # -- files and runs -----------------------------------------------------------------------------

    def files(self) -> list[FileEntry]:
        """Return every file that was read, in the order of the first time."""
        return [FileEntry(*row) for row in self._all(_FILE_QUERY + " ORDER BY id")]

    def put_file(self, entry: FileEntry) -> None:
        """Record a file, or what is new about it."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO files (name, path, size, mtime_ns, digest, seen) VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET path = excluded.path, size = excluded.size,"
                " mtime_ns = excluded.mtime_ns, digest = excluded.digest, seen = excluded.seen",
                (
                    visible(entry.name),
                    visible(entry.path),
                    entry.size,
                    entry.mtime_ns,
                    entry.digest,
                    time.time(),
                ),
            )

    def sources_of(self, file_name: str) -> list[SourceEntry]:
        """Return what a file holds or held, by ordinal."""
        rows = self._all(
            "SELECT p.id, s.ordinal, s.gone FROM files f JOIN paper_sources s ON s.file = f.id"
            " JOIN papers p USING (seq) WHERE f.name = ? ORDER BY s.ordinal, p.seq",
            (visible(file_name),),
        )
        return [SourceEntry(row[0], row[1], bool(row[2])) for row in rows]

    def settle_sources(self, file_name: str, present: Collection[tuple[str, int]]) -> list[str]:
        """Mark what a file no longer holds, given the (paper id, ordinal) pairs it does hold.

        A paper that only moved within the file loses its old place; one that left the file keeps it,
        marked as gone. Returns the ids of all papers that are gone from the file.
        """
        staying = {paper_id for paper_id, _ in present}
        stale = [e for e in self.sources_of(file_name) if (e.paper_id, e.ordinal) not in present]
        with self._transaction() as db:
            for entry in stale:
                moved = entry.paper_id in staying
                db.execute(
                    _DROP_SOURCE if moved else _MARK_SOURCE,
                    (visible(file_name), entry.paper_id, entry.ordinal),
                )
        return list(dict.fromkeys(e.paper_id for e in stale if e.paper_id not in staying))

    def prune(self, file_names: Iterable[str]) -> list[str]:
        """Forget the papers that are gone from these files; remove those no other file holds or held.

        Returns the ids of the papers removed.
        """
        with self._transaction() as db:
            losing: dict[str, None] = {}
            for name in file_names:
                entries = [e for e in self.sources_of(name) if e.gone]
                losing.update(dict.fromkeys(entry.paper_id for entry in entries))
                for entry in entries:
                    db.execute(_DROP_SOURCE, (visible(name), entry.paper_id, entry.ordinal))
            sourced = self._where_id(
                "SELECT DISTINCT p.id FROM papers p JOIN paper_sources USING (seq) WHERE p.id IN ({})", losing
            )
            orphans = [paper_id for paper_id in losing if (paper_id,) not in sourced]
            _remove_papers(db, orphans)
        return orphans

    def record_run(self, report: Mapping[str, Any]) -> None:
        """Keep the report of an ingest run."""
        with self._transaction() as db:
            db.execute("INSERT INTO runs (finished, report) VALUES (?, ?)", (time.time(), _json(report)))

    def runs(self) -> list[dict[str, Any]]:
        """Return the reports of all ingest runs, oldest first."""
        return [json.loads(row[0]) for row in self._all("SELECT report FROM runs ORDER BY id")]

    # -- the embedder -------------------------------------------------------------------------------

    @property
    def identity(self) -> EmbedderIdentity | None:
        """The embedder whose vectors are stored; None before the first."""
        rows = self._all("SELECT value FROM meta WHERE key = 'embedder'")
        return EmbedderIdentity(**json.loads(rows[0][0])) if rows else None

    @property
    def dimension(self) -> int:
        """The length of the stored vectors; 0 before the first."""
        identity = self.identity
        return identity.dimension if identity else 0

    @property
    def vector_mark(self) -> str:
        """A mark that changes whenever all vectors are replaced."""
        rows = self._all("SELECT value FROM meta WHERE key = 'vector_mark'")
        return str(rows[0][0]) if rows else ""

    def set_identity(self, identity: EmbedderIdentity) -> None:
        """Record the embedder of a library that has no vectors yet."""
        with self._transaction() as db:
            _put_identity(db, identity)

    # -- health -------------------------------------------------------------------------------------

    def check(self) -> list[str]:
        """Return what is wrong with the ledger, in plain sentences; reads all of it."""
        try:
            problems = [row[0] for row in self._all("PRAGMA integrity_check") if row[0] != "ok"]
            problems += [
                f"a row of {row[0]} points to nothing" for row in self._all("PRAGMA foreign_key_check")
            ]
            return problems + self._misfits()
        except LibraryDamaged as error:
            return [error.message]

    def backup(self, target: Path) -> None:
        """Write a whole copy of the ledger to `target`, also while others read and write."""
        with edge(self.path), contextlib.closing(sqlite3.connect(target)) as copy:
            self._connections.get().backup(copy)

    def _misfits(self) -> list[str]:
        """Return the papers whose vectors do not fit their sentences and chunks."""
        rows = self._all(
            "SELECT p.id, length(v.vectors), (SELECT count(*) FROM chunks c WHERE c.seq = p.seq),"
            " length(w.codes), length(w.scales), (SELECT count(*) FROM sentences s WHERE s.seq = p.seq)"
            " FROM papers p LEFT JOIN chunk_vectors v USING (seq) LEFT JOIN sentence_vectors w USING (seq)"
        )
        width = self.dimension
        return [
            f"the vectors of paper {paper_id} do not fit its chunks and sentences"
            for paper_id, chunk_bytes, chunks, code_bytes, scale_bytes, sentences in rows
            if (chunk_bytes, code_bytes, scale_bytes)
            != (chunks * width * 4, sentences * width, sentences * 4)
        ]

    # -- SQL ----------------------------------------------------------------------------------------

    @property
    def writable(self) -> bool:
        """Whether this ledger holds the writer's lock."""
        return self._lock is not None

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with edge(self.path):
            return self._connections.get().execute(query, values).fetchall()

    def _one(self, query: str) -> Any:
        return self._all(query)[0][0]

    def _where_id(self, query: str, ids: Iterable[str]) -> list[Any]:
        """Run a query with `IN ({})` over any number of ids; each id once."""
        wanted = list(dict.fromkeys(ids))
        rows: list[Any] = []
        for start in range(0, len(wanted), _IDS_PER_QUERY):
            some = wanted[start : start + _IDS_PER_QUERY]
            rows += self._all(query.format(",".join("?" * len(some))), [storable(i) for i in some])
        return rows

    def _sources(self, seqs: Sequence[int] | None) -> dict[int, tuple[tuple[str, bool], ...]]:
        """Return the sources of papers by seq and whether they are gone, those still in their file first."""
        query = "SELECT s.seq, f.name, s.ordinal, s.gone FROM paper_sources s JOIN files f ON f.id = s.file"
        order = "ORDER BY s.gone, f.id, s.ordinal"
        if seqs is None:
            rows = self._all(f"{query} {order}")
        else:
            rows = []
            for start in range(0, len(seqs), _IDS_PER_QUERY):
                some = seqs[start : start + _IDS_PER_QUERY]
                rows += self._all(f"{query} WHERE s.seq IN ({','.join('?' * len(some))}) {order}", some)
        return _grouped((row[0], (f"{row[1]}#{row[2]}" if row[2] else row[1], bool(row[3]))) for row in rows)

    def _unpack(self, blob: bytes) -> Matrix:
        if not blob:
            return np.zeros((0, self.dimension), dtype=np.float32)
        try:
            return packing.unpack(blob, self.dimension)
        except ValueError as error:
            raise LibraryDamaged(
                f"The vectors in {self.path} do not fit their dimension, {self.dimension}.",
                hint="Run `rag doctor` to see which, and `rag doctor --reembed` to make them again.",
            ) from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection inside a write transaction: all of it is stored, or nothing."""
        if not self.writable:
            raise LibraryError(f"{self.path} was opened for reading only.", hint="Open it for writing.")
        with edge(self.path):
            db = self._connections.get()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise


_FILE_QUERY = "SELECT name, path, size, mtime_ns, digest FROM files"
_SOURCE_ROW = (
    " WHERE file = (SELECT id FROM files WHERE name = ?)"
    " AND seq = (SELECT seq FROM papers WHERE id = ?) AND ordinal = ?"
)
_DROP_SOURCE = f"DELETE FROM paper_sources{_SOURCE_ROW}"
_MARK_SOURCE = f"UPDATE paper_sources SET gone = 1{_SOURCE_ROW}"


def _open_to_read(folder: Path) -> Ledger:
    path = folder / LEDGER_FILE
    if not path.is_file():
        raise LibraryError(f"There is no library in {folder}.", hint="Make one with `rag ingest PATH`.")
    _check(path)
    ledger = Ledger(folder, "read", None)
    with edge(path):
        if schema.version(ledger._connections.get()) < schema.VERSION:
            _open_to_write(folder).close()
    return ledger


def _open_to_write(folder: Path) -> Ledger:
    path = folder / LEDGER_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be made: {error}.", hint="Name another --library.") from error
    lock = WriterLock(folder).acquire()
    try:
        with edge(path):
            if not path.exists():
                schema.create(path)
            _check(path)
            ledger = Ledger(folder, "write", lock)
            schema.migrate(ledger._connections.get())
    except BaseException:
        lock.release()
        raise
    return ledger


def _check(path: Path) -> None:
    try:
        check_file(path)
    except OSError as error:
        raise LibraryError(f"{path} cannot be read: {error}.", hint="Check its permissions.") from error


def _next_generation(db: sqlite3.Connection) -> int:
    cursor = db.execute("INSERT INTO generations (token) VALUES (?)", (secrets.token_hex(8),))
    return int(cursor.lastrowid or 0)


def _put_identity(db: sqlite3.Connection, identity: EmbedderIdentity) -> None:
    for key, value in (("embedder", _json(asdict(identity))), ("vector_mark", secrets.token_hex(8))):
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _remove_papers(db: sqlite3.Connection, ids: Sequence[str]) -> None:
    if not ids:
        return
    generation = _next_generation(db)
    for paper_id in ids:
        # Its files must be read again at the next ingest, or the paper could never come back.
        db.execute(
            "UPDATE files SET digest = '' WHERE id IN (SELECT file FROM paper_sources"
            " JOIN papers USING (seq) WHERE papers.id = ?)",
            (paper_id,),
        )
        db.execute(
            "INSERT INTO removals SELECT ?, id, (SELECT count(*) FROM chunks c WHERE c.seq = p.seq)"
            " FROM papers p WHERE id = ?",
            (generation, paper_id),
        )
        db.execute("DELETE FROM papers WHERE id = ?", (paper_id,))


def _insert_paper(db: sqlite3.Connection, item: PreparedPaper, generation: int) -> None:
    paper = item.paper
    columns = (
        "id, name, folded_name, text, original, title, authors, year, venue, url, doi, extra, generation"
    )
    values = (
        paper.id,
        paper.name,
        fold_name(paper.name) or paper.name.casefold(),
        paper.text,
        None if paper.original == paper.text else paper.original,
        paper.title,
        _json(list(paper.authors)),
        paper.year,
        paper.venue,
        paper.url,
        paper.doi,
        _json(dict(paper.extra)),
        generation,
    )
    cursor = db.execute(
        f"INSERT INTO papers ({columns}) VALUES ({','.join('?' * len(values))})",
        [storable(v) if isinstance(v, str) else v for v in values],
    )
    seq = int(cursor.lastrowid or 0)
    db.executemany(
        "INSERT INTO sentences VALUES (?, ?, ?, ?)",
        [(seq, s.ordinal, s.start, s.end) for s in item.sentences],
    )
    db.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)",
        [(seq, c.ordinal, c.start, c.end, c.tokens) for c in item.chunks],
    )
    _insert_vectors(db, seq, item.chunk_vectors, item.sentence_vectors)


def _insert_vectors(db: sqlite3.Connection, seq: int, chunk_rows: Matrix, sentence_rows: Matrix) -> None:
    db.execute("INSERT INTO chunk_vectors VALUES (?, ?)", (seq, packing.pack(chunk_rows)))
    db.execute("INSERT INTO sentence_vectors VALUES (?, ?, ?)", (seq, *packing.quantise(sentence_rows)))


def _insert_sources(db: sqlite3.Connection, paper_id: str, sources: Iterable[str]) -> None:
    for source in sources:
        name, ordinal = _split_source(source)
        db.execute("INSERT OR IGNORE INTO files VALUES (NULL, ?, '', 0, 0, '', ?)", (name, time.time()))
        db.execute(
            "INSERT INTO paper_sources SELECT p.seq, f.id, ?, 0 FROM papers p, files f"
            " WHERE p.id = ? AND f.name = ? ON CONFLICT DO UPDATE SET gone = 0",
            (ordinal, storable(paper_id), name),
        )


def _split_source(source: str) -> tuple[str, int]:
    """Return file name and ordinal of `name#ordinal`; ordinal 0 for a source without one."""
    name, mark, ordinal = source.rpartition("#")
    if mark and ordinal.isdecimal():
        return visible(name), int(ordinal)
    return visible(source), 0


def _to_papers(rows: Iterable[Any], sources: Mapping[int, tuple[tuple[str, bool], ...]]) -> list[Paper]:
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


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    groups: defaultdict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return {key: tuple(values) for key, values in groups.items()}


def _json(value: Any) -> str:
    return storable(json.dumps(value, ensure_ascii=False, default=str))
