"""The options that hold a command to some papers: options come in, the ids of those papers go out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rag.cli.session import note
from rag.counting import counted
from rag.errors import UsageError

if TYPE_CHECKING:
    from rag.library import Library
    from rag.retrieve.filters import Filters

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--year", "only_year", metavar="YEARS", help="Only papers from 2024, 2020..2024, 2020.. or ..2024."
    ),
    click.option(
        "--venue",
        "only_venue",
        metavar="NAME",
        multiple=True,
        help="Only papers of this venue: its name, or words of it.",
    ),
    click.option(
        "--author",
        "only_author",
        metavar="NAME",
        multiple=True,
        help="Only papers by this author: family name or whole name.",
    ),
    click.option(
        "--file", "only_file", metavar="FILE", multiple=True, help="Only papers read from this file."
    ),
    click.option(
        "--papers",
        "only_papers",
        metavar="A,B",
        multiple=True,
        help="Only these papers: names, sources or ids.",
    ),
)


def filter_options(function: Function) -> Function:
    """Add the options that choose papers; the command gets them as `filters`, for `selected`."""

    @functools.wraps(function)
    def command(*args: Any, **kwargs: Any) -> Any:
        given = {name: kwargs.pop(f"only_{name}") for name in ("year", "venue", "author", "file", "papers")}
        return function(*args, filters=_filters(**given), **kwargs)

    wrapped: Any = command
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def selected(library: Library, filters: Filters) -> frozenset[str] | None:
    """Return the ids of the papers that pass the filters, and remark how many; None without filters.

    Raises NothingMatches when none does.
    """
    only = library.select(filters)
    if only is not None:
        note(f"among {len(only):,} of {counted(library.count(), 'paper')}")
    return only


def _filters(
    year: str | None, venue: Sequence[str], author: Sequence[str], file: Sequence[str], papers: Sequence[str]
) -> Filters:
    from rag.retrieve.filters import Filters, parse_years

    for option, values in (("venue", venue), ("author", author), ("file", file), ("papers", papers)):
        if not all(value.strip(", \t") for value in values):
            raise UsageError(f"--{option} needs a value", hint=f"Leave --{option} out to take every paper.")
    return Filters(
        years=parse_years(year) if year is not None else None,
        venues=tuple(venue),
        authors=tuple(author),
        files=tuple(file),
        papers=tuple(name for given in papers for name in _names(given)),
    )


def _names(given: str) -> Iterator[str]:
    yield from (name.strip() for name in given.split(",") if name.strip())
