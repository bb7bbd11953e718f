"""`rag ask`: a question comes in, an answer with its references goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag.cli.answering import close_with, model_options
from rag.cli.filtering import filter_options, selected
from rag.cli.giving import Wanted, give_as_it_comes, output_options
from rag.cli.session import global_options, note, open_library, question_from, settings_now, warn

if TYPE_CHECKING:
    from rag.library import Library
    from rag.retrieve.filters import Filters

PLAN_FORMATS = ("", "json")


@click.command("ask")
@click.argument("words", nargs=-1, metavar="QUESTION")
@output_options
@model_options
@click.option(
    "--dry-run", is_flag=True, help="Print what would be sent to the chat model, and what it may cost."
)
@filter_options
@global_options
def command(words: tuple[str, ...], wanted: Wanted, dry_run: bool, filters: Filters) -> int:
    """Answer a question from the papers, with the sentence behind every sentence.

    The question may also be piped in. Exit code 3 means that the papers do not answer it, 4 that the
    answer could cost more than is allowed.
    """
    if dry_run and (wanted.output or wanted.format not in PLAN_FORMATS):
        raise click.UsageError("--dry-run makes no answer: it prints lines or --json, to stdout")
    question = question_from(words)
    settings = settings_now()
    with open_library(settings=settings) as library:
        only = selected(library, filters)
        if dry_run:
            return _plan(library, question, only, wanted.format == "json")
        answer = give_as_it_comes(lambda show: library.ask(question, only=only, on_sentence=show), wanted)
    return close_with(answer, settings)


def _plan(library: Library, question: str, only: frozenset[str] | None, as_json: bool) -> int:
    plan = library.plan(question, only=only)
    warn(plan.warnings)
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json(plan.to_dict()))
        return 0
    from rag.outputs.printable import clean

    for message in plan.messages:
        click.echo(f"--- {message.role}\n{clean(message.text)}")
    for line in plan.lines():
        note(line)
    return 0
