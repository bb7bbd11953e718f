"""Topics in, an SVG drawing out: labels, and marks that tell their paper when pointed at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from importlib.resources import files
from itertools import groupby

from rag.counting import counted
from rag.domain import Paper
from rag.jobs.topics import Topics
from rag.outputs.map_marks import INKS, OUTLINES, ink_of, outline_of
from rag.outputs.map_sheet import HEIGHT, LINE, WIDTH, Label, Mark, Sheet, sheet_of
from rag.outputs.printable import one_line

Address = Callable[[Paper], str]

_NAME_MOST, _SOURCE_MOST = 90, 120
# Words of the abstract that a mark tells: fewer in a large library, so that the file stays small.
_WORDS = ((1000, 140), (6000, 80), (10**9, 0))
_FORBIDDEN = dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd")
# Marks that cover each other must let the others be seen.
_MANY = 800


def map_svg(topics: Topics) -> str:
    """Return the drawing as a file of its own; everything from the papers is escaped."""
    sheet = sheet_of(topics)
    return drawing(
        topics, sheet, f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"', style=True
    )


def drawing(
    topics: Topics, sheet: Sheet, attributes: str, *, style: bool = False, address: Address | None = None
) -> str:
    """Return the svg element; `style` puts the style sheet into it, `address` makes the marks links."""
    dense = " dense" if len(sheet.marks) > _MANY else ""
    return "\n".join(
        [
            f'<svg class="map{dense}" viewBox="0 0 {WIDTH} {HEIGHT}" {attributes}>',
            f"<title>Map of {counted(len(topics.papers), 'paper')}</title>" if style else "",
            f"<style>{drawing_style()}</style>" if style else "",
            '<rect class="paper" width="100%" height="100%"/>' if style else "",
            outlines(sheet.radius),
            *_groups(topics, sheet, address),
            '<g class="wide">',
            *map(_label, sheet.names, ["name"] * len(sheet.names)),
            *map(_label, sheet.headings, ["heading"] * len(sheet.headings)),
            '</g>\n<g class="narrow">',
            *map(_label, sheet.numbers, ["number"] * len(sheet.numbers)),
            "</g>\n</svg>\n",
        ]
    )


def drawing_style() -> str:
    """Return the style of marks and labels, for light and dark screens."""
    light = "".join(f".c{n}{{--ink:{ink.light};--edge:{ink.edge}}}" for n, ink in enumerate(INKS))
    dark = "".join(f".c{n}{{--ink:{ink.dark};--edge:{ink.dark}}}" for n, ink in enumerate(INKS))
    fixed = files("rag.outputs").joinpath("map_drawing.css").read_text("utf-8")
    return f"{fixed}{light}\n@media (prefers-color-scheme: dark) {{{dark}}}\n"


def outlines(radius: float) -> str:
    """Return the definitions of the shapes, with ids `m0` and so on."""
    return "<defs>" + "".join(_outline(n, radius) for n in range(len(OUTLINES))) + "</defs>"


def _outline(shape: int, radius: float) -> str:
    corners = " ".join(f"{x * radius:.2f},{y * radius:.2f}" for x, y in OUTLINES[shape])
    return f'<path id="m{shape}" class="mark" d="M{corners}Z"/>'


def _groups(topics: Topics, sheet: Sheet, address: Address | None) -> Iterator[str]:
    most = next(words for papers, words in _WORDS if len(sheet.marks) <= papers)
    for theme, marks in groupby(sheet.marks, key=lambda mark: mark.theme):
        shape = outline_of(theme)
        yield f'<g class="theme c{ink_of(theme)}" data-theme="{theme}">'
        yield from _marks(topics, shape, marks, most, address)
        yield "</g>"


def _marks(
    topics: Topics, shape: int, marks: Iterable[Mark], most: int, address: Address | None
) -> Iterator[str]:
    for mark in marks:
        paper = topics.papers[mark.paper]
        told = _safe(_told(paper, most))
        use = f'<use href="#m{shape}" x="{mark.x:g}" y="{mark.y:g}"><title>{told}</title></use>'
        # Thousands of stops would lock in whoever moves with Tab: the list beside the map has them too.
        yield use if address is None else f'<a href="{_safe(address(paper))}" tabindex="-1">{use}</a>'


def _told(paper: Paper, most: int) -> str:
    """Return name, source and first words, a line each."""
    words = one_line(paper.text, most) if most else ""
    title = one_line(paper.title, _SOURCE_MOST) if paper.title != paper.name else ""
    lines = (one_line(paper.name, _NAME_MOST), one_line(paper.source, _SOURCE_MOST), title or words)
    return "\n".join(line for line in lines if line)


def _label(label: Label, kind: str) -> str:
    top = label.y - (len(label.lines) - 1) * label.size * LINE / 2 + label.size * 0.35
    lines = "".join(
        f'<tspan x="{label.x:g}" y="{top + n * label.size * LINE:.1f}">{_safe(line)}</tspan>'
        for n, line in enumerate(label.lines)
    )
    side = "" if label.side == "middle" else f" {label.side}"
    return f'<text class="{kind}{side}" data-label="{label.theme}">{lines}</text>'


def _safe(text: str) -> str:
    """Return cleaned text escaped, without the two characters that XML forbids besides controls."""
    return escape(text.translate(_FORBIDDEN))
