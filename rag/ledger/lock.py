"""The single writer: a file lock on a library, and a note that says who holds it."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from datetime import datetime
from pathlib import Path
from types import TracebackType

from filelock import FileLock, Timeout

from rag.errors import LibraryError, LibraryLocked

LOCK_FILE = "writer.lock"
HOLDER_FILE = "writer.json"


class WriterLock:
    """Holds the right to write to the library in `folder`, until closed or the process ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / LOCK_FILE, thread_local=False)

    def acquire(self) -> WriterLock:
        """Take the lock at once, or raise LibraryLocked naming its holder."""
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise LibraryLocked(
                f"Another process is writing to {self._folder}: {holder(self._folder)}.",
                hint="Wait until it has ended, or stop it, and run the command again.",
            ) from error
        except (OSError, NotImplementedError) as error:
            raise LibraryError(
                f"{self._folder} cannot be locked for writing: {error}.",
                hint="Check that you may write there, or name another folder with --library.",
            ) from error
        self._sign()
        return self

    def release(self) -> None:
        """Give the lock back; does nothing if it is not held."""
        if self._lock.is_locked:
            with contextlib.suppress(OSError):
                (self._folder / HOLDER_FILE).unlink(missing_ok=True)
            self._lock.release()

    def __enter__(self) -> WriterLock:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _sign(self) -> None:
        note = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        # The lock is what counts: a full disk must not keep a removal from running.
        with contextlib.suppress(OSError):
            (self._folder / HOLDER_FILE).write_text(json.dumps(note), encoding="utf-8")


def holder(folder: Path) -> str:
    """Say who holds the lock of `folder`: process, host and since when."""
    try:
        note = json.loads((folder / HOLDER_FILE).read_text(encoding="utf-8"))
        return f"process {note['pid']} on {note['host']}, since {note['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "holder unknown"
