"""`rag compare`: papers or a topic come in, a table by aspects goes out, and what sets the papers apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag.cli.answering import close_with, model_options
from rag.cli.filtering import filter_options, selected
from rag.cli.giving import Wanted, give, output_options
from rag.cli.session import global_options, open_library, settings_now
from rag.errors import UsageError

if TYPE_CHECKING:
    from rag.retrieve.filters import Filters


@click.command("compare")
@click.argument("papers", nargs=-1, metavar="[PAPER...]")
@click.option("--topic", metavar="WORDS", default="", help="Compare the papers on a topic.")
@click.option(
    "--aspects",
    metavar="A,B,…",
    help="What to compare by, in any words; without it problem, approach, data, results and limits.",
)
@output_options
@model_options
@filter_options
@global_options
def command(
    papers: tuple[str, ...], topic: str, aspects: str | None, wanted: Wanted, filters: Filters
) -> int:
    """Compare papers in a table, each cell with its quotation, and say what sets them apart.

    Each PAPER is a name, a source, or an id. Exit code 3 means that the library has no two papers on the
    topic.
    """
    if not papers and not topic.strip() and not filters:
        raise UsageError(
            "there is nothing to compare",
            hint='Name papers (rag compare EVA-0 ENGINE), or a topic: rag compare --topic "…"',
        )
    if aspects is not None and not aspects.strip(", \t"):
        raise UsageError("--aspects needs a value", hint="Leave --aspects out to compare by the usual ones.")
    settings = settings_now()
    with open_library(settings=settings) as library:
        only = selected(library, filters)
        # With filters alone, what they leave is compared.
        named = papers if papers or topic.strip() else tuple(only or ())
        answer = library.compare(named, topic=topic.strip(), aspects=(aspects or "").split(","), only=only)
    give(answer, wanted)
    return close_with(answer, settings)
