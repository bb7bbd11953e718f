"""Strings that SQLite can store: lone surrogates replaced, odd file names spelled out."""

from __future__ import annotations

import re

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def storable(text: str) -> str:
    """Replace lone surrogates one for one, so that offsets into the text stay true."""
    return text if text.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def visible(name: str) -> str:
    r"""Write the bytes of a file name that is not UTF-8 as \udc80 and the like: still one name each."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")
