"""Topics in, a sheet to draw out: where each paper's mark and each label stands, none over another.

Lengths are in the units of a sheet of WIDTH by HEIGHT, y downwards.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from rag.jobs.topics import Topics
from rag.outputs.printable import one_line

WIDTH, HEIGHT = 1000, 720
_MARGIN = 40
# More marks than this are a blot, and a page that a browser hardly shows.
MOST_DRAWN = 20_000
HEADING_SIZE, NAME_SIZE, NUMBER_SIZE = 15.0, 11.0, 34.0
LINE = 1.15
# With more papers there is no room for their names.
_MOST_NAMED = 80
_HEADING_WIDTH, _HEADING_LINES = 24, 2
_NAME_WIDTH = 28
_WIDE = "WF"
_NARROW_CHARS = frozenset(" .,:;'!|()-ijlft")
_NARROW, _LETTER, _CAPITAL = 0.4, 0.66, 0.76
_GAP = 2.0
# How far a name stands from the middle of its mark.
_BESIDE = 11.0
_STEP, _REACH = 13.0, 170.0
# What covering all marks costs a place, in steps away from the best one.
_ALL_COVERED = 250.0

Side = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A paper on the sheet: its place in `Topics.papers`, that of its theme, and where it stands."""

    paper: int
    theme: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text, their `side` (or middle) at x and the middle of all lines at y."""

    lines: tuple[str, ...]
    x: float
    y: float
    size: float
    theme: int
    side: Side = "middle"


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that is drawn; `numbers` are short labels in place of `headings` and `names` on a small screen."""

    marks: tuple[Mark, ...]
    radius: float
    headings: tuple[Label, ...]
    names: tuple[Label, ...]
    numbers: tuple[Label, ...]
    left_out: int = 0


Box = tuple[float, float, float, float]
Points = npt.NDArray[np.float64]


def sheet_of(topics: Topics) -> Sheet:
    """Lay out the sheet for topics that have positions."""
    marks = tuple(_marks(topics))
    radius = _radius(len(marks))
    points = np.array([(mark.x, mark.y) for mark in marks]).reshape(-1, 2)
    anchors = [_anchor(points[[m.theme == n for m in marks]]) for n in range(len(topics.themes))]
    placing = _Placing(points, radius)
    headings = tuple(_headings(topics, anchors, placing))
    names = tuple(_names(topics, marks, placing)) if len(marks) <= _MOST_NAMED else ()
    numbers = tuple(_numbers(anchors, points, radius))
    return Sheet(marks, radius, headings, names, numbers, len(topics.papers) - len(marks))


def _marks(topics: Topics) -> Iterator[Mark]:
    """Yield the marks of the papers, evenly left out where they are too many; theme by theme."""
    places = _stretched(np.array(topics.positions).reshape(-1, 2))
    drawn = _evenly(len(places), MOST_DRAWN)
    for number, theme in enumerate(topics.themes):
        for row in sorted(theme.members):
            if row in drawn:
                yield Mark(row, number, round(float(places[row, 0]), 1), round(float(places[row, 1]), 1))


def _evenly(count: int, most: int) -> frozenset[int]:
    return frozenset(range(count) if count <= most else (n * count // most for n in range(most)))


def _stretched(positions: Points) -> Points:
    """Return the positions on the sheet: both sides filled."""
    if not len(positions):
        return positions
    low, high = positions.min(axis=0), positions.max(axis=0)
    size = np.where(high > low, high - low, 1.0)
    share = np.where(high > low, (positions - low) / size, 0.5)
    return np.asarray(_MARGIN + share * np.array([WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN]))


def _radius(count: int) -> float:
    """Return the size of a mark: smaller where there are many."""
    return float(round(min(8.0, max(2.3, 60 / max(count, 1) ** 0.38)), 1))


def _anchor(points: Points) -> tuple[float, float]:
    """Return the place of the paper nearest to the middle of a theme, which lies where its papers are."""
    middle = np.median(points, axis=0) if len(points) else np.array([WIDTH / 2, HEIGHT / 2])
    if len(points):
        middle = points[np.argmin(((points - middle) ** 2).sum(axis=1))]
    return float(middle[0]), float(middle[1])


class _Placing:
    """Finds room for labels: never over another label, over few marks, not far away."""

    def __init__(self, points: Points, radius: float) -> None:
        self._points = points
        self._radius = radius
        self._taken: list[Box] = []

    def place(
        self,
        lines: tuple[str, ...],
        around: Sequence[tuple[float, float]],
        size: float,
        theme: int,
        most: int,
    ) -> Label | None:
        """Return the label at the best place of `around` that covers at most `most` marks, if any does.

        The nearer to the first of them the better.
        """
        half = _half(lines, size)
        best: tuple[float, float, float] | None = None
        for x, y in around:
            away = math.hypot(x - around[0][0], y - around[0][1])
            x, y = _inside(x, WIDTH, half[0]), _inside(y, HEIGHT, half[1])
            box = (x - half[0], y - half[1], x + half[0], y + half[1])
            if any(_overlap(box, other) for other in self._taken):
                continue
            covered = self._covered(box)
            cost = covered * _ALL_COVERED / max(len(self._points), 1) + away / _STEP
            if covered <= most and (best is None or cost < best[0]):
                best = (cost, x, y)
        if best is None:
            return None
        x, y = round(best[1], 1), round(best[2], 1)
        self._taken.append((x - half[0], y - half[1], x + half[0], y + half[1]))
        return Label(lines, x, y, size, theme)

    def _covered(self, box: Box) -> int:
        x, y, r = self._points[:, 0], self._points[:, 1], self._radius
        inside = (x > box[0] - r) & (x < box[2] + r) & (y > box[1] - r) & (y < box[3] + r)
        return int(inside.sum())


def _headings(topics: Topics, anchors: Sequence[tuple[float, float]], placing: _Placing) -> Iterator[Label]:
    # Where the papers are named, a name missing under a heading would be missed.
    covers = 0 if len(topics.papers) <= _MOST_NAMED else len(topics.papers)
    for number, theme in enumerate(topics.themes):
        lines = _wrapped(f"{number + 1} {one_line(theme.heading)}")
        around = list(_rings(anchors[number]))
        label = placing.place(lines, around, HEADING_SIZE, number, covers)
        if label is None:
            label = placing.place(lines, around, HEADING_SIZE, number, len(topics.papers))
        if label is not None:
            yield label


def _rings(anchor: tuple[float, float]) -> Iterator[tuple[float, float]]:
    """Yield places around an anchor, the nearest first."""
    x, y = anchor
    yield anchor
    for reach in np.arange(_STEP, _REACH, _STEP):
        for angle in np.arange(0, 2 * np.pi, np.pi / 6):
            yield x + float(reach * 1.4 * np.cos(angle)), y + float(reach * np.sin(angle))


def _names(topics: Topics, marks: Sequence[Mark], placing: _Placing) -> Iterator[Label]:
    """Yield the names of papers that have room right beside their marks."""
    for mark in marks:
        lines = (one_line(topics.papers[mark.paper].name, _NAME_WIDTH),)
        wide, high = _half(lines, NAME_SIZE)
        beside, above = _BESIDE + wide, _BESIDE + high
        around = [
            (mark.x + beside, mark.y),
            (mark.x - beside, mark.y),
            (mark.x, mark.y + above),
            (mark.x, mark.y - above),
        ]
        kept = [(x, y) for x, y in around if wide < x < WIDTH - wide and high < y < HEIGHT - high]
        label = placing.place(lines, kept, NAME_SIZE, mark.theme, 0)
        if label is not None:
            yield _beside(label, mark.x)


def _beside(label: Label, x: float) -> Label:
    """Return a label that stands left or right of x so that it begins or ends near it."""
    if label.x == round(x, 1):
        return label
    side: Side = "start" if label.x > x else "end"
    return replace(label, x=round(x + (_BESIDE if side == "start" else -_BESIDE), 1), side=side)


def _numbers(anchors: Sequence[tuple[float, float]], points: Points, radius: float) -> Iterator[Label]:
    placing = _Placing(points, 2 * radius)
    for number, anchor in enumerate(anchors):
        around = list(_rings(anchor))
        label = placing.place((str(number + 1),), around, NUMBER_SIZE, number, len(points))
        if label is not None:
            yield label


def _half(lines: Sequence[str], size: float) -> tuple[float, float]:
    """Return half the width and half the height of lines of text, as a wide font takes it."""
    wide = max(sum(map(_share, line)) for line in lines)
    return wide * size / 2 + _GAP, len(lines) * size * LINE / 2 + _GAP


def _share(char: str) -> float:
    """Return about how wide a character is, of the size of its font."""
    if unicodedata.east_asian_width(char) in _WIDE:
        return 1.05
    return _NARROW if char in _NARROW_CHARS else _CAPITAL if char.isupper() else _LETTER


def _inside(middle: float, length: float, half: float) -> float:
    return min(max(middle, half), max(length - half, half))


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _wrapped(text: str) -> tuple[str, ...]:
    """Return a heading in at most two lines, cut with an ellipsis if it is longer."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= _HEADING_WIDTH or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    kept, rest = lines[: _HEADING_LINES - 1], lines[_HEADING_LINES - 1 :]
    return tuple(one_line(line, _HEADING_WIDTH + 4) for line in [*kept, " ".join(rest)] if line)
