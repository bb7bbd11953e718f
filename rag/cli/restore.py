"""`rag restore`: a backup comes in, the library it holds takes its place."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rag.cli.backup import told
from rag.cli.session import global_options, note, settings_now
from rag.errors import UsageError


@click.command("restore")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask before a library that is there is replaced.")
@global_options
def command(file: Path, yes: bool) -> int:
    """Bring back a library from a file that `rag backup` wrote.

    A library that is there already is moved into a folder beside it. The indexes are made again.
    """
    from rag.doctor import repair
    from rag.ledger.backup import restore
    from rag.ledger.remedy import for_people

    settings = settings_now()
    try:
        done, aside = restore(file, settings.library, replace=yes)
    except UsageError as error:
        if not sys.stdin.isatty():
            raise
        click.echo(f"{error.message}.", err=True)
        if not click.confirm("Replace it?", err=True):
            note("nothing restored")
            return 1
        done, aside = restore(file, settings.library, replace=True)
    click.echo(f"{told(done)} restored to {settings.library}, as of {for_people(done.made)}")
    if aside is not None:
        note(f"the library that was there is in {aside}; remove it when you no longer need it")
    note(repair(settings))
    return 0
