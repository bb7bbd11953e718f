"""A number and a noun in, both in words out: `1 paper`, `1,200 papers`."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return the number with the noun, in the plural but for one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
