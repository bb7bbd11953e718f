"""What healing must know about each index: where it lies, how it is read, written and stood in for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from rag.domain import Paper
from rag.errors import IndexFault
from rag.indexes import VectorIndex, chroma, chroma_server, words
from rag.indexes.chroma import ChromaVectors
from rag.indexes.chroma_server import ServerCollection
from rag.indexes.exact import ExactVectors
from rag.indexes.watermark import FileMarks, Marks
from rag.indexes.words import WordIndex
from rag.ledger import Ledger

_SLICE = 2000
_RETRY_S = 5.0

IndexT = TypeVar("IndexT")


@dataclass(frozen=True, slots=True)
class Shelf(Generic[IndexT]):
    """The place of one index of a ledger, and how to use it.

    `open(token)` opens the complete index for queries, or raises IndexFault; `close` lets it go.
    `write(since, token)` adds all that changed after that generation, seals it and returns its size.
    `shared` says that it may be read while another process writes to it, and in a read-only folder.
    `retry_s` is for one on a server: after so many seconds without it, it is tried again.
    """

    name: str
    marks: Marks
    shared: bool
    basis: Callable[[], str]
    expected: Callable[[], int]
    open: Callable[[str], IndexT]
    close: Callable[[IndexT], None]
    write: Callable[[int, str], int]
    stand_in: Callable[[], IndexT]
    retry_s: float = 0.0

    @property
    def remote(self) -> bool:
        """Whether the index is on a server, which comes and goes by itself."""
        return self.retry_s > 0


def vector_shelf(ledger: Ledger, folder: Path, exact: ExactVectors) -> Shelf[VectorIndex]:
    """Return the shelf of the chunk vectors: Chroma, or exact search while Chroma cannot be used."""

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
        marks=FileMarks(folder, chroma.steady_files),
        shared=False,
        basis=lambda: f"{chroma.FORMAT} {ledger.vector_mark}",
        expected=ledger.chunk_count,
        open=lambda token: _proven(chroma.open_embedded(folder), token, ledger),
        close=_close_vectors,
        write=write,
        stand_in=lambda: exact,
    )


def server_shelf(ledger: Ledger, server: ServerCollection, exact: ExactVectors) -> Shelf[VectorIndex]:
    """Return the shelf of the chunk vectors on a Chroma server, with their text for other programs."""

    def write(since: int, token: str) -> int:
        index = server.open_to_write()
        _feed_vectors(index, ledger, since, with_text=True)
        return index.count()

    return Shelf(
        name=chroma.NAME,
        marks=server,
        shared=False,
        basis=lambda: f"{chroma_server.FORMAT} {ledger.vector_mark}",
        expected=ledger.chunk_count,
        open=lambda token: _proven(server.open(), token, ledger),
        close=_close_vectors,
        write=write,
        stand_in=lambda: exact,
        retry_s=_RETRY_S,
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
        marks=FileMarks(folder, words.steady_files),
        shared=True,
        basis=lambda: words.FORMAT,
        expected=ledger.count,
        open=lambda token: WordIndex.open(folder),
        close=lambda index: None,
        write=write,
        stand_in=stand_in,
    )


def _proven(index: ChromaVectors, token: str, ledger: Ledger) -> VectorIndex:
    """Return an index that is the one with `token` and answers, or close it and raise IndexFault."""
    try:
        index.verify(token)
        # Chroma reads its graph at the first query; a damaged one must show before it is relied on.
        index.query(np.full(ledger.dimension, ledger.dimension**-0.5, dtype=np.float32), 1)
    except IndexFault:
        index.close()
        raise
    return index


def _close_vectors(index: VectorIndex) -> None:
    if isinstance(index, ChromaVectors):
        index.close()


def _feed_vectors(index: ChromaVectors, ledger: Ledger, since: int, *, with_text: bool = False) -> None:
    if since:
        index.remove(ledger.removed_chunks(since))
    added, _ = ledger.changes_since(since)
    for start in range(0, len(added), _SLICE):
        papers = {paper.id: paper for paper in ledger.papers(added[start : start + _SLICE])}
        ids, rows = ledger.chunk_vectors(papers)
        texts = _texts(papers, ledger, ids) if with_text else None
        index.upsert(ids, rows, [_metadata(papers, chunk_id) for chunk_id in ids], texts)
        # A query makes Chroma take in all it has only logged so far: readers then have nothing to write.
        index.query(rows[0], 1)


def _metadata(papers: dict[str, Paper], chunk_id: str) -> dict[str, str | int]:
    paper_id, _, ordinal = chunk_id.rpartition(":")
    year = papers[paper_id].year
    metadata: dict[str, str | int] = {"paper": paper_id, "ordinal": int(ordinal)}
    return metadata if year is None else {**metadata, "year": year}


def _texts(papers: dict[str, Paper], ledger: Ledger, ids: Sequence[str]) -> list[str]:
    texts = {
        chunk.id: papers[paper_id].text[chunk.start : chunk.end]
        for paper_id, chunks in ledger.chunks(papers).items()
        for chunk in chunks
    }
    return [texts[chunk_id] for chunk_id in ids]


def _papers(ledger: Ledger, ids: Sequence[str]) -> Iterator[Paper]:
    for start in range(0, len(ids), _SLICE):
        yield from ledger.papers(ids[start : start + _SLICE])
