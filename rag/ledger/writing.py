"""The ledger as it is written: every change is one transaction, stored whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag.domain import Paper
from rag.embedders import EmbedderIdentity
from rag.errors import LibraryError
from rag.ledger.connections import Mode, edge
from rag.ledger.lock import WriterLock
from rag.ledger.packing import Matrix
from rag.ledger.rows import (
    DROP_SOURCE,
    FILE_COLUMNS,
    MARK_SOURCE,
    FileEntry,
    PreparedPaper,
    Sighting,
    insert_paper,
    insert_sources,
    insert_vectors,
    move_sources,
    next_generation,
    note_removal,
    put_fingerprint,
    put_identity,
    remove_papers,
    replace_vectors,
    rewrite_paper,
    to_json,
)
from rag.ledger.store import Store
from rag.ledger.strings import visible


class Writer(Store):
    """A ledger that can be changed by the process that holds the writer's lock."""

    def __init__(self, folder: Path, mode: Mode, lock: WriterLock | None) -> None:
        super().__init__(folder, mode)
        self._lock = lock
        self._file = _identity(self.path) if lock is not None else None

    def close(self) -> None:
        """Close every connection and give back the writer's lock."""
        super().close()
        if self._lock is not None:
            self._lock.release()

    @property
    def writable(self) -> bool:
        """Whether this ledger holds the writer's lock."""
        return self._lock is not None

    # -- changing the papers ------------------------------------------------------------------------

    def add(self, batch: Sequence[PreparedPaper], sightings: Iterable[Sighting] = ()) -> int:
        """Store papers and their sources, and more sightings, in one transaction; return how many were new.

        A paper already held keeps all it has and gains the sources.
        """
        with self._transaction() as db:
            known = self.known(item.paper.id for item in batch)
            fresh = {item.paper.id: item for item in reversed(batch) if item.paper.id not in known}
            generation = next_generation(db) if fresh else 0
            for item in reversed(fresh.values()):
                insert_paper(db, item, generation)
            for item in batch:
                insert_sources(db, (Sighting(item.paper.id, source) for source in item.paper.sources))
            insert_sources(db, sightings)
        return len(fresh)

    def add_sources(self, sources: Iterable[tuple[str, str]]) -> None:
        """Record more places, as pairs of paper id and `file name#ordinal`, for papers already held."""
        with self._transaction() as db:
            insert_sources(db, (Sighting(paper_id, source) for paper_id, source in sources))

    def rewrite(self, papers: Sequence[Paper], prepared: Sequence[PreparedPaper] = ()) -> None:
        """Store what is known of held papers now, and new vectors of those `prepared`; one transaction."""
        if not papers:
            return
        vectors = {item.paper.id: item for item in prepared}
        with self._transaction() as db:
            generation = next_generation(db)
            for paper in papers:
                seq = rewrite_paper(db, paper, generation)
                if paper.id in vectors:
                    item = vectors[paper.id]
                    replace_vectors(db, seq, item.chunk_vectors, item.sentence_vectors)

    def replace(self, old_id: str, item: PreparedPaper, sighting: Sighting) -> None:
        """Put a paper in the place of another, whose sources it takes over; one transaction."""
        with self._transaction() as db:
            generation = next_generation(db)
            note_removal(db, old_id, generation)
            (old_seq,) = db.execute("SELECT seq FROM papers WHERE id = ?", (old_id,)).fetchone()
            # Two papers cannot have one name, and the new one may keep the old one's.
            db.execute("UPDATE papers SET folded_name = ? WHERE seq = ?", (f"\0{old_id}", old_seq))
            new_seq = insert_paper(db, item, generation)
            move_sources(db, old_seq, new_seq)
            db.execute("DELETE FROM papers WHERE seq = ?", (old_seq,))
            insert_sources(db, [sighting])

    def put_fingerprints(self, papers: Iterable[Paper]) -> None:
        """Store what duplicates of held papers are found by."""
        with self._transaction() as db:
            for paper in papers:
                (seq,) = db.execute("SELECT seq FROM papers WHERE id = ?", (paper.id,)).fetchone()
                put_fingerprint(db, seq, paper)

    def remove(self, ids: Iterable[str]) -> int:
        """Remove papers with all that belongs to them; return how many were held."""
        with self._transaction() as db:
            held = sorted(self.known(ids))
            remove_papers(db, held)
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
                insert_vectors(db, seq, chunk_rows, sentence_rows)
            put_identity(db, identity)
            next_generation(db)

    # -- files and runs -----------------------------------------------------------------------------

    def put_file(self, entry: FileEntry) -> None:
        """Record a file, or what is new about it."""
        with self._transaction() as db:
            db.execute(
                f"INSERT INTO files ({FILE_COLUMNS}) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET path = excluded.path, digest = excluded.digest",
                (visible(entry.name), visible(entry.path), entry.digest),
            )

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
                    DROP_SOURCE if moved else MARK_SOURCE,
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
                    db.execute(DROP_SOURCE, (visible(name), entry.paper_id, entry.ordinal))
            sourced = self._where_id(
                "SELECT DISTINCT p.id FROM papers p JOIN paper_sources USING (seq) WHERE p.id IN ({})", losing
            )
            orphans = [paper_id for paper_id in losing if (paper_id,) not in sourced]
            remove_papers(db, orphans)
        return orphans

    def record_run(self, report: Mapping[str, Any]) -> None:
        """Keep the report of an ingest run."""
        with self._transaction() as db:
            db.execute("INSERT INTO runs (finished, report) VALUES (?, ?)", (time.time(), to_json(report)))

    # -- the embedder -------------------------------------------------------------------------------

    def set_identity(self, identity: EmbedderIdentity) -> None:
        """Record the embedder of a library that has no vectors yet."""
        with self._transaction() as db:
            put_identity(db, identity)

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
                self._check_in_place()
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _check_in_place(self) -> None:
        """Raise LibraryError if the path no longer leads to the file that is open.

        SQLite writes on into a file that was deleted, and says that all is well.
        """
        if _identity(self.path) != self._file:
            raise LibraryError(
                f"{self.folder} was removed or replaced while it was written; what was stored is lost.",
                hint="Ingest the papers again.",
            )


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells the file at `path` from every other, None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
