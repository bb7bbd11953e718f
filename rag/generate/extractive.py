"""Answer with the papers' own sentences: evidence → a draft of quotations, or "not found"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np

from rag.evidence.answerable import asks_what_it_is
from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.evidence.linear import Floats
from rag.evidence.matching import coverage, matched
from rag.generate import NOT_FOUND, Draft, DraftSentence, Span
from rag.question import Kind

# The answer to a fact: at most this many sentences, each at least this likely compared with the best one.
_FACT_SENTENCES, _FACT_SHARE = 4, 0.15
# Below these chances the library is said not to answer.
_ANSWERS_FACT, _ANSWERS_LIST = 0.4, 0.4
# A paper is listed from these chances of belonging on; lists stop at this length.
_LISTED: Mapping[Kind, float] = {"find": 0.35, "topic": 0.25}
_LONGEST_LIST = 20
_COMPARED_SENTENCES = 3
# How much closer to the topic another sentence must be than the one that says what the paper contributes.
_OWN: Mapping[Kind, float] = {"find": 0.25, "topic": 0.5}
_BACKGROUND = 0.25
# Of several given papers, those are chosen that fit at least this well compared with the best one.
_CHOSEN_SHARE = 0.75
_CONTRIBUTES = re.compile(
    r"\b(?:we|this (?:paper|work|study|article)|here,? we)\s+(?:\w+\s+){0,2}"
    r"(?:propos|present|introduc|develop|describ|stud|investigat|show|argu|deriv|identif|design|formulat|apply"
    r"|applie|address|consider|tackl|examin|explor|audit|offer|extend|establish)\w*",
    re.IGNORECASE,
)
# Where the code lies is no answer, unless it is asked for.
_AVAILABILITY = re.compile(
    r"\b(?:code|data|dataset|implementation|demo|project page|models?)\b[^.]{0,200}"
    r"\b(?:available|released?|public|found)\b"
    r"|^code\s*:|https?://",
    re.IGNORECASE,
)
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
    saying = _contributions(candidate)
    first = next(iter([i for i in naming if i in saying] or naming or saying), 0)
    last = len(candidate.sentences) - 1
    notes = _notes(candidate)
    results = [i for i in range(last, -1, -1) if not notes[i]]
    return list(dict.fromkeys([first, min(first + 1, last), *results[:1]]))


def _list(evidence: Evidence, assured: bool) -> Draft:
    kind = evidence.reading.question.kind
    if assured:
        return _choice(evidence)
    if evidence.answered < _ANSWERS_LIST:
        return NOT_FOUND
    order = np.argsort(-evidence.belongs, kind="stable")
    listed = [int(i) for i in order if evidence.belongs[i] >= _LISTED[kind]] or [int(order[0])]
    sentences = tuple(
        _named_quote(evidence.candidates[i], _closest(evidence, i)) for i in listed[:_LONGEST_LIST]
    )
    left = len(listed) - _LONGEST_LIST
    more = (f"{left} more papers fit; narrow the question, or see them all with `rag search`.",)
    return Draft("answered", sentences, more if left > 0 else ())


def _choice(evidence: Evidence) -> Draft:
    """Choose among given papers: those with a sentence nearly as close to the question as the closest."""
    fits = np.array([_fit(evidence, candidate) for candidate in evidence.candidates])
    order = [int(i) for i in np.argsort(-fits, kind="stable") if fits[i] >= _CHOSEN_SHARE * fits.max()]
    sentences = tuple(_named_quote(evidence.candidates[i], _nearest(evidence, i)) for i in order)
    return Draft("answered", sentences)


def _fit(evidence: Evidence, candidate: Candidate) -> float:
    return float(_closeness(evidence, candidate).max(initial=-1.0))


def _nearest(evidence: Evidence, i: int) -> int:
    return int(np.argmax(_closeness(evidence, evidence.candidates[i])))


def _closeness(evidence: Evidence, candidate: Candidate) -> Floats:
    """Return the cosine of each sentence with the topic, plus the share of the topic's terms it holds."""
    reading = evidence.reading
    rows = [
        candidate.vectors @ vector
        + coverage(matched(candidate.words, terms, reading.known), reading.weights(terms))
        for vector, terms in reading.topics
    ]
    return np.asarray(np.max(rows, axis=0))


def _compare(evidence: Evidence, assured: bool) -> Draft:
    """Quote from every paper of the evidence: what it contributes, and what the question asks about."""
    sentences: list[DraftSentence] = []
    for candidate, chances in zip(evidence.candidates, evidence.sentences, strict=True):
        chosen = _likeliest(_telling(evidence, candidate, chances), _COMPARED_SENTENCES, 0.0)
        own = _contribution(candidate)
        wanted = sorted({own, *chosen}) if own is not None else sorted(chosen)
        sentences += [_named_quote(candidate, i) for i in wanted]
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
    return np.where(_notes(candidate), 0.0, chances)


def _notes(candidate: Candidate) -> list[bool]:
    return [bool(_AVAILABILITY.search(candidate.text(i))) for i in range(len(candidate.sentences))]


def _likeliest(chances: Floats, most: int, share: float) -> list[int]:
    order = [int(i) for i in np.argsort(-chances, kind="stable")][:most]
    return [i for i in order if chances[i] >= share * chances[order[0]]]


def _closest(evidence: Evidence, i: int) -> int:
    """Return the sentence of a paper that says most about the topic, its contribution if close to that."""
    candidate = evidence.candidates[i]
    near = _closeness(evidence, candidate).copy()
    # The first sentence is nearly always background, and where the code lies says nothing of the topic.
    near[0] -= _BACKGROUND
    near[_notes(candidate)] -= 1.0
    own = _contribution(candidate)
    if own is not None:
        near[own] += _OWN[evidence.reading.question.kind]
    return int(np.argmax(near))


def _contribution(candidate: Candidate) -> int | None:
    """Return the first sentence that says what the paper does, if one says so."""
    return next(iter(_contributions(candidate)), None)


def _contributions(candidate: Candidate) -> list[int]:
    return [i for i in range(len(candidate.sentences)) if _CONTRIBUTES.search(candidate.text(i))]


def _quote(candidate: Candidate, i: int) -> DraftSentence:
    span = candidate.sentences[i]
    return DraftSentence(candidate.text(i), (Span(candidate.paper.id, span.start, span.end),))


def _named_quote(candidate: Candidate, i: int) -> DraftSentence:
    quote = _quote(candidate, i)
    return DraftSentence(f"{candidate.paper.name}: {quote.text}", quote.spans)
