"""`rag topics`: what the library is about comes out as themes, and as a map of the papers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from rag.cli.filtering import filter_options, selected
from rag.cli.session import global_options, json_option, note, open_library
from rag.counting import counted

if TYPE_CHECKING:
    from rag.retrieve.filters import Filters

# Fewer papers are placed at once.
_MANY = 1000


@click.command("topics")
@click.option("--most", type=click.IntRange(min=1), metavar="N", help="At most so many themes.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Start of the random choices: the same number gives the same themes and map.",
)
@click.option("--plot", metavar="FILE", help="Draw a map of the papers: FILE.html, FILE.svg or FILE.png.")
@json_option
@filter_options
@global_options
def command(most: int | None, seed: int, plot: str | None, as_json: bool, filters: Filters) -> None:
    """Show what the library is about: its papers in themes, and a map of them."""
    from rag.outputs.map import check_file, write_map

    file = check_file(plot) if plot is not None else None
    with open_library() as library:
        if file is not None and library.count() > _MANY:
            note("placing the papers on a map; thousands take half a minute")
        only = selected(library, filters)
        topics = library.topics(most=most, seed=seed, placed=file is not None, only=only)
    if file is not None:
        write_map(topics, file)
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json(topics.to_dict()))
    else:
        from rag.outputs.terminal import print_lines
        from rag.outputs.topics import topics_lines

        print_lines(topics_lines(topics), sys.stdout)
        themes = len(topics.themes)
        note(f"{counted(len(topics.papers), 'paper')} in {counted(themes, 'theme')}")
    if file is not None:
        note(f"map written to {file}")
