"""Files in, records and notices out: one module per format, one line each in `FORMATS`."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rag.domain import Notice, Record
from rag.errors import SourceError, UnknownFormat
from rag.sources import lists

MAX_BYTES = 200 * 1024 * 1024
_HINT = "Give a text file: a heading line, then abstracts separated by blank lines."


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of source file: how to tell it by its path, and how to read it."""

    name: str
    detects: Callable[[Path], bool]
    reads: Callable[[Path, str], Iterator[Record | Notice]]


FORMATS: tuple[Format, ...] = (Format("list of abstracts", lists.detects, lists.reads),)


def read(path: Path, name: str = "") -> Iterator[Record | Notice]:
    """Yield the records of the file at `path`, and a notice for each item skipped or repaired.

    `name` stands before the `#` of every record's source; by default the file's own name. Raises SourceError
    for a file that cannot be read or holds no abstract, UnknownFormat for one of another kind.
    """
    name = name or path.name
    anything = False
    for item in check(path, name).reads(path, name):
        anything = anything or isinstance(item, Record)
        yield item
    if not anything:
        raise SourceError("no abstract found in it.", source=name, hint=_HINT)


def check(path: Path, name: str) -> Format:
    """Return the format of the file at `path`, without reading any of it.

    Raises SourceError, calling it `name`, if it is no file, empty or too large, UnknownFormat if it is of
    another kind.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(
            f"cannot be read ({error.strerror or error}).", source=name, hint="Check its permissions."
        ) from error
    # Reading a pipe would wait for whoever writes into it, perhaps for ever.
    if not stat.S_ISREG(status.st_mode):
        raise SourceError("not a file.", source=name, hint=_HINT)
    found = next((entry for entry in FORMATS if entry.detects(path)), None)
    if found is None:
        raise UnknownFormat("not a file of papers that can be read here.", source=name, hint=_HINT)
    if not status.st_size:
        raise SourceError("the file is empty.", source=name, hint=_HINT)
    if status.st_size > MAX_BYTES:
        raise SourceError(
            f"{status.st_size / 1e6:.0f} MB is more than the {MAX_BYTES / 1e6:.0f} MB a file may have.",
            source=name,
            hint="Split it into smaller files.",
        )
    return found


def find(paths: Iterable[Path]) -> list[Path]:
    """Return the files of `paths`, folders opened to any depth in sorted order, hidden files left out.

    Raises SourceError for a path that does not exist.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise SourceError(
                "no such file or folder.",
                source=str(path),
                hint="Check the path; `rag ingest PATH…` takes both.",
            )
        found.update(dict.fromkeys(_files(path) if path.is_dir() else [path]))
    return list(found)


def _files(folder: Path) -> Iterator[Path]:
    """Walk `folder`, each real folder once, so that links in a circle end."""
    seen: set[Path] = set()
    for top, folders, files in os.walk(folder, followlinks=True):
        real = Path(top).resolve()
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(top, name) for name in sorted(files) if _is_visible_file(Path(top, name)))


def _is_visible_file(path: Path) -> bool:
    return not path.name.startswith(".") and path.is_file()
