"""`rag doctor`: nothing comes in, what is in order and what helps where it is not goes out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from rag.cli.session import global_options, json_option, note, settings_now

if TYPE_CHECKING:
    from rag.doctor import Check
    from rag.outputs.terminal import Line

STYLES: Mapping[str, str] = {"ok": "plain", "warn": "doubt", "fail": "heading"}
INDENT = 5
DETAILS_WIDTH = 75
TIED = "\u00a0"


@click.command("doctor")
@click.option("--repair", "wants_repair", is_flag=True, help="Make the indexes again from the ledger.")
@click.option(
    "--reembed", "wants_reembed", is_flag=True, help="Embed every paper again with the embedder that is set."
)
@json_option
@global_options
def command(wants_repair: bool, wants_reembed: bool, as_json: bool) -> int:
    """Check the installation and the library, and say what helps. Exit code 1 means that something failed."""
    from rag.doctor import examine

    settings = settings_now()
    if wants_reembed:
        from rag.cli.progress import bars
        from rag.cli.session import is_quiet
        from rag.doctor import reembed

        with bars(is_quiet()) as bar:
            done = reembed(settings, bar("embedding"))
        note(done)
    if wants_repair:
        from rag.doctor import repair

        note(repair(settings))
    checks = tuple(examine(settings))
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json([check.to_dict() for check in checks]))
    else:
        from rag.outputs.terminal import print_lines

        print_lines(_lines(checks), sys.stdout)
    return int(any(check.severity == "fail" for check in checks))


def _lines(checks: Iterable[Check]) -> Iterator[Line]:
    from rag.outputs.printable import one_line
    from rag.outputs.terminal import Line

    for check in checks:
        message = f"{check.severity:<5}{check.name}: {one_line(check.message)}"
        yield Line(message, STYLES[check.severity], hang=INDENT)
        details = ", ".join(detail.replace(" ", TIED) for detail in check.details)
        for line in wrap(details, DETAILS_WIDTH, break_on_hyphens=False):
            yield Line(line.replace(TIED, " "), "quote", INDENT)
        if check.remedy:
            yield Line(f"→ {one_line(check.remedy)}", "plain", INDENT, hang=2)
