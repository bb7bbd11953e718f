"""`rag ask`: a question comes in, an answer with its references goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag.cli.giving import Wanted, give_as_it_comes, output_options
from rag.cli.prompts import prompts_dir_option
from rag.cli.session import (
    give_setting,
    global_options,
    is_quiet,
    note,
    open_library,
    question_from,
    setting_option,
    settings_now,
    warn,
)

if TYPE_CHECKING:
    from rag.domain import Answer
    from rag.library import Library
    from rag.settings import Settings

NOT_FOUND_CODE = 3
PLAN_FORMATS = ("", "json")
KEY_FOUND = (
    "OPENAI_API_KEY is set and was not used: answers are quoted from the papers."
    " To have a chat model write them, use --model auto (RAG_MODEL)."
)


@click.command("ask")
@click.argument("words", nargs=-1, metavar="QUESTION")
@output_options
@setting_option("model", "What writes the answer: extractive, auto, or openai:NAME.", "MODEL")
@setting_option("max_cost_usd", "Most that may be spent on a chat model, in US dollars.", "USD")
@prompts_dir_option
@click.option("--no-cache", is_flag=True, help="Ask the chat model again, even if its reply was kept.")
@click.option(
    "--dry-run", is_flag=True, help="Print what would be sent to the chat model, and what it may cost."
)
@global_options
def command(words: tuple[str, ...], wanted: Wanted, no_cache: bool, dry_run: bool) -> int:
    """Answer a question from the papers, with the sentence behind every sentence.

    The question may also be piped in. Exit code 3 means that the papers do not answer it, 4 that the
    answer could cost more than is allowed.
    """
    if dry_run and (wanted.output or wanted.format not in PLAN_FORMATS):
        raise click.UsageError("--dry-run makes no answer: it prints lines or --json, to stdout")
    if no_cache:
        give_setting("cache", "off")
    question = question_from(words)
    settings = settings_now()
    with open_library(settings=settings) as library:
        if dry_run:
            return _plan(library, question, wanted.format == "json")
        answer = give_as_it_comes(lambda show: library.ask(question, on_sentence=show), wanted)
    warn(answer.warnings)
    _tell_cost(answer, settings)
    return NOT_FOUND_CODE if answer.status == "not_found" else 0


def _plan(library: Library, question: str, as_json: bool) -> int:
    plan = library.plan(question)
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


def _tell_cost(answer: Answer, settings: Settings) -> None:
    from rag.generate.pricing import told

    if answer.usage.calls:
        note(told(answer.engine, answer.usage))
    elif settings.openai_api_key and settings.origins.get("model") == "default" and not is_quiet():
        note(KEY_FOUND)
