"""Does a number follow from those of the abstract: a difference, the rest of a whole, a list counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.verify.figures import Figure
from rag.verify.findings import Case

_WHOLE = 100.0
_CLOSE = 0.005
# A word that tells a share from the rest stands within so many words of it.
_BESIDE = 6
_SMALL = 10
_ITEM = r"[^,;:.()]{2,60}"
_LIST = re.compile(rf"{_ITEM}(?:,{_ITEM}){{1,9}},?\s(?:and|or)\s{_ITEM}")
_LAST = re.compile(r",?\s(?:and|or)\s|,")


def follows(case: Case, ours: Figure, theirs: Sequence[Figure]) -> bool:
    """Tell whether the numbers of the abstract give a number of the claim that is not among them."""
    return _differs(ours, theirs) or _is_the_rest(case, ours, theirs) or _counts_a_list(case, ours, theirs)


def _differs(ours: Figure, theirs: Sequence[Figure]) -> bool:
    """Tell whether a number is the difference of two ends ("from 114.7 to 117.9") or of two dates."""
    gaps = [f.high - f.value for f in theirs if f.high > f.value]
    if ours.unit == "year":
        dates = [f.value for f in theirs if f.unit == "date"]
        gaps += [abs(a - b) for a in dates for b in dates if a != b]
    elif ours.unit not in ("", "%"):
        return False
    return any(abs(gap - ours.value) <= _CLOSE * gap for gap in gaps)


def _is_the_rest(case: Case, ours: Figure, theirs: Sequence[Figure]) -> bool:
    """Tell whether dropping a share is what keeping the rest is: 75% dropped, 25% retained."""
    rest = [f for f in theirs if f.unit == ours.unit == "%" and abs(_WHOLE - f.value - ours.value) < _CLOSE]
    return any(
        link.sign < 0 and link.at in _beside(case, other)
        for other in rest
        for i in _words_beside(case, ours)
        for link in case.links[i]
    )


def _words_beside(case: Case, ours: Figure) -> Iterator[int]:
    words = case.claim.words
    at = [i for i, w in enumerate(words) if ours.start <= w.start < ours.end]
    return (i for i in range(len(words)) if at and at[0] - _BESIDE <= i <= at[-1] + _BESIDE)


def _beside(case: Case, other: Figure) -> set[int]:
    words = case.abstract.words
    at = [i for i, w in enumerate(words) if other.start <= w.start < other.end]
    return set(range(at[0] - _BESIDE, at[-1] + _BESIDE + 1)) if at else set()


def _counts_a_list(case: Case, ours: Figure, theirs: Sequence[Figure]) -> bool:
    """Tell whether the abstract lists as many things as the claim counts in letters."""
    if not ours.word or ours.unit or ours.bound or not 2 < ours.value <= _SMALL:
        return False
    counted = {k.at for i in _words_beside(case, ours) for k in case.links[i]}
    if any(_word_in(case, f.end) + 1 in counted for f in theirs if not f.unit):
        return False
    return any(
        len(_LAST.sub(",", found[0]).rstrip(",").split(",")) == ours.value
        for found in _LIST.finditer(case.abstract.text)
        if case.within(_word_in(case, found.end()))
    )


def _word_in(case: Case, end: int) -> int:
    return max(i for i, w in enumerate(case.abstract.words) if w.start < end)
