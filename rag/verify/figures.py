"""A text in, its figures out: numbers, fractions and units, with the "about" or "over" before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.text.quantities import Quantity, quantities

_FRACTIONS = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "thirds": 200 / 3, "quarters": 75.0}
_FRACTION = re.compile(
    r"\b(?:(?:a|one|two|three|two-|three-)[\s-]?)?(?P<word>half|thirds?|quarters?)\b(?=\s+(?:of|the|as|all|an?)\b)"
    r"|(?<![\w./])(?P<over>[1-9])/(?P<under>[2-9])(?![\w/])",
    re.IGNORECASE,
)
_GLUED = re.compile(
    r"(?<![\w.])(?P<value>\d+(?:\.\d+)?)(?P<unit>fps|p|kHz|mW|W|V|bits?|μs|µs|ns|dpi|px|Gbps|Mbps)\b"
)
_PER_SECOND = re.compile(r"\s*(?:frames (?:per|an?|each|every) second|fps)\b", re.IGNORECASE)
_MAGNITUDE = re.compile(
    r"\b(?:(?P<low>one|two|three|four|[1-9])\s*(?:or|to|[-–—])\s*)?(?P<high>an|one|two|three|four|five|six|[1-9])"
    r"\s+orders?[\s-]of[\s-]magnitude\b",
    re.IGNORECASE,
)
_FACTOR = re.compile(r"\bfactors? of (?:about |around |roughly |almost |nearly |over )?$", re.IGNORECASE)
_DOZEN = re.compile(r"\b(?:an?|one) dozen\b", re.IGNORECASE)
_POWERS = {"an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_SECONDS = {"ms": 0.001, "min": 60.0, "h": 3600.0}
_YEAR = re.compile(r"1[89]\d\d|20\d\d")
_DATED = re.compile(
    r"\b(?:in|by|since|until|during|before|after|year|of|from|[A-Z][a-z]{2,8}|[A-Z][A-Za-z]*[A-Z])\s$"
)
_COUNTED = re.compile(r"\s[a-z]")
# The numbers of a list within a sentence: "(1) …, 2) …".
_LISTING = re.compile(r"(?:^|\(|[,;:.] |and )[1-9]\)$")
_ORDINALS = "second third fourth fifth sixth seventh eighth ninth tenth".split()
_ORDINAL = re.compile(
    rf"(?<!\d )(?<!-)\b(?P<word>{'|'.join(_ORDINALS)})\b(?=\s+[a-z])(?!\s+(?:of|and|or)\b)", re.IGNORECASE
)
_SINGLE = re.compile(r"\bsingle\b", re.IGNORECASE)
_THOUSANDS = re.compile(r",\s\d{3}(?!\d)")
_RANGE = re.compile(r"\s*[-–—−~]\s*|\s+to\s+(?:an?\s+)?")
_BETWEEN = re.compile(r"\bbetween\s+(?:about\s+|around\s+|roughly\s+)?$", re.IGNORECASE)
_BEFORE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"(?:{pattern})\s*(?:(?:the|an?|of)\s*)?$", re.IGNORECASE))
    for name, pattern in (
        (
            "about",
            r"\babout|\baround|\broughly|\bapproximately|\bsome|\bcirca|\bca\.|≈|~|∼|\bclose to"
            r"|\bof the order of",
        ),
        ("nearly", r"\bnearly|\balmost|\bjust under|\bjust below"),
        (
            "over",
            r"\bover|\bmore than|\babove|\bat least|\bexceed(?:s|ing)?|\bgreater than|\bbeyond|>|≥"
            r"|\bno (?:less|fewer) than"
            r"|\blarger than|\bhigher than",
        ),
        (
            "under",
            r"\bunder|\bless than|\bfewer than|\bbelow|\bat most|\bup to|\bno more than|\bas many as"
            r"|\bas much as|<|≤"
            r"|\bsmaller than|\blower than",
        ),
    )
)
_BOUND = {"over": 1, "nearly": -1, "under": -1}
_REACH = 18
_CAP = re.compile(r"\b(?:up to|as many as|as much as|at most)\s*(?:(?:an?|the)\s*)?$", re.IGNORECASE)
_CLASSES = {"pp": "%"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text: offsets, value, unit ("" if none), and how exact it is meant.

    `bound` is 1 for "over", -1 for "under"; `loose` marks "about" and "nearly"; `word` a number spelt in
    letters, `high` the other end of a range.
    """

    start: int
    end: int
    value: float
    unit: str
    bound: int
    loose: bool
    word: bool
    high: float

    def agrees(self, other: Figure) -> bool:
        """Tell whether `other`, a figure of the abstract, makes this figure of a claim true."""
        if not _units_fit(self.unit, other.unit):
            return False
        if self.bound and other.bound and self.bound != other.bound:
            return False
        if self.high > self.value:
            return other.high > other.value and self.value == other.value and self.high == other.high
        if other.value < 0 <= self.value:
            # "A drop of -10%" is a drop of 10%.
            return _near(self, -other.value)
        return _near(self, other.value) or (other.high > other.value and _near(self, other.high))

    def comparable(self, other: Figure) -> bool:
        """Tell whether the two could be figures for the same thing."""
        return self.unit == other.unit


@lru_cache(maxsize=2048)
def figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of `text` in order."""
    plain = [
        _figure(text, q)
        for q in _whole(text, quantities(text))
        if not _LISTING.search(text[max(q.start - 4, 0) : q.end + 1])
    ]
    extra = list(_extra(text))
    taken = {i for f in extra for i in range(f.start, f.end)}
    plain = [f for f in plain if f.start not in taken]
    return tuple(_ranges(text, sorted((*plain, *extra), key=lambda f: f.start)))


def _whole(text: str, found: tuple[Quantity, ...]) -> Iterator[Quantity]:
    """Put together what a space after the comma has split: "4, 000"."""
    skip = -1
    for q in found:
        if q.start == skip:
            continue
        split = _THOUSANDS.match(text, q.end)
        if split and text[split.end() - 3 : split.end()] == "000" and text[q.start : q.end].isdigit():
            skip = split.end() - 3
            q = replace(q, end=split.end(), value=q.value * 1000)
        yield q


def _figure(text: str, q: Quantity) -> Figure:
    per_second = _PER_SECOND.match(text, q.end) if not q.unit else None
    end = per_second.end() if per_second else q.end
    if _YEAR.fullmatch(text[q.start : q.end]) and (
        _DATED.search(text[: q.start]) or not _COUNTED.match(text, q.end)
    ):
        return _made(text, q.start, q.end, q.value, "date")
    unit = "fps" if per_second else _CLASSES.get(q.unit, q.unit)
    if not unit and _FACTOR.search(text[: q.start]):
        unit = "×"
    if unit in _SECONDS:
        return _made(text, q.start, end, q.value * _SECONDS[unit], "s")
    return _made(text, q.start, end, q.value, unit)


def _extra(text: str) -> Iterator[Figure]:
    for match in _FRACTION.finditer(text):
        value = (
            _FRACTIONS[match["word"].lower()]
            if match["word"]
            else 100 * int(match["over"]) / int(match["under"])
        )
        yield _made(text, match.start(), match.end(), value, "%")
    for match in _GLUED.finditer(text):
        yield _made(text, match.start(), match.end(), float(match["value"]), match["unit"])
    for match in _MAGNITUDE.finditer(text):
        powers = [_power(written) for written in (match["low"], match["high"]) if written]
        most = _made(text, match.start(), match.end(), 10.0 ** powers[-1], "×")
        yield replace(most, value=10.0 ** powers[0])
    for match in _ORDINAL.finditer(text):
        yield _made(text, match.start(), match.end(), _ORDINALS.index(match["word"].lower()) + 2.0, "#")
    for match in _DOZEN.finditer(text):
        yield _made(text, match.start(), match.end(), 12.0, "")
    for match in _SINGLE.finditer(text):
        yield _made(text, match.start(), match.end(), 1.0, "")


def _power(written: str) -> int:
    return _POWERS.get(written.lower()) or int(written)


def _made(text: str, start: int, end: int, value: float, unit: str) -> Figure:
    before = text[max(0, start - _REACH) : start]
    name = next((name for name, pattern in _BEFORE if pattern.search(before)), "")
    # "Up to 23%" and "by 23%" are told of the same result: a cap is not held against a claim.
    bound = 0 if _CAP.search(before) else _BOUND.get(name, 0)
    word = not any(c.isdigit() for c in text[start:end])
    return Figure(start, end, value, unit, bound, name in ("about", "nearly"), word, value)


def _ranges(text: str, found: list[Figure]) -> Iterator[Figure]:
    """Put the two ends of a range together, with the unit of the second: 27-44%."""
    i = 0
    while i < len(found):
        left, right = found[i], found[i + 1] if i + 1 < len(found) else None
        if right and right.value and _is_range(text, left, right):
            yield replace(left, end=right.end, unit=right.unit or left.unit, high=abs(right.value))
            i += 1
        else:
            yield left
        i += 1


def _is_range(text: str, left: Figure, right: Figure) -> bool:
    between = text[left.end : right.start]
    dash = between == "" and text[right.start] in "-−" or bool(_RANGE.fullmatch(between))
    dash = dash or (between.strip() == "and" and bool(_BETWEEN.search(text[: left.start])))
    return dash and left.unit in ("", right.unit) and abs(right.value) > left.value >= 0


def _units_fit(ours: str, theirs: str) -> bool:
    return ours == theirs or {ours, theirs} in ({"", "%"}, {"", "×"}, {"", "date"})


def _near(claimed: Figure, value: float) -> bool:
    if abs(claimed.value - value) <= 1e-9 * max(1.0, abs(value)):
        return True
    if claimed.bound > 0:
        return claimed.value < value <= claimed.value * 1.2
    if claimed.bound < 0:
        return claimed.value * 0.85 <= value < claimed.value or (
            claimed.loose and value <= claimed.value * 1.05
        )
    if claimed.loose:
        return abs(claimed.value - value) <= 0.05 * abs(value)
    return _rounds_to(claimed.value, value)


def _rounds_to(claimed: float, value: float) -> bool:
    """Tell whether `claimed` is `value` with fewer digits after the point."""
    if float(value).is_integer():
        return False
    shown = f"{claimed:.10g}"
    digits = len(shown.partition(".")[2])
    return (
        digits < len(f"{value:.10g}".partition(".")[2])
        and round(value, digits) == claimed
        and abs(value) >= 1
    )
