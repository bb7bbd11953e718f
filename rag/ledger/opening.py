"""A library's folder → its ledger, open: made, checked, locked and brought up to date as need be."""

from __future__ import annotations

from pathlib import Path

from rag.errors import LibraryError
from rag.ledger import schema
from rag.ledger.connections import Mode, check_file, edge
from rag.ledger.lock import WriterLock
from rag.ledger.reading import LEDGER_FILE
from rag.ledger.writing import Writer


class Ledger(Writer):
    """A library's ledger, open for reading or, by one process at a time, for writing.

    Safe to use from many threads. Papers come out in the order they were stored.
    """

    @classmethod
    def open(cls, folder: Path | str, mode: Mode = "read") -> Ledger:
        """Open the library in `folder`; mode "write" takes the writer's lock and makes a missing library.

        Raises LibraryError if it is missing or newer than the program, LibraryLocked if another process
        writes to it, LibraryDamaged if the file is cut short or no ledger.
        """
        folder = Path(folder)
        return _open_to_write(folder) if mode == "write" else _open_to_read(folder)


def _open_to_read(folder: Path) -> Ledger:
    path = folder / LEDGER_FILE
    if not path.is_file():
        raise LibraryError(f"There is no library in {folder}.", hint="Make one with `rag ingest PATH`.")
    _check(path)
    ledger = Ledger(folder, "read", None)
    with edge(path):
        if schema.version(ledger._connections.get()) < schema.VERSION:
            _open_to_write(folder).close()
    return ledger


def _open_to_write(folder: Path) -> Ledger:
    path = folder / LEDGER_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise LibraryError(
            f"{str(folder)!r} cannot be made: {error}.", hint="Name another --library."
        ) from error
    lock = WriterLock(folder).acquire()
    try:
        with edge(path):
            if not path.exists():
                schema.create(path)
            _check(path)
            ledger = Ledger(folder, "write", lock)
            schema.migrate(ledger._connections.get())
    except BaseException:
        lock.release()
        raise
    return ledger


def _check(path: Path) -> None:
    try:
        check_file(path)
    except OSError as error:
        raise LibraryError(f"{path} cannot be read: {error}.", hint="Check its permissions.") from error
