"""Does the abstract say the opposite: which words are negated on each side, and which mean the reverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.verify.alignment import SURE, Link
from rag.verify.comparing import comparisons
from rag.verify.findings import Case, Finding
from rag.verify.lexicon import (
    ALL,
    HIGH,
    LOW,
    DEGREES,
    NEGATION_ENDS,
    NEGATORS,
    NEGATORS_BEHIND,
    NOT_NEGATING,
    SOME,
    turns_round,
)
from rag.verify.reading import WEIGHTS, Reading

# An opposite counts only where it stands near the other words of the claim.
_NEAR = 10.0
# What it counts for that a modifier stands right before its noun.
_BESIDE = 0.3
_DISTANCE_COSTS = 0.03
_FARTHEST = 15.0
# A counterpart that agrees excuses one that does not when it is almost as close;
# a word that only stands for the claim's must be closer than the word itself.
_RIVAL = {True: 0.1, False: 0.04}
_BE = frozenset("is are was were be been being".split())
_FINITE = _BE | frozenset("has have had can could will would may might does do did".split())
_REPLACED_ENDS = frozenset("with by and".split())
_POINTING = frozenset("this these such that those".split())


@dataclass(frozen=True, slots=True)
class Signs:
    """For each word of a text 1, or -1 where it is negated, and the position of what negates it (or -1)."""

    sign: tuple[int, ...]
    by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Clash:
    """A word of the claim whose counterpart in the abstract says the opposite."""

    word: int
    link: Link
    negated: bool

    @property
    def opposite(self) -> bool:
        """Tell whether the two words themselves are opposites."""
        return self.link.sign < 0


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
        yield from _behind(reading, i)
        return
    lower = "not" if word.lower.endswith("n't") else word.lower
    if _is_contrast(reading, i):
        lower = "without"
    budget = NEGATORS.get(lower, 0)
    after = reading.words[i + 1].lower if i + 1 < len(reading.words) else ""
    if lower == "zero" and i + 1 < len(reading.words) and reading.words[i + 1].glued:
        return
    if not budget or (after in NOT_NEGATING and lower not in ("limited", "little", "less")):
        return
    if lower == "without" and i > 1 and reading.words[i - 2].lower == "with":
        return
    if lower in ("no", "nothing", "none", "neither") and before is not None:
        yield from _verb_before(reading, i)
    yield from _forward(reading, i, budget, _REPLACED_ENDS if lower.startswith("replac") else NEGATION_ENDS)


def _is_contrast(reading: Reading, i: int) -> bool:
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


def clashes(case: Case) -> list[Clash]:
    """Return the words of the claim whose nearest counterpart says the opposite."""
    found = [clash for i in range(len(case.claim.words)) if (clash := _clash(case, i))]
    heads = {clash.word for clash in found}
    return [clash for clash in found if not _settled(case, clash, heads)]


def _clash(case: Case, i: int) -> Clash | None:
    ranked = sorted(_candidates(case, i), key=lambda link: -_closeness(case, i, link))
    anywhere = case.links[i]
    denied = next((link for link in anywhere if _denied(case, link) and not _agrees(case, i, link)), None)
    if denied:
        return Clash(i, denied, True)
    if not ranked:
        return _only_denied(case, i)
    best = ranked[0]
    if _agrees(case, i, best) or (best.sign < 0 and _gap(case, i, best) > _NEAR):
        return None
    if any(_agrees(case, i, link) and _excuses(case, i, best, link) for link in ranked[1:]):
        return None
    return Clash(i, best, signs(case.claim).sign[i] != signs(case.abstract).sign[best.at])


def _excuses(case: Case, i: int, best: Link, link: Link) -> bool:
    """Tell whether a counterpart that agrees is near enough to take the place of one that does not."""
    if signs(case.claim).sign[i] < 0:
        return True
    if _before_its_noun(case, i, best) and not _before_its_noun(case, i, link):
        return False
    return _closeness(case, i, link) > _closeness(case, i, best) - _RIVAL[link.sure >= SURE["form"]]


def _candidates(case: Case, i: int) -> list[Link]:
    """Return a word's counterparts in the sentences found, without those that another word stands for better."""
    within = [link for link in case.links[i] if case.within(link.at)]
    taken = {k.at for j, links in enumerate(case.links) if j != i for k in links if k.sure >= SURE["form"]}
    return [link for link in within if link.sure >= SURE["form"] or link.at not in taken] or within


def _only_denied(case: Case, i: int) -> Clash | None:
    """Return a clash when the abstract has a word of the claim, outside the sentences found, negated only."""
    same = [link for link in case.links[i] if link.sure >= SURE["form"]]
    if (
        not same
        or case.claim.words[i].weight < WEIGHTS["verb"]
        or any(_agrees(case, i, link) for link in same)
    ):
        return None
    return Clash(i, same[0], True)


def _agrees(case: Case, i: int, link: Link) -> bool:
    return signs(case.claim).sign[i] * signs(case.abstract).sign[link.at] * link.sign > 0


def _denied(case: Case, link: Link) -> bool:
    """Tell whether the abstract takes a thing said before back: "eliminates this requirement"."""
    negator = signs(case.abstract).by[link.at]
    return 0 <= negator < link.at and any(
        word.lower in _POINTING for word in case.abstract.words[negator + 1 : link.at]
    )


def _settled(case: Case, clash: Clash, heads: set[int]) -> bool:
    """Tell whether the word that a negation is about agrees, so that the rest of its reach does not count."""
    if clash.opposite and not clash.negated:
        return False
    ours = signs(case.claim).by[clash.word]
    if clash.negated and _set_against(case, clash):
        return True
    if ours >= 0 and clash.negated:
        head = _heads(case.claim, ours)[:1]
        return (
            bool(head)
            and head[0] != clash.word
            and any(_agrees(case, head[0], k) for k in case.links[head[0]])
        )
    theirs = signs(case.abstract).by[clash.link.at]
    if theirs < 0 or theirs > clash.link.at:
        return False
    about = _heads(case.abstract, theirs)[:1]
    return not any(k.at in about for i in heads for k in case.links[i])


def _set_against(case: Case, clash: Clash) -> bool:
    """Tell whether a word is put second on both sides: by "instead of" on one, by "than" on the other."""
    pairs = (
        (case.claim, clash.word, case.abstract, clash.link.at),
        (case.abstract, clash.link.at, case.claim, clash.word),
    )
    return any(
        signs(one).by[here] >= 0
        and _is_contrast(one, signs(one).by[here])
        and any(there in comparison.second for comparison in comparisons(other))
        for one, here, other, there in pairs
    )


def _heads(reading: Reading, negator: int) -> list[int]:
    """Return the words of meaning that a negation reaches, those of degree left out."""
    after = range(negator + 1, min(negator + 8, len(reading.words)))
    return [
        j
        for j in after
        if reading.words[j].content
        and reading.words[j].weight != WEIGHTS["adverb"]
        and reading.words[j].lower not in DEGREES
    ]


def _closeness(case: Case, i: int, link: Link) -> float:
    beside = _BESIDE if _before_its_noun(case, i, link) else 0.0
    return link.sure + beside - _DISTANCE_COSTS * min(_gap(case, i, link), _FARTHEST)


def _before_its_noun(case: Case, i: int, link: Link) -> bool:
    """Tell whether a modifier stands right before the same noun on both sides: "lower deviation"."""
    noun = i + 1
    if noun >= len(case.claim.words) or not case.claim.words[noun].content:
        return False
    return any(k.at == link.at + 1 and k.sure >= SURE["form"] for k in case.links[noun])


def _gap(case: Case, i: int, link: Link) -> float:
    """Return how far a counterpart stands from the counterparts of the claim's neighbouring words."""
    here = case.abstract.words[link.at].place
    gaps = []
    for j in _neighbours(case, i):
        places = [
            case.abstract.words[k.at].place for k in case.links[j] if k.at != link.at and case.within(k.at)
        ]
        if places:
            gaps.append(min(abs(here - place) for place in places))
    nearest = sorted(gaps)[:2]
    return 0.7 * nearest[0] + 0.3 * nearest[-1] if nearest else 0.0


def _neighbours(case: Case, i: int) -> list[int]:
    """Return the four words with counterparts that stand nearest to a word of the claim."""
    others = [
        j
        for j, word in enumerate(case.claim.words)
        if j != i and word.weight >= WEIGHTS["verb"] and case.links[j]
    ]
    clause = case.claim.words[i].clause
    others = [j for j in others if case.claim.words[j].clause == clause] or others
    return sorted(others, key=lambda j: abs(case.claim.words[j].place - case.claim.words[i].place))[:4]


def check_polarity(case: Case, exchanged: bool = False) -> list[Finding]:
    """Return a finding where the abstract says the opposite of the claim.

    `exchanged` tells that what is compared stands the other way round, which turns comparatives round.
    """
    found = clashes(case)
    if exchanged:
        found = [c for c in found if not (c.opposite and turned(case, c))]
    agreed = _agreed_negations(case)
    against = sum(max(case.claim.words[c.word].weight, 0.6) for c in found)
    plain = any(c.opposite and not c.negated for c in found)
    if not found or (against <= agreed and not plain):
        return []
    worst = max(found, key=lambda c: (case.claim.words[c.word].weight, -c.word))
    return [Finding("polarity", _reason(case, worst), 1.0)]


def turned(case: Case, clash: Clash) -> bool:
    """Tell whether two opposite words say the same once what stands on their sides is exchanged."""
    return turns_round(case.claim.words[clash.word].stem, case.abstract.words[clash.link.at].stem)


def _agreed_negations(case: Case) -> float:
    """Return the weight of the words negated on both sides."""
    ours, theirs = signs(case.claim), signs(case.abstract)
    return sum(
        word.weight
        for i, word in enumerate(case.claim.words)
        if ours.sign[i] < 0
        and any(theirs.sign[k.at] * k.sign < 0 for k in case.links[i] if case.within(k.at))
    )


def _reason(case: Case, clash: Clash) -> str:
    words, at = case.abstract.words, clash.link.at
    said = case.claim.words[clash.word].written
    negator = signs(case.abstract).by[at]
    if clash.opposite or negator < 0:
        theirs = words[at].written
        if clash.negated and negator < 0:
            ours = signs(case.claim).by[clash.word]
            said = case.claim.quote(ours, clash.word)
            return f"the abstract says “{theirs}”, not “{said}”"
        return f"the abstract says “{_around(case.abstract, at)}”, not “{said}”"
    return f"the abstract says “{case.abstract.quote(negator, at)}”"


def _around(reading: Reading, at: int) -> str:
    """Return a word with its neighbours of the same clause."""
    low = high = at
    while low > 0 and at - low < 2 and reading.words[low - 1].clause == reading.words[at].clause:
        low -= 1
    while (
        high + 1 < len(reading.words)
        and high - at < 2
        and reading.words[high + 1].clause == reading.words[at].clause
    ):
        high += 1
    return reading.quote(low, high)


def check_quantifiers(case: Case) -> list[Finding]:
    """Return a finding where one side says all or most and the other, of the same thing, few or only some."""
    for i, word in enumerate(case.claim.words):
        for claimed, against in ((ALL, SOME), (HIGH, LOW), (LOW, HIGH)):
            if word.lower in claimed:
                said = _quantified(case, i, against, claimed)
                if said:
                    return [Finding("quantifier", f"the abstract says “{said}”, not “{word.lower}”")]
    return []


def _quantified(case: Case, i: int, against: frozenset[str], claimed: frozenset[str]) -> str:
    for link in (k for j in _following(case.claim, i) for k in case.links[j] if case.within(k.at)):
        other = _before_noun(case.abstract, link.at, against)
        if link.sign > 0 and other >= 0 and _before_noun(case.abstract, link.at, claimed) < 0:
            return case.abstract.quote(other, link.at)
    return ""


def _before_noun(reading: Reading, at: int, table: frozenset[str]) -> int:
    """Return the position of a word of `table` in the few words before another, in its clause; -1 if none."""
    for k in range(at - 1, max(at - 7, -1), -1):
        if reading.words[k].clause != reading.words[at].clause:
            return -1
        if reading.words[k].lower in table:
            return k
    return -1


def _following(claim: Reading, i: int) -> Sequence[int]:
    return [j for j in range(i + 1, min(i + 4, len(claim.words))) if claim.words[j].content]
