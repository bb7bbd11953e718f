"""What a person typed after `rag ingest` in, paths out: also for what is piped in or fetched."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from rag.errors import SourceError, UsageError

STDIN = "-"
MOST_PIPED = 2 * 1024**3
_BLOCK = 1024 * 1024


@contextmanager
def places(typed: Sequence[str], fetched: Callable[[str], Path | None]) -> Iterator[list[Path]]:
    """Give the paths to read; what is piped in lies in a file of its own while the block runs.

    `fetched` is asked for the file of a query such as `arxiv:2401.01234`, and may have none. Raises
    UsageError for a path that is not there, SourceError for more piped in than can be kept.
    """
    with tempfile.TemporaryDirectory(prefix="rag-", ignore_cleanup_errors=True) as folder:
        found = (
            _stored(Path(folder)) if word == STDIN else _existing(word, fetched)
            for word in dict.fromkeys(typed)
        )
        yield [path for path in found if path is not None]


def _existing(word: str, fetched: Callable[[str], Path | None]) -> Path | None:
    from rag.fetch import is_query
    from rag.sources import exists, is_pattern

    path = Path(word)
    if is_query(word) and not exists(path):
        return fetched(word)
    if not exists(path) and not is_pattern(path):
        raise click.BadParameter(f"there is no file or folder {word!r}.", param_hint="PATH")
    return path


def _stored(folder: Path) -> Path:
    """Write what is piped in to a file named after its content: the same text again is the same file."""
    file = folder / "piped"
    digest = hashlib.sha256()
    size = 0
    with file.open("wb") as stream:
        while block := _read(_stdin()):
            size += len(block)
            if size > MOST_PIPED:
                reason = f"more than {MOST_PIPED / 1e9:.0f} GB were piped in."
                raise SourceError(reason, source="stdin", hint="Write them to files and give those.")
            digest.update(block)
            stream.write(block)
    if not size:
        raise UsageError(
            "there is nothing to read: nothing was piped in", hint="Pipe in a file, or give its path."
        )
    return file.rename(folder / f"stdin-{digest.hexdigest()[:8]}")


def _stdin() -> BinaryIO:
    piped: Any = sys.stdin
    stream: BinaryIO = getattr(piped, "buffer", piped)
    return stream


def _read(stream: BinaryIO) -> bytes:
    block: bytes | str = stream.read(_BLOCK)
    return block.encode("utf-8", "surrogateescape") if isinstance(block, str) else block
