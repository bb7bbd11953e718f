"""Evidence in, the sentence of each paper that says most about the topic out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.evidence.linear import Floats
from rag.evidence.matching import coverage, matched
from rag.evidence.reading import Reading
from rag.evidence.telling import contribution, notes
from rag.question import Kind

# How much closer to the topic another sentence must be than the one that says what the paper contributes.
_OWN: Mapping[Kind, float] = {"find": 0.25, "topic": 0.5}
_BACKGROUND = 0.25


def closeness(reading: Reading, candidate: Candidate) -> Floats:
    """Return the cosine of each sentence with the topic, plus the share of the topic's terms it holds."""
    rows = [
        candidate.vectors @ vector
        + coverage(matched(candidate.words, terms, reading.known), reading.weights(terms))
        for vector, terms in reading.topics
    ]
    return np.asarray(np.max(rows, axis=0))


def closest(evidence: Evidence, i: int) -> int:
    """Return the sentence of a paper that says most about the topic, its contribution if close to that."""
    candidate = evidence.candidates[i]
    near = closeness(evidence.reading, candidate).copy()
    # The first sentence is nearly always background, and where the code lies says nothing of the topic.
    near[0] -= _BACKGROUND
    near[notes(candidate)] -= 1.0
    own = contribution(candidate)
    if own is not None:
        near[own] += _OWN[evidence.reading.question.kind]
    return int(np.argmax(near))
