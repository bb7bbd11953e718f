"""Answers of a Chroma server: a session comes in, and goes on with answers bounded in time and size.

A timeout of httpx holds for each read alone: one byte a second would be waited for without end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

import httpx

# The ids of three million chunks.
MOST_BYTES = 256 * 1024 * 1024


def bound(session: httpx.Client, wait_s: float, most_bytes: int = MOST_BYTES) -> None:
    """Let each answer take at most so many seconds from its beginning; raises httpx.ReadTimeout in it."""

    def bounded(response: httpx.Response) -> None:
        response.stream = _Bounded(cast(httpx.SyncByteStream, response.stream), wait_s, most_bytes)

    session.event_hooks["response"].append(bounded)


class _Bounded(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, wait_s: float, most_bytes: int) -> None:
        self._stream, self._wait_s, self._most_bytes = stream, wait_s, most_bytes

    def __iter__(self) -> Iterator[bytes]:
        end, taken = time.monotonic() + self._wait_s, 0
        for piece in self._stream:
            taken += len(piece)
            if time.monotonic() > end:
                raise httpx.ReadTimeout(f"its answer was not whole after {self._wait_s:g} s")
            if taken > self._most_bytes:
                raise httpx.ReadError(f"its answer is longer than {self._most_bytes:,} bytes")
            yield piece

    def close(self) -> None:
        self._stream.close()
