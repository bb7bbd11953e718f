"""What was paid for once: replies of chat models, vectors, and what is known of their servers; by key.

It is a part of the ledger in a file of its own. Whoever asks may add to it while another process ingests,
and what an interrupted or undone ingest has paid for is still there. It can be deleted at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedders import Vectors
from rag.ledger.strings import storable

RECALL_FILE = "recall.sqlite"
_BUSY_TIMEOUT_S = 2.0
_SERVER_AGE_S = 7 * 24 * 3600
_KEYS_PER_QUERY = 500
# SQLite quotes damaged names in its messages, which then are no text.
_UNUSABLE = (sqlite3.Error, UnicodeDecodeError)

_TABLES = """
CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, created REAL NOT NULL, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS servers (key TEXT PRIMARY KEY, created REAL NOT NULL, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL);
"""


def digest(*parts: str) -> str:
    """Return a key made of texts; where one ends and the next begins counts."""
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Recall:
    """The store beside the ledger in `folder`. Safe to use from many threads and processes.

    It saves money and is never needed: where it cannot be read or written, nothing is remembered.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / RECALL_FILE
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def reply(self, key: str) -> Mapping[str, Any] | None:
        """Return a reply that was kept, None if there is none."""
        return self._value("SELECT value FROM replies WHERE key = ?", (key,))

    def keep_reply(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a reply."""
        row = (key, time.time(), storable(json.dumps(value)))
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", [row])

    def server(self, key: str) -> Mapping[str, Any] | None:
        """Return what is known of a server; None if nothing, or nothing recent."""
        since = time.time() - _SERVER_AGE_S
        return self._value("SELECT value FROM servers WHERE key = ? AND created > ?", (key, since))

    def keep_server(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep what was learnt of a server."""
        self._write(
            "INSERT OR REPLACE INTO servers VALUES (?, ?, ?)", [(key, time.time(), json.dumps(value))]
        )

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return those of the vectors with these keys that were kept, float32."""
        found: dict[str, Vectors] = {}
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            some = keys[start : start + _KEYS_PER_QUERY]
            query = f"SELECT key, vector FROM vectors WHERE key IN ({','.join('?' * len(some))})"
            with contextlib.suppress(ValueError, TypeError):
                found |= {key: np.frombuffer(blob, dtype="<f4") for key, blob in self._read(query, some)}
        return found

    def keep_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep float32 vectors by key."""
        rows = [(key, np.asarray(row, dtype="<f4").tobytes()) for key, row in vectors.items()]
        self._write("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def _value(self, query: str, values: Sequence[Any]) -> Mapping[str, Any] | None:
        rows = self._read(query, values)
        # A damaged file may give anything, also of another type.
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            value = json.loads(rows[0][0]) if rows else None
            return value if isinstance(value, dict) else None
        return None

    def _read(self, query: str, values: Sequence[Any]) -> list[Any]:
        with contextlib.suppress(*_UNUSABLE), self._open() as db:
            return db.execute(query, values).fetchall()
        return []

    def _write(self, query: str, rows: Sequence[Sequence[Any]]) -> None:
        with contextlib.suppress(*_UNUSABLE), self._open() as db, db:
            db.executemany(query, rows)

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._connection is None:
                self._connection = _connect(self.path)
            yield self._connection


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.executescript(_TABLES)
    except BaseException:
        db.close()
        raise
    return db
