"""Do the numbers agree: each is in the abstract, with its unit, and belongs to the same thing there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from rag.text.words import fold_name
from rag.verify.figures import Figure, figures
from rag.verify.findings import Case, Finding
from rag.verify.lexicon import NUMBER_WORDS
from rag.verify.names import names_at
from rag.verify.reading import WEIGHTS, Reading

# Another number must fit the words around by this much more before the claim's is said to be moved.
_MOVED = 1.6
_SLACK = 0.01
# How fast a word's bearing on a number falls with its distance.
_STEEP = 1.4
_ALMOST = 0.11
_OWNED = 14.0
_MISATTRIBUTED = 0.8
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
    rival = max(others, key=lambda f: affinity(case, ours, f), default=None)
    owner = _owner(case.abstract, best, case.known)
    claimed = _owner(case.claim, ours, case.known)
    right = bool(owner) and owner[0] in _folded_names(case.claim)
    if rival and _fits_better(case, ours, rival, best):
        other = _owner(case.abstract, rival, case.known)
        return _moved(case, ours, rival) if not right or not other or other[0] in _folded_names(case.claim) else None
    if right:
        return None
    return _misattributed(case, ours, best, owner, claimed) if owner and claimed else None


def _misattributed(
    case: Case, ours: Figure, theirs: Figure, owner: tuple[str, str], claimed: tuple[str, str]
) -> Finding | None:
    """Return a finding when a number stands beside another name in the abstract than in the claim."""
    near = _owner(case.abstract, theirs, case.known, only=claimed[0])
    if claimed[0] not in {fold_name(name) for _, name in names_at(case.abstract)} or near:
        return None
    said = _written(case.claim, ours)
    return Finding("number", f"the abstract says {said} of {owner[1]}, not of {claimed[1]}", _MISATTRIBUTED)


def _owner(
    reading: Reading, figure: Figure, known: frozenset[str], only: str = ""
) -> tuple[str, str] | None:
    """Return the name, folded and as written, that stands nearest to a number; after it before before it.

    The names of the paper itself own every number of it, so they do not count.
    """
    here = _index(reading, figure)
    best, least = None, _OWNED
    for start, name in names_at(reading):
        at, folded = _word_at(reading, start), fold_name(name)
        if reading.words[at].sentence != reading.words[here].sentence or len(folded) < 2 or folded in known:
            continue
        distance = abs(reading.words[at].place - reading.words[here].place) - (at > here)
        inside = start <= figure.start < start + len(name)
        if distance < least and not inside and (not only or folded == only):
            best, least = (folded, name), distance
    return best


def _folded_names(reading: Reading) -> frozenset[str]:
    return frozenset(fold_name(match) for match in re.findall(r"[^\s,;:()]+", reading.text))


def affinity(case: Case, ours: Figure, theirs: Figure) -> float:
    """Return how well the words around a number of the claim stand around one of the abstract."""
    return sum(_pulls(case, ours, theirs))


def _fits_better(case: Case, ours: Figure, rival: Figure, best: Figure) -> bool:
    """Tell whether the words that tell two numbers of the abstract apart speak for `rival`."""
    pulls = list(zip(_pulls(case, ours, rival), _pulls(case, ours, best), strict=True))
    speaking_for = sum(max(there - here, 0.0) for there, here in pulls)
    against = sum(max(here - there, 0.0) for there, here in pulls)
    return speaking_for > _MOVED * against + _SLACK


def _pulls(case: Case, ours: Figure, theirs: Figure) -> list[float]:
    """Return what each word of the claim adds to the affinity of two numbers."""
    here, there = _place(case.claim, ours), _place(case.abstract, theirs)
    pulls = []
    for word, links in zip(case.claim.words, case.links, strict=True):
        if not word.content or not links or ours.start <= word.start < ours.end:
            continue
        surest = max(link.sure for link in links)
        near = max(
            link.sure * _nearness(case.abstract.words[link.at].place - there)
            for link in links
            if link.sure >= surest - _ALMOST
        )
        pulls.append(max(word.weight, 0.3) * near * _nearness(word.place - here))
    return pulls


def _nearness(distance: float) -> float:
    return float((1 + abs(distance)) ** -_STEEP)


def _place(reading: Reading, figure: Figure) -> float:
    return reading.words[_index(reading, figure)].place


def _index(reading: Reading, figure: Figure) -> int:
    return _word_at(reading, figure.start)


def _word_at(reading: Reading, offset: int) -> int:
    return max(bisect_right([word.start for word in reading.words], offset) - 1, 0)


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
    last = after
    while (
        last + 1 < len(reading.words)
        and last - after < 2
        and reading.words[last + 1].weight >= WEIGHTS["noun"]
        and reading.words[last + 1].clause == reading.words[after].clause
    ):
        last += 1
    return f"{written} {reading.quote(after, last)}"
