"""Find the abbreviations a text defines: "test-time scaling (TTS)" → {"TTS": "test-time scaling"}."""

from __future__ import annotations

import re

# The long form is looked for in the words just before the bracket, at most this many.
_LONGEST = 10
_SHORT_IN_BRACKETS = re.compile(r"\(\s*(?P<short>[A-Za-z][\w\-&/.+]{1,14})\s*(?:[;,:][^()]*)?\)")
_LONG_IN_BRACKETS = re.compile(r"\b(?P<short>[A-Z][\w-]{1,14})\s+\((?P<long>[A-Za-z][^()]{4,80})\)")
_WORD = re.compile(r"[^\W_]+")


def abbreviations(text: str) -> dict[str, str]:
    """Return short form → long form for each abbreviation `text` defines.

    The matching is that of Schwartz & Hearst (2003), "A simple algorithm for identifying abbreviation
    definitions in biomedical text": the letters of the short form are found right to left in the words
    before it, the first one at the beginning of a word.
    """
    found: dict[str, str] = {}
    for match in _SHORT_IN_BRACKETS.finditer(text):
        short = _singular(match["short"])
        long = _long_form(short, text[max(0, match.start() - 160) : match.start()])
        if long:
            found.setdefault(short, long)
    for match in _LONG_IN_BRACKETS.finditer(text):
        long = _long_form(_singular(match["short"]), match["long"])
        if long and len(long) > len(match["long"]) * 0.6:
            found.setdefault(_singular(match["short"]), long)
    return found


def _singular(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[-2].isupper() else short


def _long_form(short: str, before: str) -> str:
    if not any(c.isupper() for c in short):
        return ""
    words = list(_WORD.finditer(before))[-min(_LONGEST, len(short) + 5) :]
    if not words:
        return ""
    window = before[words[0].start() :].rstrip()
    start = _match_backwards([c.lower() for c in short if c.isalnum()], window)
    long = window[start:] if start is not None else ""
    return long if len(long) > len(short) and long.lower() != short.lower() else ""


def _match_backwards(letters: list[str], window: str) -> int | None:
    """Return where the long form begins in `window`, or None if the letters are not all there in order."""
    at = len(window) - 1
    for i in range(len(letters) - 1, -1, -1):
        while at >= 0:
            starts_word = at == 0 or not window[at - 1].isalnum()
            if window[at].lower() == letters[i] and (i > 0 or starts_word):
                break
            at -= 1
        if at < 0:
            return None
        at -= 1
    return at + 1
