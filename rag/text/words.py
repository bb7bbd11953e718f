"""Text in, index terms out: normalised, folded, stemmed words; and names folded so that spellings meet."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache

# Combining marks inside words of Arabic, Indic and Thai script, which `\w` leaves out.
_MARK = "\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u0e00-\u0e7f"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U000323af"
_PART = rf"(?:[^\W_{_CJK}]|[{_MARK}])"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)|(?P<number>\d+(?:[.,]\d+)+(?!\w))|(?P<word>{_PART}+(?:[-\u2010_]{_PART}+)*)"
)
_JOINT = re.compile(r"[-\u2010_]")
_RAISED = re.compile(r"\$?\^\{?(\w{1,8})\}?\$?")
_POSSESSIVE = re.compile(r"['’]s\b")
_ACCENTS = re.compile("[\u0300-\u036f]")
_PLAIN_WORD = re.compile(r"[a-z]+")

STOP_WORDS = frozenset(
    """
    a about above after again against all also although am an and any are as at be because been before
    being below between both but by can cannot could did do does doing done down during each either else
    ever every few for from further get gets had has have having he her here hers him his how however i if
    in into is it its itself just let many may me might more most much must my neither no nor not of off
    on once one only onto or other our ours out over own per please rather s same shall she should so some
    such t tell than that the their theirs them then there these they this those though through thus to
    too under until up upon us use used uses using very via was we were what when where whether which
    while who whom whose why will with within without would you your yours
    """.split()
)
_NO_LETTER = re.compile(r"[^a-z0-9]+")


def terms(text: str) -> list[str]:
    """Return the index terms of `text` in order, repeats kept.

    Compounds give their parts and the joined form (`EVA-0` → eva, 0, eva0); Chinese, Japanese and Korean
    runs give pairs of characters.
    """
    return _stemmed(list(_tokens(text)))


def content_terms(text: str) -> list[str]:
    """Return `terms(text)` without English stop words."""
    return _stemmed([token for token in _tokens(text) if token not in STOP_WORDS])


def fold_name(name: str) -> str:
    """Return the letters and digits of `name`, folded: `A$^3$Bench` and `a3bench` become one."""
    if name.isascii():
        return _NO_LETTER.sub("", name.lower())
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(char for char in _without_accents(folded) if char.isalnum())


def _tokens(text: str) -> Iterator[str]:
    folded = _without_accents(unicodedata.normalize("NFKC", text).casefold())
    folded = _POSSESSIVE.sub("", _RAISED.sub(r"\1", folded))
    for match in _TOKEN.finditer(folded):
        yield from _SPLITTERS[match.lastgroup or "word"](match[0])


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]


def _number(written: str) -> list[str]:
    return [written.replace(",", "")]


def _word(written: str) -> list[str]:
    parts = _JOINT.split(written)
    return [*parts, "".join(parts)] if len(parts) > 1 else parts


_SPLITTERS: dict[str, Callable[[str], list[str]]] = {"cjk": _pairs, "number": _number, "word": _word}


def _without_accents(text: str) -> str:
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare)


def _stemmed(tokens: list[str]) -> list[str]:
    stem = _stemmer()
    return [stem(token) if _PLAIN_WORD.fullmatch(token) else token for token in tokens]


@cache
def _stemmer() -> Callable[[str], str]:
    from Stemmer import Stemmer

    stem: Callable[[str], str] = Stemmer("english").stemWord
    return stem
