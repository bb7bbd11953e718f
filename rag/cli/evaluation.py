"""`rag eval`: a question file or a BEIR folder comes in, scores go out."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rag.cli.progress import bars
from rag.cli.session import global_options, is_quiet, json_option, open_library, settings_now

COLUMNS = ("measure", "score")


@click.command("eval")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--beir",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Score retrieval alone on a folder in BEIR format, in a library that is thrown away.",
)
@click.option("--failures", is_flag=True, help="List the questions that went wrong, and why.")
@json_option
@global_options
def command(file: Path | None, beir: Path | None, failures: bool, as_json: bool) -> None:
    """Score answers on a file of questions whose right answers are known.

    Each line of FILE is a JSON object: `question` (or `turns`, a conversation whose last turn is scored),
    `gold` (sources of the papers that answer it; none: the papers do not answer it), `must` (lists of
    strings; one of each list must stand in the answer) and `type`.
    """
    if (file is None) == (beir is None):
        raise click.UsageError("give either a FILE of questions or --beir DIR")
    if file is not None:
        _questions(file, failures, as_json)
    elif beir is not None:
        _collection(beir, as_json)


def _questions(file: Path, failures: bool, as_json: bool) -> None:
    from rag.evaluate.cases import read_cases
    from rag.evaluate.questions import run
    from rag.evaluate.scores import scores

    cases = read_cases(file)
    with open_library() as library, bars(is_quiet()) as bar:
        results = run(cases, library, bar("asking"))
    numbers = scores(results)
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json({"scores": numbers, "results": [result.to_dict() for result in results]}))
        return
    from rag.outputs.scores import failure_lines, score_rows
    from rag.outputs.terminal import print_lines, print_table

    print_table(COLUMNS, score_rows(numbers), sys.stdout)
    if failures:
        print_lines(failure_lines(results), sys.stdout)


def _collection(folder: Path, as_json: bool) -> None:
    from rag.evaluate.beir import MEASURES, run

    settings = settings_now()
    with bars(is_quiet()) as bar:
        numbers = run(folder, settings, embedded=bar("embedding"), asked=bar("asking"))
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json({"scores": numbers}))
        return
    from rag.outputs.scores import ranking_rows
    from rag.outputs.terminal import print_table

    print_table(("ranking", *MEASURES), ranking_rows(numbers), sys.stdout)
