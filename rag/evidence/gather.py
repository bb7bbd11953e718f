"""Make retrieved papers ready for an answer: hits → candidates with scored sentences, and is there an answer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.embedders import Vectors
from rag.evidence import weights
from rag.evidence.candidates import Candidate, candidate
from rag.evidence.scoring import (
    Floats,
    Rarity,
    Reading,
    answer_features,
    paper_features,
    read,
    sentence_features,
)
from rag.domain import Hit
from rag.ledger import Ledger
from rag.retrieve import Retrieval

# Papers whose sentences are scored: a fact stands in one of the first, a list may need them all.
_FEW, _MANY = 6, 60
_REMEMBERED = 1024


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

    def gather(self, retrieval: Retrieval) -> Evidence:
        """Return the evidence for a retrieval, of the papers that its kind of question needs."""
        question = retrieval.question
        wide = question.kind in ("find", "topic")
        hits = retrieval.hits[: _MANY if wide else _FEW]
        candidates = self._candidates(hits)
        reading = read(question, self._embed, self._rarity, candidates)
        sentences = tuple(chance(weights.SENTENCE.score(sentence_features(reading, c))) for c in candidates)
        return Evidence(
            reading,
            hits,
            candidates,
            sentences,
            _belonging(reading, hits, candidates, retrieval.usual) if wide else np.ones(len(hits)),
            _answered(reading, hits, candidates),
        )

    def _candidates(self, hits: Sequence[Hit]) -> tuple[Candidate, ...]:
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


def chance(score: Floats) -> Floats:
    """Return the logistic function of a score: 0 → .5."""
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -30, 30))))


def _belonging(
    reading: Reading,
    hits: Sequence[Hit],
    candidates: Sequence[Candidate],
    usual: tuple[float, float],
) -> Floats:
    if not candidates:
        return np.zeros(0)
    top = max(h.signals["words"] for h in hits) or 1.0
    rows = [
        paper_features(reading, c, h.signals["words"] / top, usual)
        for h, c in zip(hits, candidates, strict=True)
    ]
    return chance(weights.PAPER.score(np.stack(rows)))


def _answered(reading: Reading, hits: Sequence[Hit], candidates: Sequence[Candidate]) -> float:
    if not candidates or not candidates[0].sentences:
        return 0.0
    scores = weights.SENTENCE.score(sentence_features(reading, candidates[0]))
    features = answer_features(reading, candidates[0], scores, hits[0].signals["words"])
    model = weights.ANSWER_LIST if reading.question.kind in ("find", "topic") else weights.ANSWER_FACT
    return float(chance(model.score(features[None, :]))[0])
