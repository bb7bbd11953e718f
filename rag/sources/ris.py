"""A RIS file in, as reference managers and publishers export it, a record for each reference out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from rag.domain import Notice, Record
from rag.sources import ends
from rag.sources.fields import Row, papers
from rag.sources.opening import Source, text_of

_START = re.compile(r"(?:^|\n)[ \t]*TY[ \t]{1,3}-[ \t]?\w*[ \t\r]*\n")
# Some programs write one space before the hyphen, or none after it.
_TAG = re.compile(r"^[ \t]*([A-Z][A-Z0-9])[ \t]{1,3}-(?: |$)", re.MULTILINE)
END = re.compile(r"^[ \t]*E[RF](?:[ \t]{1,3}-)?[ \t\r]*$", re.MULTILINE)
_MOST_LINES = 5000
_TITLES = ("title", "primary_title", "short_title")
_VENUES = ("journal_name", "alternate_title3", "secondary_title", "alternate_title2", "alternate_title1")
_YEARS = ("year", "publication_year", "date")


def detects(source: Source) -> bool:
    """Tell whether a reference such as `TY  - JOUR` begins near the start."""
    found = _START.search(source.sample)
    return found is not None and found.start() < 2000 and len(_TAG.findall(source.sample)) > 1


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each reference."""
    text, repairs = text_of(source)
    yield from repairs
    yield from papers(_rows(text), source.name)
    yield from ends.cut(source.name, text, ends.in_a_reference(text, _START, END))


def _rows(text: str) -> Iterator[Row]:
    for line, block in blocks(text, _START):
        if block.count("\n") > _MOST_LINES:
            yield line, f"a reference of more than {_MOST_LINES:,} lines"
        else:
            yield line, _reference(block)


def blocks(text: str, start: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each part of `text` that begins as `start` says."""
    begins = [found.start() + (found[0].startswith("\n")) for found in start.finditer(text)]
    line, counted = 1, 0
    for begin, end in pairwise([*begins, len(text)]):
        line += text.count("\n", counted, begin)
        counted = begin
        yield line, text[begin:end]


def _reference(block: str) -> dict[str, Any] | str:
    import rispy
    from rispy.parser import ParseError

    regular = _TAG.sub(r"\1  - ", block)
    # A reference that breaks off, or lacks its end, is read as far as it goes.
    try:
        found = rispy.loads(f"{regular.rstrip()}\nER  - \n")
    except (ParseError, ValueError, KeyError, IndexError, AttributeError, TypeError, OSError) as error:
        return f"not a RIS reference ({error or type(error).__name__})"
    return _fields(found[0]) if found else "not a RIS reference"


def _fields(found: dict[str, Any]) -> dict[str, Any]:
    names = (*found.get("authors", ()), *found.get("first_authors", ()))
    return {
        "title": _first(found, _TITLES),
        "abstract": _first(found, ("abstract", "notes_abstract")),
        "authors": list(names),
        "year": _first(found, _YEARS),
        "venue": _first(found, _VENUES),
        "doi": found.get("doi", ""),
        "url": found.get("urls", []),
        "keywords": found.get("keywords", []),
        "id": found.get("id", ""),
    }


def _first(found: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((found[name] for name in names if found.get(name)), "")
