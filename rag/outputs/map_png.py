"""Topics in, a picture out: the sheet with its marks and labels, and the list of themes, as a PNG file."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rag.counting import counted
from rag.jobs.topics import Topics
from rag.outputs.map_marks import INKS, OUTLINES, ink_of, outline_of
from rag.outputs.map_sheet import HEIGHT, LINE, WIDTH, Label, Mark, Side, sheet_of
from rag.outputs.printable import one_line

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A unit of the sheet is a point of 1/72 inch.
_POINTS = 72.0
_DPI = 144
_LEGEND = 360
_ROW = 27.0
_TOP = 52.0
_LEGEND_RADIUS = 7.0
_MANY = 800
_PAGE, _TEXT, _FAINT = "#ffffff", "#1a1a1a", "#595959"
_SIDES: Mapping[Side, str] = {"start": "left", "middle": "center", "end": "right"}
_MISSING = "\N{WHITE SQUARE}"


def map_png(topics: Topics) -> bytes:
    """Return the picture, 2,720 pixels wide."""
    from matplotlib.figure import Figure

    sheet = sheet_of(topics)
    width, height = WIDTH + _LEGEND, max(float(HEIGHT), _TOP + _ROW * len(topics.themes))
    figure = Figure((width / _POINTS, height / _POINTS), dpi=_DPI, facecolor=_PAGE)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    _draw_marks(figure, sheet.marks, sheet.radius, 0.6 if len(sheet.marks) > _MANY else 0.95)
    _draw_marks(figure, list(_legend_marks(topics)), _LEGEND_RADIUS, 1.0)
    write = _writer(figure)
    for labels, colour in ((sheet.names, _FAINT), (sheet.headings, _TEXT)):
        _draw_labels(write, labels, colour)
    _draw_legend(write, topics)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _legend_marks(topics: Topics) -> Iterable[Mark]:
    return (Mark(-1, n, WIDTH + 22, _TOP + n * _ROW) for n in range(len(topics.themes)))


def _draw_marks(figure: Figure, marks: Sequence[Mark], radius: float, opacity: float) -> None:
    from matplotlib.collections import PolyCollection

    for theme, own in groupby(marks, key=lambda mark: mark.theme):
        outline = OUTLINES[outline_of(theme)]
        polygons = [[(mark.x + x * radius, mark.y + y * radius) for x, y in outline] for mark in own]
        ink = INKS[ink_of(theme)]
        figure.axes[0].add_collection(
            PolyCollection(
                polygons, facecolor=ink.light, edgecolor=ink.edge, linewidth=radius / 10, alpha=opacity
            )
        )


Write = Callable[[float, float, str, float, str, str], None]


def _writer(figure: Figure) -> Write:
    """Return what writes a line of text at a place; characters that the font lacks become squares."""
    from matplotlib.font_manager import FontProperties, findfont, get_font
    from matplotlib.patheffects import AbstractPathEffect, withStroke

    font = FontProperties(family="DejaVu Sans")
    known = get_font(findfont(font)).get_charmap()
    halo: list[AbstractPathEffect] = [withStroke(linewidth=2.5, foreground=_PAGE)]

    def write(x: float, y: float, text: str, size: float, colour: str, side: str) -> None:
        shown = "".join(char if ord(char) in known else _MISSING for char in text)
        # Dollar signs in a name are no formula.
        drawn = figure.axes[0].text(
            x, y, shown, fontsize=size, color=colour, ha=side, va="center", parse_math=False
        )
        drawn.set_fontfamily("DejaVu Sans")
        drawn.set_path_effects(halo)

    return write


def _draw_labels(write: Write, labels: Iterable[Label], colour: str) -> None:
    for label in labels:
        for n, line in enumerate(label.lines):
            y = label.y + (n - (len(label.lines) - 1) / 2) * label.size * LINE
            write(label.x, y, line, label.size * 0.92, colour, _SIDES[label.side])


def _draw_legend(write: Write, topics: Topics) -> None:
    write(WIDTH + 14, 22, counted(len(topics.papers), "paper"), 17, _TEXT, "left")
    for n, theme in enumerate(topics.themes):
        text = f"{n + 1}  {one_line(theme.heading, 46)} · {len(theme.members):,}"
        write(WIDTH + 38, _TOP + n * _ROW, text, 11.5, _TEXT, "left")
