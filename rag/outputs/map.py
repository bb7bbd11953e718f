"""Topics and a file name in, a map of the papers as a file out: page, drawing or picture, by its ending."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from rag.errors import OutputError, UsageError
from rag.jobs.topics import Topics


def _html(topics: Topics) -> bytes:
    from rag.outputs.map_html import map_html

    return map_html(topics).encode("utf-8")


def _svg(topics: Topics) -> bytes:
    from rag.outputs.map_svg import map_svg

    return map_svg(topics).encode("utf-8")


def _png(topics: Topics) -> bytes:
    from rag.outputs.map_png import map_png

    return map_png(topics)


DRAWERS: Mapping[str, Callable[[Topics], bytes]] = {".html": _html, ".svg": _svg, ".png": _png}

_HINT = "Name a file in a folder that exists and can be written to."


def check_file(name: str) -> Path:
    """Return the path of a map to be written.

    Raises UsageError if its ending is none of `DRAWERS`, OutputError if its folder does not exist.
    """
    path = Path(name)
    if path.suffix.lower() not in DRAWERS or "\0" in name:
        *others, last = DRAWERS
        raise UsageError(
            f"a map cannot be drawn as {path.name!r}",
            hint=f"Give a name that ends in {', '.join(others)} or {last}.",
        )
    if not path.parent.is_dir():
        raise OutputError(f"the map cannot be written: there is no folder {path.parent}", hint=_HINT)
    return path


def write_map(topics: Topics, path: Path) -> None:
    """Write the map of topics that have positions; the file is whole or not there at all.

    Raises OutputError if it cannot be written.
    """
    content = DRAWERS[path.suffix.lower()](topics)
    try:
        _replace(path, content)
    except OSError as error:
        raise OutputError(
            f"the map cannot be written to {path}: {error.strerror or error}",
            hint=_HINT,
        ) from error


def _replace(path: Path, content: bytes) -> None:
    """Write beside the file first: a full disk leaves the old one as it was."""
    beside = path.with_name(f".map-{secrets.token_hex(8)}")
    try:
        with beside.open("xb") as file:
            file.write(content)
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
