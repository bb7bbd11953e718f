"""`rag ask`: a question comes in, an answer with its references goes out."""

from __future__ import annotations

import sys

import click

from rag.cli.session import global_options, json_option, open_library, question_from, warn

NOT_FOUND_CODE = 3


@click.command("ask")
@click.argument("words", nargs=-1, metavar="QUESTION")
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@global_options
def command(words: tuple[str, ...], as_json: bool, as_markdown: bool) -> int:
    """Answer a question from the papers, with the sentence behind every sentence.

    The question may also be piped in. Exit code 3 means that the papers do not answer it.
    """
    if as_json and as_markdown:
        raise click.UsageError("choose one of --json and --markdown")
    question = question_from(words)
    with open_library() as library:
        answer = library.ask(question)
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json(answer.to_dict()))
    elif as_markdown:
        from rag.outputs.markdown import answer_markdown

        click.echo(answer_markdown(answer), nl=False)
    else:
        from rag.outputs.terminal import answer_lines, print_lines

        print_lines(answer_lines(answer), sys.stdout)
    warn(answer.warnings)
    return NOT_FOUND_CODE if answer.status == "not_found" else 0
