"""Vectors and texts of papers in, named themes out: which papers belong together, and what to call them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rag.embedders import Vectors
from rag.themes.grouping import centred, grouped, most_central_first
from rag.themes.headings import headed

Background = Callable[[Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Theme:
    """Papers that belong together: what to call them, what tells them apart, and their row numbers.

    `members` stand most central first.
    """

    heading: str
    terms: tuple[str, ...]
    members: tuple[int, ...]


def group(
    vectors: Vectors,
    texts: Sequence[str],
    *,
    most: int | None = None,
    background: Background | None = None,
    without: frozenset[str] = frozenset(),
    seed: int = 0,
) -> tuple[Theme, ...]:
    """Return at most `most` themes of the papers, that with most papers first; every paper is in one.

    `vectors` is `(n, dim)` float32 with unit rows, `texts` their n abstracts. `background` tells how rare
    index terms are among all papers, as `Retriever.rarity` does, where these are only some of them. No
    heading is made of the terms in `without` alone, such as those of a topic all the papers share.
    """
    if not len(texts):
        return ()
    rows = centred(vectors)
    members = [most_central_first(rows, some) for some in grouped(rows, most, seed)]
    headings = headed([[texts[row] for row in some] for some in members], background, without)
    return tuple(
        Theme(heading, terms, tuple(some)) for (heading, terms), some in zip(headings, members, strict=True)
    )
