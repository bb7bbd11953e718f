"""Measures: rankings and sets with what is relevant come in, numbers from 0 to 1 go out.

Ranking measures follow trec_eval (NIST) and its binding pytrec_eval (Van Gysel and de Rijke, SIGIR 2018),
which BEIR (Thakur et al., NeurIPS 2021) uses. `ranking` lists document ids, best first; `relevance` maps a
document id to its grade, and a grade of 0 or less is not relevant.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence


def dcg(gains: Sequence[float]) -> float:
    """Return discounted cumulated gain with linear gain and a log2(rank + 1) discount.

    Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, as computed by trec_eval's `ndcg_cut`.
    """
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg(ranking: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """Return nDCG@k: the gain of the first k over the gain of the best possible first k."""
    gains = [max(relevance.get(document, 0), 0) for document in ranking[:k]]
    ideal = dcg(sorted((grade for grade in relevance.values() if grade > 0), reverse=True)[:k])
    return dcg(gains) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """Return recall@k: the share of all relevant documents that stand in the first k."""
    wanted = {document for document, grade in relevance.items() if grade > 0}
    return len(wanted.intersection(ranking[:k])) / len(wanted) if wanted else 0.0


def reciprocal_rank(ranking: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """Return 1/rank of the first relevant document within the first k, else 0 (Voorhees, TREC-8, 1999)."""
    for rank, document in enumerate(ranking[:k], 1):
        if relevance.get(document, 0) > 0:
            return 1 / rank
    return 0.0


def precision_recall(found: Collection[str], wanted: Collection[str]) -> tuple[float, float]:
    """Return precision and recall of a set; an empty `found` has precision 1, an empty `wanted` recall 1."""
    right = len(set(found) & set(wanted))
    precision = right / len(set(found)) if found else 1.0
    return precision, right / len(set(wanted)) if wanted else 1.0


def f1(precision: float, recall_: float) -> float:
    """Return the harmonic mean of precision and recall (van Rijsbergen, 1979)."""
    return 2 * precision * recall_ / (precision + recall_) if precision + recall_ else 0.0


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or None when there is nothing to average."""
    return sum(values) / len(values) if values else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that `share` (0 to 1) of the values do not exceed; None of nothing."""
    if not values:
        return None
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]
