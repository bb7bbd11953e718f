"""Topics as lines: themes come in, a list with the papers that stand for each theme goes out."""

from __future__ import annotations

from collections.abc import Iterator

from rag.counting import counted
from rag.jobs.topics import Topics
from rag.outputs.printable import one_line
from rag.outputs.terminal import Line, where
from rag.themes import Theme

SHOWN = 3


def topics_lines(topics: Topics) -> Iterator[Line]:
    """Lay out the themes: number, heading and size; their terms; the papers nearest to their middle."""
    width = len(str(len(topics.themes)))
    for number, theme in enumerate(topics.themes, 1):
        if number > 1:
            yield Line()
        yield from _theme(topics, theme, f"{number:>{width}}  ")


def further_terms(theme: Theme) -> str:
    """Return the terms of a theme that its heading does not name, with commas between."""
    heading = theme.heading.casefold()
    return ", ".join(term for term in theme.terms if term.casefold() not in heading)


def _theme(topics: Topics, theme: Theme, number: str) -> Iterator[Line]:
    indent = len(number)
    papers = counted(len(theme.members), "paper")
    yield Line(f"{number}{one_line(theme.heading)} · {papers}", "heading", hang=indent)
    terms = further_terms(theme)
    if terms:
        yield Line(one_line(terms), "quote", indent)
    for paper in topics.papers_of(theme)[:SHOWN]:
        yield Line(f"- {where(paper)}", "name", indent, hang=2)
    more = len(theme.members) - SHOWN
    if more > 0:
        yield Line(f"and {more:,} more", "plain", indent + 2)
