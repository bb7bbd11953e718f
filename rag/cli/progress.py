"""Progress on stderr: how much is done comes in, a bar goes out where a person watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.ingest import Progress as Ingested

Progress = Callable[[int, int], None]


@contextmanager
def bars(quiet: bool) -> Iterator[Callable[[str], Progress]]:
    """Show bars while the block runs; it gets what turns a label into a bar, a function of (done, total)."""
    if quiet or not sys.stderr.isatty():
        yield lambda label: lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as shown:

        def make(label: str) -> Progress:
            task = shown.add_task(label, total=None, visible=False)
            return lambda done, total: shown.update(task, completed=done, total=total, visible=True)

        yield make


@contextmanager
def ingesting(quiet: bool) -> Iterator[Callable[[Ingested], None] | None]:
    """Show the file being read and the papers found so far while the block runs."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from rag.outputs.printable import one_line

    found = TextColumn("{task.fields[found]}", markup=False)
    name = TextColumn("{task.description}", markup=False)
    with Bar(
        name, BarColumn(), found, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as shown:
        task = shown.add_task("reading", total=None, found="")

        def show(now: Ingested) -> None:
            text = f"{now.added} added, {now.unchanged} already there"
            done = now.position - 1
            shown.update(
                task, description=one_line(now.file, 40), completed=done, total=now.files, found=text
            )

        yield show
