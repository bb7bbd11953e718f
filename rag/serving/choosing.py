"""Choose papers for a client: filters and ids in; the ids that may be used, or the papers to list, out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.domain import Paper
from rag.errors import NothingMatches
from rag.retrieve.filters import Filters, parse_years
from rag.serving.shapes import FiltersBody
from rag.serving.state import NoPapers, State

Order = Literal["added", "name", "year"]
_ORDERS: Mapping[Order, Callable[[Paper], Any]] = {
    "added": lambda paper: 0,
    "name": lambda paper: paper.name.casefold(),
    # Newest first; those without a year come last.
    "year": lambda paper: -(paper.year or 0),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """Papers that fit, in order; `remark` says why there are none where a filter leaves none."""

    papers: tuple[Paper, ...] = ()
    remark: str = ""


def filters_of(given: FiltersBody | None) -> Filters:
    """Return filters as the library takes them; raise UsageError for years that are none."""
    if given is None:
        return Filters()
    return Filters(
        years=parse_years(given.year) if given.year else None,
        venues=tuple(given.venues),
        authors=tuple(given.authors),
        files=tuple(given.files),
        papers=tuple(given.papers),
    )


def held_to(state: State, given: FiltersBody | None, only: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the ids that a job is held to: those given that pass the filters; None if it may use all.

    Raises NothingMatches, UnknownPaper and UsageError as the library does.
    """
    filters = filters_of(given)
    passed = state.filled().select(filters) if filters else None
    if passed is None or only is None:
        return tuple(only) if only is not None else tuple(sorted(passed)) if passed is not None else None
    return tuple(paper_id for paper_id in only if paper_id in passed)


def listed(state: State, words: str, given: FiltersBody, order: Order) -> Listed:
    """Return the papers that hold all the words and pass the filters; without a library, none."""
    try:
        library = state.library
        papers = library.papers(library.select(filters_of(given)))
    except NoPapers:
        return Listed()
    except NothingMatches as nothing:
        return Listed(remark=" ".join(filter(None, (nothing.message, nothing.hint))))
    wanted = words.casefold().split()
    return Listed(tuple(sorted((p for p in papers if _has(p, wanted)), key=_ORDERS[order])))


def _has(paper: Paper, words: Sequence[str]) -> bool:
    if not words:
        return True
    text = "\n".join((paper.name, paper.title, *paper.authors, paper.venue, paper.text)).casefold()
    return all(word in text for word in words)
