"""Cells of a table come in, rows or blocks that fit the width of a terminal go out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

GAP = 2
INDENT = 4
# What a column that is cut keeps, and the last one; the last gets its share of the width if it needs it.
_LEAST_CUT = 16
_LEAST_LAST = 20
_LAST_SHARE = 0.4
# Text in a narrower column is no pleasure to read.
_LEAST_TEXT = 36


@dataclass(frozen=True, slots=True)
class Layout:
    """How columns give way: `middle` are cut in the middle, the others wrap to at most `lines` (0: any)."""

    middle: frozenset[str] = frozenset()
    lines: int = 0


def grid(columns: Sequence[str], cells: Sequence[Sequence[str]], width: int, layout: Layout) -> Iterator[str]:
    """Yield the rows of a table, its heading first, in lines of at most `width` columns."""
    table = [tuple(columns), *cells]
    cut = [column in layout.middle for column in columns]
    widths = _widths(list(zip(*table, strict=True)), cut, width)
    for row in table:
        parts = [
            [middle(cell, size)] if is_cut else _wrapped(cell, size, layout.lines)
            for cell, size, is_cut in zip(row, widths, cut, strict=True)
        ]
        for line in zip_longest(*parts, fillvalue=""):
            padded = (text + " " * (size - _size(text)) for text, size in zip(line, widths, strict=True))
            yield (" " * GAP).join(padded).rstrip()


def fits(columns: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> bool:
    """Tell whether a grid keeps every word whole, and leaves its last column room to be read in."""
    table = list(zip(*[tuple(columns), *cells], strict=True))
    words = [max(_size(word) for cell in column for word in (cell or " ").split(" ")) for column in table]
    last = max(map(_size, table[-1]))
    room = width - sum(words[:-1]) - GAP * (len(words) - 1)
    return room >= max(words[-1], min(last, _LEAST_TEXT))


def block(row: Sequence[str], width: int) -> list[str]:
    """Return a row as lines of whole words: its cells side by side as they fit, below them the last."""
    *short, last = row
    room = width - INDENT
    lines = _packed([cell for cell in short if cell], room, " " * GAP)
    first, *more = [part for line in lines for part in _kept(line, room)]
    return [first, *(" " * INDENT + line for line in (*more, *_kept(last, room)))]


def _kept(text: str, width: int) -> list[str]:
    """Return the text in lines; a word wider than a line, such as a path, is left whole."""
    return [text] if _size(text) <= width else _packed(text.split(), width, " ")


def _packed(parts: Sequence[str], width: int, gap: str) -> list[str]:
    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{gap}{part}" if lines else ""
        if lines and _size(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def middle(text: str, width: int) -> str:
    """Return `text` with an ellipsis in the middle if it is wider than `width`; more of its end stays."""
    if _size(text) <= width:
        return text
    tail = (width - 1) * 3 // 5
    start, end = text[: width - 1 - tail], text[len(text) - tail :]
    while _size(start) + _size(end) + 1 > width:
        start, end = start[:-1], end if start else end[1:]
    return f"{start}…{end}"


def _widths(columns: Sequence[Sequence[str]], cut: Sequence[bool], width: int) -> list[int]:
    """Share `width` out: where it is short, columns to be cut give way first, then the widest.

    A word is broken only where nothing else helps.
    """
    room = max(width - GAP * (len(columns) - 1), len(columns))
    natural = [max(map(_size, column)) for column in columns]
    words = [max(_size(word) for cell in column for word in (cell or " ").split(" ")) for column in columns]
    columnwise = list(zip(natural, words, cut, strict=True))
    only_cut = [_LEAST_CUT if is_cut else whole for whole, _, is_cut in columnwise]
    to_words = [_LEAST_CUT if is_cut else word for _, word, is_cut in columnwise]
    share = int(room * _LAST_SHARE)
    anything = (room // len(columns), [1] * len(columns))
    widths = natural[:-1]
    for last, least in ((share, only_cut), (share, to_words), (_LEAST_LAST, to_words), anything):
        _shrink(widths, least, room - min(natural[-1], last))
    return [*widths, max(min(natural[-1], room - sum(widths)), 1)]


def _shrink(widths: list[int], limits: Sequence[int], room: int) -> None:
    """Take from the widest of the columns above their limits until they fit."""
    while sum(widths) > room:
        wide = [n for n in range(len(widths)) if widths[n] > limits[n]]
        if not wide:
            return
        widths[max(wide, key=lambda n: widths[n])] -= 1


def _wrapped(text: str, width: int, lines: int) -> list[str]:
    from rich.console import Console
    from rich.text import Text

    if _size(text) <= width:
        return [text]
    rows = [row.plain.rstrip() for row in Text(text).wrap(Console(width=width), width)]
    if not lines or len(rows) <= lines:
        return rows
    return [*rows[: lines - 1], _fitted(f"{rows[lines - 1]} {rows[lines]}", width)]


def _fitted(text: str, width: int) -> str:
    while _size(text) > width - 1:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _size(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
