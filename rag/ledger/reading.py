"""The ledger's file opened for queries: SQL and values in, rows out."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rag.closing import Closing
from rag.ledger.connections import Connections, Mode, edge
from rag.ledger.strings import storable

LEDGER_FILE = "ledger.sqlite"
_VALUES_PER_QUERY = 500


class Reader(Closing):
    """Runs queries on the ledger in `folder`. Safe to use from many threads."""

    def __init__(self, folder: Path, mode: Mode = "read") -> None:
        self.folder = folder
        self.path = folder / LEDGER_FILE
        self.mode = mode
        self._connections = Connections(self.path, mode)

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()

    def copy_to(self, target: Path) -> None:
        """Write a copy of the ledger as it is now to a new file, while others may go on writing."""
        source = self._connections.get()
        with edge(target), contextlib.closing(sqlite3.connect(target)) as copy:
            source.backup(copy)

    def _all(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with edge(self.path):
            return self._connections.get().execute(query, values).fetchall()

    def _each(self, query: str) -> Iterator[Any]:
        """Yield the rows of a query one by one, for those too many to hold beside what is made of them."""
        with edge(self.path):
            yield from self._connections.get().execute(query)

    def _one(self, query: str) -> Any:
        return self._all(query)[0][0]

    def _where_id(self, query: str, ids: Iterable[str]) -> list[Any]:
        """Run a query with `IN ({})` over any number of ids; each id once."""
        return self._where_in(query, [storable(paper_id) for paper_id in dict.fromkeys(ids)])

    def _where_in(self, query: str, values: Sequence[Any]) -> list[Any]:
        rows: list[Any] = []
        for start in range(0, len(values), _VALUES_PER_QUERY):
            some = values[start : start + _VALUES_PER_QUERY]
            rows += self._all(query.format(",".join("?" * len(some))), some)
        return rows
