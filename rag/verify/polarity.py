"""Does the abstract say the opposite: words that clash, by negation or by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.verify.alignment import SURE, Link
from rag.verify.comparing import comparisons, passive
from rag.verify.findings import Case, Finding
from rag.verify.lexicon import NEGATION_ENDS, OF_OTHERS, VERBS, direction, outdoing, stem_all, turns_round
from rag.verify.negation import ends_contrast, heads_of, signs
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
# How far before "no" its verb stands.
_VERB_BEFORE = 2
_PREPOSITIONS = frozenset("for of in on at by with to from within when if".split())
_POINTING = frozenset("this these such that those".split())


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
    """Return a word's counterparts in the sentences found, without those that fit another word better."""
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
    if link.sign < 0 and _outdone(case.claim, i) != _outdone(case.abstract, link.at):
        # "Lost to B" is what "was outperformed by B" says.
        link = Link(link.at, link.sure, 1)
    return signs(case.claim).sign[i] * signs(case.abstract).sign[link.at] * link.sign > 0


def _outdone(reading: Reading, i: int) -> bool:
    return reading.words[i].stem in outdoing() and passive(reading, i)


def _denied(case: Case, link: Link) -> bool:
    """Tell whether the abstract takes a thing said before back: "eliminates this requirement"."""
    negator = signs(case.abstract).by[link.at]
    return 0 <= negator < link.at and any(
        word.lower in _POINTING for word in case.abstract.words[negator + 1 : link.at]
    )


def _settled(case: Case, clash: Clash, heads: set[int]) -> bool:
    """Tell whether the word that a negation is about agrees, so that the rest of its reach does not count."""
    if clash.opposite and not clash.negated:
        return (
            of_something_else(case, clash)
            or turned_twice(case, clash)
            or _owned_by_another(case, clash, only=True)
        )
    ours = signs(case.claim).by[clash.word]
    if clash.negated and (_set_against(case, clash) or _denied_of_this_only(case, clash)):
        return True
    if clash.negated and (_owned_by_another(case, clash) or _negator_shared(case, clash)):
        return True
    if ours >= 0 and clash.negated:
        return _head_agrees(case, clash, heads_of(case.claim, ours)[:1])
    theirs = signs(case.abstract).by[clash.link.at]
    verb = case.abstract.words[clash.link.at].weight == WEIGHTS["verb"]
    if verb and theirs > clash.link.at and theirs - clash.link.at <= _VERB_BEFORE:
        return not _object_told(case, clash, theirs)
    if theirs < 0 or theirs > clash.link.at:
        return False
    about = heads_of(case.abstract, theirs)[:1]
    return not any(k.at in about for i in heads for k in case.links[i])


def _head_agrees(case: Case, clash: Clash, head: Sequence[int]) -> bool:
    """Tell whether what the claim denies is denied by the abstract too, or not spoken of at all."""
    if not head or head[0] == clash.word:
        return False
    if any(_agrees(case, head[0], k) for k in case.links[head[0]]):
        return True
    between = case.claim.words[head[0] : clash.word]
    word = case.claim.words[head[0]]
    verb = word.stem in stem_all(VERBS) or word.lower.endswith(("ed", "ing"))
    return not case.links[head[0]] and not verb and any(word.lower in _PREPOSITIONS for word in between)


def _object_told(case: Case, clash: Clash, negator: int) -> bool:
    """Tell whether the claim speaks of what a verb is denied of: "BP" in "requires no BP"."""
    words = case.abstract.words
    told = [
        j
        for j in heads_of(case.abstract, negator)[:3]
        if words[j].clause == words[negator].clause
        and not any(w.lower in _PREPOSITIONS | NEGATION_ENDS for w in words[negator + 1 : j])
    ]
    return not told or any(
        k.at in told for j, links in enumerate(case.links) if j != clash.word for k in links
    )


def _denied_of_this_only(case: Case, clash: Clash) -> bool:
    """Tell whether the claim denies of this paper's thing what the abstract says of others."""
    at = case.abstract.words[clash.link.at]
    others = any(w.lower in OF_OTHERS for w in case.abstract.words if w.sentence == at.sentence)
    others = others and not any(w.lower in OF_OTHERS for w in case.claim.words)
    return signs(case.claim).by[clash.word] >= 0 and signs(case.abstract).by[clash.link.at] < 0 and others


def _owned_by_another(case: Case, clash: Clash, *, only: bool = False) -> bool:
    """Tell whether the counterpart is that of another word of the claim too, with which it agrees.

    `only`: and that other word has no other counterpart in the sentences found, or this word has one
    that agrees.
    """
    own = any(_agrees(case, clash.word, k) and case.within(k.at) for k in case.links[clash.word])
    return any(
        k.at == clash.link.at
        and (own or sum(case.within(one.at) for one in links) == 1 if only else k.sure >= clash.link.sure)
        and _agrees(case, j, k)
        for j, links in enumerate(case.links)
        if j != clash.word
        for k in links
    )


def _negator_shared(case: Case, clash: Clash) -> bool:
    """Tell whether the claim has the verb by which the abstract denies: "substitutes" for "replaces"."""
    theirs, clause = signs(case.abstract).by[clash.link.at], case.claim.words[clash.word].clause
    return signs(case.claim).by[clash.word] < 0 <= theirs and any(
        k.at == theirs and k.sign > 0
        for word, links in zip(case.claim.words, case.links, strict=True)
        if word.clause == clause
        for k in links
    )


def of_something_else(case: Case, clash: Clash) -> bool:
    """Tell whether two opposites stand right before two nouns that are not the same."""
    ours, theirs = clash.word + 1, clash.link.at + 1
    if not (_modifies(case.claim, clash.word) and _modifies(case.abstract, clash.link.at)):
        return False
    places = [k.at for k in case.links[ours]]
    return bool(places) and not any(theirs <= at <= theirs + 1 for at in places)


def _modifies(reading: Reading, i: int) -> bool:
    """Tell whether a word stands before a noun of its clause and is no comparative of a verb."""
    if i + 1 >= len(reading.words):
        return False
    word, noun = reading.words[i], reading.words[i + 1]
    counts = noun.content and noun.weight != WEIGHTS["adverb"]
    return noun.clause == word.clause and counts and word.weight != WEIGHTS["verb"]


def turned_twice(case: Case, clash: Clash) -> bool:
    """Tell whether another pair of opposites beside this one turns it back: less error, more accuracy."""
    ours = _turn_beside(case.claim, clash.word)
    theirs = _turn_beside(case.abstract, clash.link.at)
    return ours * theirs < 0


def _turn_beside(reading: Reading, i: int) -> int:
    """Return 1 where something rises within a few words before or after, -1 where it falls, else 0."""
    near = (*range(i - 1, i - 4, -1), i + 1, i + 2)
    inside = (
        j for j in near if 0 <= j < len(reading.words) and reading.words[j].clause == reading.words[i].clause
    )
    return next((turn for j in inside if (turn := direction(reading.words[j].stem))), 0)


def _set_against(case: Case, clash: Clash) -> bool:
    """Tell whether a word is put second on both sides: by "instead of" on one, by "than" on the other."""
    pairs = (
        (case.claim, clash.word, case.abstract, clash.link.at),
        (case.abstract, clash.link.at, case.claim, clash.word),
    )
    return any(
        signs(one).by[here] >= 0
        and ends_contrast(one, signs(one).by[here])
        and any(there in comparison.second for comparison in comparisons(other))
        for one, here, other, there in pairs
    )


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
    return [Finding("direction", _reason(case, worst, found))]


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


def _reason(case: Case, clash: Clash, found: Sequence[Clash]) -> str:
    at = clash.link.at
    said = case.claim.words[clash.word].written
    negator = signs(case.abstract).by[at]
    if not clash.opposite and negator >= 0:
        same = [c.link.at for c in found if signs(case.abstract).by[c.link.at] == negator]
        return f"the abstract says “{case.abstract.quote(min(negator, *same), max(negator, *same))}”"
    ours = signs(case.claim).by[clash.word]
    if clash.negated and ours >= 0:
        said = case.claim.quote(ours, clash.word)
    return f"the abstract says “{_around(case.abstract, at)}”, not “{said}”"


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
