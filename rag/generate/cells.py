"""Read what a chat model put into a table, or under headings: a reply → cells, or groups of papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rag.generate.replies import Unreadable, Written, body_of, json_value, marked, plain, written
from rag.prompting import Form
from rag.text.digits import whole

_UNSAID = frozenset({"", "-", "–", "—", "null", "none", "n/a", "not stated"})
_MOST = 400  # cells or groups that are read of one reply


@dataclass(frozen=True, slots=True)
class WrittenCell:
    """A cell as a model wrote it: the number of its paper, its aspect, and its text, None when not stated."""

    paper: int
    aspect: str
    said: Written | None


@dataclass(frozen=True, slots=True)
class Group:
    """A heading and the numbers of the papers under it."""

    heading: str
    papers: tuple[int, ...]


def read_cells(text: str, form: Form, complete: bool = True) -> tuple[WrittenCell, ...]:
    """Read the cells of a table. Raises Unreadable when there are none."""
    if form == "text":
        found = tuple(_plain_cells(text))
    else:
        items = json_value(text, complete).get("cells")
        if not isinstance(items, list):
            raise Unreadable("it has no list of cells")
        found = tuple(_cell(item) for item in items[:_MOST] if isinstance(item, Mapping))
    if not found:
        raise Unreadable("it has no cells")
    return found


def read_groups(text: str, form: Form, complete: bool = True) -> tuple[Group, ...]:
    """Read headings with the papers under each. Raises Unreadable when there are none."""
    if form == "text":
        found = tuple(_plain_groups(text))
    else:
        items = json_value(text, complete).get("sections")
        if not isinstance(items, list):
            raise Unreadable("it has no list of sections")
        found = tuple(_group(item) for item in items[:_MOST] if isinstance(item, Mapping))
    found = tuple(group for group in found if group.heading and group.papers)
    if not found:
        raise Unreadable("it has no headings with papers")
    return found


def _cell(item: Mapping[str, Any]) -> WrittenCell:
    said = written(item)
    paper, aspect = item.get("paper"), item.get("aspect")
    number = _number(paper) or 0
    return WrittenCell(number, plain(aspect) if isinstance(aspect, str) else "", _stated(said))


def _plain_cells(text: str) -> Iterator[WrittenCell]:
    for line in body_of(text).splitlines()[:_MOST]:
        parts = line.strip().strip("|").split("|", 2)
        if len(parts) == 3 and (number := whole(parts[0].strip().lstrip("[").rstrip("]."))) is not None:
            yield WrittenCell(number, plain(parts[1]), _stated(marked(parts[2])))


def _stated(said: Written) -> Written | None:
    return None if said.text.casefold().strip(" .") in _UNSAID else said


def _group(item: Mapping[str, Any]) -> Group:
    heading, papers = item.get("heading"), item.get("papers")
    numbers = papers if isinstance(papers, list) else []
    return Group(
        plain(heading) if isinstance(heading, str) else "",
        tuple(number for n in numbers if (number := _number(n)) is not None),
    )


def _number(value: object) -> int | None:
    if isinstance(value, str):
        return whole(value.strip())
    return value if type(value) is int and value >= 0 else None


def _plain_groups(text: str) -> Iterator[Group]:
    for line in body_of(text).splitlines()[:_MOST]:
        heading, colon, numbers = line.rpartition(":")
        if colon:
            found = tuple(n for part in numbers.replace(",", " ").split() if (n := whole(part)) is not None)
            yield Group(plain(heading).strip("#*- "), found)
