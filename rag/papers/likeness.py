"""The words of two texts in, how alike they are out: the share in common, and where they contradict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.papers.comparable import Word
from rag.text.words import STOP_WORDS

_LONG_GAP = 6
_LINE = 12
_TYPO = 70.0  # of 100, rapidfuzz ratio of two words
_SURE_TYPO_LENGTH = 7
_NEGATIONS = frozenset("no not never without cannot".split())


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are, from 0 to 1.

    `score` is the share of all words that stand in both in the same order, `contained` that of the shorter
    text; `vocabulary` the share of the shorter one's content words that the other uses anywhere. `inserted`
    are the words that only one of them has in between, as a share of the shorter one's; `shorter` is its
    length. `clashes` are numbers and names that stand in each other's place, or in one text only.
    """

    score: float
    contained: float
    vocabulary: float
    inserted: float
    shorter: int
    clashes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Gap:
    """Words between two stretches that both texts have; `at_end` before the first or after the last."""

    one: tuple[Word, ...]
    two: tuple[Word, ...]
    at_end: bool


def likeness(one: Sequence[Word], two: Sequence[Word]) -> Likeness:
    """Compare two texts, given as their words."""
    shorter, longer = sorted((len(one), len(two)))
    if not shorter:
        return Likeness(0.0, 0.0, 0.0, 0.0, 0, ())
    equal, gaps = _aligned(one, two)
    common = equal + sum(_slips(gap) for gap in gaps)
    added = _added(gaps, 0 if len(one) < len(two) else 1)
    known = {w.text for w in one} & {w.text for w in two}
    clashes = tuple(clash for gap in gaps for clash in _clash(gap, known))
    return Likeness(
        score=min(1.0, 2 * common / (shorter + longer)),
        contained=min(1.0, common / max(shorter - added, 1)),
        vocabulary=_vocabulary(one, two),
        inserted=sum(abs(len(g.one) - len(g.two)) for g in gaps if not g.at_end) / shorter,
        shorter=shorter,
        clashes=clashes,
    )


def _aligned(one: Sequence[Word], two: Sequence[Word]) -> tuple[int, list[_Gap]]:
    """Return how many words are equal in order, and the gaps between them."""
    from rapidfuzz.distance import Indel

    equal = 0
    at = (0, 0)
    gaps: list[_Gap] = []
    blocks = Indel.opcodes([w.text for w in one], [w.text for w in two]).as_matching_blocks()
    for block in blocks:
        if at != (block.a, block.b):
            begins, ends = not equal, not block.size
            gaps.append(_Gap(tuple(one[at[0] : block.a]), tuple(two[at[1] : block.b]), begins or ends))
        equal += block.size
        at = (block.a + block.size, block.b + block.size)
    return equal, gaps


def _added(gaps: Sequence[_Gap], side: int) -> int:
    """Return how many words one text has before or after all that both have: a line of its own."""
    alone = [(gap.one, gap.two)[side] for gap in gaps if gap.at_end and not (gap.one and gap.two)]
    return min(sum(map(len, alone)), _LINE)


def _slips(gap: _Gap) -> int:
    """Return how many words of a gap are the same but for a slip of spelling, or for a space."""
    if not gap.one or not gap.two:
        return 0
    if _joined(gap.one) == _joined(gap.two):
        return min(len(gap.one), len(gap.two))
    return sum(1 for _ in _misspelt(gap))


def _misspelt(gap: _Gap) -> Iterator[tuple[Word, Word]]:
    """Yield the words of a gap that stand side by side and differ by a slip."""
    if len(gap.one) == len(gap.two):
        yield from ((a, b) for a, b in zip(gap.one, gap.two, strict=True) if _is_slip(a, b))


def _is_slip(one: Word, two: Word) -> bool:
    from rapidfuzz import fuzz

    if one.number or two.number or min(len(one.text), len(two.text)) < 3:
        return False
    return fuzz.ratio(one.text, two.text) >= _TYPO


def _clash(gap: _Gap, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what one text says in a gap and the other does not, where that tells two papers apart."""
    if _joined(gap.one) == _joined(gap.two) or _is_addition(gap):
        return
    forgiven = {w for a, b in _misspelt(gap) if _may_be_slip(a, b, known) for w in (a, b)}
    one, two = _telling(gap.one, forgiven), _telling(gap.two, forgiven)
    if set(one) != set(two):
        yield " ".join(one), " ".join(two)


def _is_addition(gap: _Gap) -> bool:
    """Say whether only one text goes on here: cut short, or with a sentence more."""
    if gap.one and gap.two:
        # A text that is cut off may end in the middle of a word, or say so.
        less = min(gap.one, gap.two, key=len)
        more = gap.two if less is gap.one else gap.one
        is_part = len(less) == 1 and not less[0].number and more[0].text.startswith(less[0].text)
        return gap.at_end and (is_part or len(less) <= 2 and not any(w.number or w.name for w in less))
    return gap.at_end or max(len(gap.one), len(gap.two)) >= _LONG_GAP


def _may_be_slip(one: Word, two: Word, known: set[str]) -> bool:
    """Say whether a name may be misspelt: it stands right elsewhere in both texts, or is long."""
    if not (one.name or two.name):
        return True
    from rapidfuzz.distance import OSA

    distance = OSA.distance(one.text, two.text)
    long = min(len(one.text), len(two.text)) >= _SURE_TYPO_LENGTH
    return distance <= 2 and (one.text in known) != (two.text in known) or (long and distance == 1)


def _telling(words: Sequence[Word], forgiven: set[Word]) -> list[str]:
    return [
        w.text
        for w in words
        if w not in forgiven and (w.number or (w.name and w.text not in STOP_WORDS) or w.text in _NEGATIONS)
    ]


def _joined(words: Sequence[Word]) -> str:
    return "".join(w.text for w in words)


def _vocabulary(one: Sequence[Word], two: Sequence[Word]) -> float:
    sets = [{w.text for w in words if w.text not in STOP_WORDS and not w.number} for words in (one, two)]
    smaller = min(map(len, sets))
    return len(sets[0] & sets[1]) / smaller if smaller else 0.0
