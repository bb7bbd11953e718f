"""Judge a claim against a paper: a verdict, a reason, and the sentences it rests on.

Layers, cheap first: find the sentences; compare numbers, names, direction and order; weigh what is left. Each
layer is a function of a `Case` that returns findings; `LAYERS` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.domain import Paper, Sentence, Verdict
from rag.embedders import Vectors
from rag.text.abbreviations import abbreviations
from rag.text.latex import readable
from rag.text.sentences import spans
from rag.text.words import fold_name
from rag.verify import weights
from rag.verify.alignment import align
from rag.verify.comparing import exchanged_comparison, outdone
from rag.verify.findings import Case, Finding
from rag.verify.names import check_names, missing_phrase, spelt_as_name
from rag.verify.numbers import check_numbers
from rag.verify.order import check_order
from rag.verify.polarity import check_polarity
from rag.verify.quantifiers import check_only, check_quantifiers
from rag.verify.reading import WEIGHTS, read
from rag.verify.support import Support, find_support

# The chance that a claim is supported, above which it is called so, or partly so.
SUPPORTED, PARTIAL = 0.5, 0.35
# The layers compare every word with every other: a longer claim is no sentence and is not judged.
LONGEST_CLAIM = 2_000
# A claim is partly supported only when the sentences found hold this much of it.
_PARTIAL_COVERS = 0.5
# Formulas and short sentences have low cosines whatever they say.
_LEAST_SIMILAR = 0.3
_NOT_SAID = "no sentence of the abstract says this"


class Judgeable(Protocol):
    """What a claim is judged against: a paper and its sentences' vectors, `(sentences, dim) float32`."""

    @property
    def paper(self) -> Paper:
        """The paper."""

    @property
    def sentences(self) -> Sequence[Sentence]:
        """Its sentences, in order."""

    @property
    def vectors(self) -> Vectors:
        """A unit row for each sentence."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on a claim: why, and `(start, end)` of the sentences it rests on, in the paper's text.

    `chance` is how likely the claim is supported, 0–1; `layer` the layer that decided. `quoted` is one
    stretch to quote: both sentences where they stand together, else the nearer one.
    """

    verdict: Verdict
    reason: str
    spans: tuple[tuple[int, int], ...]
    chance: float
    layer: str
    quoted: tuple[int, int] = (0, 0)


# A model that has the last word: claim, quoted sentences and the judgement so far → a judgement.
Second = Callable[[str, Judgeable, Judgement], Judgement]
Layer = Callable[[Case], list[Finding]]


def _direction(case: Case) -> list[Finding]:
    found = check_polarity(case, exchanged=bool(exchanged_comparison(case)))
    said = "" if found else outdone(case)
    return [Finding("direction", f"the abstract says “{said}”")] if said else found


LAYERS: tuple[tuple[str, Layer], ...] = (
    ("number", check_numbers),
    ("name", check_names),
    ("direction", _direction),
    ("quantifier", check_quantifiers),
    ("quantifier", check_only),
    ("order", check_order),
)


@dataclass(frozen=True, slots=True)
class Words:
    """A paper to be judged by its words alone, when there is no embedder at hand."""

    paper: Paper
    sentences: tuple[Sentence, ...]
    vectors: Vectors

    @staticmethod
    def of(paper: Paper) -> Words:
        """Split a paper into sentences."""
        sentences = tuple(Sentence(paper.id, i, a, b) for i, (a, b) in enumerate(spans(paper.text)))
        return Words(paper, sentences, np.zeros((0, 0), dtype=np.float32))


def judge(
    claim: str, paper: Judgeable, vector: Vectors | None = None, second: Second | None = None
) -> Judgement:
    """Return whether `paper` supports `claim`; `vector` is the claim's unit vector, `(dim,) float32`.

    Without a vector, words alone decide. `second`, if given, is asked where the layers find no contradiction.
    """
    if len(claim) > LONGEST_CLAIM:
        return Judgement("partial", too_long(claim), (), 0.0, "support")
    text = readable(claim).strip()
    if not paper.sentences or not text:
        return Judgement("unsupported", "there is nothing to compare", (), 0.0, "support")
    if whole := _whole_sentences(text, paper):
        start, end = whole[0][0], whole[-1][1]
        return Judgement("supported", "quoted word for word", whole, 1.0, "quote", (start, end))
    case, support = prepare(text, paper, vector)
    found = sorted((f for _, layer in LAYERS for f in layer(case)), key=lambda f: -f.weight)
    judgement = _decide(case, support, found, paper.sentences)
    return second(claim, paper, judgement) if second and not found else judgement


def too_long(claim: str) -> str:
    """Return why a claim of more than `LONGEST_CLAIM` characters is not judged."""
    return f"too long to check: {len(claim)} characters"


def _whole_sentences(text: str, paper: Judgeable) -> tuple[tuple[int, int], ...]:
    """Return the sentences of a paper that a claim repeats; a part of one may mean something else."""
    start = paper.paper.text.find(text)
    end = start + len(text)
    inside = tuple((s.start, s.end) for s in paper.sentences if start <= s.start and s.end <= end)
    return inside if start >= 0 and inside and (inside[0][0], inside[-1][1]) == (start, end) else ()


def features(case: Case, support: Support, found: Sequence[Finding]) -> NDArray[np.float64]:
    """Return what the verdict is weighed from, in the order of `weights.FEATURES`."""
    words = zip(case.claim.words, case.links, strict=True)
    nouns = [(w.weight, bool(links) or w.stem in case.title) for w, links in words]
    missing = sum(weight for weight, linked in nouns if weight >= WEIGHTS["noun"] and not linked)
    total = sum(weight for weight, _ in nouns) or 1.0
    return np.array(
        [
            support.covered,
            support.anywhere,
            support.alone,
            max(support.similarity, _LEAST_SIMILAR),
            min(missing, 3.0),
            missing / total,
            max((f.weight for f in found), default=0.0),
        ]
    )


def prepare(text: str, paper: Judgeable, vector: Vectors | None) -> tuple[Case, Support]:
    """Lay a claim beside a paper and find the sentences that come nearest to saying it."""
    claim = read(text)
    abstract = read(paper.paper.text, tuple((s.start, s.end) for s in paper.sentences))
    links = align(claim, abstract, dict(_short(paper.paper.text)))
    cosines, known = _cosines(paper, vector), _known(paper.paper)
    support = find_support(claim, abstract, links, cosines, len(paper.sentences), known)
    title = frozenset(word.stem for word in read(paper.paper.title or "").words if word.content)
    return Case(claim, abstract, links, support.sentences, known, support.best, title), support


def _cosines(paper: Judgeable, vector: Vectors | None) -> NDArray[np.float64] | None:
    if vector is None or len(paper.vectors) != len(paper.sentences):
        return None
    return np.asarray(paper.vectors @ vector, dtype=np.float64)


@lru_cache(maxsize=512)
def _short(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(abbreviations(text).items())


def _known(paper: Paper) -> frozenset[str]:
    """Return the names of a paper, folded, and the words of them that are spelt as names."""
    names = (paper.name, *(str(alias) for alias in paper.extra.get("aliases", ())))
    parts = [part for name in names for part in name.split() if " " not in name or spelt_as_name(part)]
    return frozenset(fold_name(name) for name in (*names, *parts))


def _decide(
    case: Case, support: Support, found: Sequence[Finding], sentences: Sequence[Sentence]
) -> Judgement:
    chance = weights.chance(features(case, support, found))
    rests = tuple((sentences[i].start, sentences[i].end) for i in support.sentences)
    quoted = _together(support, sentences)
    if found and chance < SUPPORTED:
        return Judgement("unsupported", found[0].reason, rests, chance, found[0].layer, quoted)
    if chance >= SUPPORTED:
        return Judgement("supported", _says_so(support), rests, chance, "support", quoted)
    absent = missing_phrase(case)
    reason = f"nothing in this abstract speaks of {absent}" if absent else _NOT_SAID
    partly = not absent and chance >= PARTIAL and support.covered >= _PARTIAL_COVERS
    return Judgement("partial" if partly else "unsupported", reason, rests, chance, "support", quoted)


def _together(support: Support, sentences: Sequence[Sentence]) -> tuple[int, int]:
    first, last = support.sentences[0], support.sentences[-1]
    if last - first > 1:
        first = last = support.best
    return sentences[first].start, sentences[last].end


def _says_so(support: Support) -> str:
    return "the abstract says so" + (", in two sentences" if len(support.sentences) > 1 else "")
