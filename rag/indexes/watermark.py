"""The watermark of an index: which state of the ledger it holds, and whether it is as it was written."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

from rag.errors import IndexFault


@dataclass(frozen=True, slots=True)
class FileMark:
    """A file of an index as it was when the index was complete."""

    name: str
    size: int
    mtime_ns: int
    digest: str


@dataclass(frozen=True, slots=True)
class Watermark:
    """The generation of the ledger an index holds, how many entries it has, and its files.

    `token` is the ledger's own mark of that generation; `basis` changes when all entries must be made anew.
    `names` are the files that must be there, `files` those of them that must not change.
    """

    basis: str
    generation: int
    token: str
    count: int
    files: tuple[FileMark, ...] = ()
    names: tuple[str, ...] = ()


class Marks(Protocol):
    """The watermark of one index, wherever it is kept, and the note that a write has begun."""

    @property
    def any(self) -> bool:
        """Whether there is, or was, an index."""

    @property
    def dirty(self) -> bool:
        """Whether a write began and did not end."""

    @property
    def stamp(self) -> object:
        """A value that changes whenever a watermark is written."""

    def begin(self) -> None:
        """Say that a write begins: from now on the index is worth nothing until `end`."""

    def end(self, watermark: Watermark) -> None:
        """Say that the write has ended and the index holds what the watermark says."""

    def read(self) -> Watermark:
        """Return the watermark; raise IndexFault if there is none, or the index is not as it was marked."""

    def clear(self) -> None:
        """Remove the index and its watermark; the note that a write has begun stays."""

    def close(self) -> None:
        """Let go of what reading the watermark needs."""


class FileMarks:
    """The watermark of the index in `folder`, kept beside it; `files` names those that must not change."""

    def __init__(self, folder: Path, files: Callable[[Path], Sequence[Path]]) -> None:
        self._folder = folder
        self._files = files
        self._path = folder.with_name(f"{folder.name}.json")
        self._dirty = folder.with_name(f"{folder.name}.dirty")

    @property
    def any(self) -> bool:
        """Whether there is, or was, an index."""
        return self.dirty or self._path.exists() or self._folder.exists()

    @property
    def dirty(self) -> bool:
        """Whether a write began and did not end."""
        return self._dirty.exists()

    @property
    def stamp(self) -> object:
        """A value that changes whenever a watermark is written; cheap."""
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0)
        return (status.st_mtime_ns, status.st_ino)

    def begin(self) -> None:
        """Say that a write begins: from now on the index is worth nothing until `end`."""
        with _disk():
            self._dirty.touch()
            _sync_folder(self._dirty.parent)

    def end(self, watermark: Watermark) -> None:
        """Say that the write has ended and the index holds what the watermark says."""
        draft = self._path.with_name(f"{self._path.name}.new")
        with _disk():
            files = mark_files(self._folder, self._files(self._folder))
            marked = replace(watermark, files=files, names=_lasting(self._folder))
            with draft.open("w", encoding="utf-8") as file:
                json.dump(asdict(marked), file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)
            _sync_folder(self._path.parent)
            self._dirty.unlink(missing_ok=True)

    def read(self) -> Watermark:
        """Return the watermark; raise IndexFault if there is none, or the index is not as it was marked."""
        if self.dirty:
            raise IndexFault("a write to it was interrupted")
        if not self._folder.is_dir():
            raise IndexFault("its folder is missing")
        mark = self._parsed()
        for name in mark.names:
            if not (self._folder / name).exists():
                raise IndexFault(f"its file {name} is missing")
        check_files(self._folder, mark.files)
        return mark

    def clear(self) -> None:
        """Remove the index and its watermark; the note that a write has begun stays."""
        with _disk():
            self._path.unlink(missing_ok=True)
        _remove(self._folder)

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _parsed(self) -> Watermark:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
            files = tuple(FileMark(**entry) for entry in found.pop("files"))
            return Watermark(**found | {"files": files, "names": tuple(found.get("names", ()))})
        except FileNotFoundError as error:
            raise IndexFault("it has no watermark") from error
        except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
            raise IndexFault("its watermark cannot be read") from error


def mark_files(folder: Path, files: Iterable[Path]) -> tuple[FileMark, ...]:
    """Return the marks of files in `folder`."""
    with _disk():
        return tuple(_mark(folder, file) for file in files)


def check_files(folder: Path, marks: Iterable[FileMark]) -> None:
    """Raise IndexFault unless every file is as it was marked.

    Size and time tell that cheaply; only a file with another time, such as a copy, is read.
    """
    for mark in marks:
        path = folder / mark.name
        try:
            status = path.stat()
            same = status.st_size == mark.size and (
                status.st_mtime_ns == mark.mtime_ns or _digest(path) == mark.digest
            )
        except OSError as error:
            raise IndexFault(f"its file {mark.name} is missing or cannot be read") from error
        if not same:
            raise IndexFault(f"its file {mark.name} has changed")


def _lasting(folder: Path) -> tuple[str, ...]:
    """Return the names of the files in `folder` but those that come and go: locks and SQLite's journals."""
    return tuple(
        sorted(f.name for f in folder.iterdir() if f.is_file() and f.suffix != ".lock" and "-" not in f.name)
    )


def _mark(folder: Path, path: Path) -> FileMark:
    status = path.stat()
    return FileMark(str(path.relative_to(folder)), status.st_size, status.st_mtime_ns, _digest(path))


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remove(folder: Path) -> None:
    try:
        if folder.is_dir():
            shutil.rmtree(folder)
        else:
            folder.unlink(missing_ok=True)
    except OSError as error:
        raise IndexFault(f"{folder} cannot be removed: {error}.", hint="Remove it by hand.") from error


def _sync_folder(folder: Path) -> None:
    # Not every system lets a folder be opened; there the rename is as safe as it gets.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise IndexFault(f"An index cannot be written: {error}.", hint="Check the disk.") from error
