"""Exact search over the ledger's chunk vectors, in memory: no approximation, no file, any filter."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.ledger import Ledger
from rag.ledger.packing import Matrix, Vector

# Generation of the ledger, its token, and the mark of its vectors.
Stamp = tuple[int, str, str]
Places = NDArray[np.int64]
_COPYING = 4
_NOTHING: Stamp = (-1, "", "")


@dataclass(frozen=True, slots=True)
class _Table:
    """Chunk ids with their rows, and the rows of each paper, at one generation of the ledger."""

    stamp: Stamp
    ids: tuple[str, ...]
    rows: Matrix
    places: Mapping[str, tuple[int, ...]]


class ExactVectors:
    """A VectorIndex that holds vectors in memory; made from a ledger, it follows the ledger by itself."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._ledger = ledger
        self._lock = threading.Lock()
        self._table = _table(_NOTHING, (), np.zeros((0, 0), dtype=np.float32))
        self._asked: tuple[_Table, Collection[str], Places] = (self._table, (), np.zeros(0, dtype=np.int64))

    def upsert(
        self, ids: Sequence[str], vectors: Matrix, metadatas: Sequence[Mapping[str, str | int]]
    ) -> None:
        """Add chunks, or replace those held: `(n, dim) float32` rows; the mappings are not kept."""
        self.remove(ids)
        with self._lock:
            held = self._table
            rows = np.concatenate([held.rows, vectors]) if held.ids else np.asarray(vectors)
            self._table = _table(held.stamp, (*held.ids, *ids), rows)

    def remove(self, ids: Sequence[str]) -> None:
        """Remove chunks; ids it does not hold do no harm."""
        with self._lock:
            held, leaving = self._table, set(ids)
            keep = [n for n, chunk_id in enumerate(held.ids) if chunk_id not in leaving]
            self._table = _table(held.stamp, tuple(held.ids[n] for n in keep), held.rows[keep])

    def query(self, vector: Vector, k: int, papers: Collection[str] | None = None) -> list[tuple[str, float]]:
        """Return at most `k` chunk ids with their cosine similarity, best first.

        With `papers`, only chunks of papers with these ids are looked at.
        """
        table = self._fresh()
        chosen = None if papers is None else self._places(table, papers)
        if k < 1 or not len(table.rows if chosen is None else chosen):
            return []
        scores = _scores(table.rows, np.asarray(vector, dtype=np.float32), chosen)
        best = _top(scores, k)
        return [(table.ids[n if chosen is None else int(chosen[n])], float(scores[n])) for n in best]

    def _places(self, table: _Table, papers: Collection[str]) -> Places:
        """Return the rows of these papers in ascending order; the last ones asked for are remembered."""
        known, where, places = self._asked
        if known is table and where is papers:
            return places
        found = [n for p in papers for n in table.places.get(p, ())]
        places = np.sort(np.asarray(found, dtype=np.int64))
        if isinstance(papers, frozenset):
            self._asked = (table, papers, places)
        return places

    def count(self) -> int:
        """Return the number of chunks."""
        return len(self._fresh().ids)

    def ids(self) -> set[str]:
        """Return the ids of all chunks."""
        return set(self._fresh().ids)

    def close(self) -> None:
        """Let go of the vectors."""
        with self._lock:
            self._table = _table(_NOTHING, (), np.zeros((0, 0), dtype=np.float32))
            self._asked = (self._table, (), np.zeros(0, dtype=np.int64))

    def _fresh(self) -> _Table:
        """Return the table, brought up to the ledger's generation: by what changed, or all anew."""
        with self._lock:
            if self._ledger is not None:
                stamp = (*self._ledger.state, self._ledger.vector_mark)
                if stamp != self._table.stamp:
                    self._table = _follow(self._ledger, self._table, stamp)
            return self._table


def _follow(ledger: Ledger, held: _Table, stamp: Stamp) -> _Table:
    generation, token, mark = held.stamp
    if generation < 0 or mark != stamp[2] or ledger.token(generation) != token:
        ids, rows = ledger.chunk_vectors()
        return _table(stamp, tuple(ids), rows)
    added, removed = ledger.changes_since(generation)
    leaving = {n for paper_id in (*removed, *added) for n in held.places.get(paper_id, ())}
    keep = [n for n in range(len(held.ids)) if n not in leaving] if leaving else slice(None)
    ids, rows = ledger.chunk_vectors(added)
    kept = tuple(np.asarray(held.ids, dtype=object)[keep])
    return _table(stamp, (*kept, *ids), np.concatenate([held.rows[keep], rows]) if kept else rows)


def _table(stamp: Stamp, ids: tuple[str, ...], rows: Matrix) -> _Table:
    places: dict[str, tuple[int, ...]] = {}
    for n, chunk_id in enumerate(ids):
        paper_id = chunk_id.rpartition(":")[0]
        places[paper_id] = (*places.get(paper_id, ()), n)
    return _Table(stamp, ids, rows, places)


def _scores(rows: Matrix, vector: Vector, chosen: Places | None) -> Vector:
    """Return the cosines of the chosen rows, or of all."""
    if chosen is None:
        return np.asarray(rows @ vector)
    # Copying many rows together takes longer than comparing those in between as well.
    if len(chosen) * _COPYING > len(rows):
        return np.asarray((rows @ vector)[chosen])
    return np.asarray(rows[chosen] @ vector)


def _top(scores: Vector, k: int) -> list[int]:
    """Return the places of the `k` highest scores, highest first, the earlier first among equals."""
    costs = -scores
    if k < len(scores):
        # All that are as high as the last one: which of them a partition has taken is chance.
        best = np.flatnonzero(~(costs > np.partition(costs, k - 1)[k - 1]))
    else:
        best = np.arange(len(scores))
    return [int(n) for n in best[np.argsort(costs[best], kind="stable")][:k]]
