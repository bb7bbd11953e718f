"""Topics and a file name in, a map of the papers as a file out: page, drawing or picture, by its ending."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rag.errors import UsageError
from rag.jobs.topics import Topics
from rag.outputs.files import check_writable, file_named, write_whole


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


def check_file(name: str) -> Path:
    """Return the path of a map to be written.

    Raises UsageError if its ending is none of `DRAWERS`, OutputError if it plainly cannot be written.
    """
    path = file_named(name)
    if path.suffix.lower() not in DRAWERS or "\0" in name:
        *others, last = DRAWERS
        raise UsageError(
            f"a map cannot be drawn as {path.name!r}",
            hint=f"Give a name that ends in {', '.join(others)} or {last}.",
        )
    check_writable(path)
    return path


def write_map(topics: Topics, path: Path) -> None:
    """Write the map of topics that have positions; the file is whole or not there at all.

    Raises OutputError if it cannot be written.
    """
    write_whole(path, DRAWERS[path.suffix.lower()](topics))
