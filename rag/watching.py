"""Folders in, batches of changed files out, as they change; a beat without changes is an empty batch."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Kind = Literal["added", "changed", "deleted"]

# A batch ends when nothing has changed for so long, and after so long at the latest.
QUIET_MS = 400
LONGEST_MS = 3000
BEAT_MS = 1000
# Files are read once none of them has changed for so many beats, and after so long at the latest.
STEADY_BEATS = 2
PATIENCE_S = 60.0

# What editors and downloads leave beside a file while they write it.
_UNFINISHED = re.compile(
    r"~$|^~|\.(?:tmp|temp|part|partial|crdownload|download|sw[a-z]|lock)$", re.IGNORECASE
)


class Stop(Protocol):
    """Says when to end, as threading.Event does."""

    def is_set(self) -> bool:
        """Tell whether it is time."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that was added, changed or deleted."""

    kind: Kind
    path: Path


def changes(
    folders: Sequence[Path], apart: Path, stop: Stop | None = None, *, beat_ms: int = BEAT_MS
) -> Iterator[list[Changed]]:
    """Yield what has changed under the folders, in the order of the paths, once it has stopped changing.

    The first batch, mostly empty, comes once changes are noticed. Hidden and unfinished files do not count,
    nor does anything in the folder `apart`, the library's own. A folder that goes is told as deleted, and
    one that takes its place as added, and followed.
    """
    tops = [folder.resolve() for folder in folders]
    known = {top: _identity(top) for top in tops}
    moving, turned = _Moving(), list[Changed]()
    while stop is None or not stop.is_set():
        there = [top for top in tops if known[top] is not None]
        for batch in _batches(there, apart.resolve(), stop, beat_ms):
            # What is told of a folder is told once its successor is watched: nothing is missed in between.
            told, turned = turned, _turned(known)
            yield told + _in_order(moving.settled(batch))
            if turned:
                break
        else:
            return


def _batches(
    tops: Sequence[Path], own: Path, stop: Stop | None, beat_ms: int
) -> Iterator[Mapping[Path, Kind]]:
    """Yield, at every beat and change, which files have changed."""
    from watchfiles import Change, watch

    kinds: dict[Change, Kind] = {Change.added: "added", Change.modified: "changed", Change.deleted: "deleted"}
    while not tops:
        if stop is not None and stop.is_set():
            return
        yield {}
        time.sleep(beat_ms / 1000)

    def counts(_: Change, name: str) -> bool:
        path = Path(name)
        return not path.is_relative_to(own) and _is_source(path, tops)

    for batch in watch(
        *tops,
        watch_filter=counts,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        rust_timeout=beat_ms,
        yield_on_timeout=True,
        stop_event=stop,
    ):
        yield {Path(name): kinds[change] for change, name in sorted(batch)}


class _Moving:
    """Holds changes back while any of their files still grows."""

    def __init__(self) -> None:
        self._kinds: dict[Path, Kind] = {}
        self._stamps: dict[Path, tuple[int, int]] = {}
        self._quiet = 0
        self._since = 0.0

    def settled(self, batch: Mapping[Path, Kind]) -> dict[Path, Kind]:
        """Take in what changed in this beat; return all that was held back, once it is steady."""
        if not self._kinds:
            self._since = time.monotonic()
        for path, kind in batch.items():
            is_new = self._kinds.get(path) == "added" and kind == "changed"
            self._kinds[path] = "added" if is_new else kind
        stamps = {path: _stamp(path) for path in self._kinds}
        self._quiet = 0 if batch or stamps != self._stamps else self._quiet + 1
        self._stamps = stamps
        if self._quiet < STEADY_BEATS and time.monotonic() - self._since < PATIENCE_S:
            return {}
        done, self._kinds, self._stamps = self._kinds, {}, {}
        return done


def _turned(known: dict[Path, tuple[int, int] | None]) -> list[Changed]:
    """Return which folders have gone or come since they were last looked at, and note how they are now."""
    turned: list[Changed] = []
    for top, before in known.items():
        now = _identity(top)
        if now != before:
            turned += [Changed("deleted", top)] * (before is not None)
            turned += [Changed("added", top)] * (now is not None)
            known[top] = now
    return turned


def _identity(folder: Path) -> tuple[int, int] | None:
    """Return what tells a folder from another at its path; None where there is none."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISDIR(found.st_mode) else None


def _stamp(path: Path) -> tuple[int, int]:
    """Return what a file's content is told by as it grows: its size and time."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _is_source(path: Path, tops: Sequence[Path]) -> bool:
    inner = next((path.relative_to(top).parts for top in tops if path.is_relative_to(top)), ())
    return (
        bool(inner) and not any(part.startswith(".") for part in inner) and not _UNFINISHED.search(path.name)
    )


def _in_order(batch: Mapping[Path, Kind]) -> list[Changed]:
    """Return one change for each file, by what is there now: much may have happened to it meanwhile."""
    now = {p: kind if p.exists() else "deleted" for p, kind in batch.items() if not p.is_dir()}
    return [Changed("changed" if now[p] == "deleted" and p.exists() else now[p], p) for p in sorted(now)]
