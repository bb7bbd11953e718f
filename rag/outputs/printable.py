"""Printable text: text of unknown origin comes in, text that cannot act on a terminal goes out."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor moves
    r"|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # strings: titles, clipboard
    r"|\x1b[ -/]*[0-~]?"
)
_BREAKS = re.compile(r"[\t\r\v\f\x85\u2028\u2029]")
# Controls, invisible marks that reorder what is read, and halves of characters.
_INVISIBLE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_RAW_CONTROLS = re.compile(
    r"[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Return the text without escape sequences, control characters and reordering marks; newlines stay."""
    text = _BREAKS.sub(" ", _ESCAPES.sub("", text))
    return _SURROGATES.sub("\ufffd", _INVISIBLE.sub("", text))


def one_line(text: str, limit: int = 0) -> str:
    """Return the cleaned text on one line, cut with `…` to `limit` characters when that is above 0."""
    line = " ".join(clean(text).split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def to_json(value: Any, *, indent: int | None = 2) -> str:
    """Return JSON in readable Unicode, with the characters that could act on a terminal escaped.

    What JSON cannot say is said another way: no number is null, any other object is its text.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False, default=str)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, default=str)
    return _RAW_CONTROLS.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _finite(value: Any) -> Any:
    """Return the value with None for each number that is not finite, such as NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_finite(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
