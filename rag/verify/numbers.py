"""Do the numbers agree: each is in the abstract, with its unit, and belongs to the same thing there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.text.words import fold_name
from rag.verify.figures import Figure, figures
from rag.verify.findings import Case, Finding
from rag.verify.inferred import follows
from rag.verify.lexicon import NUMBER_WORDS
from rag.verify.names import names_at
from rag.verify.pairing import given_away, well_paired
from rag.verify.reading import Reading, Word

# Another number must fit the words around by this much more before the claim's is said to be moved.
_MOVED = 1.6
_SLACK = 0.01
# How fast a word's bearing on a number falls with its distance.
_STEEP = 1.4
_ALMOST = 0.11
_OWNED = 14.0
_MISATTRIBUTED = 0.8
_GOVERNING = frozenset("on over in for against than".split())
_LONGEST_PHRASE = 3
_SMALL = 10
_UNCOUNTED = 0.5
_PAIR = re.compile(r"\b(?:both|pair|dual|two(?! orders))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Owner:
    """A name beside a number: folded and as written, how far off, and whether "on" or "over" leads to it."""

    folded: str
    name: str
    distance: float
    governed: bool


def check_numbers(case: Case) -> list[Finding]:
    """Return a finding for each number of the claim that the abstract does not bear out."""
    theirs = figures(case.abstract.text)
    found = []
    for figure in figures(case.claim.text):
        ends = _ends(figure, theirs)
        check = _check if len(ends) == 1 else _check_there
        checked = [check(case, end, theirs) for end in ends]
        found += [finding for finding in checked if finding]
    return found


def _ends(figure: Figure, theirs: Sequence[Figure]) -> tuple[Figure, ...]:
    """Return a range as its two ends where the abstract has no such range: "from 5 to 10"."""
    if figure.high == figure.value or any(figure.agrees(f) or _shares_an_end(figure, f) for f in theirs):
        return (figure,)
    return replace(figure, high=figure.value), replace(figure, value=figure.high)


def _shares_an_end(figure: Figure, other: Figure) -> bool:
    """Tell whether the abstract has a range that differs at one end: 8-10 days, not 2-10 days."""
    if other.high == other.value or figure.unit != other.unit:
        return False
    return (figure.value == other.value) != (figure.high == other.high)


def _check_there(case: Case, ours: Figure, theirs: Sequence[Figure]) -> Finding | None:
    """Return a finding when a number is nowhere in the abstract."""
    others = [f for f in theirs if ours.comparable(f)]
    if any(ours.agrees(f) for f in theirs) or follows(case, ours, theirs):
        return None
    return _missing(case, ours, others)


def _check(case: Case, ours: Figure, theirs: Sequence[Figure]) -> Finding | None:
    same = [f for f in theirs if ours.agrees(f)]
    others = [f for f in theirs if ours.comparable(f) and f not in same and _plausible(case, ours, f)]
    if ours.unit == "#" and not others:
        return None
    if not same:
        excused = _excused(case, ours, others) or follows(case, ours, theirs)
        return None if excused else _missing(case, ours, others)
    if ours.value == 1 and ours.word:
        return None
    if given := given_away(case, ours):
        return _moved(case, ours, given)
    if well_paired(case, ours):
        return None
    best = max(same, key=lambda f: affinity(case, ours, f))
    rival = max(others, key=lambda f: affinity(case, ours, f), default=None)
    owner = _owner(case.abstract, best, case.known)
    claimed = _owner(case.claim, ours, case.known)
    right = owner is not None and owner.folded in _folded_names(case.claim)
    if rival and _companions(case, ours, best) > _companions(case, ours, rival):
        return None
    if rival and _fits_better(case, ours, rival, best) and not _kept_by_its_own(case, ours, rival, best):
        other = _owner(case.abstract, rival, case.known)
        return (
            _moved(case, ours, rival)
            if not right or not other or other.folded in _folded_names(case.claim)
            else None
        )
    if right:
        return None
    return _misattributed(case, ours, best, owner, claimed) if owner and claimed else None


def _kept_by_its_own(case: Case, ours: Figure, rival: Figure, best: Figure) -> bool:
    """Tell whether the claim gives `rival` too, and where the abstract has it: then nothing is exchanged."""
    theirs = figures(case.abstract.text)
    others = [f for f in figures(case.claim.text) if f.start != ours.start and f.agrees(rival)]
    others = [f for f in others if sum(f.agrees(one) for one in theirs) == 1]
    return any(not _fits_better(case, other, best, rival) for other in others)


def _companions(case: Case, ours: Figure, theirs: Figure) -> int:
    """Count the other numbers of the claim that stand in the sentence of one of the abstract."""
    sentence = case.abstract.words[_word_at(case.abstract, theirs.start)].sentence
    beside = [
        f
        for f in figures(case.abstract.text)
        if case.abstract.words[_word_at(case.abstract, f.start)].sentence == sentence
    ]
    others = [f for f in figures(case.claim.text) if f.start != ours.start]
    return sum(any(other.agrees(f) for f in beside) for other in others)


def _plausible(case: Case, ours: Figure, other: Figure) -> bool:
    """Tell whether a number could stand for another: a small count in letters does not for a large number."""
    if other.value == 1:
        return _counts_the_same(case, ours, other)
    return (
        ours.word
        or not other.word
        or other.value > _SMALL
        or ours.value <= 2 * _SMALL
        or _counts_the_same(case, ours, other)
    )


def _misattributed(case: Case, ours: Figure, theirs: Figure, owner: Owner, claimed: Owner) -> Finding | None:
    """Return a finding when a number stands beside another name in the abstract than in the claim."""
    elsewhere = _owner(case.abstract, theirs, case.known, only=claimed.folded)
    if claimed.folded not in {fold_name(name) for _, name in names_at(case.abstract)}:
        return None
    if not owner.governed or (elsewhere and elsewhere.distance < 1.5 * owner.distance + 2):
        return None
    said = _written(case.claim, ours)
    return Finding(
        "number", f"the abstract says {said} of {owner.name}, not of {claimed.name}", _MISATTRIBUTED
    )


def _owner(reading: Reading, figure: Figure, known: frozenset[str], only: str = "") -> Owner | None:
    """Return the name that stands nearest to a number in its sentence; after it before before it.

    The names of the paper itself own every number of it, so they do not count.
    """
    here = reading.words[_word_at(reading, figure.start)]
    best = None
    for start, name in names_at(reading):
        at, folded = _word_at(reading, start), fold_name(name)
        word = reading.words[at]
        inside = start <= figure.start < start + len(name)
        if word.sentence != here.sentence or len(folded) < 2 or folded in known or inside:
            continue
        distance = abs(word.place - here.place) - (word.start > here.start)
        if distance < (best.distance if best else _OWNED) and (not only or folded == only):
            governed = any(w.lower in _GOVERNING for w in reading.words[max(at - 2, 0) : at])
            best = Owner(folded, name, distance, governed)
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
    pulls = []
    for word, links in zip(case.claim.words, case.links, strict=True):
        if not word.content or not links or word.lower[0].isdigit() or ours.start <= word.start < ours.end:
            continue
        surest = max(link.sure for link in links)
        near = max(
            link.sure * _nearness(_distance(case.abstract, theirs, case.abstract.words[link.at]))
            for link in links
            if link.sure >= surest - _ALMOST
        )
        pulls.append(max(word.weight, 0.3) * near * _nearness(_distance(case.claim, ours, word)))
    return pulls


def _nearness(distance: float) -> float:
    return float((1 + abs(distance)) ** -_STEEP)


def _distance(reading: Reading, figure: Figure, word: Word) -> float:
    """Return how far a word stands from a number, measured from the number's nearer end."""
    edge = figure.start if word.start < figure.start else figure.end - 1
    return word.place - reading.words[_word_at(reading, edge)].place


def _word_at(reading: Reading, offset: int) -> int:
    return max(bisect_right(reading.starts, offset) - 1, 0)


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
    return Finding("number", f"the abstract says {theirs} here, not {said}")


def _written(reading: Reading, figure: Figure) -> str:
    """Return a number as written, with the word after it when it has no unit."""
    written = reading.text[figure.start : figure.end].strip()
    if figure.unit:
        return written
    after = _word_after(reading, figure)
    if after < 0 or reading.words[after].start > figure.end + 1 or reading.words[after].lower in NUMBER_WORDS:
        return written
    last = after
    while last - after < _LONGEST_PHRASE and _goes_on(reading, last):
        last += 1
    return f"{written} {reading.quote(after, last)}"


def _goes_on(reading: Reading, at: int) -> bool:
    """Tell whether the phrase a number begins goes on behind a word: it ends with its first plural."""
    if at + 1 >= len(reading.words) or reading.words[at].lower.endswith("s"):
        return False
    after = reading.words[at + 1]
    return after.content and after.clause == reading.words[at].clause
