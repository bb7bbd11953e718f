"""What healing must know about each index: where it lies, how it is read, written and stood in for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from rag.domain import Paper
from rag.errors import IndexFault
from rag.indexes import VectorIndex, chroma, words
from rag.indexes.exact import ExactVectors
from rag.indexes.words import WordIndex
from rag.ledger import Ledger

_SLICE = 2000

IndexT = TypeVar("IndexT")


@dataclass(frozen=True, slots=True)
class Shelf(Generic[IndexT]):
    """The place of one index of a ledger, and how to use it.

    `open(token)` opens the complete index for queries, or raises IndexFault; `close` lets it go.
    `write(since, token)` adds all that changed after that generation, seals it and returns its size.
    `shared` says that it may be read while another process writes to it, and in a read-only folder.
    """

    name: str
    folder: Path
    shared: bool
    basis: Callable[[], str]
    expected: Callable[[], int]
    files: Callable[[], Sequence[Path]]
    open: Callable[[str], IndexT]
    close: Callable[[IndexT], None]
    write: Callable[[int, str], int]
    stand_in: Callable[[], IndexT]


def vector_shelf(ledger: Ledger, folder: Path, exact: ExactVectors) -> Shelf[VectorIndex]:
    """Return the shelf of the chunk vectors: Chroma, or exact search while Chroma cannot be used."""

    def open_index(token: str) -> VectorIndex:
        index = chroma.open_embedded(folder)
        try:
            index.verify(token)
            # Chroma reads its graph at the first query; a damaged one must show before it is relied on.
            index.query(np.full(ledger.dimension, ledger.dimension**-0.5, dtype=np.float32), 1)
        except IndexFault:
            index.close()
            raise
        return index

    def close(index: VectorIndex) -> None:
        if isinstance(index, chroma.ChromaVectors):
            index.close()

    def write(since: int, token: str) -> int:
        index = chroma.open_embedded(folder)
        try:
            _feed_vectors(index, ledger, since)
            index.seal(token)
            return index.count()
        finally:
            index.close()

    return Shelf(
        name=chroma.NAME,
        folder=folder,
        shared=False,
        basis=lambda: f"{chroma.FORMAT} {ledger.vector_mark}",
        expected=ledger.chunk_count,
        files=lambda: chroma.steady_files(folder),
        open=open_index,
        close=close,
        write=write,
        stand_in=lambda: exact,
    )


def word_shelf(ledger: Ledger, folder: Path) -> Shelf[WordIndex]:
    """Return the shelf of the words: tantivy on disk, or in memory while that cannot be used."""

    def write(since: int, token: str) -> int:
        index = WordIndex(folder)
        added, removed = ledger.changes_since(since)
        if since and removed:
            index.remove(removed)
        index.upsert(_papers(ledger, added))
        return index.count()

    def stand_in() -> WordIndex:
        index = WordIndex()
        index.upsert(_papers(ledger, ledger.ids()))
        return index

    return Shelf(
        name=words.NAME,
        folder=folder,
        shared=True,
        basis=lambda: words.FORMAT,
        expected=ledger.count,
        files=lambda: words.steady_files(folder),
        open=lambda token: WordIndex.open(folder),
        close=lambda index: None,
        write=write,
        stand_in=stand_in,
    )


def _feed_vectors(index: VectorIndex, ledger: Ledger, since: int) -> None:
    if since:
        index.remove(ledger.removed_chunks(since))
    added, _ = ledger.changes_since(since)
    for start in range(0, len(added), _SLICE):
        papers = {paper.id: paper for paper in ledger.papers(added[start : start + _SLICE])}
        ids, rows = ledger.chunk_vectors(papers)
        index.upsert(ids, rows, [_metadata(papers, chunk_id) for chunk_id in ids])
        # A query makes Chroma take in all it has only logged so far: readers then have nothing to write.
        index.query(rows[0], 1)


def _metadata(papers: dict[str, Paper], chunk_id: str) -> dict[str, str | int]:
    paper_id, _, ordinal = chunk_id.rpartition(":")
    year = papers[paper_id].year
    metadata: dict[str, str | int] = {"paper": paper_id, "ordinal": int(ordinal)}
    return metadata if year is None else {**metadata, "year": year}


def _papers(ledger: Ledger, ids: Sequence[str]) -> Iterator[Paper]:
    for start in range(0, len(ids), _SLICE):
        yield from ledger.papers(ids[start : start + _SLICE])
