"""`rag ingest --watch`: folders come in, a line for each change and what it gave goes out, until Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.session import complain, is_quiet, note, settings_now
from rag.errors import EmbedderError, IndexFault, LibraryError, LibraryLocked, RagError, UsageError
from rag.ledger.strings import visible

if TYPE_CHECKING:
    from rag.ingest import IngestReport
    from rag.settings import Settings
    from rag.watching import Changed


Show = Callable[["IngestReport", list[str]], None]
# What may be over a while later: a server that is down, a disk that is full.
_PASSING = (EmbedderError, IndexFault, LibraryError)
# In beats, of about a second.
LONGEST_PAUSE = 60


def follow(paths: Sequence[Path], sync: bool, show: Show) -> int:
    """Read the folders, then whatever changes in them, until Ctrl-C; return the exit code.

    `show` is given each report, and the papers that have just left their file. The library is open, and
    locked for other writers, only while something is read.
    """
    from rag.sources import is_folder
    from rag.watching import changes

    files = [path for path in paths if not is_folder(path)]
    if files:
        raise UsageError(f"{files[0]} is no folder that can be watched", hint="Name the folder it lies in.")
    follower = Follower(paths, sync, settings_now(), show)
    batches = changes(paths, follower.settings.library)
    try:
        # Whoever watches first and reads then misses nothing in between.
        follower.begin(next(batches))
        while True:
            follower.go_on(next(batches))
    except KeyboardInterrupt:
        # Also while something is read: what has been stored stays, and the rest is read the next time.
        note("stopped")
        return 0


class Follower:
    """Reads folders again and again, with the embedder kept loaded.

    What cannot be read for a fault that may pass is read at a later beat; the same fault is told once.
    """

    def __init__(self, paths: Sequence[Path], sync: bool, settings: Settings, show: Show) -> None:
        from rag.embedders import open_embedder
        from rag.ledger.recall import Recall

        self.settings = settings
        self._paths, self._sync, self._show = paths, sync, show
        self._embedder = open_embedder(settings.embedder, settings, Recall(settings.library))
        self._gone: set[str] = set()
        self._waiting: list[Changed] = []
        self._said = self._pause = self._rest = 0
        self._told, self._is_late = "", False

    def begin(self, batch: Sequence[Changed]) -> None:
        """Read the folders; `batch` has changed since they are watched, and is read at the next beat.

        What goes wrong is raised, unless another process is writing now.
        """
        try:
            self._read()
        except LibraryLocked as error:
            self._put_off(error)
        self._waiting += batch

    def go_on(self, batch: Sequence[Changed]) -> None:
        """Take in what has changed in a beat, and read it; or what could not be read before, if it is time.

        What goes wrong is told, and does not end the watch.
        """
        self._waiting += batch
        self._rest -= 1
        if not batch and (self._rest > 0 or not (self._waiting or self._is_late)):
            return
        try:
            self._read()
        except _PASSING as error:
            self._put_off(error)
            return
        except RagError as error:
            complain(error.message, error.hint)
        self._forget()

    def _read(self) -> None:
        """Read what has changed and tell it."""
        from rag.library import Library
        from rag.outputs.terminal import where

        batch = self._waiting
        with Library.open(
            self.settings.library, self.settings, write=True, embedder=self._embedder
        ) as library:
            for change in batch[self._said :]:
                _say(f"{change.kind} {change.path.name}")
            self._said = len(batch)
            report = library.ingest(self._paths, sync=self._sync)
            left = set() if self._sync else set(report.gone) - self._gone
            names = [where(paper) for paper in library.papers(only=left)] if left else []
        self._gone |= left
        self._show(about(report, batch) if batch else report, names)

    def _put_off(self, error: RagError) -> None:
        """Try again later: for a writer at the next beat, else later each time."""
        self._is_late = True
        is_locked = isinstance(error, LibraryLocked)
        self._pause = 1 if is_locked else min(2 * self._pause, LONGEST_PAUSE) or 1
        self._rest = self._pause
        if error.message == self._told:
            return
        self._told = error.message
        if is_locked:
            note(f"{error.message} Trying again.")
        else:
            complain(error.message, error.hint)
            note("Trying again.")

    def _forget(self) -> None:
        """Begin anew: nothing waits to be read, and nothing has gone wrong."""
        self._waiting = []
        self._said = self._pause = self._rest = 0
        self._told, self._is_late = "", False


def about(report: IngestReport, batch: Sequence[Changed]) -> IngestReport:
    """Return the report without remarks on files that have not changed: they have been told before."""
    changed = [f"/{visible(change.path.as_posix())}" for change in batch]

    def is_news(file: str) -> bool:
        return any(path.endswith(name) for name in _files_named(file) for path in changed)

    return replace(
        report,
        notices=tuple(notice for notice in report.notices if is_news(notice.source)),
        failures=tuple(failure for failure in report.failures if is_news(failure.file)),
        left_out=tuple(failure for failure in report.left_out if is_news(failure.file)),
    )


def _files_named(place: str) -> set[str]:
    """Return what may be the file of a place such as `b.txt#3` or `papers.zip/b.txt#3`, a slash before it."""
    whole = {place.lstrip("/"), place.rpartition("#")[0].lstrip("/")} - {""}
    return {f"/{'/'.join(name.split('/')[:n])}" for name in whole for n in range(1, name.count("/") + 2)}


def _say(text: str) -> None:
    from rag.outputs.printable import one_line

    if not is_quiet():
        click.echo(f"{datetime.now():%H:%M:%S} {one_line(text)}")
        sys.stdout.flush()
