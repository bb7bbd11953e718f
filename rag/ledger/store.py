"""The ledger as it is read: papers, their sentences, chunks and vectors, and what changed since when."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from rag.domain import Chunk, Paper, Sentence
from rag.embedders import EmbedderIdentity
from rag.errors import LibraryDamaged
from rag.ledger import packing
from rag.ledger.facts import Facts
from rag.ledger.packing import Matrix
from rag.ledger.rows import (
    FILE_COLUMNS,
    PAPER_COLUMNS,
    FileEntry,
    SourceEntry,
    grouped,
    place,
    to_papers,
)
from rag.ledger.strings import visible


class Store(Facts):
    """What can be read of the ledger in `folder`. Safe to use from many threads.

    Papers come out in the order they were stored.
    """

    # -- what it holds ------------------------------------------------------------------------------

    @property
    def generation(self) -> int:
        """The number of the last transaction that changed the papers; 0 for a new library."""
        return int(self._one("SELECT max(generation) FROM generations"))

    @property
    def state(self) -> tuple[int, str]:
        """The number of the generation and its token: they change whenever the papers do, or are replaced."""
        return tuple(
            self._all("SELECT generation, token FROM generations ORDER BY generation DESC LIMIT 1")[0]
        )

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

    def first(self, count: int) -> list[Paper]:
        """Return the first papers, at most so many."""
        rows = self._all(f"SELECT {PAPER_COLUMNS} FROM papers ORDER BY seq LIMIT ?", (count,))
        return to_papers(rows, self._sources([row[0] for row in rows]))

    def known(self, ids: Iterable[str]) -> set[str]:
        """Return those of `ids` that the ledger holds."""
        return {row[0] for row in self._where_id("SELECT id FROM papers WHERE id IN ({})", ids)}

    def papers(self, ids: Iterable[str] | None = None) -> list[Paper]:
        """Return all papers, or those of `ids` that the ledger holds."""
        if ids is None:
            rows = self._all(f"SELECT {PAPER_COLUMNS} FROM papers ORDER BY seq")
            return to_papers(rows, self._sources(None))
        rows = self._where_id(f"SELECT {PAPER_COLUMNS} FROM papers WHERE id IN ({{}})", ids)
        return to_papers(sorted(rows), self._sources([row[0] for row in rows]))

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

    def titles(self) -> list[tuple[str, str]]:
        """Return pairs of a title and a paper id."""
        return self._all("SELECT title, id FROM papers WHERE title != '' ORDER BY seq")

    def sample_vectors(self, n: int) -> Matrix:
        """Return `(at most n, dim)` float32 rows: first chunks of papers, evenly spaced over the library."""
        seqs = sorted(row[0] for row in self._all("SELECT seq FROM papers"))
        count = min(n, len(seqs))
        chosen = [seqs[place * len(seqs) // count] for place in range(count)]
        rows = self._where_in("SELECT seq, vectors FROM chunk_vectors WHERE seq IN ({})", chosen)
        width = self.dimension * 4
        return self._unpack(b"".join(row[1][:width] for row in sorted(rows)))

    def sentences(self, ids: Iterable[str]) -> dict[str, tuple[Sentence, ...]]:
        """Return the sentences of each paper of `ids` that the ledger holds."""
        rows = self._where_id(
            "SELECT p.id, s.ordinal, s.start, s.stop FROM papers p JOIN sentences s USING (seq)"
            " WHERE p.id IN ({}) ORDER BY p.seq, s.ordinal",
            ids,
        )
        return grouped((row[0], Sentence(*row)) for row in rows)

    def chunks(self, ids: Iterable[str]) -> dict[str, tuple[Chunk, ...]]:
        """Return the chunks of each paper of `ids` that the ledger holds."""
        rows = self._where_id(
            "SELECT p.id, c.ordinal, c.start, c.stop, c.tokens FROM papers p JOIN chunks c USING (seq)"
            " WHERE p.id IN ({}) ORDER BY p.seq, c.ordinal",
            ids,
        )
        return grouped((row[0], Chunk(*row)) for row in rows)

    def chunk_vectors(self, ids: Iterable[str] | None = None) -> tuple[list[str], Matrix]:
        """Return chunk ids and their `(n, dim)` float32 rows: of all papers, or of those of `ids`."""
        query = "SELECT p.seq, p.id, v.vectors FROM papers p JOIN chunk_vectors v USING (seq)"
        rows: Iterable[tuple[int, str, bytes]]
        if ids is None:
            rows = self._each(f"{query} ORDER BY p.seq")
        else:
            rows = sorted(self._where_id(f"{query} WHERE p.id IN ({{}})", ids))
        width = max(self.dimension * 4, 1)
        # Of a large library the vectors are most of the memory: they are held once, never twice.
        names, blob = list[str](), bytearray()
        for _, paper_id, vectors in rows:
            names += [f"{paper_id}:{n}" for n in range(len(vectors) // width)]
            blob += vectors
        return names, self._unpack(blob)

    def sentence_vectors(self, ids: Iterable[str]) -> dict[str, Matrix]:
        """Return the `(m, dim)` float32 rows of each paper's sentences, restored from int8."""
        rows = self._where_id(
            "SELECT p.id, v.scales, v.codes FROM papers p JOIN sentence_vectors v USING (seq)"
            " WHERE p.id IN ({})",
            ids,
        )
        width = self.dimension
        return {row[0]: packing.restore(row[1], row[2], width) for row in rows}

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

    # -- files --------------------------------------------------------------------------------------

    def files(self) -> list[FileEntry]:
        """Return every file that was read, in the order of the first time."""
        return [FileEntry(*row) for row in self._all(f"SELECT {FILE_COLUMNS} FROM files ORDER BY id")]

    def sources_of(self, file_name: str) -> list[SourceEntry]:
        """Return what a file holds or held, by ordinal."""
        rows = self._all(
            "SELECT p.id, s.ordinal, s.gone, s.record FROM files f JOIN paper_sources s ON s.file = f.id"
            " JOIN papers p USING (seq) WHERE f.name = ? ORDER BY s.ordinal, p.seq",
            (visible(file_name),),
        )
        return [SourceEntry(row[0], row[1], bool(row[2]), row[3]) for row in rows]

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

    # -- parts ---------------------------------------------------------------------------------------

    def _sources(self, seqs: Sequence[int] | None) -> dict[int, tuple[tuple[str, bool], ...]]:
        """Return the sources of papers by seq and whether they are gone, those still in their file first."""
        query = "SELECT s.seq, f.name, s.ordinal, s.gone FROM paper_sources s JOIN files f ON f.id = s.file"
        order = "ORDER BY s.gone, f.id, s.ordinal"
        if seqs is None:
            rows = self._all(f"{query} {order}")
        else:
            rows = self._where_in(f"{query} WHERE s.seq IN ({{}}) {order}", seqs)
        return grouped((row[0], (place(row[1], row[2]), bool(row[3]))) for row in rows)

    def _unpack(self, blob: bytes | bytearray) -> Matrix:
        if not blob:
            return np.zeros((0, self.dimension), dtype=np.float32)
        try:
            return packing.unpack(blob, self.dimension)
        except ValueError as error:
            raise LibraryDamaged(
                f"The vectors in {self.path} do not fit their dimension, {self.dimension}.",
                hint="Run `rag doctor` to see which, and `rag doctor --reembed` to make them again.",
            ) from error
