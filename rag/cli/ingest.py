"""`rag ingest`: files and folders come in, a report of what the library gained goes out."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rag.cli.inputs import places
from rag.cli.progress import bars, ingesting
from rag.cli.session import global_options, is_quiet, library_to_fill, note, settings_now, warn
from rag.counting import counted
from rag.errors import SourceError

if TYPE_CHECKING:
    from rag.domain import Notice, Paper
    from rag.ingest import IngestReport

INCOMPLETE_CODE = 1
FORMATS = ("list", "json", "jsonl", "table", "bibtex", "ris", "tagged", "pubmed", "atom", "pdf")
LIMIT, MOST = 1000, 100_000
# So many notices of one kind are shown for a file; the others are counted.
_SHOWN = 5
# So many files that failed, or were left out, are named; the summary counts them all.
_FILES_SHOWN = 20


@click.command("ingest")
@click.argument("typed", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--sync", is_flag=True, help="Also remove the papers that have left a file since it was last read."
)
@click.option("--watch", is_flag=True, help="Then follow the folders, and read what changes, until Ctrl-C.")
@click.option("--strict", is_flag=True, help="Stop at the first file that cannot be read whole.")
@click.option(
    "--as",
    "form",
    type=click.Choice(FORMATS),
    metavar="FORMAT",
    help=f"Read every file in this format: {', '.join(FORMATS)}.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST),
    default=LIMIT,
    metavar="N",
    help=f"Fetch at most so many papers for a query (default: {LIMIT}, at most {MOST}).",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many processes embed, each with the model in memory; local embedders only.",
)
@click.option(
    "--engine",
    type=click.Choice(("local", "ray")),
    default="local",
    show_default=True,
    help="Where to embed: here, or on the machines of a Ray cluster (pip install 'askpapers[ray]').",
)
@click.option("--address", metavar="HOST:PORT", default="", help="The Ray cluster; else one is started here.")
@global_options
def command(
    typed: tuple[str, ...],
    sync: bool,
    strict: bool,
    form: str | None,
    limit: int,
    watch: bool,
    workers: int,
    engine: str,
    address: str,
) -> int:
    """Read papers from files, folders or a query into the library.

    Lists of abstracts, JSON, CSV, BibTeX, RIS, MEDLINE, PubMed XML, arXiv feeds and PDF are known by their
    content, also in .gz and .zip. PATH may be a pattern such as 'lists/*.json', or - for what is piped in.
    arxiv:2401.01234, arxiv:"cat:cs.LG AND diffusion", openalex:WORDS and openreview:VENUE are fetched.

    A library that is not there yet is made. Reading a file again adds only what is new. Files of other kinds
    that lie in a folder, such as images, are left out with a remark. Exit code 1 means that a file failed,
    that a part of one was skipped, or that there was nothing to read.
    """
    if (watch, workers > 1, engine == "ray").count(True) > 1:
        raise click.UsageError("choose one of --watch, --workers and --engine ray")
    if address and engine != "ray":
        raise click.UsageError("--address is that of a Ray cluster: add --engine ray")
    failed: list[SourceError] = []
    with places(typed, partial(_fetched, limit, strict, failed)) as paths:
        if not paths:
            return INCOMPLETE_CODE
        if watch:
            from rag.cli.watching import follow

            return follow(paths, sync, _show)
        spread = {"workers": workers, "cluster": address if engine == "ray" else None}
        report, names = _ingested(paths, sync, form or "", strict, spread)
    _show(report, names)
    return 0 if report.complete and not failed else INCOMPLETE_CODE


def _ingested(
    paths: list[Path], sync: bool, form: str, strict: bool, spread: Mapping[str, Any]
) -> tuple[IngestReport, list[str]]:
    """Read the files; return the report, and the names of papers that are no longer in theirs."""
    with library_to_fill() as library:
        with ingesting(is_quiet()) as progress:
            report = library.ingest(paths, sync=sync, form=form, strict=strict, progress=progress, **spread)
        gone = library.papers(only=report.gone) if report.gone and not sync else []
        return report, _names(gone)


def _fetched(limit: int, strict: bool, failed: list[SourceError], query: str) -> Path | None:
    """Fetch what a query finds into the library's folder, and say how much it was, or that it failed."""
    from rag.fetch import fetch
    from rag.outputs.printable import one_line

    settings = settings_now()
    folder = settings.library / "fetched"
    try:
        with bars(is_quiet()) as bar:
            path, count, total = fetch(query, folder, settings, limit=limit, progress=bar("fetching"))
    except SourceError as error:
        if strict:
            raise
        failed.append(error)
        click.echo(one_line(f"failed {query}: {error.reason} {error.hint}"), err=True)
        return None
    more = f" of {total}; --limit N fetches more" if total > count else ""
    note(f"{query}: {counted(count, 'paper')} fetched{more}")
    return path


def _show(report: IngestReport, gone: list[str]) -> None:
    from rag.outputs.printable import one_line

    for line in _lines(report.notices):
        click.echo(one_line(line), err=True)
    for failure in report.left_out[:_FILES_SHOWN]:
        note(one_line(f"left out {failure.file}: {failure.reason}"))
    for failure in report.failures[:_FILES_SHOWN]:
        click.echo(one_line(f"failed {failure.file}: {failure.reason} {failure.hint}"), err=True)
    if (more := len(report.failures) - _FILES_SHOWN) > 0:
        click.echo(f"failed {counted(more, 'other file')}", err=True)
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
    skipped = [notice for notice in report.notices if notice.skipped]
    parts = [
        f"{counted(report.added, 'paper')} added",
        f"{report.unchanged:,} already there",
        *([f"{report.merged:,} merged with papers held"] if report.merged else ()),
        *([f"{report.updated:,} updated"] if report.updated else ()),
        *([f"{len(report.removed):,} removed"] if report.removed else ()),
        *([f"{len(skipped):,} skipped{_by_kind(skipped)}"] if skipped else ()),
        *([f"{counted(len(report.failures), 'file')} failed"] if report.failures else ()),
        *([f"{counted(len(report.left_out), 'file')} left out"] if report.left_out else ()),
    ]
    return f"{', '.join(parts)} ({counted(report.files, 'file')}, {report.seconds:.1f} s)"


def _by_kind(skipped: list[Notice]) -> str:
    """Return how many were skipped for each reason, if there are several of one."""
    kinds = Counter(notice.kind or "other" for notice in skipped)
    if len(skipped) == 1 or set(kinds) == {"other"}:
        return ""
    if len(kinds) == 1:
        return f" ({next(iter(kinds))})"
    return f" ({'; '.join(f'{number} {kind}' for kind, number in kinds.most_common())})"


def _lines(notices: Iterable[Notice]) -> list[str]:
    """Return a line for each notice; of many alike in one file, for the first few, and how many more."""
    shown: list[tuple[tuple[str, str], str]] = []
    alike: Counter[tuple[str, str]] = Counter()
    for notice in notices:
        if notice.skipped or not is_quiet():
            group = (notice.source.rpartition("#")[0] or notice.source, notice.kind)
            alike[group] += 1
            if not notice.kind or alike[group] <= _SHOWN:
                verb = "skipped" if notice.skipped else "note"
                shown.append((group, f"{verb} {_place(notice)}: {notice.reason}"))
    return list(_with_rest(shown, alike))


def _with_rest(shown: list[tuple[tuple[str, str], str]], alike: Counter[tuple[str, str]]) -> Iterator[str]:
    """Yield the lines, and after the last of a group how many of it are not shown."""
    last = {group: n for n, (group, _) in enumerate(shown)}
    for n, (group, line) in enumerate(shown):
        yield line
        file, kind = group
        if kind and last[group] == n and alike[group] > _SHOWN:
            yield f"skipped {file}: … and {alike[group] - _SHOWN} more ({kind})"


def _place(notice: Notice) -> str:
    file = notice.source
    return f"{file}:{notice.line}" if notice.line else file


def _names(papers: Iterable[Paper]) -> list[str]:
    from rag.outputs.terminal import where

    return [where(paper) for paper in papers]
