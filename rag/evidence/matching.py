"""Match the words of a question with those of sentences: exactly, as plural or prefix, or misspelt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_SAME, _PREFIX, _MISSPELT = 1.0, 0.8, 0.7
_SHORTEST = 4
_SIMILAR = 0.75


def variants(terms: Iterable[str], vocabulary: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return, for each term, the words of `vocabulary` that stand for it, with how sure that is (0–1)."""
    words = sorted(set(vocabulary))
    known = set(words)
    long = [word for word in words if len(word) >= _SHORTEST]
    return {term: _variants_of(term, known, long) for term in terms}


def _variants_of(term: str, known: set[str], long: Sequence[str]) -> dict[str, float]:
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    found = {word: _SAME for word in (term, term.removesuffix("s"), term + "s") if word in known}
    # One digit makes another thing of a name: EVA-1 is no misspelt EVA-0.
    if len(term) < _SHORTEST or any(c.isdigit() for c in term):
        return found
    near = process.extract(
        term, long, scorer=Levenshtein.normalized_similarity, score_cutoff=_SIMILAR, limit=5
    )
    for word, _, _ in near:
        # A first letter is seldom mistyped, and sparing it keeps "train" from "brain".
        if word[0] == term[0]:
            found.setdefault(word, _MISSPELT)
    if len(term) > _SHORTEST:
        for word in long:
            if len(word) > _SHORTEST and (word.startswith(term) or term.startswith(word)):
                found[word] = max(found.get(word, 0.0), _PREFIX)
    return found


def matched(
    sentences: Sequence[frozenset[str]], terms: Sequence[str], known: Mapping[str, Mapping[str, float]]
) -> Matrix:
    """Return how well each sentence holds each term, `(len(sentences), len(terms)) float64` in 0–1."""
    table = np.zeros((len(sentences), len(terms)))
    for column, term in enumerate(terms):
        for word, sure in known[term].items():
            for row, words in enumerate(sentences):
                if word in words and sure > table[row, column]:
                    table[row, column] = sure
    return table


def coverage(table: Matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weighted share of the terms each row of `table` holds, 0–1."""
    total = float(weights.sum())
    if total <= 0:
        return np.zeros(len(table))
    return np.asarray(table @ weights / total)
