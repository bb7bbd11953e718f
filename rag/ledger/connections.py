"""SQLite connections to a ledger: one a thread, with the settings we rely on and errors in our own words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from rag.errors import LibraryConflict, LibraryDamaged, LibraryError, LibraryLocked
from rag.ledger import schema
from rag.ledger.remedy import remedy

Mode = Literal["read", "write"]
FileIdentity = tuple[int, int]
BUSY_TIMEOUT_S = 30.0

Failures = Mapping[int, tuple[type[LibraryError], str, str]]
"""By SQLite's result code: the error to raise, what to say of the file, and a hint; "" for the backup's."""

FAILURES: Failures = {
    sqlite3.SQLITE_CORRUPT: (LibraryDamaged, "is damaged", ""),
    sqlite3.SQLITE_NOTADB: (LibraryDamaged, "is not a ledger, or is damaged", ""),
    sqlite3.SQLITE_CONSTRAINT: (
        LibraryConflict,
        "refuses what contradicts what it holds",
        "Run `rag doctor` to check it; please report this, with the file that was read.",
    ),
    sqlite3.SQLITE_FULL: (LibraryError, "cannot grow: the disk is full", "Free some space and run it again."),
    sqlite3.SQLITE_READONLY: (LibraryError, "is read-only", "Check that you may write there."),
    sqlite3.SQLITE_BUSY: (LibraryLocked, "is busy with another process", "Wait a moment and run it again."),
    sqlite3.SQLITE_LOCKED: (LibraryLocked, "is busy with another thread", "Run it again."),
    sqlite3.SQLITE_IOERR: (LibraryError, "cannot be read or written", "Check the disk and run `rag doctor`."),
    sqlite3.SQLITE_CANTOPEN: (LibraryError, "cannot be opened", "Check the folder and its permissions."),
}


@contextlib.contextmanager
def edge(path: Path, failures: Failures = FAILURES) -> Iterator[None]:
    """Turn what SQLite raises about the ledger, or another file, at `path` into LibraryError and its kin."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # SQLite quotes damaged names in its messages, which then are no text.
        known = getattr(error, "sqlite_errorcode", None) or 0
        code = sqlite3.SQLITE_CORRUPT if isinstance(error, UnicodeDecodeError) else known & 0xFF
        kind, words, hint = failures.get(code, (LibraryError, "failed", "Run `rag doctor` to check it."))
        raise kind(f"{path} {words} ({error}).", hint=hint or remedy(path.parent)) from error


def identity(path: Path) -> FileIdentity | None:
    """Return what tells the file at `path` from every other, None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class _Holder:
    """Closes a thread's connection when the thread has gone; `lasting` if it may be used again.

    `file` tells the file that was opened from every other.
    """

    def __init__(self, connection: sqlite3.Connection, lasting: bool, file: FileIdentity | None) -> None:
        self.connection = connection
        self.lasting = lasting
        self.file = file

    def __del__(self) -> None:
        self.connection.close()


class Connections:
    """Gives each thread its own connection to the ledger at `path`."""

    def __init__(self, path: Path, mode: Mode) -> None:
        self.path = path
        self.mode = mode
        self._local = threading.local()
        self._holders: weakref.WeakSet[_Holder] = weakref.WeakSet()
        self._guard = threading.Lock()
        self._closed = False

    def get(self) -> sqlite3.Connection:
        """Return this thread's connection, opened at first use; one that cannot see changes, at each use."""
        if self._closed:
            raise LibraryError(f"{self.path} has been closed.", hint="Open the library again.")
        holder: _Holder | None = getattr(self._local, "holder", None)
        if holder is None or not holder.lasting or self._leads_elsewhere(holder):
            holder = _connect(self.path, self.mode)
            self._local.holder = holder
            with self._guard:
                self._holders.add(holder)
        return holder.connection

    def _leads_elsewhere(self, holder: _Holder) -> bool:
        """Say whether another file has taken the place of the one that is open to read: a restored backup.

        Raises LibraryError where there is none any more: what is still open would answer as if it were.
        """
        if self.mode != "read":
            return False
        found = identity(self.path)
        if found is None:
            raise gone(self.path.parent)
        return found != holder.file

    def close(self) -> None:
        """Close the connections of all threads."""
        self._closed = True
        with self._guard:
            for holder in list(self._holders):
                holder.connection.close()


def gone(folder: Path) -> LibraryError:
    """Return the error that a library that was opened is no longer in its folder."""
    return LibraryError(
        f"The library in {folder} is no longer there.",
        hint="Bring it back with `rag restore FILE`, or make one with `rag ingest PATH`.",
    )


def check_file(path: Path) -> None:
    """Raise LibraryDamaged if the file at `path` is empty, cut short or no SQLite file; costs one read."""
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\x00"):
        raise LibraryDamaged(f"{path} is not a ledger, or is damaged.", hint=remedy(path.parent))
    page = int.from_bytes(header[16:18], "big")
    needed = (65536 if page == 1 else page) * int.from_bytes(header[28:32], "big")
    if path.stat().st_size < needed and not _pending(path):
        raise LibraryDamaged(f"{path} is cut short.", hint=remedy(path.parent))


def _pending(path: Path) -> bool:
    """Say whether writes wait in the write-ahead log beside the ledger."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _connect(path: Path, mode: Mode) -> _Holder:
    file = identity(path)
    if mode == "write":
        return _Holder(_open(path, "mode=rw"), True, file)
    try:
        return _Holder(_open(path, "mode=ro"), True, file)
    except sqlite3.OperationalError:
        # Whoever may not write to the folder cannot make SQLite's shared memory file there. Where no other
        # user has made it, nobody is writing now, and the file may be read as it lies. Another user may
        # begin at any time, and such a connection would not notice: it is good for one use.
        if os.access(path.parent, os.W_OK) or _pending(path):
            raise
        return _Holder(_open(path, "mode=ro&immutable=1"), False, file)


def _open(path: Path, options: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()).encode('utf-8', 'surrogateescape'))}?{options}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        # FULL: a batch that was reported as stored survives a power cut; it costs one fsync a batch.
        connection.execute("PRAGMA synchronous = FULL")
        schema.version(connection)
    except BaseException:
        connection.close()
        raise
    return connection
