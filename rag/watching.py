"""Folders in, batches of changed files out, as they change; a beat without changes is an empty batch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Kind = Literal["added", "changed", "deleted"]

# A batch ends when nothing has changed for so long, and after so long at the latest.
QUIET_MS = 400
LONGEST_MS = 3000
BEAT_MS = 1000

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
    """Yield what has changed under the folders, in the order of the paths.

    The first batch, mostly empty, comes once changes are noticed. Hidden and unfinished files do not count,
    nor does anything in the folder `apart`, the library's own.
    """
    from watchfiles import Change, watch

    kinds: dict[Change, Kind] = {Change.added: "added", Change.modified: "changed", Change.deleted: "deleted"}
    tops = [folder.resolve() for folder in folders]
    own = apart.resolve()

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
        yield _in_order({Path(name): kinds[change] for change, name in sorted(batch)})


def _is_source(path: Path, tops: Sequence[Path]) -> bool:
    inner = next((path.relative_to(top).parts for top in tops if path.is_relative_to(top)), ())
    return (
        bool(inner) and not any(part.startswith(".") for part in inner) and not _UNFINISHED.search(path.name)
    )


def _in_order(batch: dict[Path, Kind]) -> list[Changed]:
    """Return one change for each file, by what is there now: much may have happened to it meanwhile."""
    now = {p: kind if p.exists() else "deleted" for p, kind in batch.items() if not p.is_dir()}
    return [Changed("changed" if now[p] == "deleted" and p.exists() else now[p], p) for p in sorted(now)]
