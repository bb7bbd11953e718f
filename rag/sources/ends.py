"""The text of a file in, a notice out where it seems to have been cut off before its end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.domain import BROKEN_OFF, Notice

_ENDS = (".", "!", "?", "…", "。", "！", "？", ":", "/", "#")
_CLOSING = "”\"')]}*_`|-="


def cut(name: str, text: str, is_cut: bool) -> Iterator[Notice]:
    """Yield a notice that a file seems to break off where its text ends, if it does."""
    if is_cut:
        reason = "the file seems to break off here, so what it no longer holds cannot be told"
        yield Notice(name, text.rstrip().count("\n") + 1, reason, skipped=False, kind=BROKEN_OFF)


def in_a_line(text: str) -> bool:
    """Say whether a text ends inside a sentence: neither its line nor a sentence ends with it."""
    return not text.endswith("\n") and not text.rstrip().rstrip(_CLOSING).endswith(_ENDS)


def in_a_reference(text: str, begins: re.Pattern[str], mark: re.Pattern[str]) -> bool:
    """Say whether a text ends inside a reference: without the end mark that others have, or in a line."""
    last = max((found.end() for found in mark.finditer(text)), default=0)
    if last and begins.search(text, last):
        return True
    return bool(text[last:].strip()) and in_a_line(text)
