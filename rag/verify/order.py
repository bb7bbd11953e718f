"""Who does what to whom: are two things exchanged between the claim and the abstract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.verify.findings import Case, Finding
from rag.verify.alignment import Link
from rag.verify.lexicon import COMPARATIVES, GAINS, OUTDO, turns_round
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
_BE = frozenset("is are was were be been being gets get".split())
_GAP_IN_A_BLOCK = 4.0
_ARGUMENT = 4
_STEEP = 1.4
_BETTER, _BETTER_BY = 1.5, 0.01
_TURNING = frozenset("before after over".split())


@dataclass(frozen=True, slots=True)
class Comparison:
    """Positions of what is put first and of what it is measured against."""

    first: frozenset[int]
    second: frozenset[int]
    marker: int


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring words of a claim that stand together in the abstract too."""

    words: tuple[int, ...]
    place: float


def comparisons(reading: Reading) -> Iterator[Comparison]:
    """Return what a text compares: "A … than B", "A rather than B", "unlike B, A", "A outperforms B"."""
    for i in range(len(reading.words)):
        if _is_marker(reading, i):
            yield _comparison(reading, i, reverse=False)
        elif reading.words[i].stem in OUTDO():
            passive = i > 0 and reading.words[i - 1].lower in _BE
            yield _comparison(reading, i, reverse=passive)


def _is_marker(reading: Reading, i: int) -> bool:
    word, before = reading.words[i].lower, reading.words[i - 1].lower if i else ""
    if word in _MARKERS or (before, word) in _MARKER_PAIRS:
        return True
    near = reading.words[max(i - 5, 0) : i]
    return word in ("over", "upon", "on") and any(
        w.stem in GAINS() and w.clause == reading.words[i].clause
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
    first = frozenset(before) - second
    return Comparison(second, first, i) if reverse else Comparison(first, second, i)


def _side(reading: Reading, positions: Sequence[int]) -> frozenset[int]:
    """Return the words of the phrase that begins here."""
    found: list[int] = []
    for j in positions:
        word = reading.words[j]
        if word.clause != reading.words[positions[0] - 1].clause or word.lower in _SIDE_ENDS:
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
    first, second = _own(case, ours.first, ours.second), _own(case, ours.second, ours.first)
    if marker.lower != "than" or not second:
        return ""
    comparatives = [j for j in range(max(ours.marker - 3, 0), ours.marker) if case.claim.words[j].lower in COMPARATIVES]
    for link in (k for j in comparatives for k in case.links[j] if k.sign > 0 and case.within(k.at)):
        clause = [i for i, w in enumerate(case.abstract.words) if w.clause == case.abstract.words[link.at].clause]
        held, words = frozenset(clause), case.abstract.words
        if any(words[i].lower == "than" for i in clause) or not _nouns(case, first):
            continue
        if _count(case, second, held) == len(second) and not _count(case, _nouns(case, first)[-1:], held):
            return case.abstract.quote(clause[0], clause[-1])
    return ""


def _nouns(case: Case, words: Sequence[int]) -> list[int]:
    return sorted(j for j in words if case.claim.words[j].weight >= WEIGHTS["noun"])


def _crossed(case: Case, ours: Comparison, theirs: Comparison) -> bool:
    first, second = _own(case, ours.first, ours.second), _own(case, ours.second, ours.first)
    stays = _count(case, second, theirs.second)
    if stays:
        return False
    moved = [j for j in first if case.claim.words[j].weight >= WEIGHTS["noun"]]
    moved = [j for j in moved if not _count(case, [j], theirs.first)]
    told = any(case.claim.words[j].weight >= WEIGHTS["noun"] for j in second)
    return told and bool(_count(case, moved, theirs.second))


def _own(case: Case, side: frozenset[int], other: frozenset[int]) -> list[int]:
    """Return the words that stand on one side only."""
    shared = {case.claim.words[j].stem for j in other}
    return [j for j in side if case.claim.words[j].stem not in shared and case.claim.words[j].weight >= 0.4]


def _count(case: Case, words: Sequence[int], positions: frozenset[int]) -> int:
    return sum(any(k.at in positions and k.sign > 0 for k in case.links[j]) for j in words)


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


def exchanged_roles(case: Case) -> str:
    """Return what the abstract says when a verb of the claim has its two sides the other way round there."""
    for i, word in enumerate(case.claim.words):
        if not (word.weight == WEIGHTS["verb"] or word.lower in _TURNING):
            continue
        for link in case.links[i]:
            same_kind = case.abstract.words[link.at].weight == word.weight
            if same_kind and case.within(link.at) and _roles_crossed(case, i, link):
                return case.abstract.quote(*_edges(case, i, link.at))
    return ""


def _roles_crossed(case: Case, i: int, link: Link) -> bool:
    if _passive(case.claim, i) != _passive(case.abstract, link.at):
        return False
    ours = [_arguments(case.claim, i, step) for step in (-1, 1)]
    theirs = [_arguments(case.abstract, link.at, step) for step in (-1, 1)]
    left, right = (_own(case, frozenset(a), frozenset(b)) for a, b in (ours, reversed(ours)))
    straight = _count(case, left, frozenset(theirs[0])) + _count(case, right, frozenset(theirs[1]))
    crossed = _count(case, left, frozenset(theirs[1])), _count(case, right, frozenset(theirs[0]))
    if link.sign < 0 and turns_round(word_stem(case.claim, i), word_stem(case.abstract, link.at)):
        return False
    return link.sign > 0 and not straight and all(crossed)


def word_stem(reading: Reading, i: int) -> str:
    return reading.words[i].stem


def _arguments(reading: Reading, i: int, step: int) -> list[int]:
    """Return the few words of meaning on one side of a verb, in its clause."""
    found: list[int] = []
    j = i + step
    while 0 <= j < len(reading.words) and len(found) < _ARGUMENT:
        if reading.words[j].sentence != reading.words[i].sentence or (
            found and reading.words[j].clause != reading.words[i].clause
        ):
            break
        if reading.words[j].content:
            found.append(j)
        j += step
    return found


def _passive(reading: Reading, i: int) -> bool:
    words = reading.words
    participle = words[i].lower.endswith(("ed", "en", "wn", "ught", "uilt"))
    by = any(w.lower == "by" for w in words[i + 1 : i + 4])
    be = any(w.lower in _BE for w in words[max(i - 2, 0) : i])
    return participle and (by or be)


def _edges(case: Case, i: int, at: int) -> tuple[int, int]:
    both = [*_arguments(case.abstract, at, -1), at, *_arguments(case.abstract, at, 1)]
    return min(both), max(both)


def exchanged_blocks(case: Case) -> str:
    """Return what the abstract says when exchanging two phrases of the claim gives its order of words.

    The order of blocks must be the abstract's but for one exchange, with something between the two.
    """
    blocks = _blocks(case)
    order = sorted(range(len(blocks)), key=lambda b: blocks[b].place)
    moved = [b for b, other in enumerate(order) if b != other]
    if len(moved) != 2 or order[moved[0]] != moved[1] or moved[1] - moved[0] < 2:
        return ""
    between = [case.claim.words[i] for b in blocks[moved[0] + 1 : moved[1]] for i in b.words]
    verbs = [w for w in between if w.weight == WEIGHTS["verb"] or w.weight == 0]
    if not verbs and len(blocks) < 5:
        return ""
    if _passives(case.claim, None) != _passives(case.abstract, case.sentences):
        return ""
    positions = [_position(case, i) for b in (blocks[moved[0]], blocks[moved[1]]) for i in b.words]
    return case.abstract.quote(min(positions), max(positions))


def _passives(reading: Reading, sentences: Sequence[int] | None) -> bool:
    words = [w for w in reading.words if sentences is None or w.sentence in sentences]
    return any(
        w.lower == "by" and any(v.lower.endswith(("ed", "en", "wn")) for v in words[max(i - 3, 0) : i])
        for i, w in enumerate(words)
    )


def _blocks(case: Case) -> list[Block]:
    blocks: list[Block] = []
    end = 0.0
    for i, word in enumerate(case.claim.words):
        if word.weight < WEIGHTS["verb"] and not _turning(case, i):
            continue
        position = _position(case, i)
        if position < 0:
            continue
        place = case.abstract.words[position].place
        if blocks and 0 < place - end <= _GAP_IN_A_BLOCK:
            blocks[-1] = Block((*blocks[-1].words, i), blocks[-1].place)
        elif not (blocks and place == end):
            blocks.append(Block((i,), place))
        end = place
    return blocks


def _turning(case: Case, i: int) -> bool:
    return case.claim.words[i].lower in ("before", "after", "over", "into", "from", "to") and bool(
        case.links[i]
    )


def _position(case: Case, i: int) -> int:
    """Return the only place in the sentences where a word of the claim stands; -1 if there are none or several."""
    found = [k for k in case.links[i] if case.within(k.at) and k.sign > 0]
    best = [k for k in found if k.sure >= 1.0] or found
    return best[0].at if len(best) == 1 else -1


def exchanged_partners(case: Case) -> str:
    """Return what the abstract says when two words of the claim would each fit better in the other's place.

    A word fits a place as well as the words around it in the claim stand around that place in the abstract.
    """
    placed = {i: at for i, word in enumerate(case.claim.words) if word.weight >= WEIGHTS["noun"] and (at := _position(case, i)) >= 0}
    for i in placed:
        for j in placed:
            if i < j and _misplaced(case, i, j, placed) and _misplaced(case, j, i, placed):
                return case.abstract.quote(placed[i], placed[j])
    return ""


def _misplaced(case: Case, i: int, other: int, placed: Mapping[int, int]) -> bool:
    own, better = _fit(case, i, other, placed[i]), _fit(case, i, other, placed[other])
    return better > _BETTER * own and better - own > _BETTER_BY


def _fit(case: Case, i: int, other: int, at: int) -> float:
    here, there = case.claim.words[i].place, case.abstract.words[at].place
    total = 0.0
    for j, word in enumerate(case.claim.words):
        if j in (i, other) or word.weight < WEIGHTS["verb"]:
            continue
        near = [abs(case.abstract.words[k.at].place - there) for k in case.links[j] if case.within(k.at) and k.sign > 0]
        if near:
            total += word.weight * (1 + min(near)) ** -_STEEP * (1 + abs(word.place - here)) ** -_STEEP
    return total
