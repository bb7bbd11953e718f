"""Answer with the papers' own sentences: evidence → a draft of quotations, or "not found"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from rag.evidence.answerable import asks_what_it_is
from rag.evidence.belonging import belonging, has_topic
from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.evidence.linear import Floats
from rag.evidence.nearest import closeness, closest
from rag.evidence.telling import contribution, contributions, notes
from rag.generate import NOT_FOUND, Draft, DraftSentence
from rag.generate.weaving import named_quote, span_of
from rag.question import Kind

# The answer to a fact: at most this many sentences, each at least this likely compared with the best one.
_FACT_SENTENCES, _FACT_SHARE = 4, 0.15
# Below this chance the library is said not to answer.
_ANSWERS_FACT = 0.4
_LONGEST_LIST = 20
_COMPARED_SENTENCES = 3
# Of several given papers, those are chosen that fit at least this well compared with the best one.
_CHOSEN_SHARE = 0.75
_ASKS_AVAILABILITY = re.compile(
    r"\b(?:code|repositor|github|available|download|link|url|open.?source|releas)", re.IGNORECASE
)


def draft(evidence: Evidence, *, assured: bool = False) -> Draft:
    """Return the sentences that answer; `assured` when the papers are known to be the right ones."""
    if not evidence.candidates:
        return NOT_FOUND
    return _DRAFTS[evidence.reading.question.kind](evidence, assured)


def _fact(evidence: Evidence, assured: bool) -> Draft:
    if not assured and evidence.answered < _ANSWERS_FACT:
        return NOT_FOUND
    candidate, chances = evidence.candidates[0], evidence.sentences[0]
    if asks_what_it_is(evidence.reading, candidate):
        name = evidence.reading.named[candidate.paper.id]
        return Draft("answered", tuple(_quote(candidate, i) for i in _introduction(candidate, name)))
    chosen = _likeliest(_telling(evidence, candidate, chances), _FACT_SENTENCES, _FACT_SHARE)
    # The answer first, then what else belongs to it as the abstract has it.
    ordered = [chosen[0], *sorted(chosen[1:])]
    return Draft("answered", tuple(_quote(candidate, i) for i in ordered))


def _introduction(candidate: Candidate, name: frozenset[str]) -> list[int]:
    """Return what a paper is about: where it brings in what was named, what follows, and what came of it."""
    naming = [i for i, words in enumerate(candidate.words) if name <= words]
    saying = contributions(candidate)
    first = next(iter([i for i in naming if i in saying] or naming or saying), 0)
    last = len(candidate.sentences) - 1
    only_notes = notes(candidate)
    results = [i for i in range(last, -1, -1) if not only_notes[i]]
    return list(dict.fromkeys([first, min(first + 1, last), *results[:1]]))


def _list(evidence: Evidence, assured: bool) -> Draft:
    if assured:
        return _choice(evidence)
    if not has_topic(evidence):
        return NOT_FOUND
    listed = belonging(evidence)
    sentences = tuple(
        named_quote(evidence.candidates[i], closest(evidence, i)) for i in listed[:_LONGEST_LIST]
    )
    left = len(listed) - _LONGEST_LIST
    more = (f"{left} more papers fit; narrow the question, or see them all with `rag search`.",)
    return Draft("answered", sentences, more if left > 0 else ())


def _choice(evidence: Evidence) -> Draft:
    """Choose among given papers: those with a sentence nearly as close to the question as the closest."""
    fits = np.array([_fit(evidence, candidate) for candidate in evidence.candidates])
    order = [int(i) for i in np.argsort(-fits, kind="stable") if fits[i] >= _CHOSEN_SHARE * fits.max()]
    sentences = tuple(named_quote(evidence.candidates[i], _nearest(evidence, i)) for i in order)
    return Draft("answered", sentences)


def _fit(evidence: Evidence, candidate: Candidate) -> float:
    return float(closeness(evidence.reading, candidate).max(initial=-1.0))


def _nearest(evidence: Evidence, i: int) -> int:
    return int(np.argmax(closeness(evidence.reading, evidence.candidates[i])))


def _compare(evidence: Evidence, assured: bool) -> Draft:
    """Quote from the one paper there is of a comparison: what it contributes, and what is asked about."""
    sentences: list[DraftSentence] = []
    for candidate, chances in zip(evidence.candidates, evidence.sentences, strict=True):
        chosen = _likeliest(_telling(evidence, candidate, chances), _COMPARED_SENTENCES, 0.0)
        own = contribution(candidate)
        wanted = sorted({own, *chosen}) if own is not None else sorted(chosen)
        sentences += [named_quote(candidate, i) for i in wanted]
    return Draft("answered", tuple(sentences))


_DRAFTS: Mapping[Kind, Callable[[Evidence, bool], Draft]] = {
    "fact": _fact,
    "find": _list,
    "topic": _list,
    "compare": _compare,
}


def _telling(evidence: Evidence, candidate: Candidate, chances: Floats) -> Floats:
    """Return the chances with those of notes on where code or data lie at zero, unless they are asked for."""
    if _ASKS_AVAILABILITY.search(evidence.reading.question.text):
        return chances
    return np.where(notes(candidate), 0.0, chances)


def _likeliest(chances: Floats, most: int, share: float) -> list[int]:
    order = [int(i) for i in np.argsort(-chances, kind="stable")][:most]
    return [i for i in order if chances[i] >= share * chances[order[0]]]


def _quote(candidate: Candidate, i: int) -> DraftSentence:
    return DraftSentence(candidate.text(i), (span_of(candidate, i),))
