"""Pack evidence for a chat model: scored sentences → numbered papers and sentences within a token budget.

The best sentences are shown, with what is needed to understand them: the sentence before one that begins
with "It" or "This", and the long form of an abbreviation that an unseen sentence explains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag import tokens
from rag.domain import Paper, Sentence
from rag.evidence.candidates import Candidate
from rag.evidence.fencing import as_data, fence
from rag.evidence.gather import Evidence
from rag.question import Kind
from rag.text.abbreviations import abbreviations

# How much less a sentence counts for each paper that stands before its own.
_RANK_DISCOUNT = 0.55
# A fact needs few sentences; below this share of the best one's score a sentence is not worth its tokens.
_FACT_SENTENCES, _FACT_AT_LEAST, _FACT_SHARE, _FACT_PAPERS = 12, 5, 0.03, 4
_COMPARED_SENTENCES = 5
_LIST_FROM, _LIST_AT_LEAST, _LIST_SENTENCES = 0.05, 8, 2
_LEANS = re.compile(
    r"^(?:it|its|they|their|this|these|those|that|such|the (?:former|latter)|both|here|thus|hence|"
    r"therefore|however|but|moreover|furthermore|additionally|in contrast|instead|otherwise|as a result)\b",
    re.IGNORECASE,
)
_NAME_LENGTH = 100


@dataclass(frozen=True, slots=True)
class PackedPaper:
    """A paper as a model sees it: its number, and those of its sentences that are shown.

    A sentence's number is its place in the abstract, from 1; numbers left out are sentences not shown.
    """

    number: int
    paper: Paper
    candidate: Candidate
    shown: tuple[int, ...]

    def sentence(self, number: int) -> Sentence | None:
        """Return a shown sentence by number, None when it is not shown."""
        return self.candidate.sentences[number - 1] if number - 1 in self.shown else None


@dataclass(frozen=True, slots=True)
class Packed:
    """What a model is shown: `text` between fences marked `fence`, and what its numbers mean.

    `left_out` counts the papers that fit the question but not the budget.
    """

    papers: tuple[PackedPaper, ...]
    text: str
    fence: str
    tokens: int
    left_out: int = 0

    def paper(self, number: int) -> PackedPaper | None:
        """Return a paper by number, None when there is none."""
        return self.papers[number - 1] if 1 <= number <= len(self.papers) else None


def pack(evidence: Evidence, limit: int, encoding: str = "o200k_base") -> Packed:
    """Return the best of `evidence` in `limit` tokens of `encoding`; at least one sentence is kept."""
    wanted = list(_SELECT[evidence.reading.question.kind](evidence))
    return _packed(wanted, evidence.candidates, limit, encoding)


def pack_whole(candidates: Sequence[Candidate], limit: int, encoding: str = "o200k_base") -> Packed:
    """Return the papers with all their sentences; where they do not fit, each loses its last ones."""
    wanted = list(_in_turn(range(len(candidates)), [range(len(c.sentences)) for c in candidates]))
    return _packed(wanted, candidates, limit, encoding)


def pack_chosen(
    papers: Sequence[tuple[Candidate, int]], most: int, limit: int, encoding: str = "o200k_base"
) -> Packed:
    """Return of each paper the sentence chosen and the `most - 1` nearest to it in meaning."""
    candidates = [candidate for candidate, _ in papers]
    orders = [_best(c.vectors @ c.vectors[i], most) for c, i in papers]
    return _packed(list(_in_turn(range(len(candidates)), orders)), candidates, limit, encoding)


def _packed(
    wanted: Sequence[tuple[int, int]], candidates: Sequence[Candidate], limit: int, encoding: str
) -> Packed:
    chosen, spent = _within(wanted, candidates, limit, lambda line: tokens.count(line, encoding) + 1)
    packed = tuple(
        PackedPaper(number, candidates[at].paper, candidates[at], tuple(sorted(sentences)))
        for number, (at, sentences) in enumerate(chosen.items(), 1)
    )
    text = "\n".join(line for p in packed for line in _lines(p))
    return Packed(packed, text, fence(text), spent, len({at for at, _ in wanted} - set(chosen)))


def _fact(evidence: Evidence) -> Iterator[tuple[int, int]]:
    """Yield the sentences likeliest to hold the answer, those of the papers named in the question first."""
    named = [i for i, hit in enumerate(evidence.hits) if "name" in hit.ranks]
    papers = (named or list(range(len(evidence.hits))))[:_FACT_PAPERS]
    scored = [
        (float(chance) * _RANK_DISCOUNT**rank, paper, sentence)
        for rank, paper in enumerate(papers)
        for sentence, chance in enumerate(evidence.sentences[paper])
    ]
    scored.sort(key=lambda row: (-row[0], row[1], row[2]))
    best = scored[0][0] if scored else 0.0
    kept = [row for row in scored[:_FACT_SENTENCES] if row[0] >= _FACT_SHARE * best]
    # The chances of the first paper may all be misjudged: some of it is shown in any case.
    first = [row for row in scored if papers and row[1] == papers[0]][:_FACT_AT_LEAST]
    yield from dict.fromkeys((paper, sentence) for _, paper, sentence in [*kept, *first])


def _compare(evidence: Evidence) -> Iterator[tuple[int, int]]:
    """Yield from every paper in turn its next best sentence."""
    orders = [_best(chances, _COMPARED_SENTENCES) for chances in evidence.sentences]
    yield from _in_turn(range(len(orders)), orders)


def _list(evidence: Evidence) -> Iterator[tuple[int, int]]:
    """Yield the sentence closest to the topic of each paper that may belong, then their next closest."""
    by_chance = [int(i) for i in np.argsort(-evidence.belongs, kind="stable")]
    papers = [i for n, i in enumerate(by_chance) if n < _LIST_AT_LEAST or evidence.belongs[i] >= _LIST_FROM]
    topics = np.stack([vector for vector, _ in evidence.reading.topics])
    near = [(evidence.candidates[i].vectors @ topics.T).max(axis=1, initial=-1.0) for i in papers]
    orders = [_best(closeness, _LIST_SENTENCES) for closeness in near]
    yield from _in_turn(papers, orders)


_SELECT: Mapping[Kind, Callable[[Evidence], Iterator[tuple[int, int]]]] = {
    "fact": _fact,
    "compare": _compare,
    "find": _list,
    "topic": _list,
}


def _best(scores: NDArray[Any], most: int) -> list[int]:
    return [int(i) for i in np.argsort(-scores, kind="stable")[:most]]


def _in_turn(papers: Iterable[int], orders: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    rows = list(zip(papers, orders, strict=True))
    for place in range(max((len(order) for _, order in rows), default=0)):
        yield from ((paper, order[place]) for paper, order in rows if place < len(order))


def _within(
    wanted: Sequence[tuple[int, int]],
    candidates: Sequence[Candidate],
    limit: int,
    cost: Callable[[str], int],
) -> tuple[dict[int, set[int]], int]:
    """Take sentences in the order they are wanted while they fit; return them by paper, and the cost."""
    chosen: dict[int, set[int]] = {}
    spent = 0
    for paper, sentence in wanted:
        held = chosen.get(paper, set())
        group = _understandable(candidates[paper], sentence) - held
        price = sum(cost(_sentence_line(1, candidates[paper], i)) for i in group)
        price += 0 if held else cost(_heading(1, candidates[paper].paper))
        if chosen and spent + price > limit:
            continue
        chosen.setdefault(paper, set()).update(group)
        spent += price
    order = sorted(chosen)
    return {paper: chosen[paper] for paper in order}, spent


def _understandable(candidate: Candidate, sentence: int) -> set[int]:
    """Return a sentence with the one before it, when it leans on that."""
    leans = sentence > 0 and _LEANS.match(candidate.text(sentence).lstrip())
    return {sentence - 1, sentence} if leans else {sentence}


def _lines(packed: PackedPaper) -> Iterator[str]:
    yield _heading(packed.number, packed.paper)
    shown = " ".join(packed.candidate.text(i) for i in packed.shown)
    for short, long in abbreviations(packed.paper.text).items():
        if (
            re.search(rf"(?<!\w){re.escape(short)}s?(?!\w)", shown)
            and long.casefold() not in shown.casefold()
        ):
            yield f"({as_data(short)}: {as_data(long)})"
    yield from (_sentence_line(packed.number, packed.candidate, i) for i in packed.shown)


def _heading(number: int, paper: Paper) -> str:
    year = f" ({paper.year})" if paper.year is not None else ""
    return f"Paper {number}: {as_data(paper.title or paper.name)[:_NAME_LENGTH]}{year}"


def _sentence_line(number: int, candidate: Candidate, sentence: int) -> str:
    return f"{number}.{sentence + 1} {as_data(candidate.text(sentence))}"
