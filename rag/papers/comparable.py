"""A text in, its words made comparable out: without marks, tags, case, accents and licence lines."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from rag.text.latex import readable

# Letters and digits are words of their own, so that CO2 and CO 2, EVA0 and EVA-0 come out the same.
_WORD = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)|(?P<character>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])|(?P<word>[^\W\d_]+)"
)
_INLINE_TAG = re.compile(
    r"</?(?:jats:)?(?:su[bp]|i|b|em|strong|italic|bold|u|sc|tt|span)\b[^<>]{0,80}>", re.I
)
_TAG = re.compile(r"</?[a-zA-Z][\w:.-]{0,30}(?:\s[^<>]{0,200})?/?>")
_ACCENTS = re.compile("[\u0300-\u036f]")
_SENTENCE_END = ".!?:"
# What publishers put before and after an abstract.
_LICENCE = re.compile(
    r"(?:©|\(c\)\s*(?:copyright\s*)?(?=\d{4}|the\b|by\b)"
    r"|\bcopyright\b(?:\s*(?:©|\(c\)))?(?=\s*(?:\d{4}|the\b|by\b)))"
    r"[^.]{0,120}(?:\.|$)(?:[A-Z]\.)?(?:\s*all rights reserved\.?)?"
    r"|\ball rights reserved\.?"
    r"|\bthis (?:article|work|paper) is (?:protected by copyright|licensed under)[^.]{0,160}"
    r"(?:\d\.\d[^.]{0,60})?\.?"
    r"|\bthis is an open access article[^.]{0,200}(?:\d\.\d[^.]{0,60})?\.?"
    r"|\bpersonal use of this material is permitted\.?"
    r"|\bpublished by [A-Z][^.]{0,60}(?:\.|$)",
    re.IGNORECASE,
)
_CITED = re.compile(r"\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]")
_LABEL = re.compile(r"^\W*(?:abstract|summary)\b\s*[:.—–-]?\s*", re.IGNORECASE)
_NUMBER_WORDS: Mapping[str, str] = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)
}
_DECIMAL = re.compile(r"\d+\.\d+")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared, and whether it is a `number`, or looks like a `name`."""

    text: str
    number: bool = False
    name: bool = False


def plain_words(text: str) -> tuple[Word, ...]:
    """Return the words of a text, or of a title, in order."""
    plain = unicodedata.normalize("NFKC", readable(_untagged(text)))
    plain = _LICENCE.sub(" ", _LABEL.sub("", _CITED.sub(" ", plain)))
    return tuple(_word(match, plain) for match in _WORD.finditer(plain))


def _untagged(text: str) -> str:
    if "<" not in text and "&" not in text:
        return text
    return html.unescape(_TAG.sub(" ", _INLINE_TAG.sub("", text)))


def _word(match: re.Match[str], text: str) -> Word:
    written = match[0]
    if match["number"]:
        return Word(_number(written), number=True)
    folded = _ACCENTS.sub("", unicodedata.normalize("NFD", written.casefold()))
    if folded in _NUMBER_WORDS:
        return Word(_NUMBER_WORDS[folded], number=True)
    return Word(folded, name=_looks_like_name(written, _before(text, match.start()), text, match.end()))


def _number(written: str) -> str:
    """Return a number without what may be written or left out: 1,000 is 1000, 0.50 is 0.5."""
    if _GROUPED.fullmatch(written):
        written = written.replace(",", "")
    if _DECIMAL.fullmatch(written):
        return written.rstrip("0").rstrip(".")
    return written


def _before(text: str, start: int) -> str:
    """Return the last character before `start` that is no space."""
    return text[max(0, start - 4) : start].rstrip()[-1:]


def _looks_like_name(written: str, before: str, text: str, end: int) -> bool:
    if any(char.isupper() for char in written[1:]):
        return True
    if not written[0].isupper() or len(written) == 1 and written in "AI":
        return False
    # A capital says nothing at the beginning of a sentence, unless a digit or hyphen follows.
    begins = not before or before in _SENTENCE_END
    return not begins or text[end : end + 1].isdigit()
