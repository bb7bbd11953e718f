"""Choose papers to list: papers and what is wanted of them come in, those that fit go out in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.domain import Paper

Order = Literal["added", "name", "year"]
_ORDERS: Mapping[Order, Callable[[Paper], Any]] = {
    "added": lambda paper: 0,
    "name": lambda paper: paper.name.casefold(),
    # Newest first; those without a year come last.
    "year": lambda paper: -(paper.year or 0),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What papers are wanted: with all these words, from this file, of these years (both included)."""

    words: str = ""
    source: str = ""
    year_from: int | None = None
    year_to: int | None = None
    order: Order = "added"


def chosen(papers: Sequence[Paper], choice: Choice) -> list[Paper]:
    """Return the papers that fit; a paper without a year fits no limit of years."""
    words = choice.words.casefold().split()
    return sorted(
        (p for p in papers if _has(p, words) and _is_from(p, choice.source) and _is_of(p, choice)),
        key=_ORDERS[choice.order],
    )


def _has(paper: Paper, words: Sequence[str]) -> bool:
    if not words:
        return True
    text = "\n".join((paper.name, paper.title, *paper.authors, paper.venue, paper.text)).casefold()
    return all(word in text for word in words)


def _is_from(paper: Paper, source: str) -> bool:
    return not source or any(s.rpartition("#")[0] == source for s in paper.sources if s not in paper.gone)


def _is_of(paper: Paper, choice: Choice) -> bool:
    if choice.year_from is None and choice.year_to is None:
        return True
    if paper.year is None:
        return False
    least = paper.year if choice.year_from is None else choice.year_from
    most = paper.year if choice.year_to is None else choice.year_to
    return least <= paper.year <= most
