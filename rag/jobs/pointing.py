"""Words that point back in a conversation: a question comes in, what points at earlier papers goes out.

Each kind of pointer is a pattern and a line in POINTERS.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["run", "place", "pair", "other", "choice", "described", "plural", "singular"]

_PLACES: Mapping[str, int] = {
    word: place
    for place, words in enumerate(
        (
            "first 1st one 1 一",
            "second 2nd two 2 二",
            "third 3rd three 3 三",
            "fourth 4th four 4 四",
            "fifth 5th five 5 五",
            "sixth 6th six 6 六",
            "seventh 7th seven 7 七",
            "eighth 8th eight 8 八",
            "ninth 9th nine 9 九",
            "tenth 10th ten 10 十",
        ),
        1,
    )
    for word in words.split()
}
LAST = 0
_ORDER = "|".join(word for word in _PLACES if word[-2:] in ("st", "nd", "rd", "th"))
_COUNT = "|".join(word for word in _PLACES if word.isascii() and word not in _ORDER.split("|"))
_WORK = "one|paper|study|work|method|approach|model|system|article|abstract|benchmark|dataset|framework"
_WORKS = "ones|papers|studies|works|methods|approaches|models|systems|articles|benchmarks|datasets|frameworks"

POINTERS: Mapping[Kind, re.Pattern[str]] = {
    # "the first two"
    "run": re.compile(
        rf"\bthe (?P<end>first|last) (?P<count>two|three|four|five|[2-5])\b(?: (?:{_WORKS}))?", re.I
    ),
    # "The second one" and "what about the second?" mean a paper; "the second step" does not.
    "place": re.compile(
        rf"\bthe (?:(?P<order>{_ORDER}|last)\b(?! (?:two|three|four|five|[2-5])\b)(?:,? (?:and|or)(?= the )"
        rf"|,(?= the )|\s+(?:(?:{_WORK})\b(?:,? of (?:them|these|those)\b)?|of (?:them|these|those)\b)"
        r"|(?= (?:with|to|against|from|than|better|faster|slower|smaller|larger|cheaper|newer|more|less)\b)"
        r"|\s*(?=[?.!,;]|$)))"
        rf"|(?:(?<=\band )|(?<=\bor ))the (?P<after>{_ORDER}|last)\b"
        r"(?! (?:step|stage|layer|half|part|time|term)s?\b)"
        rf"|\b(?:paper|number|no\.|reference|ref\.?|item)\s+(?P<count>{_COUNT})\b"
        r"|\[(?P<marker>\d{1,2})\]|(?<!\w)#(?P<number>\d{1,2})\b|第(?P<chinese>[一二三四五六七八九十\d])(?:篇|个|種|种)",
        re.I,
    ),
    "pair": re.compile(r"\bthe (?P<which>former|latter)(?: one)?\b", re.I),
    "other": re.compile(
        rf"\bthe other(?P<many> (?:two|three|{_WORKS})|s\b)?(?: (?:{_WORK}))?(?=[\s?.!,;]|$)(?! hand\b)", re.I
    ),
    "choice": re.compile(
        r"\bwhich (?:one|ones|of (?:them|these|those|the (?:two|three|four|five)))\b"
        r"|\b(?:either|any|both|all|none|each|one) of (?:them|these|those)\b"
        r"|^(?:and |so |but |then )?which (?:is|are|was|were|has|have|had|does|do|did|can|performs?|uses?"
        r"|needs?|works?|achieves?|reports?|gives?|runs?|costs?)\b",
        re.I,
    ),
    "described": re.compile(r"\b(?:the|that) (?!other )(?:[\w-]+ ){1,4}one\b", re.I),
    "plural": re.compile(
        rf"\b(?:they|them|their|theirs|both|(?:these|those|the two|the three)(?: (?:two|three|{_WORKS}))?)\b"
        r"(?! days\b)|它们|他们|她们|这些|那些|两者|二者",
        re.I,
    ),
    "singular": re.compile(
        rf"\b(?:its|it's|it|this (?:{_WORK})|that (?:{_WORK})|the (?:paper|authors?|method))\b"
        r"|(?<=^is )(?:this|that)(?= (?:[a-z]+er|more [a-z]+|less [a-z]+) than\b)"
        r"|它(?!们)|该(?:论文|文|方法|模型|系统)|[这那](?:篇|个|种)(?:论文|方法|模型|系统)?",
        re.I,
    ),
}
"""In the order in which they are tried: the more telling ones first."""

_ADJECTIVES = (
    "possible|true|known|clear|necessary|useful|worth|easy|hard|important|common"
    r"|(?:better|easier|harder)(?! than)"
)
# "Is it possible to …" points at nothing.
_EMPTY_IT = re.compile(
    rf"\b(?:is|was|be) it (?:{_ADJECTIVES}|that)\b|\bit(?: is|'s| was| would be) (?:{_ADJECTIVES})\b"
    rf"|\bmak(?:e|es|ing) it (?:{_ADJECTIVES}|more)\b|\bdoes it take to\b|\bit takes\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """Words that point back, and where they stand; `groups` are the named parts of the pattern that fit."""

    kind: Kind
    start: int
    end: int
    text: str
    groups: Mapping[str, str]

    @property
    def place(self) -> int:
        """The place in a list that is pointed at, counted from 1; LAST for the last."""
        said = next(self.groups[name] for name in _PLACE_GROUPS if name in self.groups).lower()
        return LAST if said == "last" else _PLACES.get(said) or int(said)

    @property
    def count(self) -> int:
        """How many are pointed at by "the first two"."""
        return _PLACES[self.groups["count"].lower()]


_PLACE_GROUPS = ("order", "after", "count", "marker", "number", "chinese")


def pointers(text: str) -> Iterator[Pointer]:
    """Yield what points back in a question, the more telling kinds first."""
    empty = [match.span() for match in _EMPTY_IT.finditer(text)]
    for kind, pattern in POINTERS.items():
        for match in pattern.finditer(text):
            if not any(start <= match.start() < end for start, end in empty):
                groups = {name: part for name, part in match.groupdict().items() if part}
                yield Pointer(kind, match.start(), match.end(), match[0], groups)
