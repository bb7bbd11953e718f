"""Find the quantities of a text: numbers in digits or words, with their value and unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = {w: 10 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SUFFIXES = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
_FOLDS = {"twice": 2.0, "twofold": 2.0, "double": 2.0, "doubles": 2.0, "doubled": 2.0, "doubling": 2.0}
_FOLDS |= {"threefold": 3.0, "triple": 3.0, "triples": 3.0, "tripled": 3.0, "fourfold": 4.0, "fivefold": 5.0}
_FOLDS |= {"tenfold": 10.0, "halve": 0.5, "halves": 0.5, "halved": 0.5, "halving": 0.5}

_DIGITS = r"\d{1,3}(?:[,\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_WORD = "|".join([*_ONES, *_TENS])
_SCALE = "|".join(_SCALES)
_NUMBER = re.compile(
    rf"(?P<digits>(?<![\w.])[-\u2212+~]?\$?(?:{_DIGITS}))"
    rf"(?P<suffix>[kKMBT](?![A-Za-z\d]))?"
    rf"|\b(?P<words>(?:{_WORD})(?:[\s-](?:{_WORD}))?)\b"
    rf"|\b(?P<fold>{'|'.join(_FOLDS)})\b"
    rf"|\b(?P<scale_only>{_SCALE})s?\b",
    re.IGNORECASE,
)
_AFTER_SCALE = re.compile(rf"[\s-](?P<scale>{_SCALE})s?\b", re.IGNORECASE)
_UNITS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (unit, re.compile(pattern, re.IGNORECASE))
    for unit, pattern in (
        ("pp", r"\s*(?:percentage|%|percent)[\s-]points?\b|\s*pp\b"),
        ("%", r"\s*(?:%|percent\b|per cent\b|percentage\b)"),
        ("×", r"\s*(?:×|✕|\\times|[xX](?![\w])|[\s-]?fold\b|\stimes\b)"),
        ("s", r"[\s-]*(?:seconds?|secs?|s)\b"),
        ("ms", r"[\s-]*(?:milliseconds?|ms)\b"),
        ("min", r"[\s-]*(?:minutes?|mins?)\b"),
        ("h", r"[\s-]*(?:hours?|hrs?|h)\b"),
        ("day", r"[\s-]*days?\b"),
        ("year", r"[\s-]*years?\b"),
        ("GB", r"[\s-]*(?:GB|GiB|gigabytes?)\b"),
        ("MB", r"[\s-]*(?:MB|MiB|megabytes?)\b"),
        ("Hz", r"[\s-]*(?:k|M|G)?Hz\b"),
        ("kg", r"[\s-]*(?:kg|kilograms?|g|grams?)\b"),
        ("m", r"[\s-]*(?:mm|cm|km|m|metres?|meters?|kilomet(?:er|re)s?)\b"),
        ("dB", r"[\s-]*dB\b"),
    )
)
_NOUN = re.compile(r"[\s-]+(?P<noun>[A-Za-z][A-Za-z-]*)")
_EXPONENT = re.compile(r"[\s]*(?:×|x|\\times)\s*10(?P<exp>[⁻⁺\-+]?[⁰¹²³⁴-⁹\d]+|\^\{?[-+]?\d+\}?)")
_GLUED = re.compile(r"[\w.\-]+$")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: code point offsets, value, unit ("" if none) and the word after it."""

    start: int
    end: int
    value: float
    unit: str
    noun: str = ""


def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities of `text` in order.

    Digits inside names (`EVA-0`, `GPT-4.1-mini`, `A3Bench`, `RefCOCO+`) are not quantities.
    """
    found = []
    position = 0
    while match := _NUMBER.search(text, position):
        quantity = None if _inside_name(text, match) else _read(text, match)
        position = max(quantity.end if quantity else match.end(), match.start() + 1)
        if quantity:
            found.append(quantity)
    return tuple(found)


def _inside_name(text: str, match: re.Match[str]) -> bool:
    if match["digits"] is None:
        return False
    start, end = match.start(), match.end()
    word_before = _GLUED.search(text, max(0, start - 40), start)
    letters_before = word_before is not None and any(c.isalpha() for c in word_before[0])
    glued_after = text[end : end + 1].isalpha() and not match["suffix"] and not _unit_at(text, end)[0]
    return letters_before or glued_after


def _read(text: str, match: re.Match[str]) -> Quantity:
    end = match.end()
    if match["fold"]:
        return Quantity(match.start(), end, _FOLDS[match["fold"].lower()], "×")
    if match["scale_only"]:
        value = _SCALES[match["scale_only"].lower()]
    elif match["words"]:
        value = _word_value(match["words"].lower())
    else:
        value = float(re.sub(r"[^\d.]", "", match["digits"]))
        if match["digits"][0] in "-\u2212":
            value = -value
    if match["suffix"]:
        value *= _SUFFIXES[match["suffix"].lower()]
    if scale := _AFTER_SCALE.match(text, end):
        value *= _SCALES[scale["scale"].lower()]
        end = scale.end()
    if exponent := _EXPONENT.match(text, end):
        value, end = _scaled(value, exponent), exponent.end()
    unit, unit_end = _unit_at(text, end)
    noun = _NOUN.match(text, unit_end)
    return Quantity(match.start(), unit_end, value, unit, noun["noun"].lower() if noun else "")


def _scaled(value: float, exponent: re.Match[str]) -> float:
    power = exponent["exp"].translate(_SUPERSCRIPT).strip("^{}")
    # An exponent beyond a float's range is noise, not a measurement.
    return value * 10.0 ** max(-300, min(300, int(power[:4])))


def _word_value(words: str) -> float:
    return float(sum(_ONES.get(w, 0) + _TENS.get(w, 0) for w in re.split(r"[\s-]", words)))


def _unit_at(text: str, end: int) -> tuple[str, int]:
    for unit, pattern in _UNITS:
        if match := pattern.match(text, end):
            return unit, match.end()
    return "", end
