"""What a text negates: for each word whether a "not", "without" or "training-free" reaches it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rag.verify.lexicon import (
    ADDITIVE,
    DEGREES,
    FAILING,
    KEEPING,
    NEGATION_ENDS,
    NEGATORS,
    NEGATORS_BEHIND,
    NOT_NEGATING,
)
from rag.verify.reading import WEIGHTS, Reading

_BE = frozenset("is are was were be been being".split())
_FINITE = _BE | frozenset("has have had can could will would may might does do did".split())
_DENYING = 6
# "Not so strong as that of trust": the negation ends before what it is measured by.
_DEGREE_STARTS, _DEGREE_ENDS = frozenset(("so", "as", "more", "better")), frozenset(("as", "than"))
_REPLACED_ENDS = frozenset("with by and".split())


@dataclass(frozen=True, slots=True)
class Signs:
    """For each word of a text 1, or -1 where it is negated, and the position of what negates it (or -1)."""

    sign: tuple[int, ...]
    by: tuple[int, ...]


@lru_cache(maxsize=1024)
def signs(reading: Reading) -> Signs:
    """Find the negations of a text and what each reaches."""
    sign, by = [1] * len(reading.words), [-1] * len(reading.words)
    for i in range(len(reading.words)):
        for j in _reach(reading, i):
            sign[j], by[j] = -sign[j], i
    return Signs(tuple(sign), tuple(by))


def _reach(reading: Reading, i: int) -> Iterator[int]:
    word = reading.words[i]
    before = reading.words[i - 1] if i else None
    if word.lower == "free" and word.glued:
        yield from _compound_before(reading, i)
        return
    if word.lower in NEGATORS_BEHIND and before is not None and before.lower in _BE:
        denied = any(NEGATORS.get(w.lower) == _DENYING for w in reading.words[max(i - 3, 0) : i])
        yield from () if denied else _behind(reading, i)
        return
    if word.lower in FAILING and not _fails_to(reading, i):
        return
    if word.lower == "from" and _kept_from(reading, i):
        yield from _forward(reading, i, 2, NEGATION_ENDS)
        return
    lower = "not" if word.lower.endswith("n't") else word.lower
    if ends_contrast(reading, i):
        lower = "without"
    budget = NEGATORS.get(lower, 0)
    if lower == "little" and before is not None and before.lower == "of":
        budget = 2
    after = reading.words[i + 1].lower if i + 1 < len(reading.words) else ""
    if lower == "zero" and i + 1 < len(reading.words) and reading.words[i + 1].glued:
        return
    if not budget or (after in NOT_NEGATING and lower not in ("limited", "little", "less")):
        return
    if lower == "without" and i > 1 and reading.words[i - 2].lower == "with":
        return
    if lower in ("no", "nothing", "none", "neither") and before is not None:
        yield from _verb_before(reading, i)
    if after in ADDITIVE:
        budget = 1
    ends = _REPLACED_ENDS if lower.startswith("replac") else NEGATION_ENDS
    yield from _forward(reading, i, budget, ends | _DEGREE_ENDS if after in _DEGREE_STARTS else ends)


def _fails_to(reading: Reading, i: int) -> bool:
    after = [word.lower for word in reading.words[i + 1 : i + 3]]
    return any(word in ("to", "in", "at") for word in after)


def _kept_from(reading: Reading, i: int) -> bool:
    """Tell whether "from" ends "keeps … from being"."""
    after = reading.words[i + 1].lower if i + 1 < len(reading.words) else ""
    before = reading.words[max(i - 6, 0) : i]
    return after.endswith("ing") and any(
        word.lower in KEEPING and word.clause == reading.words[i].clause for word in before
    )


def ends_contrast(reading: Reading, i: int) -> bool:
    """Tell whether "rather than", "instead of" or "in place of" ends here."""
    pair = (reading.words[i - 1].lower if i else "", reading.words[i].lower)
    return pair in (("rather", "than"), ("instead", "of"), ("place", "of"), ("opposed", "to"))


def _forward(reading: Reading, i: int, budget: int, ends: frozenset[str]) -> Iterator[int]:
    clause, reached = reading.words[i].clause, False
    for j in range(i + 1, len(reading.words)):
        word = reading.words[j]
        if word.clause != clause or word.lower in ends or budget <= 0 or (reached and word.lower in _FINITE):
            return
        reached = reached or word.content
        yield j
        budget -= word.content


def _verb_before(reading: Reading, i: int) -> Iterator[int]:
    for j in range(i - 1, max(i - 3, -1), -1):
        word = reading.words[j]
        if word.clause != reading.words[i].clause:
            return
        if word.content:
            yield j
            return


def _behind(reading: Reading, i: int) -> Iterator[int]:
    budget = 2
    for j in range(i - 1, -1, -1):
        if reading.words[j].clause != reading.words[i].clause or not budget:
            return
        yield j
        budget -= reading.words[j].content


def _compound_before(reading: Reading, i: int) -> Iterator[int]:
    """Reach back over the words a hyphen ties to `free`: training-free."""
    while i > 0 and reading.words[i].glued:
        i -= 1
        yield i


def heads_of(reading: Reading, negator: int) -> list[int]:
    """Return the words of meaning that a negation reaches, those of degree left out."""
    after = range(negator + 1, min(negator + 8, len(reading.words)))
    return [
        j
        for j in after
        if reading.words[j].content
        and reading.words[j].weight != WEIGHTS["adverb"]
        and reading.words[j].lower not in DEGREES
    ]
