"""`rag ingest`: files and folders come in, a report of what the library gained goes out."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.progress import ingesting
from rag.cli.session import global_options, is_quiet, library_to_fill, note, warn

if TYPE_CHECKING:
    from rag.domain import Notice, Paper
    from rag.ingest import IngestReport

INCOMPLETE_CODE = 1


@click.command("ingest")
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(exists=True, path_type=Path)
)
@click.option(
    "--sync", is_flag=True, help="Also remove the papers that have left a file since it was last read."
)
@click.option("--watch", is_flag=True, help="Then follow the folders, and read what changes, until Ctrl-C.")
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many processes embed, each with the model in memory; local embedders only.",
)
@global_options
def command(paths: tuple[Path, ...], sync: bool, watch: bool, workers: int) -> int:
    """Read papers from files and folders into the library.

    A library that is not there yet is made. Reading a file again adds only what is new. Files of other kinds
    that lie in a folder, such as tables and images, are left out with a remark. Exit code 1 means that a file
    failed, that a part of one was skipped, or that there was nothing to read.
    """
    if watch and workers > 1:
        raise click.UsageError("choose one of --watch and --workers")
    if watch:
        from rag.cli.watching import follow

        return follow(paths, sync, _show)
    with library_to_fill() as library:
        with ingesting(is_quiet()) as progress:
            report = library.ingest(paths, sync=sync, workers=workers, progress=progress)
        names = _names(library.papers(only=report.gone), report.gone) if report.gone and not sync else []
    _show(report, names)
    return 0 if report.complete else INCOMPLETE_CODE


def _show(report: IngestReport, gone: list[str]) -> None:
    from rag.outputs.printable import one_line

    for notice in report.notices:
        if notice.skipped or not is_quiet():
            verb = "skipped" if notice.skipped else "note"
            click.echo(f"{verb} {one_line(_place(notice))}: {one_line(notice.reason)}", err=True)
    for failure in report.left_out:
        note(one_line(f"left out {failure.file}: {failure.reason}"))
    for failure in report.failures:
        click.echo(one_line(f"failed {failure.file}: {failure.reason} {failure.hint}"), err=True)
    warn(report.warnings)
    for name in gone:
        note(f"no longer in its file: {one_line(name)}")
    if gone:
        note("Papers stay until they are removed: rag ingest --sync PATH, or rag papers remove NAME")
    if not is_quiet():
        click.echo(summary(report))
        sys.stdout.flush()


def summary(report: IngestReport) -> str:
    """Return the report in one line: `38 papers added, 0 already there (2 files, 4.1 s)`."""
    skipped = sum(notice.skipped for notice in report.notices)
    parts = [
        f"{_counted(report.added, 'paper')} added",
        f"{report.unchanged} already there",
        *([f"{report.merged} merged with papers held"] if report.merged else ()),
        *([f"{report.updated} updated"] if report.updated else ()),
        *([f"{len(report.removed)} removed"] if report.removed else ()),
        *([f"{skipped} skipped"] if skipped else ()),
        *([f"{_counted(len(report.failures), 'file')} failed"] if report.failures else ()),
        *([f"{_counted(len(report.left_out), 'file')} left out"] if report.left_out else ()),
    ]
    return f"{', '.join(parts)} ({_counted(report.files, 'file')}, {report.seconds:.1f} s)"


def _place(notice: Notice) -> str:
    file = notice.source
    return f"{file}:{notice.line}" if notice.line else file


def _names(papers: Iterable[Paper], ids: tuple[str, ...]) -> list[str]:
    from rag.outputs.terminal import where

    return [where(paper) for paper in papers if paper.id in ids]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
