"""`rag summarize`: a topic comes in, or nothing, an overview in themes goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag.cli.answering import close_with, model_options
from rag.cli.filtering import filter_options, selected
from rag.cli.giving import Wanted, give, output_options
from rag.cli.session import global_options, open_library, settings_now

if TYPE_CHECKING:
    from rag.retrieve.filters import Filters


@click.command("summarize")
@click.argument("words", nargs=-1, metavar="[TOPIC]")
@output_options
@model_options
@filter_options
@global_options
def command(words: tuple[str, ...], wanted: Wanted, filters: Filters) -> int:
    """Sum up the papers on a topic in a few themes, every sentence cited; without a topic, the whole library.

    Exit code 3 means that the library has no paper on the topic.
    """
    settings = settings_now()
    with open_library(settings=settings) as library:
        answer = library.summarize(" ".join(words), only=selected(library, filters))
    give(answer, wanted)
    return close_with(answer, settings)
