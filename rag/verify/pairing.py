"""A sentence with several figures of a kind in, which words belong to which figure out.

"18× compared to PPO and 10× compared to GRPO" has two cells, "fidelity of 0.87 and alignment of 0.85" too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.text.words import fold_name
from rag.verify.alignment import SURE
from rag.verify.figures import Figure, figures
from rag.verify.findings import Case
from rag.verify.lexicon import direction
from rag.verify.reading import WEIGHTS, Reading

# How strongly a word or mark between two figures parts them.
_PARTS = {"while": 3, "whilst": 3, "whereas": 3, "but": 3, "although": 3, "and": 2, "or": 2}
_MARKS = ((";", 3.0), (",", 1.0), ("(", 0.5))
_BE = frozenset("is are was were be has have had does".split())
_FRONTED = frozenset("when if while using after before compared relative".split())
_ADJUNCTS = frozenset("with in on at for by under from among against over than within versus".split())
_IN_A_LIST = frozenset(("and", "or", ",", ", and", ", or", "(", "/", "&", "and by", "and to"))
_UNPAIRED = frozenset(("date", "#"))
# The words of an item of a list before "respectively", at most.
_LONGEST_ITEM = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """Figures that stand together, and the positions of the words that belong to them alone."""

    figures: tuple[Figure, ...]
    words: frozenset[int]

    def has(self, figure: Figure) -> bool:
        """Tell whether a figure of a claim is one of these."""
        return any(figure.agrees(own) for own in self.figures)


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a sentence for one unit; `shared` holds the words that belong to all of them."""

    cells: tuple[Cell, ...]
    shared: frozenset[int]


@dataclass(frozen=True, slots=True)
class Pairing:
    """How a figure of a claim is paired: weight of the words for its own cell, and for another of the row."""

    own: float
    other: float
    rival: Figure


def well_paired(case: Case, ours: Figure) -> bool:
    """Tell whether a place of the abstract gives `ours` to the thing that the claim gives it to."""
    measured = bool(ours.unit) or not ours.value.is_integer()
    return measured and any(
        one and one.own >= WEIGHTS["noun"] and not one.other for one in pairings(case, ours)
    )


def given_away(case: Case, ours: Figure) -> Figure | None:
    """Return the figure that the abstract has for the thing to which the claim gives `ours`."""
    found = pairings(case, ours)
    if not found or any(one is None or one.own > 0 or one.other < WEIGHTS["noun"] for one in found):
        return None
    return next(one.rival for one in found if one)


def pairings(case: Case, ours: Figure) -> list[Pairing | None]:
    """Return how `ours` is paired, for each place where the abstract has it; None where it has no cell."""
    same = [f for f in figures(case.abstract.text) if ours.agrees(f)]
    return [_pairing(case, ours, figure) for figure in same]


def _pairing(case: Case, ours: Figure, theirs: Figure) -> Pairing | None:
    row = _row_of(case.abstract, theirs)
    if row is None:
        return None
    own = next(cell for cell in row.cells if theirs in cell.figures)
    said = _said_of(case, ours)
    others = [cell for cell in row.cells if cell is not own and not _told_too(cell, ours, said)]
    told = [(_speaking(case, said, cell, _with(own, row.shared), SURE["form"]), cell) for cell in others]
    if not told:
        return None
    most, rival = max(told, key=lambda one: one[0])
    backing = _speaking(case, said, own, _with(rival, row.shared), SURE["sense"])
    return Pairing(backing, most, _counterpart(own, theirs, rival))


def _told_too(cell: Cell, ours: Figure, said: Cell) -> bool:
    """Tell whether a claim gives the figure of a cell as well: the words of that cell may be there for it."""
    return cell.has(ours) or (len(cell.figures) == 1 and any(cell.has(f) for f in said.figures))


def _with(cell: Cell, shared: frozenset[int]) -> Cell:
    return Cell(cell.figures, cell.words | shared)


def _counterpart(own: Cell, theirs: Figure, rival: Cell) -> Figure:
    """Return the figure of another cell at the same place in it."""
    return rival.figures[min(own.figures.index(theirs), len(rival.figures) - 1)]


def _row_of(reading: Reading, figure: Figure) -> Row | None:
    return next((row for row in rows(reading) if any(figure in cell.figures for cell in row.cells)), None)


def _said_of(case: Case, ours: Figure) -> Cell:
    """Return the words and the other figures that a claim has together with one of its figures."""
    row = _row_of(case.claim, ours)
    if row is None:
        alike = [f for f in figures(case.claim.text) if f.unit == ours.unit]
        # Where something parts the figures, but nothing tells what belongs to which, nothing is known.
        if not alike or _listed(case.claim, alike) or len(_groups(case.claim, alike)[0]) > 1:
            return Cell((), frozenset())
        return Cell(tuple(f for f in alike if f != ours), _nearest(case.claim, ours, alike))
    own = next(cell for cell in row.cells if ours in cell.figures)
    elsewhere = {case.claim.words[i].stem for cell in row.cells if cell is not own for i in cell.words}
    words = frozenset(i for i in own.words if case.claim.words[i].stem not in elsewhere)
    return Cell(tuple(f for f in own.figures if f != ours), words)


def _nearest(claim: Reading, ours: Figure, alike: Sequence[Figure]) -> frozenset[int]:
    """Return the words of a figure's statement that stand nearer to it than to another."""
    here = _word_at(claim, ours.start)
    others = [_word_at(claim, f.start) for f in alike if f != ours]
    words = _statement(claim, ours)
    return frozenset(i for i in words if all(abs(i - here) <= abs(i - there) for there in others))


def _statement(claim: Reading, ours: Figure) -> frozenset[int]:
    """Return the words of the statement a figure stands in: to the next "and is", "while" or "but"."""
    at = _word_at(claim, ours.start)
    cuts = [i for i in range(len(claim.words)) if _cuts(claim, i)]
    first = max((i for i in cuts if i <= at), default=0)
    last = min((i for i in cuts if i > at), default=len(claim.words))
    return frozenset(range(first, last))


def _cuts(claim: Reading, i: int) -> bool:
    lower = claim.words[i].lower
    return i > 0 and (_PARTS.get(lower, 0) == 3 or (lower == "and" and _begins_with_a_verb(claim, i + 1)))


def _begins_with_a_verb(reading: Reading, i: int) -> bool:
    """Tell whether a verb stands here, an adverb before it left out."""
    ahead = [w for w in reading.words[i : i + 2] if w.weight != WEIGHTS["adverb"]][:1]
    return any(w.weight == WEIGHTS["verb"] or w.lower in _BE for w in ahead)


def _speaking(case: Case, said: Cell, cell: Cell, other: Cell, sure: float) -> float:
    """Return the weight of what a claim says that stands in one cell, and not in the other."""
    told = sum(
        case.claim.words[i].weight
        for i in said.words
        if _tells(case, i)
        and any(k.at in cell.words and k.sign > 0 and k.sure >= sure for k in case.links[i])
        and not any(k.at in other.words for k in case.links[i])
    )
    # A figure tells of another only where the abstract has several figures together: "1% … 25%".
    paired = said.figures if len(cell.figures) > 1 and len(other.figures) > 1 else ()
    return told + sum(cell.has(f) and not other.has(f) for f in paired)


def _tells(case: Case, i: int) -> bool:
    """Tell whether a word could tell one figure from another: a noun or a name, not that of the paper."""
    word = case.claim.words[i]
    noun = word.weight >= WEIGHTS["noun"] and not direction(word.stem)
    return noun and fold_name(word.lower) not in case.known


@lru_cache(maxsize=1024)
def rows(reading: Reading) -> tuple[Row, ...]:
    """Return the rows of a text: for each sentence and unit with figures that something parts."""
    grouped: dict[tuple[int, str], list[Figure]] = {}
    for figure in figures(reading.text):
        counted = figure.word and figure.value == 1
        if figure.unit not in _UNPAIRED and not counted and reading.words:
            sentence = reading.words[_word_at(reading, figure.start)].sentence
            grouped.setdefault((sentence, figure.unit), []).append(figure)
    found = (_row(reading, alike) for alike in grouped.values() if len(alike) > 1)
    return tuple(row for row in found if row)


def _row(reading: Reading, alike: Sequence[Figure]) -> Row | None:
    if lists := _listed(reading, alike):
        return _parallel(lists) or _respectively(reading, lists)
    return _coordinated(reading, alike)


# -- figures in lists ---------------------------------------------------------------------------------


def _listed(reading: Reading, alike: Sequence[Figure]) -> list[list[Figure]]:
    """Return the lists of bare figures: "1% (3%)", "3% and 5%", "1, 2, and 3"."""
    lists = [[alike[0]]]
    for left, right in zip(alike, alike[1:], strict=False):
        if reading.text[left.end : right.start].strip() in _IN_A_LIST:
            lists[-1].append(right)
        else:
            lists.append([right])
    return [one for one in lists if len(one) > 1]


def _parallel(lists: Sequence[Sequence[Figure]]) -> Row | None:
    """Pair lists of one length by their order: "25% (12.5%) … 1% (3%)"."""
    if len(lists) < 2 or len({len(one) for one in lists}) > 1:
        return None
    return Row(tuple(Cell(tuple(nth), frozenset()) for nth in zip(*lists, strict=True)), frozenset())


def _respectively(reading: Reading, lists: Sequence[Sequence[Figure]]) -> Row | None:
    """Pair a list of things with a list of figures: "A and B of 3% and 5%, respectively"."""
    first, last = _word_at(reading, lists[0][0].start), _word_at(reading, lists[0][-1].end - 1)
    words = reading.words
    inside = [i for i, w in enumerate(words) if w.sentence == words[first].sentence]
    end = next((i for i in inside if i > last and words[i].lower == "respectively"), -1)
    if len(lists) > 1 or end < 0:
        return None
    behind = _items(reading, range(last + 1, end), len(lists[0]))
    items = behind or _items(reading, range(inside[0], first), len(lists[0]))
    if not items:
        return None
    pairs = zip(lists[0], items, strict=True)
    return Row(tuple(Cell((figure,), item) for figure, item in pairs), frozenset())


def _items(reading: Reading, span: range, count: int) -> list[frozenset[int]]:
    """Return the last `count` things of a list that ends a stretch; none when it has no such list."""
    ands = [i for i in span if reading.words[i].lower in ("and", "or")]
    if not ands:
        return []
    pieces: list[list[int]] = [[]]
    for i in span:
        if i == ands[-1] or (_mark_before(reading, i) == 1.0 and pieces[-1]):
            pieces.append([])
        if reading.words[i].content:
            pieces[-1].append(i)
    pieces = [piece for piece in pieces if piece][-count:]
    size = min(max(len(pieces[-1]), 1), _LONGEST_ITEM) if pieces else 0
    return [frozenset(piece[-size:]) for piece in pieces] if len(pieces) == count else []


# -- figures in coordinates ---------------------------------------------------------------------------


def _coordinated(reading: Reading, alike: Sequence[Figure]) -> Row | None:
    groups, starts = _groups(reading, alike)
    if len(groups) < 2:
        return None
    ends = [*starts, _stretch_end(reading, groups[-1][-1])]
    before = [_before(reading, *pair) for pair in zip(starts, groups[1:], strict=True)]
    behind = [_behind(reading, group, end) for group, end in zip(groups, ends, strict=True)]
    leads, follows = all(_nouns(reading, w) for w in before), all(_nouns(reading, w) for w in behind)
    if not leads and not follows:
        return None
    opening = _opening(reading, groups[0][0], starts[0])
    own = [frozenset() if follows else opening, *before]
    tails = _carried_back(reading, behind) if follows else [*behind[:-1], frozenset()]
    pairs = zip(groups, own, tails, strict=True)
    cells = tuple(Cell(tuple(group), head | tail) for group, head, tail in pairs)
    return Row(cells, opening if follows else behind[-1])


def _carried_back(reading: Reading, behind: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Give what a preposition adds to the last of a list to all: "86% accuracy and 67% recall in eyes"."""
    carried: list[frozenset[int]] = []
    added: frozenset[int] = frozenset()
    for words in reversed(behind):
        span = range(min(words), max(words) + 1)
        at = next((i for i in span if reading.words[i].lower in _ADJUNCTS), -1)
        added = frozenset(i for i in words if i > at) if at >= 0 else added
        carried.append(words | added)
    return carried[::-1]


def _groups(reading: Reading, alike: Sequence[Figure]) -> tuple[list[list[Figure]], list[int]]:
    """Return figures that nothing parts, together, and where each group after the first begins."""
    groups, starts = [[alike[0]]], []
    for left, right in zip(alike, alike[1:], strict=False):
        start = _parting(reading, left, right)
        if start < 0:
            groups[-1].append(right)
        else:
            groups.append([right])
            starts.append(start)
    return groups, starts


def _parting(reading: Reading, left: Figure, right: Figure) -> int:
    """Return the word with which the coordinate of the second of two figures begins; -1 if nothing parts."""
    after, at = _word_at(reading, left.end - 1) + 1, _word_at(reading, right.start)
    ranked = [(_strength(reading, i), i) for i in range(after, at + 1)]
    strongest = max((strength for strength, _ in ranked), default=0.0)
    if not strongest:
        return -1
    best = [i for strength, i in ranked if strength == strongest]
    # "5% on A and B and 7% on C": the one beside a figure.
    beside = [i for i in best if i == after or not _nouns(reading, range(i, at))]
    return (beside or best)[0]


def _strength(reading: Reading, i: int) -> float:
    if reading.words[i].lower in _PARTS:
        return float(_PARTS[reading.words[i].lower])
    mark = _mark_before(reading, i)
    return 0.0 if mark == 1.0 and _ends_an_adjunct(reading, i) else mark


def _mark_before(reading: Reading, i: int) -> float:
    between = reading.text[reading.words[i - 1].end : reading.words[i].start] if i else ""
    return next((strength for mark, strength in _MARKS if mark in between), 0.0)


def _ends_an_adjunct(reading: Reading, i: int) -> bool:
    """Tell whether the comma before a word ends what a sentence begins with: "With 25% of experts, …"."""
    first = i - 1
    while first and reading.words[first - 1].sentence == reading.words[i].sentence:
        first -= 1
    opening = reading.words[first:i]
    if any(_mark_before(reading, j) == 1.0 for j in range(first + 1, i)):
        return False
    verb = any(w.weight == WEIGHTS["verb"] or w.lower in _BE for w in opening)
    return opening[0].lower in _FRONTED or (opening[0].lower in _ADJUNCTS and not verb)


def _stretch_end(reading: Reading, figure: Figure) -> int:
    """Return the word behind the stretch in which a figure stands last."""
    at = _word_at(reading, figure.end - 1)
    for i in range(at + 1, len(reading.words)):
        if reading.words[i].sentence != reading.words[at].sentence or _strength(reading, i) >= 1:
            return i
    return len(reading.words)


def _opening(reading: Reading, figure: Figure, parted: int) -> frozenset[int]:
    """Return the words before the first figure, without the subject that the next coordinate shares."""
    at = _word_at(reading, figure.start)
    first = at
    while first and reading.words[first - 1].sentence == reading.words[at].sentence:
        if _mark_before(reading, first) >= 1:
            break
        first -= 1
    shared = reading.words[parted].lower in _PARTS or reading.words[parted].weight == WEIGHTS["verb"]
    if shared and any(_begins_with_a_verb(reading, i) for i in (parted, parted + 1)):
        verbs = (i for i in range(first, at) if reading.words[i].weight == WEIGHTS["verb"])
        first = next(verbs, first)
    return _content(reading, range(first, at))


def _before(reading: Reading, start: int, group: Sequence[Figure]) -> frozenset[int]:
    return _content(reading, range(start, _word_at(reading, group[0].start)))


def _behind(reading: Reading, group: Sequence[Figure], end: int) -> frozenset[int]:
    return _content(reading, range(_word_at(reading, group[0].start) + 1, end))


def _content(reading: Reading, positions: range) -> frozenset[int]:
    return frozenset(i for i in positions if reading.words[i].content)


def _nouns(reading: Reading, positions: Sequence[int] | frozenset[int]) -> list[int]:
    return [i for i in positions if reading.words[i].weight >= WEIGHTS["noun"]]


def _word_at(reading: Reading, offset: int) -> int:
    return max(bisect_right(reading.starts, offset) - 1, 0)
