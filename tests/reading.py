"""What the tests of readers share: a file written, its items read, and texts to put into it."""

from __future__ import annotations

from pathlib import Path

from rag.domain import Notice, Record
from rag.sources import read

ALPHA = "We propose Alpha, a method that does the first thing rather well and says how it was measured."
BETA = "We propose Beta, a method that does the second thing rather well and says how it was measured."


def items(folder: Path, content: str | bytes, name: str = "papers", form: str = "") -> list[Record | Notice]:
    """Write a file and return what is read from it."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(read(path, form=form))


def records(folder: Path, content: str | bytes, name: str = "papers") -> list[Record]:
    """Write a file and return the records in it, which must be all there is."""
    found = items(folder, content, name)
    assert [item for item in found if isinstance(item, Notice)] == []
    return [item for item in found if isinstance(item, Record)]


def told(found: list[Record | Notice]) -> list[tuple[str, int, str]]:
    """Return kind, line and source of each notice."""
    return [(item.kind, item.line, item.source) for item in found if isinstance(item, Notice)]
