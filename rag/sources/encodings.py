"""Bytes of text that is not UTF-8 in, the name of the encoding it is most likely in out."""

from __future__ import annotations

import re

_SAMPLE = 1024 * 1024
_WESTERN = "cp1252"
_WESTERN_MARKS = frozenset(
    "àáâãäåæçèéêëìíîïñòóôõöøùúûüßœÿÀÁÂÃÄÅÆÇÈÉÊËÍÎÏÑÓÔÕÖØÚÛÜŒ“”‘’„–—…•«»¿¡§©®™°±×·µ€\xa0\xad"
)
# Letters of single languages in other pages of Windows: a text that fits one of them is in it.
_PUNCTUATION = "„“”‚‘’–—…•«»§©®™°±×·€\xa0"
_OTHER_PAGES = tuple(
    (page, frozenset(letters + letters.upper() + _PUNCTUATION))
    for page, letters in (
        ("cp1250", "ąćęłńóśźż"),
        ("cp1250", "áčďéěíňóřšťúůýžäĺľŕô"),
        ("cp1250", "áéíóöőúüű"),
        ("cp1250", "ăâîşţ"),
        ("cp1250", "čćđšž"),
        ("cp1257", "ąčęėįšųūž"),
        ("cp1257", "āčēģīķļņšūž"),
        ("cp1257", "äõöüšž"),
    )
)
_MOST_MARKED_SHARE = 0.3
_CYRILLIC = frozenset(chr(code) for code in range(0x400, 0x460)) | frozenset(_PUNCTUATION + "№Ґґ")
_CYRILLIC_WORD = re.compile("[\u0400-\u045f]{3,}")
_EASTERN = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]")
_RUN = re.compile(f"{_EASTERN.pattern}{{2,}}")
# What no longer text in a language does without.
_EASTERN_PAGES = (
    ("shift_jis", re.compile("[\u3041-\u30ff]")),
    ("euc_jp", re.compile("[\u3041-\u30ff]")),
    ("euc_kr", re.compile("[\uac00-\ud7af]")),
    ("gb18030", re.compile("[的是在和了中]")),
    ("big5", re.compile("[的是在和了中]")),
)
_LEAST_EASTERN, _LEAST_RUNS, _LEAST_USUAL = 8, 0.9, 0.02


def guessed_encoding(data: bytes) -> str:
    """Return the encoding that text which is not UTF-8 is most likely in."""
    from charset_normalizer import from_bytes

    data = data[:_SAMPLE]
    best = from_bytes(data).best()
    if best and best.multi_byte_usage:
        return best.encoding
    # Pages for Latin letters differ in a few: in short texts the guess falls on any of them.
    pages = ((_WESTERN, _WESTERN_MARKS), *_OTHER_PAGES)
    found = next((page for page, marks in pages if _fits(data, page, marks)), "")
    found = found or ("cp1251" if _is_cyrillic(data) else "")
    found = found or next((page for page, usual in _EASTERN_PAGES if _is_eastern(data, page, usual)), "")
    return found or (best.encoding if best else _WESTERN)


def _fits(data: bytes, page: str, marks: frozenset[str]) -> bool:
    """Tell whether the bytes, read in a page of Windows, are Latin letters with a few of these marks."""
    text = _decoded(data, page)
    beyond = [char for char in text if char > "\x7f"]
    letters = sum(map(str.isalpha, text))
    marked = sum(map(str.isalpha, beyond))
    return bool(text) and marks.issuperset(beyond) and marked <= letters * _MOST_MARKED_SHARE


def _is_cyrillic(data: bytes) -> bool:
    """Tell whether the bytes, read in cp1251, are words in Cyrillic, mostly small letters.

    In other pages the cases are swapped, or the letters stand among Latin ones.
    """
    text = _decoded(data, "cp1251")
    beyond = [char for char in text if char > "\x7f"]
    in_words = sum(map(len, _CYRILLIC_WORD.findall(text)))
    small = sum(map(str.islower, beyond))
    return (
        bool(beyond)
        and _CYRILLIC.issuperset(beyond)
        and small > len(beyond) / 2
        and in_words > len(beyond) / 2
    )


def _is_eastern(data: bytes, page: str, usual: re.Pattern[str]) -> bool:
    """Tell whether the bytes are text of East Asia: its characters stand together, usual ones among them."""
    text = _decoded(data, page)
    count = len(_EASTERN.findall(text))
    if count < _LEAST_EASTERN or len(usual.findall(text)) < count * _LEAST_USUAL:
        return False
    return sum(map(len, _RUN.findall(text))) >= count * _LEAST_RUNS


def _decoded(data: bytes, page: str) -> str:
    """Return the bytes read in an encoding, or ""; a character cut at the end does not count."""
    for cut in range(4):
        try:
            return data[: len(data) - cut].decode(page)
        except UnicodeDecodeError as error:
            if error.start < len(data) - 4:
                return ""
    return ""
