"""Paths, folders and patterns in, the files to read out."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from rag.errors import SourceError


def find(paths: Iterable[Path]) -> list[Path]:
    """Return the files of `paths`, folders opened to any depth in sorted order, hidden files left out.

    A path that is not there may be a pattern such as `lists/*.json`, or `**/*.bib` for any depth.

    Raises SourceError for a path that does not exist, or a pattern that fits no file.
    """
    found: dict[Path, None] = {}
    for path in paths:
        for place in [path] if exists(path) else _matching(path):
            found.update(dict.fromkeys(_files(place) if place.is_dir() else [place]))
    return list(found)


def is_pattern(path: Path) -> bool:
    """Say whether a path is meant as a pattern: it has `*`, `?` or `[` in it, and there is no such file."""
    return glob.has_magic(str(path)) and not exists(path)


def exists(path: Path) -> bool:
    """Say whether there is such a file or folder, also of a name no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Say whether there is such a folder, also of a name none can have."""
    return exists(path) and path.is_dir()


def _matching(path: Path) -> list[Path]:
    """Return what fits a pattern, in sorted order."""
    if not is_pattern(path):
        hint = "Check the path; `rag ingest PATH…` takes files, folders and patterns."
        raise SourceError("no such file or folder.", source=str(path), hint=hint)
    try:
        matching = sorted(glob.glob(str(path), recursive=True))
    except (OSError, ValueError):
        matching = []
    if not matching:
        raise SourceError(
            "no file fits this pattern.", source=str(path), hint="Check the folder it begins with."
        )
    return [Path(name) for name in matching]


def _files(folder: Path) -> Iterator[Path]:
    """Walk `folder`, each real folder once, so that links in a circle end."""
    seen: set[Path] = set()
    closed: list[Path] = []
    for top, folders, files in os.walk(
        folder, followlinks=True, onerror=lambda error: closed.append(Path(os.fsdecode(error.filename)))
    ):
        real = Path(top).resolve()
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(top, name) for name in sorted(files) if _is_visible_file(Path(top, name)))
    # A folder that may not be looked into is given like a file, to fail like one.
    yield from closed


def _is_visible_file(path: Path) -> bool:
    return not path.name.startswith(".") and path.is_file()
