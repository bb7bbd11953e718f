"""`rag backup`: a file's name comes in, the library is written to that file, checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.session import global_options, settings_now

if TYPE_CHECKING:
    from rag.ledger.backup import Backup


@click.command("backup")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@global_options
def command(file: Path) -> None:
    """Write the library to one file: its papers and conversations, checked.

    Others may ask and ingest meanwhile. `rag restore FILE` brings it back, here or on another machine.
    An earlier backup in FILE stays until the new one is whole.
    """
    from rag.ledger.backup import back_up

    done = back_up(settings_now().library, file)
    click.echo(f"{told(done)} backed up in {file} ({done.size / 1e6:.1f} MB), and found whole")


def told(backup: Backup) -> str:
    """Return what a backup holds, in words: `38 papers and 2 conversations`."""
    papers = f"{backup.papers} paper{'' if backup.papers == 1 else 's'}"
    if not backup.conversations:
        return papers
    return f"{papers} and {backup.conversations} conversation{'' if backup.conversations == 1 else 's'}"
