"""`rag check`: a draft or a list of claims comes in, what the papers say to each sentence goes out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.session import (
    global_options,
    json_option,
    note,
    open_library,
    setting_option,
    settings_now,
    warn,
)
from rag.errors import UsageError

if TYPE_CHECKING:
    from rag.generate.pricing import Bill
    from rag.jobs.check import Checked, Kind

UNSUPPORTED_CODE = 1
_CLAIM_ENDINGS = (".jsonl", ".ndjson")
_DRAFT_ENDINGS = frozenset(".md .markdown .mdx .qmd .rmd .tex .ltx .latex .txt .text .rst .org".split())
_READ = "Give a draft (.md, .tex, .txt) or claims (.jsonl); - reads what is piped in."
_SHOWN = 3


@click.command("check")
@click.argument("file", metavar="FILE")
@click.option("--find", is_flag=True, help="Check every sentence that states something, cited or not.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl", "html"]),
    help="How to print (default: text; JSON lines for claims).",
)
@click.option("--judge", is_flag=True, help="Let the chat model lower verdicts too.")
@setting_option("model", "The chat model that judges: openai:NAME.", "MODEL")
@setting_option("max_cost_usd", "Most that may be spent on it, in US dollars.", "USD")
@json_option
@global_options
def command(file: str, find: bool, form: str | None, judge: bool, as_json: bool) -> int:
    """Check the sentences of a draft against the papers they cite.

    FILE is Markdown, LaTeX, plain text, or JSON lines with "claim" and "source"; - reads what is piped in.
    A sentence cites by [1] and a reference list, by \\cite{key}, by (Lee & Okafor, 2023), or by the name of a
    paper. Exit code 1 means that a sentence is not supported.
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError("choose one of --json and --format")
    raw = _read(file)
    kind = _kind(file, raw)
    _tell_kind(file, kind)
    checked = _checked(raw, kind, find, judge)
    form = "json" if as_json else form or ("jsonl" if kind == "claims" else "text")
    _PRINTERS[form](checked, file)
    if kind == "draft":
        _tell_unread(raw)
    return UNSUPPORTED_CODE if any(c.verdict == "unsupported" for c in checked) else 0


def _checked(raw: str, kind: Kind, find: bool, judge: bool) -> Sequence[Checked]:
    from rag.generate.pricing import Bill

    settings = settings_now()
    bill = Bill(settings.max_cost_usd)
    with open_library(settings=settings) as library:
        try:
            return library.check(raw, kind, find=find, judge=judge, bill=bill)
        finally:
            # Calls before one that failed have been paid for too.
            _tell_cost(bill)


def _tell_cost(bill: Bill) -> None:
    from rag.generate.pricing import told

    if bill.usage.calls:
        warn(bill.warnings())
        note(told(bill.engine, bill.usage))


def _read(file: str) -> str:
    try:
        raw = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
        return raw.removeprefix("\ufeff")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}", hint=_READ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not text in UTF-8", hint="save it as UTF-8 and try again") from error


def _kind(file: str, raw: str) -> Kind:
    listed = file.lower().endswith(_CLAIM_ENDINGS) or (file == "-" and raw.lstrip().startswith("{"))
    return "claims" if listed else "draft"


def _tell_kind(file: str, kind: Kind) -> None:
    """Say so when a file that does not look like a draft is read as one."""
    ending = Path(file).suffix.lower()
    if kind == "draft" and file != "-" and ending and ending not in _DRAFT_ENDINGS:
        kinds = "a draft (.md, .tex, .txt) nor claims (.jsonl)"
        warn([f"{file} is neither {kinds}: its text is checked as prose. To add papers: rag ingest {file}"])


def _tell_unread(raw: str) -> None:
    """Say how many citations of a draft are not understood, and which forms are."""
    from rag.verify.drafts import read_draft

    unread = read_draft(raw).unread
    if unread:
        some = ", ".join(unread[:_SHOWN]) + (", …" if len(unread) > _SHOWN else "")
        many = "1 citation is" if len(unread) == 1 else f"{len(unread)} citations are"
        forms = "[1] with a list of references, \\cite{key}, [@key], and authors with a year"
        note(f"{many} in a form that is not read: {some}\nRead are {forms}.")


def _print_text(checked: Sequence[Checked], file: str) -> None:
    from rag.outputs.check_text import check_lines
    from rag.outputs.terminal import print_lines

    print_lines(check_lines(checked), sys.stdout)


def _print_json(checked: Sequence[Checked], file: str) -> None:
    from rag.outputs.check_text import check_json

    click.echo(check_json(checked))


def _print_jsonl(checked: Sequence[Checked], file: str) -> None:
    from rag.outputs.check_text import check_jsonl

    click.echo(check_jsonl(checked), nl=False)


def _print_html(checked: Sequence[Checked], file: str) -> None:
    from rag.outputs.check_html import check_html

    title = "Checked draft" if file == "-" else f"Checked: {Path(file).name}"
    click.echo(check_html(checked, title), nl=False)


_PRINTERS: Mapping[str, Callable[[Sequence[Checked], str], None]] = {
    "text": _print_text,
    "json": _print_json,
    "jsonl": _print_jsonl,
    "html": _print_html,
}
