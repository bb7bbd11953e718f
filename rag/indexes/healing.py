"""The indexes of a library, opened and used together, each behind a guard that keeps it true."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag.errors import EmbedderMismatch
from rag.indexes import VectorIndex
from rag.indexes.chroma import preload
from rag.indexes.chroma_server import ServerCollection
from rag.indexes.exact import ExactVectors
from rag.indexes.guard import Guard
from rag.indexes.shelves import server_shelf, vector_shelf, word_shelf
from rag.indexes.words import WordIndex
from rag.ledger import Ledger
from rag.ledger.packing import Vector

VECTOR_FOLDER = "vectors"
WORD_FOLDER = "words"


class GuardedVectors:
    """Queries on the chunk vectors that always agree with the ledger."""

    def __init__(self, guard: Guard[VectorIndex], ledger: Ledger) -> None:
        self._guard = guard
        self._ledger = ledger

    def query(self, vector: Vector, k: int) -> list[tuple[str, float]]:
        """Return at most `k` chunk ids with their cosine similarity, best first.

        Raises EmbedderMismatch if the vector has another length than those of the library.
        """
        dimension = self._ledger.dimension
        if dimension and vector.shape != (dimension,):
            raise EmbedderMismatch(
                f"The question's vector has shape {vector.shape}, those of the library ({dimension},).",
                hint="Run `rag doctor` to see which embedder the library was made with.",
            )
        return self._guard.run(lambda index: index.query(vector, k))

    def count(self) -> int:
        """Return the number of chunks."""
        return self._guard.run(lambda index: index.count())

    def ids(self) -> set[str]:
        """Return the ids of all chunks."""
        return self._guard.run(lambda index: index.ids())


class GuardedWords:
    """Queries on the words that never name a paper the ledger does not hold."""

    def __init__(self, guard: Guard[WordIndex], ledger: Ledger) -> None:
        self._guard = guard
        self._ledger = ledger

    def query(
        self, words: Sequence[str], k: int, only: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return at most `k` paper ids that hold any of the index terms, with BM25, best first.

        With `only`, among papers with these ids.
        """
        found = self._guard.run(lambda index: index.query(words, k, only))
        if not self._guard.provisional:
            return found
        held = self._ledger.known(paper_id for paper_id, _ in found)
        return [hit for hit in found if hit[0] in held]

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of papers that hold each index term."""
        wanted = tuple(words)
        return self._guard.run(lambda index: index.frequencies(wanted))

    def count(self) -> int:
        """Return the number of papers."""
        return self._guard.run(lambda index: index.count())

    def ids(self) -> set[str]:
        """Return the ids of all papers."""
        return self._guard.run(lambda index: index.ids())


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes of one open ledger. `warnings` grows when a later query has to heal something.

    `exact` searches among given papers; it loads the vectors at its first query.
    """

    vectors: GuardedVectors
    words: GuardedWords
    exact: ExactVectors
    guards: tuple[Guard[VectorIndex], Guard[WordIndex]]
    ledger: Ledger
    warnings: list[str] = field(default_factory=list)
    exact_up_to: int = 0

    def load(self) -> None:
        """Open what the first question needs; without this, its first queries do."""
        if not self._small:
            self.guards[0].run(lambda _index: None)
        self.guards[1].run(lambda _index: None)

    def expect_writing(self) -> None:
        """Load in the background what writing will need, while the caller is busy with something else."""
        threading.Thread(target=preload, daemon=True).start()

    def nearest(
        self, vector: Vector, k: int, papers: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return at most `k` chunk ids with their cosine similarity, best first.

        Among given papers, and in a library of at most `exact_up_to` chunks, every chunk is compared: that
        is exact, and quicker than opening a graph. Beyond, the vector index is asked.
        """
        if papers is not None:
            return self.exact.query(vector, k, papers)
        return self.exact.query(vector, k) if self._small else self.vectors.query(vector, k)

    @property
    def _small(self) -> bool:
        return self.ledger.chunk_count() <= self.exact_up_to

    def update(self) -> None:
        """Bring all indexes up to what was just stored in the ledger."""
        for guard in self.guards:
            guard.update()

    def rebuild(self) -> None:
        """Make all indexes again from the ledger; raise LibraryLocked if another process writes."""
        for guard in self.guards:
            guard.rebuild()

    def problems(self) -> list[str]:
        """Return what is wrong with the indexes, without healing it. Raises IndexUnreachable."""
        vectors, words = self.guards
        found = ((vectors.name, vectors.diagnose()), (words.name, words.diagnose()))
        return [
            f"The {name}: {d.reason or 'it is behind the library'}."
            for name, d in found
            if d.state != "ready"
        ]

    def close(self) -> None:
        """Let go of all indexes."""
        for guard in self.guards:
            guard.close()
        self.exact.close()


def open_indexes(
    ledger: Ledger, folder: Path | None = None, *, exact_up_to: int = 0, chroma_url: str = ""
) -> Indexes:
    """Open the indexes of `ledger`, in its folder or another, compared with the ledger and healed.

    With `chroma_url` the vectors are on that Chroma server, and it is always asked.
    """
    place = folder or ledger.folder
    exact = ExactVectors(ledger)
    warnings: list[str] = []
    if chroma_url:
        shelf = server_shelf(ledger, ServerCollection(chroma_url, ledger.token(0)), exact)
    else:
        shelf = vector_shelf(ledger, place / VECTOR_FOLDER, exact)
    vectors = Guard(shelf, ledger, warnings)
    words = Guard(word_shelf(ledger, place / WORD_FOLDER), ledger, warnings)
    for guard in (vectors, words):
        guard.prepare()
    return Indexes(
        GuardedVectors(vectors, ledger),
        GuardedWords(words, ledger),
        exact,
        (vectors, words),
        ledger,
        warnings,
        0 if chroma_url else exact_up_to,
    )
