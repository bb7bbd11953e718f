"""`rag ask`: a question comes in, an answer with its references goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rag.cli.answering import NOT_FOUND_CODE, print_as_it_comes, tell_cost, tell_of_key
from rag.cli.prompts import prompts_dir_option
from rag.cli.session import (
    give_setting,
    global_options,
    json_option,
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


@click.command("ask")
@click.argument("words", nargs=-1, metavar="QUESTION")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@setting_option("model", "What writes the answer: extractive, auto, or openai:NAME.", "MODEL")
@setting_option("max_cost_usd", "Most that may be spent on a chat model, in US dollars.", "USD")
@prompts_dir_option
@click.option("--no-cache", is_flag=True, help="Ask the chat model again, even if its reply was kept.")
@click.option(
    "--dry-run", is_flag=True, help="Print what would be sent to the chat model, and what it may cost."
)
@global_options
def command(words: tuple[str, ...], as_json: bool, as_markdown: bool, no_cache: bool, dry_run: bool) -> int:
    """Answer a question from the papers, with the sentence behind every sentence.

    The question may also be piped in. Exit code 3 means that the papers do not answer it, 4 that the
    answer could cost more than is allowed.
    """
    if as_json and as_markdown:
        raise click.UsageError("choose one of --json and --markdown")
    if no_cache:
        give_setting("cache", "off")
    question = question_from(words)
    settings = settings_now()
    with open_library(settings=settings) as library:
        if dry_run:
            return _plan(library, question, as_json)
        if as_json or as_markdown:
            answer = library.ask(question)
            _print_whole(answer, as_json)
        else:
            answer = print_as_it_comes(lambda show: library.ask(question, on_sentence=show))
    warn(answer.warnings)
    tell_cost(answer)
    if not answer.usage.calls:
        tell_of_key(settings)
    return NOT_FOUND_CODE if answer.status == "not_found" else 0


def _print_whole(answer: Answer, as_json: bool) -> None:
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json(answer.to_dict()))
    else:
        from rag.outputs.markdown import answer_markdown

        click.echo(answer_markdown(answer), nl=False)


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
