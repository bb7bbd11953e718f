"""What every route works with: settings in, the library once there is one, and the limits of the server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from rag.domain import Paper
from rag.errors import LibraryError
from rag.ingest import IngestReport, Progress
from rag.ledger import Imprint
from rag.library import Library
from rag.serving import LOOPBACK, PORT
from rag.serving.answering import Answers
from rag.serving.earlier import Earlier
from rag.serving.loading import Loading
from rag.settings import Settings

MIB = 1024 * 1024


class NoPapers(LibraryError):
    """There is no library yet, or nothing in it."""


@dataclass(frozen=True, slots=True)
class Options:
    """How to serve: where, for whom, and how much of everything.

    `hosts` are further names under which the server is reached. `rate_per_minute` is for each client, 0 for
    no limit. `at_once` answers are made at the same time and as many as `waiting` may wait. Bodies are
    limited to `upload_bytes` for forms with files, to `body_bytes` else.
    """

    host: str = LOOPBACK
    port: int = PORT
    hosts: tuple[str, ...] = ()
    rate_per_minute: int = 600
    at_once: int = 8
    waiting: int = 64
    upload_bytes: int = 20 * MIB
    body_bytes: int = 2 * MIB
    log_questions: bool = False


class State:
    """The settings, the library (also one that is made only later), and the answers under way.

    A library that is given stays its giver's to close. Safe to use from many threads.
    """

    def __init__(self, library: Library | None, settings: Settings, options: Options | None = None) -> None:
        self.settings = settings
        self.options = options or Options()
        self.answers = Answers(self.options.at_once, self.options.waiting)
        self.earlier = Earlier()
        self.loading = Loading(self.fill)
        self._library = library
        self._is_ours = library is None
        self._opening = threading.Lock()
        self._filling = threading.Lock()

    @property
    def library(self) -> Library:
        """The open library; raises NoPapers while there is none, LibraryError if it cannot be opened."""
        with self._opening:
            if self._library is None:
                self._library = self._open()
            return self._library

    @property
    def count(self) -> int:
        """How many papers there are; 0 without a library."""
        try:
            return self.library.count()
        except NoPapers:
            return 0

    def filled(self) -> Library:
        """Return the library; raise NoPapers if there is no paper in it."""
        library = self.library
        if not self.count:
            raise _no_papers()
        return library

    def imprints(self) -> list[Imprint]:
        """Return the imprints of all papers; none without a library."""
        try:
            return self.library.imprints()
        except NoPapers:
            return []

    def first_papers(self, count: int) -> list[Paper]:
        """Return the first papers, at most so many; none without a library."""
        try:
            return self.library.first(count)
        except NoPapers:
            return []

    def prepare(self) -> None:
        """Load all that answering needs, if there is a library."""
        try:
            self.library.prepare()
        except NoPapers:
            return

    def fill(self, paths: Iterable[Path], progress: Callable[[Progress], None] | None = None) -> IngestReport:
        """Read papers from files into the library, and make it if it is not there yet; one call at a time."""
        with self._filling:
            self._make()
            return self.library.ingest(paths, progress=progress)

    def close(self) -> None:
        """Stop the answers under way and let go of the library."""
        self.answers.stop()
        self.loading.close()
        with self._opening:
            if self._library is not None and self._is_ours:
                self._library.close()

    def _make(self) -> None:
        try:
            _ = self.library
        except NoPapers:
            Library.to_fill(self.settings).close()

    def _open(self) -> Library:
        from rag.ledger import LEDGER_FILE

        if not (self.settings.library / LEDGER_FILE).is_file():
            raise _no_papers()
        return Library.open(self.settings.library, self.settings)


def _no_papers() -> NoPapers:
    return NoPapers(
        "There are no papers in the library yet.",
        hint="Load some on the start page, with POST /api/v1/ingest, or with `rag ingest PATH`.",
    )
