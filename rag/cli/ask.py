"""`rag ask`: a question comes in, an answer with its references goes out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from rag.cli.filtering import chosen, filter_options
from rag.cli.prompts import prompts_dir_option
from rag.cli.session import (
    give_setting,
    global_options,
    is_quiet,
    json_option,
    note,
    open_library,
    question_from,
    setting_option,
    settings_now,
    warn,
)

if TYPE_CHECKING:
    from rag.domain import Answer, AnswerSentence
    from rag.library import Library
    from rag.retrieve.filters import Filters
    from rag.settings import Settings

NOT_FOUND_CODE = 3
KEY_FOUND = (
    "OPENAI_API_KEY is set and was not used: answers are quoted from the papers."
    " To have a chat model write them, use --model auto (RAG_MODEL)."
)


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
@filter_options
@global_options
def command(
    words: tuple[str, ...],
    as_json: bool,
    as_markdown: bool,
    no_cache: bool,
    dry_run: bool,
    filters: Filters,
) -> int:
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
        only = chosen(library, filters)
        if dry_run:
            return _plan(library, question, only, as_json)
        if as_json or as_markdown:
            answer = library.ask(question, only=only)
            _print_whole(answer, as_json)
        else:
            answer = _print_as_it_comes(library, question, only)
    warn(answer.warnings)
    _tell_cost(answer, settings)
    return NOT_FOUND_CODE if answer.status == "not_found" else 0


def _print_whole(answer: Answer, as_json: bool) -> None:
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json(answer.to_dict()))
    else:
        from rag.outputs.markdown import answer_markdown

        click.echo(answer_markdown(answer), nl=False)


def _print_as_it_comes(library: Library, question: str, only: frozenset[str] | None) -> Answer:
    """Print sentences as a model finishes them when a person watches, and the rest at the end."""
    from rag.outputs.terminal import answer_lines, closing_lines, print_lines, sentence_lines

    shown: list[AnswerSentence] = []

    def show(sentence: AnswerSentence) -> None:
        shown.append(sentence)
        print_lines(sentence_lines(sentence), sys.stdout)
        sys.stdout.flush()

    answer = library.ask(question, only=only, on_sentence=show if sys.stdout.isatty() else None)
    # Quotations, and answers that are found wanting, come all at once.
    whole = not shown or tuple(shown) != answer.sentences
    print_lines(answer_lines(answer) if whole else closing_lines(answer), sys.stdout)
    return answer


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


def _tell_cost(answer: Answer, settings: Settings) -> None:
    from rag.generate.pricing import told

    if answer.usage.calls:
        note(told(answer.engine, answer.usage))
    elif settings.openai_api_key and settings.origins.get("model") == "default" and not is_quiet():
        note(KEY_FOUND)
