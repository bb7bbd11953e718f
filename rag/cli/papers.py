"""`rag papers`: list, show, remove and export the papers of the library; its duplicates."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from rag.cli.duplicates import command as duplicates
from rag.cli.filtering import filter_options, selected
from rag.cli.giving import PAPERS, chosen, give_in, output_option
from rag.cli.session import global_options, json_option, note, open_library
from rag.counting import counted
from rag.errors import UsageError
from rag.outputs.grid import Layout

if TYPE_CHECKING:
    from rag.domain import Paper
    from rag.retrieve.filters import Filters

COLUMNS = ("name", "source", "title or first words")
LAYOUT = Layout(frozenset({"source"}), lines=2)


@click.group("papers", invoke_without_command=True)
@global_options
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, show, remove or export the papers in the library."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_papers)


@command.command("list")
@json_option
@filter_options
@global_options
def list_papers(as_json: bool, filters: Filters) -> None:
    """List every paper: name, source, first words."""
    with open_library(may_be_empty=True) as library:
        papers = library.papers(only=selected(library, filters))
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json([paper.to_dict() for paper in papers]))
        return
    from rag.outputs.terminal import print_table

    print_table(COLUMNS, paper_rows(papers), sys.stdout, LAYOUT)
    note(counted(len(papers), "paper"))


@command.command("show")
@click.argument("words", nargs=-1, required=True, metavar="PAPER")
@json_option
@global_options
def show(words: tuple[str, ...], as_json: bool) -> None:
    """Show one paper whole. PAPER is its name, its source, or its id."""
    with open_library() as library:
        paper = library.paper(" ".join(words))
    if as_json:
        from rag.outputs.printable import to_json
        from rag.outputs.tables import paper_dict

        click.echo(to_json(paper_dict(paper)))
        return
    from rag.outputs.terminal import paper_lines, print_lines

    print_lines(paper_lines(paper), sys.stdout)


@command.command("remove")
@click.argument("wanted", nargs=-1, required=True, metavar="PAPER...")
@click.option("--yes", is_flag=True, help="Do not ask before removing.")
@global_options
def remove(wanted: tuple[str, ...], yes: bool) -> int:
    """Remove papers from the library. Each PAPER is a name, a source, or an id."""
    from rag.outputs.terminal import where

    with open_library() as library:
        papers = {paper.id: paper for paper in map(library.paper, wanted)}
        for paper in papers.values():
            click.echo(where(paper), err=True)
        if not yes and not _agreed(len(papers)):
            note("nothing removed")
            return 1
        removed = library.remove(tuple(papers))
    note(f"{removed} removed")
    return 0


@command.command("export")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(PAPERS),
    metavar="FORMAT",
    help="jsonl, csv, bibtex or ris (default: by the ending of the file, or jsonl).",
)
@output_option
@filter_options
@global_options
def export(format_name: str | None, output: str | None, filters: Filters) -> None:
    """Write papers as JSON lines, CSV, BibTeX or RIS: all, or those that the filters leave."""
    from rag.outputs.exports import PAPER_FORMATS

    wanted = chosen([format_name], output, PAPER_FORMATS, default="jsonl")
    with open_library(may_be_empty=True) as library:
        papers = library.papers(only=selected(library, filters))
    give_in(papers, PAPER_FORMATS, wanted)


command.add_command(duplicates)


def paper_rows(papers: Iterable[Paper]) -> Iterator[tuple[str, ...]]:
    """Return table rows for papers: name, source, title or first words."""
    from rag.outputs.printable import one_line
    from rag.outputs.terminal import FIRST_WORDS, place

    for paper in papers:
        yield paper.name, place(paper, paper.source), one_line(paper.title or paper.text, FIRST_WORDS)


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("removing needs a yes, and nobody is there to give it", hint="Add --yes.")
    return click.confirm(f"Remove {'this paper' if count == 1 else f'these {count} papers'}?", err=True)
