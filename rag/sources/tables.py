"""A table (CSV, TSV or the like) in, a record for each row out; separator and columns are found out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice

from rag.domain import Notice, Record
from rag.errors import UnknownFormat
from rag.sources.aliases import means
from rag.sources.fields import Row, papers
from rag.sources.opening import Source, text_of

_SEPARATORS = ",\t;|"
_LOOKED_AT = 50
_LONG, _TITLE_LIKE = 200, 20


def detects(source: Source) -> bool:
    """Tell whether the first line names columns, a column of abstracts among them."""
    names = _cells(source.sample.lstrip("\ufeff \n\r").partition("\n")[0])
    return len(names) > 1 and max(map(len, names)) < _LONG and means("abstract", names) and _known(names) > 1


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each row; raise UnknownFormat if no column holds abstracts."""
    text, repairs = text_of(source)
    yield from repairs
    yield from papers(_rows(text), source.name)


def _rows(text: str) -> Iterator[Row]:
    lines = _Lines(text)
    separator = _separator(text)
    # Excel writes the separator into a line of its own.
    if text.startswith("sep=") and len(text.partition("\n")[0].strip()) <= 5:
        next(lines)
    rows = _parsed(lines, separator)
    first = list(islice(rows, _LOOKED_AT))
    cells = [row for _, row in first if not isinstance(row, str)]
    if not cells:
        return
    names = _header(cells)
    if not names:
        names = _columns_by_content(cells)
    else:
        first.remove(next(row for row in first if row[1] is cells[0]))
    for line, row in (*first, *rows):
        yield (line, row) if isinstance(row, str) else (line, _named(names, row))


def _parsed(lines: _Lines, separator: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield where each row that is not empty begins and its cells, or why it cannot be read."""
    reader = csv.reader(lines, delimiter=separator, strict=False)
    while True:
        line = lines.number + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"not a row of a table ({error})"
            continue
        if lines.ended:
            yield line, "the file breaks off inside this row"
            return
        if any(cell.strip() for cell in row):
            yield line, row


def _header(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the names in the first row, or none if it holds no names of columns."""
    names = [name.strip("\ufeff \"'") for name in rows[0]]
    if means("abstract", names) or _known(names) > 1:
        return names
    return []


def _columns_by_content(rows: Sequence[Sequence[str]]) -> list[str]:
    """Name the columns of a table without a header: the longest texts are abstracts, the next are titles.

    Raises UnknownFormat if there are no long texts.
    """
    width = max(map(len, rows))
    lengths = [
        sorted(len(row[n]) if n < len(row) else 0 for row in rows)[len(rows) // 2] for n in range(width)
    ]
    order = sorted(range(width), key=lambda n: -lengths[n])
    if lengths[order[0]] < _LONG:
        raise UnknownFormat(
            "a table without a column of abstracts.",
            hint="Name the columns in its first row: title, abstract, …",
        )
    names = [""] * width
    names[order[0]] = "abstract"
    if len(order) > 1 and lengths[order[1]] >= _TITLE_LIKE:
        names[order[1]] = "title"
    return names


def _named(names: Sequence[str], row: Sequence[str]) -> dict[str, str]:
    """Return the cells of a row by the names of their columns; of two alike, the first that is filled."""
    fields: dict[str, str] = {}
    for name, cell in zip(names, row, strict=False):
        if name and cell.strip():
            fields.setdefault(name, cell)
    return fields


def _separator(text: str) -> str:
    """Return the character that parts the cells: the one that names most columns, else that is steadiest."""
    head = text.lstrip("\ufeff \n")
    if head.startswith("sep=") and head[4:5] and head[4] in _SEPARATORS:
        return head[4]
    first = head.partition("\n")[0]
    best = max(_SEPARATORS, key=lambda mark: _known(_cells(first, mark)))
    if _known(_cells(first, best)):
        return best
    return max(_SEPARATORS, key=lambda mark: _steadiness(head[:20_000], mark))


def _steadiness(text: str, separator: str) -> tuple[float, int]:
    """Return the share of rows that have the commonest number of cells, and that number."""
    try:
        widths = [
            len(row) for row in islice(csv.reader(io.StringIO(text), delimiter=separator), _LOOKED_AT) if row
        ]
    except csv.Error:
        return 0.0, 0
    common = max(set(widths), key=widths.count, default=0)
    return (widths.count(common) / len(widths), common) if common > 1 else (0.0, 0)


def _cells(line: str, separator: str = "") -> list[str]:
    """Return the cells of one line, with the separator given or the one that gives most known names."""
    if not separator:
        return max((_cells(line, mark) for mark in _SEPARATORS), key=_known)
    try:
        return [
            cell.strip("\ufeff \"'") for cell in next(csv.reader([line[:10_000]], delimiter=separator), [])
        ]
    except csv.Error:
        return []


def _known(names: Sequence[str]) -> int:
    """Return how many of the names are those of fields of a paper."""
    return sum(
        any(means(f, [n]) for f in ("title", "abstract", "authors", "year", "venue", "doi", "url", "id"))
        for n in names
    )


class _Lines:
    """The lines of a text, counted as they are taken."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text)
        self.number = 0
        # A row for which more lines were wanted than there are has lost its end.
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.number += 1
        try:
            return next(self._lines)
        except StopIteration:
            self.ended = True
            raise
