"""Make retrieved papers ready for an answer: hits → candidates with scored sentences, and is there one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.domain import Hit
from rag.embedders import Vectors
from rag.evidence import weights
from rag.evidence.answerable import (
    asks_nothing,
    asks_of_another,
    asks_what_it_is,
    fact_features,
    list_features,
)
from rag.evidence.candidates import Candidate, candidate
from rag.evidence.features import paper_features, sentence_features
from rag.evidence.linear import Floats, chance
from rag.evidence.reading import Rarity, Reading, read
from rag.ledger import Ledger
from rag.retrieve import Retrieval
from rag.text.words import content_terms

# Papers whose sentences are scored: a fact stands in one of the first, a list may need them all.
_FEW, _MANY = 6, 60
_REMEMBERED = 1024
_LISTS = ("find", "topic")
# The papers ranked first, which others are compared with.
_LEADERS = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """The papers found for a question, ready to be quoted.

    Aligned with `hits`: `candidates`; `sentences`, the chance that each sentence of a paper answers; and
    `belongs`, the chance that a paper is about the topic. `answered` is the chance that the library
    answers the question at all. All chances are 0–1.
    """

    reading: Reading
    hits: tuple[Hit, ...]
    candidates: tuple[Candidate, ...]
    sentences: tuple[Floats, ...]
    belongs: Floats
    answered: float


class Gatherer:
    """Turns retrievals of one open library into evidence; keeps the papers it prepared lately."""

    def __init__(self, ledger: Ledger, embed: Callable[[str], Vectors], rarity: Rarity) -> None:
        self._ledger = ledger
        self._embed = embed
        self._rarity = rarity
        self._lock = threading.Lock()
        self._prepared: OrderedDict[tuple[str, str], Candidate] = OrderedDict()

    def gather(self, retrieval: Retrieval, most: int = _MANY) -> Evidence:
        """Return the evidence for a retrieval, of the papers that its kind of question needs.

        A list is made of `most` papers.
        """
        question = retrieval.question
        wide = question.kind in _LISTS
        hits = retrieval.compared or retrieval.hits[: most if wide else _FEW]
        candidates = self.candidates(hits)
        reading = read(question, self._embed, self._rarity, candidates, naming_terms(retrieval))
        sentences = tuple(chance(weights.SENTENCE.score(sentence_features(reading, c))) for c in candidates)
        belonging = np.zeros(len(hits))
        if wide and candidates:
            features = belonging_features(reading, hits, candidates, retrieval.usual)
            belonging = weights.PAPER.score(features)
        return Evidence(
            reading,
            hits,
            candidates,
            sentences,
            chance(belonging),
            _answered(reading, hits, candidates, sentences, belonging),
        )

    def candidates(self, hits: Sequence[Hit]) -> tuple[Candidate, ...]:
        """Return the papers of `hits`, prepared for scoring."""
        mark = self._ledger.vector_mark
        with self._lock:
            ready = {h.paper.id: self._prepared.get((mark, h.paper.id)) for h in hits}
        missing = [h for h in hits if ready[h.paper.id] is None]
        fresh = self._prepare(missing)
        with self._lock:
            for paper_id, made in fresh.items():
                self._prepared[mark, paper_id] = made
            while len(self._prepared) > _REMEMBERED:
                self._prepared.popitem(last=False)
        both = {**ready, **fresh}
        return tuple(found for h in hits if (found := both[h.paper.id]) is not None)

    def _prepare(self, hits: Sequence[Hit]) -> Mapping[str, Candidate]:
        ids = [h.paper.id for h in hits]
        if not ids:
            return {}
        spans = self._ledger.sentences(ids)
        vectors = self._ledger.sentence_vectors(ids)
        chunk_ids, rows = self._ledger.chunk_vectors(ids)
        owners = [c.rpartition(":")[0] for c in chunk_ids]
        return {
            h.paper.id: candidate(
                h.paper,
                spans.get(h.paper.id, ()),
                vectors[h.paper.id],
                rows[[i for i, owner in enumerate(owners) if owner == h.paper.id]],
            )
            for h in hits
        }


def naming_terms(retrieval: Retrieval) -> dict[str, frozenset[str]]:
    """Return, for each paper the question surely names, the index terms of the words that name it."""
    found: dict[str, frozenset[str]] = {}
    for mention in retrieval.mentions:
        words = frozenset(content_terms(retrieval.question.text[mention.start : mention.end]))
        for paper_id in mention.paper_ids if mention.certain else ():
            found[paper_id] = found.get(paper_id, frozenset()) | words
    return found


def belonging_features(
    reading: Reading,
    hits: Sequence[Hit],
    candidates: Sequence[Candidate],
    usual: Sequence[tuple[float, float]],
) -> Floats:
    """Return the features of every paper for the topic, `(papers, features) float64`."""
    top = max((h.signals["words"] for h in hits), default=0.0) or 1.0
    abstracts = np.stack([c.chunk_vectors[0] for c in candidates])
    kinship = (abstracts @ abstracts[:_LEADERS].T).mean(axis=1)
    rows = [
        paper_features(reading, c, h.signals["words"] / top, float(kin), usual)
        for h, c, kin in zip(hits, candidates, kinship, strict=True)
    ]
    return np.stack(rows)


def _answered(
    reading: Reading,
    hits: Sequence[Hit],
    candidates: Sequence[Candidate],
    sentences: Sequence[Floats],
    belonging: Floats,
) -> float:
    if not candidates:
        return 0.0
    if reading.question.kind in _LISTS:
        return _list_answered(reading, candidates, belonging)
    return _fact_answered(reading, hits[0], candidates[0], sentences[0])


def _fact_answered(reading: Reading, hit: Hit, candidate: Candidate, sentences: Floats) -> float:
    if not candidate.sentences:
        return 0.0
    if asks_what_it_is(reading, candidate):
        return 1.0
    if asks_nothing(reading, candidate) or asks_of_another(reading, candidate):
        return 0.0
    features = fact_features(reading, candidate, sentences, hit.signals["words"])
    return float(chance(weights.FACT.score(features[None, :]))[0])


def _list_answered(reading: Reading, candidates: Sequence[Candidate], belonging: Floats) -> float:
    features = list_features(reading, candidates, belonging)
    return float(chance(weights.LIST.score(features[None, :]))[0])
