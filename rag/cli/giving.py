"""Giving answers: the options of a command's output come in, the answer is printed or written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from rag.cli.session import note, warn

if TYPE_CHECKING:
    from rag.domain import Answer, AnswerSentence
    from rag.outputs.exports import Format

    OnSentence = Callable[[AnswerSentence], None]

Function = TypeVar("Function", bound=Callable[..., Any])
Thing = TypeVar("Thing")
ANSWERS = ("markdown", "html", "json", "csv", "bibtex", "ris")
PAPERS = ("jsonl", "csv", "bibtex", "ris")


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a person wants a result: `format` is empty for lines on the terminal, `output` None for stdout."""

    format: str = ""
    output: Path | None = None


def output_option(function: Function) -> Function:
    """Add `--output FILE`, as parameter `output`."""
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to a file, in the format of its ending.",
    )(function)


def output_options(function: Function) -> Function:
    """Add `--format`, `--output`, `--json` and `--markdown`, as one parameter `wanted`."""

    @wraps(function)
    def with_wanted(
        *given: Any, form: str | None, output: str | None, as_json: bool, as_markdown: bool, **more: Any
    ) -> Any:
        from rag.outputs.exports import ANSWER_FORMATS

        named = [form, "json" if as_json else None, "markdown" if as_markdown else None]
        return function(*given, wanted=chosen(named, output, ANSWER_FORMATS), **more)

    options = (
        click.option(
            "--format",
            "form",
            type=click.Choice(ANSWERS),
            metavar="FORMAT",
            help="markdown, html, json, csv, bibtex or ris.",
        ),
        output_option,
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
        click.option("--markdown", "as_markdown", is_flag=True, help="The same as --format markdown."),
    )
    for option in reversed(options):
        with_wanted = option(with_wanted)
    return with_wanted  # type: ignore[return-value]


def chosen(
    named: Sequence[str | None], output: str | None, formats: Mapping[str, Format[Any]], default: str = ""
) -> Wanted:
    """Return what was asked for, before any work is done for it.

    Raises a usage error for two formats or an ending that tells none, OutputError for a place that cannot be
    written to.
    """
    from rag.outputs.exports import format_of
    from rag.outputs.files import check_writable, file_named

    names = {name for name in named if name}
    if len(names) > 1:
        raise click.UsageError("choose one of --json, --markdown and --format")
    if not output or output == "-":
        return Wanted(next(iter(names), default))
    path = file_named(output)
    check_writable(path)
    return Wanted(next(iter(names), "") or format_of(path, formats), path)


def give(answer: Answer, wanted: Wanted) -> None:
    """Print the answer, or write it to its file and say so on stderr. Raises OutputError."""
    from rag.outputs.exports import ANSWER_FORMATS
    from rag.outputs.wording import STATUS

    if wanted.format:
        give_in(answer, ANSWER_FORMATS, wanted)
        if wanted.output and answer.status in STATUS:
            note(STATUS[answer.status])
    else:
        _print_lines(answer, sys.stdout)


def give_as_it_comes(make: Callable[[OnSentence | None], Answer], wanted: Wanted) -> Answer:
    """Make an answer and give it; its sentences are shown as they are finished when a person watches."""
    from rag.outputs.terminal import closing_lines, print_lines, sentence_lines

    shown: list[AnswerSentence] = []

    def show(sentence: AnswerSentence) -> None:
        shown.append(sentence)
        print_lines(sentence_lines(sentence), sys.stdout)
        sys.stdout.flush()

    watched = not wanted.format and sys.stdout.isatty()
    answer = make(show if watched else None)
    # Quotations, and answers that are found wanting, come all at once.
    if shown and tuple(shown) == answer.sentences:
        print_lines(closing_lines(answer), sys.stdout)
    else:
        give(answer, wanted)
    return answer


def give_in(thing: Thing, formats: Mapping[str, Format[Thing]], wanted: Wanted) -> None:
    """Print or write an answer or papers in the format wanted."""
    from rag.outputs.files import write_whole

    form = formats[wanted.format]
    text = form.write(thing)
    if wanted.output is None:
        click.echo(text, nl=False)
    else:
        write_whole(wanted.output, text)
        note(f"{wanted.output} written ({wanted.format})")
    warn(filter(None, [form.remark(thing)]))


def _print_lines(answer: Answer, stream: IO[str]) -> None:
    from rag.outputs.terminal import print_answer

    print_answer(answer, stream)
