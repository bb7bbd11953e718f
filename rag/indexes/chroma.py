"""Chunk vectors in a Chroma collection, and how to open one embedded in a folder."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rag.errors import IndexFault
from rag.indexes import REBUILD_HINT, faults
from rag.ledger.packing import Matrix, Vector

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

NAME = "vector index"
FORMAT = "chroma/1"
COLLECTION = "chunks"
SYNCED = "index_metadata.pickle"

# Chroma's own defaults (l2, ef_search 100, 16 neighbours) find a third of the true neighbours of random
# vectors. Of 100,000 abstracts' vectors, these find .997; an ef_search of 400 found .993, 0.2 ms sooner.
HNSW = {"space": "cosine", "ef_construction": 200, "max_neighbors": 32, "ef_search": 600}


class ChromaVectors:
    """The chunk vectors of a library in one Chroma collection; at most `batch` are written at once.

    `closing` lets go of what lies behind the collection, `faults` turns what Chroma raises into IndexFault.
    """

    def __init__(
        self,
        collection: Collection,
        batch: int,
        closing: Callable[[], None],
        faults: Callable[[], contextlib.AbstractContextManager[None]],
    ) -> None:
        self._collection = collection
        self._batch = batch
        self._closing = closing
        self._faults = faults

    def upsert(
        self,
        ids: Sequence[str],
        vectors: Matrix,
        metadatas: Sequence[Mapping[str, str | int]],
        documents: Sequence[str] | None = None,
    ) -> None:
        """Add chunks, or replace those held: `(n, dim) float32` rows, a small non-empty mapping each.

        With `documents`, the text of each chunk is stored too, for other programs to read.
        """
        with self._faults():
            for start in range(0, len(ids), self._batch):
                some = slice(start, start + self._batch)
                self._collection.upsert(
                    ids=list(ids[some]),
                    embeddings=vectors[some],
                    metadatas=cast(Any, [dict(m) for m in metadatas[some]]),
                    documents=None if documents is None else list(documents[some]),
                )

    def remove(self, ids: Sequence[str]) -> None:
        """Remove chunks; ids it does not hold do no harm."""
        with self._faults():
            for start in range(0, len(ids), self._batch):
                self._collection.delete(ids=list(ids[start : start + self._batch]))

    def query(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return at most `k` chunk ids with their cosine similarity, best first."""
        with self._faults():
            if k < 1:
                return []
            found = self._collection.query(
                query_embeddings=vector[None, :], n_results=k, include=["distances"]
            )
            distances = (found["distances"] or [[]])[0]
            return [(i, 1.0 - float(d)) for i, d in zip(found["ids"][0], distances, strict=True)]

    def count(self) -> int:
        """Return the number of chunks."""
        with self._faults():
            return self._collection.count()

    def ids(self) -> set[str]:
        """Return the ids of all chunks."""
        with self._faults():
            return set(self._collection.get(include=[])["ids"])

    def seal(self, token: str) -> None:
        """Note in the collection itself which state of the ledger it holds."""
        with self._faults():
            self._collection.modify(metadata={"token": token})

    def verify(self, token: str) -> None:
        """Raise IndexFault unless the collection was last sealed with `token`."""
        with self._faults():
            found = (self._collection.metadata or {}).get("token")
        if found != token:
            raise IndexFault("The vector index is another copy than it should be.", hint=REBUILD_HINT)

    def close(self) -> None:
        """Let go of what lies behind the collection."""
        with self._faults():
            self._closing()


def preload() -> None:
    """Import Chroma ahead of its first use, which takes most of a second; a failure shows when it is used."""
    with contextlib.suppress(Exception):
        import chromadb  # noqa: F401


def open_embedded(folder: Path) -> ChromaVectors:
    """Open, or make, the collection in `folder`, without telemetry and without a network."""
    with faults(NAME):
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(path=_own_spelling(folder), settings=settings)
        collection = client.get_or_create_collection(
            COLLECTION, embedding_function=None, configuration=cast(Any, {"hnsw": HNSW})
        )
        closing = cast(Any, client).close
        return ChromaVectors(collection, client.get_max_batch_size(), closing, lambda: faults(NAME))


def steady_files(folder: Path) -> list[Path]:
    """Return the files that stay as they are between two writes: the graphs Chroma has synced to disk.

    Opening alone changes Chroma's own database, and a graph not synced yet is written again at each query.
    """
    return sorted(f for synced in folder.glob(f"*/{SYNCED}") for f in synced.parent.iterdir())


def _own_spelling(folder: Path) -> str:
    """Spell `folder` in a way nobody else does.

    Chroma shares one engine among all clients with the same spelling of a path, so that closing one
    would pull the files from under another, and a folder made anew would meet the old engine.
    """
    bits = secrets.randbits(40)
    return str(folder) + "".join("/." if bits >> n & 1 else "//." for n in range(40))
