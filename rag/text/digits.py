"""Text of unknown origin in, the whole number that its digits write out, of a size that anything can hold."""

from __future__ import annotations

_MOST = 18  # digits: fits the 64 bits of a database, and the limit Python sets for reading numbers


def whole(text: str) -> int | None:
    """Return the number that ASCII digits alone write; None for anything else, and beyond 18 digits."""
    return int(text) if len(text) <= _MOST and text.isascii() and text.isdigit() else None
