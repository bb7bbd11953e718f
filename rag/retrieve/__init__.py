"""Find the papers a question is about: question → ranked hits, by vectors, words and names.

Vectors and words each propose papers, reciprocal ranks choose the candidates among them, and the candidates
are ordered by their scores, with the best sentence's similarity added. Papers the question names come first.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.domain import Hit
from rag.embedders import Embedder, Vectors
from rag.indexes.healing import Indexes
from rag.ledger import Ledger
from rag.question import Question, understand
from rag.retrieve.fusion import convex, ranks, reciprocal_rank
from rag.retrieve.naming import Mention, Names
from rag.text.words import content_terms

# Papers that are ordered by their sentences; each ranking proposes this many.
CANDIDATES = 60
# How many papers stand for the library when a similarity is compared with what is usual in it.
_SAMPLE = 512


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was found for a question: hits, best first, and the names it mentions.

    `compared` holds the hits for the papers a comparison is about, `unknown` the names of it that the library
    has nowhere.

    `usual` holds, for each alternative of the question, the mean and standard deviation of its similarity
    to the library's abstracts.
    """

    question: Question
    hits: tuple[Hit, ...]
    mentions: tuple[Mention, ...]
    usual: tuple[tuple[float, float], ...]
    compared: tuple[Hit, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The ids of the papers that are surely meant by name, in the order they are named."""
        ids = [paper_id for m in self.mentions if m.certain for paper_id in m.paper_ids]
        return tuple(dict.fromkeys(ids))


class Retriever:
    """Searches one open library."""

    def __init__(self, ledger: Ledger, indexes: Indexes, embedder: Embedder) -> None:
        self._ledger = ledger
        self._indexes = indexes
        self.embedder = embedder
        self._lock = threading.Lock()
        self._generation = -1
        self._names = Names({}, {})
        self._sample: Vectors = np.zeros((0, 0), dtype=np.float32)

    def retrieve(
        self, question: Question, only: Collection[str] | None = None, most: int = CANDIDATES
    ) -> Retrieval:
        """Return at most `most` papers, best first; with `only`, among the papers with these ids."""
        self._refresh()
        mentions = self._names.mentions(question.text, fuzzy=True)
        found = self._propose(question, mentions, only, most)
        hits = self._order(question, found, mentions)
        usual = tuple(self._usual(part) for part in question.alternatives)
        return Retrieval(question, hits, mentions, usual)

    def names(self) -> Names:
        """Return the names of the library's papers."""
        self._refresh()
        return self._names

    def rankings(self, text: str, k: int) -> Mapping[str, list[str]]:
        """Return paper ids as ranked by "vectors" alone, by "words" alone, and "fused", `k` each."""
        question = understand(text)
        vectors = self._by_vector(question, k, None)
        words = self._by_words(question, k, None)
        hits = self.retrieve(question, most=max(k, CANDIDATES)).hits
        return {"vectors": list(vectors), "words": list(words), "fused": [h.paper.id for h in hits][:k]}

    def known(self, terms: Sequence[str]) -> list[bool]:
        """Return whether any paper of the library holds each term."""
        held = self._indexes.words.frequencies(terms)
        return [held[term] > 0 for term in terms]

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is: BM25's idf, log(1 + (N - n + .5) / (n + .5))."""
        total = self._ledger.count()
        held = self._indexes.words.frequencies(terms)
        return {t: math.log1p((max(total - held[t], 0) + 0.5) / (held[t] + 0.5)) for t in terms}

    def _usual(self, topic: str) -> tuple[float, float]:
        if not len(self._sample):
            return 0.0, 1.0
        similarity = self._sample @ self.embedder.embed_query(topic)
        return float(similarity.mean()), float(similarity.std())

    def _refresh(self) -> None:
        with self._lock:
            generation = self._ledger.generation
            if generation != self._generation:
                self._names = Names.of(self._ledger.names(), self._ledger.titles())
                self._sample = self._ledger.sample_vectors(_SAMPLE)
                self._generation = generation

    def _propose(
        self, question: Question, mentions: Sequence[Mention], only: Collection[str] | None, most: int
    ) -> dict[str, dict[str, float]]:
        vectors = self._by_vector(question, most, only)
        words = self._by_words(question, most, only)
        named = [p for m in mentions for p in m.paper_ids if only is None or p in only]
        fused = reciprocal_rank([list(vectors), list(words), named])
        chosen = sorted(fused, key=lambda p: -fused[p])[:most]
        return {p: {"vectors": vectors.get(p, np.nan), "words": words.get(p, 0.0)} for p in chosen}

    def _by_vector(self, question: Question, k: int, only: Collection[str] | None) -> dict[str, float]:
        best: dict[str, float] = {}
        for part in question.alternatives:
            vector = self.embedder.embed_query(part)
            for chunk_id, score in self._indexes.nearest(vector, k, only):
                paper_id = chunk_id.rpartition(":")[0]
                best[paper_id] = max(best.get(paper_id, -1.0), score)
        return dict(sorted(best.items(), key=lambda item: -item[1]))

    def _by_words(self, question: Question, k: int, only: Collection[str] | None) -> dict[str, float]:
        """Return BM25 scores; each alternative counts in full: its best paper is as good as another's."""
        parts = [content_terms(part) for part in question.alternatives]
        found = [
            dict(self._indexes.words.query(part or content_terms(question.text), k, only)) for part in parts
        ]
        top = max((max(scores.values(), default=0.0) for scores in found), default=0.0)
        best: dict[str, float] = {}
        for scores in found:
            scale = top / max(scores.values(), default=1.0)
            for paper_id, score in scores.items():
                best[paper_id] = max(best.get(paper_id, 0.0), score * scale)
        return dict(sorted(best.items(), key=lambda item: -item[1]))

    def _order(
        self, question: Question, found: Mapping[str, Mapping[str, float]], mentions: Sequence[Mention]
    ) -> tuple[Hit, ...]:
        papers = {p.id: p for p in self._ledger.papers(found)}
        signals = self._signals(question, {p: found[p] for p in found if p in papers})
        top = max((s["words"] for s in signals.values()), default=0.0)
        scores = {p: convex(s["vectors"], s["sentence"], s["words"], top) for p, s in signals.items()}
        named = [p for m in mentions if m.certain for p in m.paper_ids if p in scores]
        places = {key: ranks({p: s[key] for p, s in signals.items() if s[key]}) for key in _SIGNALS}
        places["name"] = {p: i for i, p in enumerate(dict.fromkeys(named), 1)}
        order = sorted(scores, key=lambda p: (p not in places["name"], -scores[p]))
        return tuple(
            Hit(
                papers[p],
                scores[p],
                {key: by[p] for key, by in places.items() if p in by},
                signals[p],
            )
            for p in order
        )

    def _signals(
        self, question: Question, found: Mapping[str, Mapping[str, float]]
    ) -> dict[str, dict[str, float]]:
        vectors = [self.embedder.embed_query(part) for part in question.alternatives]
        sentences = self._ledger.sentence_vectors(found)
        missing = [p for p, s in found.items() if np.isnan(s["vectors"])]
        cosines = self._cosines(missing, vectors)
        return {
            p: {
                "vectors": cosines.get(p, s["vectors"]),
                "sentence": max((float((sentences[p] @ v).max(initial=-1.0)) for v in vectors), default=-1.0),
                "words": s["words"],
            }
            for p, s in found.items()
        }

    def _cosines(self, paper_ids: Sequence[str], vectors: Sequence[Vectors]) -> dict[str, float]:
        ids, rows = self._ledger.chunk_vectors(paper_ids) if paper_ids else ([], np.zeros((0, 1)))
        best: dict[str, float] = {}
        for chunk_id, row in zip(ids, rows, strict=True):
            paper_id = chunk_id.rpartition(":")[0]
            best[paper_id] = max([best.get(paper_id, -1.0), *(float(row @ v) for v in vectors)])
        return best


_SIGNALS = ("vectors", "words", "sentence")
