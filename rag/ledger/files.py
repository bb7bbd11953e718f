"""Files on disk → the names they are known by in a library, and whether they changed since they were read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from rag.ledger.rows import FileEntry
from rag.ledger.strings import visible


class Catalogue:
    """The files of a library by name, by path and by content."""

    def __init__(self, entries: Iterable[FileEntry]) -> None:
        self._by_name: dict[str, FileEntry] = {}
        self._by_path: dict[str, FileEntry] = {}
        self._by_digest: dict[str, FileEntry] = {}
        # The names of files without a path, by each beginning of them that may be an archive's name.
        self._inside: dict[str, dict[str, None]] = {}
        for entry in entries:
            self.put(entry)

    def put(self, entry: FileEntry) -> None:
        """Take in a file, or what is new about it."""
        self._by_name[entry.name] = entry
        if entry.path:
            self._by_path[entry.path] = entry
        else:
            for archive in _beginnings(entry.name):
                self._inside.setdefault(archive, {})[entry.name] = None
        if entry.digest and entry.path:
            self._by_digest[entry.digest] = entry

    def knows(self, name: str) -> bool:
        """Say whether a file has this name."""
        return name in self._by_name

    def unchanged(self, entry: FileEntry) -> bool:
        """Say whether the file, with all that is in it, was read to its end with the content it has now."""
        held = self._by_name.get(entry.name)
        parts = (self._by_name[name].digest for name in self.parts(entry.name))
        return held is not None and held.digest == entry.digest and all(d == entry.digest for d in parts)

    def parts(self, name: str) -> list[str]:
        """Return the names of the files that are known to be in the archive called `name`."""
        return [inner for inner in self._inside.get(name, ()) if not self._by_name[inner].path]

    def entry(self, path: Path) -> FileEntry:
        """Describe the file at `path`: by its old name, or by a name no other file has. Raises OSError."""
        absolute = path.resolve()
        entry = FileEntry("", visible(str(absolute)), _digest(path))
        held = self._by_path.get(entry.path) or self._moved(entry, absolute.name)
        return replace(entry, name=held.name if held else self._new_name(absolute))

    def unread(self, path: Path) -> FileEntry:
        """Describe the file at `path` without reading it, so without a digest. Raises OSError."""
        absolute = path.resolve(strict=True)
        held = self._by_path.get(visible(str(absolute)))
        return FileEntry(held.name if held else self._new_name(absolute), visible(str(absolute)))

    def _moved(self, entry: FileEntry, base_name: str) -> FileEntry | None:
        """Return the file that lay elsewhere with this content and base name, and is no longer there."""
        held = self._by_digest.get(entry.digest)
        if held and held.path and Path(held.path).name == base_name and not Path(held.path).exists():
            return held
        return None

    def _new_name(self, path: Path) -> str:
        """Return the base name, with as many folders before it as make it unique."""
        parts = path.parts[1:]
        names = (visible("/".join(parts[-n:])) for n in range(1, len(parts) + 1))
        return next((name for name in names if name not in self._by_name), visible(str(path)))


def _beginnings(name: str) -> Iterator[str]:
    """Yield what stands before each slash of a name."""
    at = name.find("/")
    while at >= 0:
        yield name[:at]
        at = name.find("/", at + 1)


def _digest(path: Path) -> str:
    """Return a digest of the content and the program's version: another may read it differently."""
    with path.open("rb") as file:
        content = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{_version()}:{content}"


def _version() -> str:
    try:
        return metadata.version("askpapers")
    except metadata.PackageNotFoundError:
        return ""
