"""The indexes: ledger → fast search by vector (Chroma) and by word (tantivy). Caches, never trusted."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from rag.errors import IndexFault, RagError
from rag.ledger.packing import Matrix, Vector

REBUILD_HINT = "Run `rag doctor --repair`: it makes the indexes again from the ledger, without embedding."


class VectorIndex(Protocol):
    """Finds the chunks whose vectors are nearest to a vector, by cosine."""

    def upsert(
        self, ids: Sequence[str], vectors: Matrix, metadatas: Sequence[Mapping[str, str | int]]
    ) -> None:
        """Add chunks, or replace those held: `(n, dim) float32` rows, a small non-empty mapping each."""

    def remove(self, ids: Sequence[str]) -> None:
        """Remove chunks; ids it does not hold do no harm."""

    def query(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return at most `k` chunk ids with their cosine similarity, best first."""

    def count(self) -> int:
        """Return the number of chunks."""

    def ids(self) -> set[str]:
        """Return the ids of all chunks."""


@contextlib.contextmanager
def faults(name: str) -> Iterator[None]:
    """Turn whatever a search engine raises into IndexFault, naming the index."""
    try:
        yield
    except RagError:
        raise
    except Exception as error:
        raise IndexFault(f"The {name} failed: {first_line(error)}.", hint=REBUILD_HINT) from error
    except BaseException as error:
        # A panic in an engine written in Rust arrives as a BaseException of a class made at run time.
        if type(error).__name__ != "PanicException":
            raise
        raise IndexFault(f"The {name} crashed: {first_line(error)}.", hint=REBUILD_HINT) from error


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says, to stand inside a sentence."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
