"""`rag papers duplicates`: nothing comes in, what was merged, is held twice or only looks alike goes out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rag.cli.session import global_options, json_option, note, open_library

if TYPE_CHECKING:
    from rag.outputs.terminal import Line
    from rag.twins import Duplicate

HEADINGS: Mapping[str, str] = {
    "merged": "Merged: one paper, found in several forms",
    "twice": "Held twice: one paper, by what is known now",
    "near": "Kept apart: alike, but not the same",
    "crowd": "Not all compared",
}
TWICE = "To make one of two: rag papers remove one of them, then rag ingest its file again."
INDENT = 6


@click.command("duplicates")
@json_option
@global_options
def command(as_json: bool) -> None:
    """Show which papers were merged, and which are held twice or only look alike; how much, and why.

    The score says how alike two abstracts are, from 0 to 1: the share of words that both have in the same
    order. In a pipe each is one line with tabs between kind, score, why, and the two places.
    """
    with open_library(may_be_empty=True) as library:
        found = library.duplicates()
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json([duplicate.to_dict() for duplicate in found]))
    elif not found:
        note("no duplicates, and no papers that look alike")
    else:
        _print(found)
        if any(duplicate.kind == "twice" for duplicate in found):
            note(TWICE)


def _print(found: Sequence[Duplicate]) -> None:
    from rag.outputs.terminal import print_lines, print_table

    if sys.stdout.isatty():
        print_lines(_lines(found), sys.stdout)
    else:
        print_table((), ((d.kind, f"{d.score:.2f}", d.why, *_places(d)) for d in found), sys.stdout)


def _lines(found: Sequence[Duplicate]) -> Iterator[Line]:
    from rag.outputs.printable import one_line
    from rag.outputs.terminal import Line

    for kind, heading in HEADINGS.items():
        some = [duplicate for duplicate in found if duplicate.kind == kind]
        if some:
            yield Line(heading, "heading")
        for duplicate in some:
            yield Line(f"{duplicate.score:.2f}  {one_line(duplicate.why)}", "plain", hang=INDENT)
            for place in _places(duplicate):
                yield Line(one_line(place), "name", INDENT, hang=2)
        if some:
            yield Line()


def _places(duplicate: Duplicate) -> Iterator[str]:
    from rag.outputs.terminal import where

    yield from (where(paper) for paper in duplicate.papers)
    if duplicate.source:
        yield f"also at {duplicate.source}"
