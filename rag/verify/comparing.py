"""What a text compares ("A … than B", "A rather than B"), and whether a claim exchanges the two sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.text.words import fold_name
from rag.verify.findings import Case
from rag.verify.lexicon import COMPARATIVES, QUALITIES, direction, gains, outdoing, turns_round
from rag.verify.negation import signs
from rag.verify.reading import WEIGHTS, Reading, Word

# What stands after these is what something is compared with, or chosen over.
_MARKERS = frozenset("than versus vs against unlike".split())
_MARKER_PAIRS = frozenset(
    {
        ("instead", "of"),
        ("place", "of"),
        ("compared", "to"),
        ("compared", "with"),
        ("relative", "to"),
        ("opposed", "to"),
        ("superior", "to"),
        ("inferior", "to"),
        ("preferable", "to"),
        ("comparison", "to"),
        ("comparison", "with"),
    }
)
_SIDE_ENDS = frozenset("when while which that because if but whereas".split())
_LONGEST_SIDE = 7
_MULTIPLES = frozenset("twice times half".split())
_POINTING = frozenset("this it ours that them these those".split())
_BE = frozenset("is are was were be been being gets get".split())


@dataclass(frozen=True, slots=True)
class Comparison:
    """Positions of what is put first and of what it is measured against."""

    first: frozenset[int]
    second: frozenset[int]
    marker: int


@lru_cache(maxsize=1024)
def comparisons(reading: Reading) -> tuple[Comparison, ...]:
    """Return what a text compares: "A … than B", "A rather than B", "unlike B, A", "A outperforms B"."""
    return tuple(_comparisons(reading))


def _comparisons(reading: Reading) -> Iterator[Comparison]:
    for i in range(len(reading.words)):
        if _is_marker(reading, i):
            yield _comparison(reading, i, reverse=False)
        elif reading.words[i].stem in outdoing():
            yield _comparison(reading, i, reverse=passive(reading, i))


def passive(reading: Reading, i: int) -> bool:
    """Tell whether a verb stands behind a form of "be", with one adverb between at most."""
    before = [word.lower for word in reading.words[max(i - 2, 0) : i]]
    return before[-1:] != [] and (before[-1] in _BE or (before[0] in _BE and before[-1].endswith("ly")))


def _is_marker(reading: Reading, i: int) -> bool:
    word, before = reading.words[i].lower, reading.words[i - 1].lower if i else ""
    if before == "compared" and passive(reading, i - 1):
        # "A was compared with B" says nothing of who comes first.
        return False
    if word in _MARKERS or (before, word) in _MARKER_PAIRS or _times_as(reading, i):
        return True
    near = reading.words[max(i - 5, 0) : i]
    return word in ("over", "upon", "on") and any(
        w.stem in gains() and w.clause == reading.words[i].clause
        for w in near[-2 if word != "over" else -5 :]
    )


def _times_as(reading: Reading, i: int) -> bool:
    """Tell whether "twice as high as" ends here."""
    words = [word.lower for word in reading.words[max(i - 5, 0) : i + 1]]
    return words[-1] == "as" and any(
        one in _MULTIPLES and other == "as" for one, other in zip(words, words[1:-1], strict=False)
    )


def _comparison(reading: Reading, i: int, *, reverse: bool) -> Comparison:
    words = reading.words
    second = _side(reading, range(i + 1, len(words)))
    before = [j for j in range(i - 1, -1, -1) if words[j].sentence == words[i].sentence and words[j].content]
    if not before and second:
        clause = words[max(second)].clause
        before = [
            j
            for j in range(i, len(words))
            if words[j].clause > clause and words[j].sentence == words[i].sentence
        ]
    first = frozenset(before[:_LONGEST_SIDE]) - second
    return Comparison(second, first, i) if reverse else Comparison(first, second, i)


def _side(reading: Reading, positions: Sequence[int]) -> frozenset[int]:
    """Return the words of the phrase that begins here."""
    found: list[int] = []
    for j in positions:
        word = reading.words[j]
        if word.clause != reading.words[positions[0] - 1].clause or (
            word.lower in _SIDE_ENDS and j > positions[0]
        ):
            break
        if found and (len(found) >= _LONGEST_SIDE or _ends(word)):
            break
        if word.content:
            found.append(j)
    return frozenset(found)


def _ends(word: Word) -> bool:
    return word.weight == WEIGHTS["verb"] and word.lower.endswith(("e", "s")) and not word.glued


def exchanged_comparison(case: Case) -> str:
    """Return what the abstract says when the claim has the two sides of a comparison the other way round."""
    for ours in comparisons(case.claim):
        for theirs in comparisons(case.abstract):
            if case.within(theirs.marker) and _crossed(case, ours, theirs):
                return _said(case.abstract, theirs)
        if said := _held_by_the_other(case, ours):
            return said
    return ""


def turned_comparison(case: Case) -> bool:
    """Tell whether the sides of a comparison are exchanged, and its comparative too: the same is said."""
    return any(
        _crossed(case, ours, theirs) and _opposite_comparatives(case, ours, theirs)
        for ours in comparisons(case.claim)
        for theirs in comparisons(case.abstract)
        if case.within(theirs.marker)
    )


def _opposite_comparatives(case: Case, ours: Comparison, theirs: Comparison) -> bool:
    return any(
        turns_round(case.claim.words[i].stem, case.abstract.words[j].stem)
        for i in _comparatives(case.claim, ours)
        for j in _comparatives(case.abstract, theirs)
    )


def _comparatives(reading: Reading, comparison: Comparison) -> list[int]:
    before = range(max(comparison.marker - 6, 0), comparison.marker)
    return [j for j in before if reading.words[j].lower in COMPARATIVES]


def outdone(case: Case) -> str:
    """Return what the abstract says when it ranks the claim's two things the other way round.

    "Less accurate than B" against "outperforming B".
    """
    theirs = [(c, rank) for c in comparisons(case.abstract) if (rank := _rank(case.abstract, c))]
    for ours in comparisons(case.claim):
        rank = _rank(case.claim, ours)
        same = [(c, other) for c, other in theirs if rank and _same_sides(case, ours, c)]
        if same and all(other == -rank for _, other in same):
            return _said(case.abstract, same[0][0])
    return ""


def _rank(reading: Reading, comparison: Comparison) -> int:
    """Return 1 where a comparison puts its first side ahead in quality, -1 where behind, 0 where untold."""
    words, marker = reading.words, comparison.marker
    if words[marker].stem in outdoing():
        return 0 if signs(reading).sign[marker] < 0 else 1
    for j in _comparatives(reading, comparison):
        after = {w.lower for w in words[j + 1 : marker]}
        if signs(reading).sign[j] < 0:
            continue
        if words[j].lower in ("better", "worse"):
            return 1 if words[j].lower == "better" else -1
        if after & QUALITIES:
            return direction(words[j].stem)
    return 0


def _same_sides(case: Case, ours: Comparison, theirs: Comparison) -> bool:
    first, second = (
        case.nouns(case.own(ours.first, ours.second)),
        case.nouns(case.own(ours.second, ours.first)),
    )
    told = first and all(
        case.count([j], theirs.first) or fold_name(case.claim.words[j].lower) in case.known
        for j in first
        if case.claim.words[j].lower not in QUALITIES | COMPARATIVES
    )
    return bool(told and second) and case.count(second, theirs.second) == len(second)


def _held_by_the_other(case: Case, ours: Comparison) -> str:
    """Return the clause where the abstract gives the claim's comparative to the second thing, with no first.

    "A … more often than B" against "with B … more often".
    """
    marker = case.claim.words[ours.marker]
    first, second = case.own(ours.first, ours.second), case.own(ours.second, ours.first)
    if marker.lower != "than" or not second:
        return ""
    comparatives = _comparatives(case.claim, ours)
    for link in (k for j in comparatives for k in case.links[j] if k.sign > 0 and case.within(k.at)):
        clause = [
            i for i, w in enumerate(case.abstract.words) if w.clause == case.abstract.words[link.at].clause
        ]
        held = frozenset(clause)
        if any(_is_marker(case.abstract, i) for i in clause) or not case.nouns(first):
            continue
        if case.count(second, held) == len(second) and not case.count(case.nouns(first)[-1:], held):
            return case.abstract.quote(clause[0], clause[-1])
    return ""


def _crossed(case: Case, ours: Comparison, theirs: Comparison) -> bool:
    first, second = case.own(ours.first, ours.second), case.own(ours.second, ours.first)
    moved = [j for j in case.nouns(first) if not case.count([j], theirs.first)]
    back = [j for j in case.nouns(second) if not case.count([j], theirs.second)]
    stays = case.count(second, theirs.second)
    if stays < 2 and case.count(moved, theirs.second) and case.count(back, theirs.first):
        return True
    if stays:
        return False
    told = case.nouns(second) or _only_pointed_at(case.claim, ours)
    if not told:
        # "The new methods", "the proposed one": known by words that mean little elsewhere.
        shared = {case.claim.words[j].stem for j in ours.first}
        told = [
            j
            for j in ours.second
            if case.claim.words[j].stem not in shared
            and case.count([j], theirs.first)
            and not case.count([j], theirs.second)
        ]
    return bool(told) and bool(case.count(moved, theirs.second))


def _only_pointed_at(claim: Reading, comparison: Comparison) -> list[int]:
    """Return the pronoun that is all the second side of a comparison holds: "improves on this one"."""
    if comparison.second:
        return []
    after = range(comparison.marker + 1, min(comparison.marker + 3, len(claim.words)))
    return [j for j in after if claim.words[j].lower in _POINTING]


def _said(abstract: Reading, comparison: Comparison) -> str:
    last = max(comparison.second | {comparison.marker})
    sentence = abstract.words[comparison.marker].sentence
    first = max(
        (
            j
            for j in range(max(comparison.marker - 8, 0), comparison.marker + 1)
            if abstract.words[j].sentence != sentence
        ),
        default=max(comparison.marker - 9, -1),
    )
    return abstract.quote(first + 1, last)
