"""`rag search`: words come in, the papers nearest to them go out, with why each was found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rag.cli.filtering import filter_options, selected
from rag.cli.session import global_options, json_option, note, open_library, question_from, warn

if TYPE_CHECKING:
    from rag.domain import Hit
    from rag.retrieve.filters import Filters

NOTHING_CODE = 3


@click.command("search")
@click.argument("words", nargs=-1, metavar="QUESTION")
@click.option(
    "-k",
    "count",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="How many papers to show.",
)
@json_option
@filter_options
@global_options
def command(words: tuple[str, ...], count: int, as_json: bool, filters: Filters) -> int:
    """Show the papers nearest to a question, and why each was found.

    A paper comes with its score, the rankings that brought it up, and its place in each. In a pipe each is
    one line with tabs between rank, name, source, score, why and first words. Exit code 3 means that none
    was found.
    """
    question = question_from(words)
    with open_library() as library:
        hits = library.search(question, k=count, only=selected(library, filters))
        warn(library.warnings())
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json([hit.to_dict() for hit in hits]))
    elif hits:
        _print(hits)
    else:
        note("nothing found")
    return 0 if hits else NOTHING_CODE


def _print(hits: Sequence[Hit]) -> None:
    from rag.outputs.terminal import hit_lines, hit_rows, print_lines, print_table

    if sys.stdout.isatty():
        print_lines(hit_lines(hits), sys.stdout)
    else:
        print_table((), hit_rows(hits), sys.stdout)
