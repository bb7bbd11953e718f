"""Do the numbers agree: each is in the abstract, with its unit, and belongs to the same thing there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from rag.text.words import fold_name
from rag.verify.figures import Figure, figures
from rag.verify.findings import Case, Finding
from rag.verify.lexicon import NUMBER_WORDS
from rag.verify.reading import Reading

# Another number must fit the words around by this much more before the claim's is said to be moved.
_MOVED = 1.25
_SLACK = 0.01
# How fast a word's bearing on a number falls with its distance.
_STEEP = 1.4
_ALMOST = 0.11
_SMALL = 10
_UNCOUNTED = 0.5
_ELSEWHERE = 0.45
_PAIR = re.compile(r"\b(?:both|pair|dual|two)\b", re.IGNORECASE)


def check_numbers(case: Case) -> list[Finding]:
    """Return a finding for each number of the claim that the abstract does not bear out."""
    theirs = figures(case.abstract.text)
    found = []
    for figure in figures(case.claim.text):
        finding = _check(case, figure, theirs)
        if finding:
            found.append(finding)
    return found


def _check(case: Case, ours: Figure, theirs: Sequence[Figure]) -> Finding | None:
    same = [f for f in theirs if ours.agrees(f)]
    others = [
        f
        for f in theirs
        if ours.comparable(f) and f not in same and (f.value != 1 or _counts_the_same(case, ours, f))
    ]
    if not same:
        return None if _excused(case, ours, others) else _missing(case, ours, others)
    if ours.value == 1 and ours.word:
        return None
    best = max(same, key=lambda f: affinity(case, ours, f))
    rivals = [f for f in others if f.value != ours.value]
    rival = max(rivals, key=lambda f: affinity(case, ours, f), default=None)
    if rival is None:
        return None
    if affinity(case, ours, rival) > _MOVED * affinity(case, ours, best) + _SLACK:
        return _moved(case, ours, rival)
    return None


def affinity(case: Case, ours: Figure, theirs: Figure) -> float:
    """Return how well the words around a number of the claim stand around one of the abstract."""
    here, there = _place(case.claim, ours), _place(case.abstract, theirs)
    total = 0.0
    for word, links in zip(case.claim.words, case.links, strict=True):
        if not word.content or not links or ours.start <= word.start < ours.end:
            continue
        surest = max(link.sure for link in links)
        near = max(
            link.sure * _nearness(case.abstract.words[link.at].place - there)
            for link in links
            if link.sure >= surest - _ALMOST
        )
        total += max(word.weight, 0.3) * near * _nearness(word.place - here)
    return total


def _nearness(distance: float) -> float:
    return float((1 + abs(distance)) ** -_STEEP)


def _place(reading: Reading, figure: Figure) -> float:
    starts = [word.start for word in reading.words]
    return reading.words[max(bisect_right(starts, figure.start) - 1, 0)].place


def _excused(case: Case, ours: Figure, others: Sequence[Figure]) -> bool:
    """Tell whether a number may be missing: part of a name, `one`, or `two` where the abstract says both."""
    before = case.claim.text[: ours.start].rstrip(" -").split()
    named = fold_name(before[-1] if before else "") + fold_name(case.claim.text[ours.start : ours.end])
    if any(c.isdigit() for c in named) and before and named in fold_name(case.abstract.text):
        return True
    if ours.value == 1 and ours.word:
        return not any(_counts_the_same(case, ours, other) for other in others)
    return ours.value == 2 and ours.word and bool(_PAIR.search(case.abstract.text))


def _counts_the_same(case: Case, ours: Figure, theirs: Figure) -> bool:
    """Tell whether the word after both numbers is the same."""
    after = _word_after(case.claim, ours)
    counted = _word_after(case.abstract, theirs)
    return after >= 0 and counted >= 0 and any(link.at == counted for link in case.links[after])


def _word_after(reading: Reading, figure: Figure) -> int:
    for i, word in enumerate(reading.words):
        if word.start >= figure.end:
            return i if word.content else -1
    return -1


def _missing(case: Case, ours: Figure, others: Sequence[Figure]) -> Finding:
    said = _written(case.claim, ours)
    rival = max(others, key=lambda f: affinity(case, ours, f), default=None)
    if rival is None:
        small = ours.word and ours.value <= _SMALL
        return Finding("number", f"the abstract gives no such number as {said}", _UNCOUNTED if small else 1.0)
    if affinity(case, ours, rival) < _SLACK:
        return Finding("number", f"the abstract gives no such number as {said}")
    return Finding("number", f"the abstract says {_written(case.abstract, rival)}, not {said}")


def _moved(case: Case, ours: Figure, rival: Figure) -> Finding:
    said, theirs = _written(case.claim, ours), _written(case.abstract, rival)
    return Finding("number", f"the abstract says {theirs}, not {said}, of this")


def _written(reading: Reading, figure: Figure) -> str:
    """Return a number as written, with the word after it when it has no unit."""
    written = reading.text[figure.start : figure.end].strip()
    if figure.unit:
        return written
    after = _word_after(reading, figure)
    if after < 0 or reading.words[after].start > figure.end + 1 or reading.words[after].lower in NUMBER_WORDS:
        return written
    return f"{written} {reading.words[after].written}"
