"""What a text compares ("A … than B", "A rather than B"), and whether a claim exchanges the two sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.verify.findings import Case
from rag.verify.lexicon import COMPARATIVES, gains, outdoing
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
_POINTING = frozenset("this it ours that them these those".split())
_BE = frozenset("is are was were be been being gets get".split())


@dataclass(frozen=True, slots=True)
class Comparison:
    """Positions of what is put first and of what it is measured against."""

    first: frozenset[int]
    second: frozenset[int]
    marker: int


def comparisons(reading: Reading) -> Iterator[Comparison]:
    """Return what a text compares: "A … than B", "A rather than B", "unlike B, A", "A outperforms B"."""
    for i in range(len(reading.words)):
        if _is_marker(reading, i):
            yield _comparison(reading, i, reverse=False)
        elif reading.words[i].stem in outdoing():
            passive = i > 0 and reading.words[i - 1].lower in _BE
            yield _comparison(reading, i, reverse=passive)


def _is_marker(reading: Reading, i: int) -> bool:
    word, before = reading.words[i].lower, reading.words[i - 1].lower if i else ""
    if word in _MARKERS or (before, word) in _MARKER_PAIRS:
        return True
    near = reading.words[max(i - 5, 0) : i]
    return word in ("over", "upon", "on") and any(
        w.stem in gains() and w.clause == reading.words[i].clause
        for w in near[-2 if word != "over" else -5 :]
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


def _held_by_the_other(case: Case, ours: Comparison) -> str:
    """Return the clause where the abstract gives the claim's comparative to the second thing, with no first.

    "A … more often than B" against "with B … more often".
    """
    marker = case.claim.words[ours.marker]
    first, second = case.own(ours.first, ours.second), case.own(ours.second, ours.first)
    if marker.lower != "than" or not second:
        return ""
    comparatives = [
        j for j in range(max(ours.marker - 6, 0), ours.marker) if case.claim.words[j].lower in COMPARATIVES
    ]
    for link in (k for j in comparatives for k in case.links[j] if k.sign > 0 and case.within(k.at)):
        clause = [
            i for i, w in enumerate(case.abstract.words) if w.clause == case.abstract.words[link.at].clause
        ]
        held, words = frozenset(clause), case.abstract.words
        if any(words[i].lower == "than" for i in clause) or not case.nouns(first):
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
