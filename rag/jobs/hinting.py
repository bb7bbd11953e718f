"""Filters a question may have meant: a question that found nothing comes in, hints go out.

What papers say is searched; who wrote them, and when, is not in their abstracts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.counting import counted
from rag.errors import NothingMatches
from rag.ledger.store import Store
from rag.retrieve.filters import Filters, select

_NAME = r"[A-Z][\w'’-]+(?: (?:(?:van|von|de|der|den|la|le|da|di) )*[A-Z][\w'’-]+){0,3}"
_AUTHOR = re.compile(rf"\b(?:by|from|of|did|does|do|has|have|authors?) (?P<who>{_NAME})")
_YEAR = re.compile(r"\b(?:in|from|of|since|published) (?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)


def hints(question: str, store: Store) -> tuple[str, ...]:
    """Return which filters leave papers for an author and a year that a question names."""
    return (*_of_authors(question, store), *_of_years(question, store))


def _of_authors(question: str, store: Store) -> Iterator[str]:
    for who in dict.fromkeys(match["who"] for match in _AUTHOR.finditer(question)):
        found = _count(store, Filters(authors=(who,)))
        if found:
            yield f"{counted(found, 'paper')} of an author {who}: hold the question to them with --author."


def _of_years(question: str, store: Store) -> Iterator[str]:
    for year in dict.fromkeys(match["year"] for match in _YEAR.finditer(question)):
        found = len(store.ids_of_years(int(year), int(year)))
        if found:
            yield f"{counted(found, 'paper')} of {year}: hold the question to them with --year {year}."


def _count(store: Store, filters: Filters) -> int:
    try:
        return len(select(store, filters, lambda words: words) or ())
    except NothingMatches:
        return 0
