"""`rag search`: words come in, the papers nearest to them go out, with why each was found."""

from __future__ import annotations

import sys

import click

from rag.cli.session import global_options, json_option, note, open_library, question_from

COLUMNS = ("rank", "name", "source", "score", "why", "first words")
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
@global_options
def command(words: tuple[str, ...], count: int, as_json: bool) -> int:
    """Show the papers nearest to a question, and why each was found.

    `why` names the rankings that brought a paper up, with its place in each. Exit code 3 means that none
    was found.
    """
    question = question_from(words)
    with open_library() as library:
        hits = library.search(question, k=count)
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json([hit.to_dict() for hit in hits]))
    elif hits:
        from rag.outputs.terminal import hit_rows, print_table

        print_table(COLUMNS, hit_rows(hits), sys.stdout)
    else:
        note("nothing found")
    return 0 if hits else NOTHING_CODE
