"""Papers near a topic in, those that fit all of it out, and the words that no paper holds.

"Video segmentation" is near to papers on video and to papers on segmentation; only those on both fit it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.evidence.reading import Reading
from rag.text.words import content_terms

# A paper fits if it holds this share of the topic's words, by how rare they are, or is this near in meaning.
_COVERED, _CLOSE = 0.6, 0.55
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


def fitting(evidence: Evidence, places: Sequence[int]) -> list[int]:
    """Return those of the papers, by place in the evidence, that hold most of the topic or mean it."""
    return [i for i in places if _fits(evidence.reading, evidence.candidates[i])]


def unspoken(evidence: Evidence) -> tuple[str, ...]:
    """Return the words of the topic that no paper near it holds, not even spelt in another way."""
    held = frozenset().union(*(candidate.all_words() for candidate in evidence.candidates))
    reading = evidence.reading

    def is_held(word: str) -> bool:
        terms = content_terms(word)
        return not terms or any(t in held or held.intersection(reading.known.get(t, ())) for t in terms)

    return tuple(dict.fromkeys(w for w in _WORD.findall(reading.question.topic) if not is_held(w)))


def _fits(reading: Reading, candidate: Candidate) -> bool:
    words = candidate.all_words()
    shares = [_share(reading, words, terms) for _, terms in reading.topics]
    best = max(shares, default=0.0)
    # What shares no word at all was found by its meaning alone, and is judged by that.
    return best >= _COVERED or best == 0.0 or _cosine(reading, candidate) >= _CLOSE


def _share(reading: Reading, words: frozenset[str], terms: Sequence[str]) -> float:
    weights = reading.weights(terms)
    held = np.array([bool(words & ({term} | set(reading.known[term]))) for term in terms], dtype=float)
    return float(held @ weights / weights.sum()) if len(terms) and weights.sum() > 0 else 1.0


def _cosine(reading: Reading, candidate: Candidate) -> float:
    return max(float((candidate.vectors @ vector).max(initial=-1.0)) for vector, _ in reading.topics)
