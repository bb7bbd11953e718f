"""Files of answers and maps: content and a path come in, a file that is whole or not there goes out."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from rag.errors import OutputError

HINT = "Name a file in a folder that exists and can be written to."


def file_named(written: str) -> Path:
    """Return the path of a file as it was written; raise OutputError for one that ends as a folder does."""
    if written.endswith(tuple(filter(None, (os.sep, os.altsep)))):
        raise OutputError(f"{written} cannot be written: it names a folder", hint=HINT)
    return Path(written)


def check_writable(path: Path) -> None:
    """Raise OutputError if it is plain, before any work is done, that no file can be written here."""
    if path.is_dir():
        raise OutputError(f"{path} cannot be written: it is a folder", hint=HINT)
    if not path.resolve().parent.is_dir():
        raise OutputError(f"{path} cannot be written: there is no folder {path.parent}", hint=HINT)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write text, as UTF-8, or bytes: what stood there stays until all is written. Raises OutputError."""
    data = content.encode("utf-8", errors="replace") if isinstance(content, str) else content
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            # A device or a pipe takes what it is given; it cannot be replaced.
            target.write_bytes(data)
        else:
            _replace(target, data)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"{path} cannot be written: {reason}", hint=HINT) from error


def _replace(target: Path, data: bytes) -> None:
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it may not be changed")
    draft = target.with_name(f".{target.name[:80]}.{secrets.token_hex(8)}.part")
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
