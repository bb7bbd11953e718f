"""Files to be read into the library: uploads or samples come in, jobs whose progress can be watched go out.

One job runs at a time, in a thread of its own. Uploads lie in a folder of ours under names of our making, and
are removed when they have been read.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from rag.errors import LibraryLocked, RagError, SourceError, UsageError
from rag.ingest import IngestReport, Progress
from rag.serving.answering import Busy, Stopped
from rag.serving.workers import Workers

Status = Literal["waiting", "running", "done", "failed"]
Fill = Callable[[Iterable[Path], Callable[[Progress], None]], IngestReport]
# What one request may send.
MOST_FILES = 20
_KEPT = 100
_MOST_WAITING = 8
_NAME_CHARS, _NAME_BYTES = 60, 200
# While another process writes to the library, a job tries again so often, and for so long.
_RETRY_S = 1.0
_PATIENCE_S = 600.0
# How long the end of the server waits for a job to notice it.
_LAST_S = 2.0
_PLAIN = "papers"


@dataclass(frozen=True, slots=True)
class Job:
    """What a client sees of files being read: how far it is, and in the end the report or the failure."""

    id: str
    status: Status = "waiting"
    file: str = ""
    position: int = 0
    files: int = 0
    added: int = 0
    unchanged: int = 0
    report: IngestReport | None = None
    failure: RagError | Exception | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.status in ("done", "failed")

    def to_dict(self) -> dict[str, Any]:
        """Return the job as JSON values; what failed is left to whoever knows what may be told."""
        return {
            "id": self.id,
            "status": self.status,
            "file": self.file,
            "position": self.position,
            "files": self.files,
            "added": self.added,
            "unchanged": self.unchanged,
            "report": _told(self.report) if self.report is not None else None,
        }


class Loading:
    """Reads files for clients, one job after the other. Safe to use from many threads."""

    def __init__(self, fill: Fill) -> None:
        self._fill = fill
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._folders: set[Path] = set()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._worker = Workers(1, "loading")
        self._futures: set[Future[None]] = set()

    def read(self, paths: Iterable[Path]) -> Job:
        """Begin to read files that stay where they are; raise Busy when too many jobs wait."""
        return self._begin(tuple(paths), None)

    def take(self, uploads: Iterable[Upload]) -> Job:
        """Begin to read files that a client sent; raise Busy when too many jobs wait."""
        self._check_room()
        folder = Path(tempfile.mkdtemp(prefix="askpapers-"))
        self._folders.add(folder)
        try:
            return self._begin(_stored(uploads, folder), folder)
        except BaseException:
            self._drop(folder)
            raise

    def job(self, job_id: str) -> Job:
        """Return how a job stands; raise UnknownJob if there is none, or it was long ago."""
        with self._lock:
            if job_id not in self._jobs:
                raise UnknownJob("There is no job of this id.", hint="Old ones are forgotten.")
            return self._jobs[job_id]

    def jobs(self) -> list[Job]:
        """Return the latest jobs, newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def close(self) -> None:
        """End the job that runs at its next batch, and forget those that wait.

        One that waits for a silent server is left behind: what it has stored is whole.
        """
        self._closing.set()
        futures = tuple(self._futures)
        for future in futures:
            future.cancel()
        wait(futures, _LAST_S)
        self._worker.close()
        for folder in tuple(self._folders):
            self._drop(folder)

    def _begin(self, paths: tuple[Path, ...], folder: Path | None) -> Job:
        self._check_room()
        job = Job(secrets.token_hex(8), files=len(paths))
        self._put(job)
        future = self._worker.submit(partial(self._run, job.id, paths, folder))
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return job

    def _check_room(self) -> None:
        with self._lock:
            waiting = sum(not job.is_over for job in self._jobs.values())
        if waiting > _MOST_WAITING:
            raise Busy("Too many files wait to be read.", hint="Send them again in a moment.")

    def _run(self, job_id: str, paths: tuple[Path, ...], folder: Path | None) -> None:
        try:
            report = self._filled(job_id, paths)
            held = report.added + report.unchanged + report.updated + report.merged
            self._change(
                job_id,
                status="done" if held else "failed",
                report=report,
                added=report.added,
                unchanged=report.unchanged,
                failure=None if held or report.failures else _nothing(),
            )
        except (Exception, Stopped) as error:
            failure = error if isinstance(error, Exception) else UsageError("The server was stopped.")
            self._change(job_id, status="failed", failure=failure)
        finally:
            if folder is not None:
                self._drop(folder)

    def _filled(self, job_id: str, paths: tuple[Path, ...]) -> IngestReport:
        """Read the files; while another process writes, wait until it has finished."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            self._change(job_id, status="running")
            try:
                return self._fill(paths, lambda now: self._note(job_id, now))
            except LibraryLocked:
                if time.monotonic() > end:
                    raise
                self._change(job_id, status="waiting")
                if self._closing.wait(_RETRY_S):
                    raise Stopped from None

    def _drop(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self._folders.discard(folder)

    def _note(self, job_id: str, now: Progress) -> None:
        if self._closing.is_set():
            raise Stopped
        self._change(
            job_id,
            file=now.file,
            position=now.position,
            files=now.files,
            added=now.added,
            unchanged=now.unchanged,
        )

    def _put(self, job: Job) -> None:
        with self._lock:
            self._jobs[job.id] = job
            old = [job_id for job_id, job in self._jobs.items() if job.is_over]
            for job_id in old[: max(0, len(self._jobs) - _KEPT)]:
                del self._jobs[job_id]

    def _change(self, job_id: str, **values: Any) -> None:
        with self._lock:
            self._jobs[job_id] = replace(self._jobs[job_id], **values)


class UnknownJob(UsageError):
    """There is no job of this id."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file a client sent: the name it gave, which is only shown, and what to read it from."""

    name: str
    content: IO[bytes]


def _stored(uploads: Iterable[Upload], folder: Path) -> tuple[Path, ...]:
    """Write each file under a name of our making: what its name says, without what could lead elsewhere."""
    # The folder's name tells two files of one name apart, so it should say something.
    place = folder / time.strftime("%Y-%m-%d_%H-%M-%S")
    place.mkdir()
    paths: list[Path] = []
    for upload in uploads:
        path = _free(place, safe_name(upload.name))
        with path.open("xb") as file:
            shutil.copyfileobj(upload.content, file)
        paths.append(path)
    return tuple(paths)


def safe_name(name: str) -> str:
    """Return a file name made of the letters, digits, `-`, `_` and `.` of another; never empty or hidden."""
    last = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in last).strip("._")
    stem, dot, ending = kept.rpartition(".")
    if not dot:
        return f"{_cut(kept) or _PLAIN}.txt"
    return f"{_cut(stem)}.{ending[:10]}"


def _cut(stem: str) -> str:
    """Return as much as leaves room for an ending of ten characters and a number in the name of a file."""
    return stem[:_NAME_CHARS].encode()[:_NAME_BYTES].decode("utf-8", "ignore")


def _free(folder: Path, name: str) -> Path:
    stem, _, ending = name.rpartition(".")
    numbered = (folder / (name if n == 1 else f"{stem}-{n}.{ending}") for n in range(1, 1000))
    return next(path for path in numbered if not path.exists())


def _nothing() -> SourceError:
    return SourceError(
        "No paper was found in what was sent.",
        hint="Send a list of abstracts, JSON, CSV, BibTeX, RIS, PubMed or a PDF.",
    )


def _told(report: IngestReport) -> dict[str, Any]:
    """Return a report as JSON values; notices and failures name files as the library does."""
    return asdict(report) | {"complete": report.complete}
