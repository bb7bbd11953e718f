"""A library in, what it is about out: themes with their papers, and the papers' places on a map."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from rag.domain import Paper
from rag.embedders import Vectors
from rag.errors import LibraryDamaged
from rag.ledger import Ledger
from rag.themes import Theme, group
from rag.themes.layout import layout

Place = tuple[float, float]
# What the generators of random numbers take.
MAX_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Topics:
    """The themes of a library, those with most papers first; their members are places in `papers`.

    `positions` holds an `(x, y)` in [0, 1] for each paper, y downwards, or nothing where no map was wanted.
    """

    themes: tuple[Theme, ...]
    papers: tuple[Paper, ...]
    positions: tuple[Place, ...] = ()

    def papers_of(self, theme: Theme) -> tuple[Paper, ...]:
        """Return the papers of a theme, most central first."""
        return tuple(self.papers[row] for row in theme.members)

    def to_dict(self) -> dict[str, Any]:
        """Return the themes and their papers as JSON values; with a map, each paper's place."""
        return {
            "themes": [
                {
                    "heading": theme.heading,
                    "terms": list(theme.terms),
                    "count": len(theme.members),
                    "papers": [self._paper(row) for row in theme.members],
                }
                for theme in self.themes
            ]
        }

    def _paper(self, row: int) -> dict[str, Any]:
        paper = self.papers[row]
        named = {"id": paper.id, "name": paper.name, "source": paper.source}
        return named | ({"x": self.positions[row][0], "y": self.positions[row][1]} if self.positions else {})


def find_topics(
    ledger: Ledger,
    *,
    most: int | None = None,
    seed: int = 0,
    placed: bool = False,
    only: Collection[str] | None = None,
) -> Topics:
    """Return at most `most` themes of all papers; with `placed`, a place on a map for each paper too.

    With `only`, the papers with these ids are all there are.
    """
    papers, vectors = _papers_with_vectors(ledger)
    if only is not None:
        rows = [row for row, paper in enumerate(papers) if paper.id in only]
        papers, vectors = tuple(papers[row] for row in rows), vectors[rows]
    texts = [f"{paper.title}. {paper.text}" if paper.title else paper.text for paper in papers]
    themes = group(vectors, texts, most=most, seed=seed)
    places = layout(vectors, seed=seed).tolist() if placed else ()
    return Topics(themes, papers, tuple((x, y) for x, y in places))


def _papers_with_vectors(ledger: Ledger) -> tuple[tuple[Paper, ...], Vectors]:
    """Return all papers and the vectors of their first chunks, `(n, dim) float32`."""
    generation = ledger.generation
    names, rows = ledger.chunk_vectors()
    first = {name.removesuffix(":0"): row for row, name in enumerate(names) if name.endswith(":0")}
    everything = ledger.papers()
    papers = tuple(paper for paper in everything if paper.id in first)
    # Another process may have added papers between the two readings.
    if len(papers) < len(everything) and ledger.generation == generation:
        raise LibraryDamaged(
            f"{len(everything) - len(papers)} of {len(everything)} papers have no vectors.",
            hint="Run `rag doctor --reembed` to make them again.",
        )
    return papers, rows[[first[paper.id] for paper in papers]]
