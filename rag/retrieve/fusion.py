"""Fuse rankings: ranked lists or scores of the same papers → one ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

# Cormack, Clarke & Büttcher (2009), "Reciprocal rank fusion outperforms Condorcet": k = 60.
RRF_K = 60
# Shares of the final score, chosen on three public collections (docs/quality.md): cosine of the abstract
# and of its best sentence count in full, BM25 by half, scaled by the best paper's.
VECTOR_SHARE, SENTENCE_SHARE, WORD_SHARE = 1.0, 1.0, 0.5


def reciprocal_rank(rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return each id's sum of 1 / (60 + rank), ranks counted from 1."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, key in enumerate(ranking, 1):
            scores[key] += 1 / (RRF_K + rank)
    return dict(scores)


def convex(vector: float, sentence: float, words: float, best_words: float) -> float:
    """Return the weighted sum of two cosines and a BM25 score as a share of the best one.

    Bruch, Gai & Ingber (2023), "An analysis of fusion functions for hybrid retrieval": where scores are at
    hand for every candidate, combining them loses less than combining ranks.
    """
    share = words / best_words if best_words > 0 else 0.0
    return VECTOR_SHARE * vector + SENTENCE_SHARE * sentence + WORD_SHARE * share


def ranks(scores: dict[str, float]) -> dict[str, int]:
    """Return each id's place, 1 for the highest score; ties keep the order they came in."""
    ordered = sorted(scores, key=lambda key: -scores[key])
    return {key: place for place, key in enumerate(ordered, 1)}
