"""Read features off sentences and papers: does this sentence answer, is this paper about the topic.

The weights are in `rag.evidence.weights`, fitted by `bench/fit_evidence.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag.embedders import Vectors
from rag.evidence.candidates import Candidate
from rag.evidence.linear import Floats
from rag.evidence.matching import Matrix, coverage, matched
from rag.evidence.reading import Reading
from rag.evidence.wants import Want, holds

SENTENCE_FEATURES = (
    "similarity",  # cosine of question and sentence
    "holds",  # how well it holds the sort of thing asked for
    "unmet",  # 1 when something is asked for and it holds none
    "position",  # 0 first sentence … 1 last
    "first",  # 1 for the first sentence, which is nearly always background
    "length",  # words / 40, at most 1.5
    "telling",  # coverage of the question's terms that tell sentences of this paper apart
    "telling_gap",  # the same, below the best sentence of the paper
)
PAPER_FEATURES = (
    "best_sentence",  # highest cosine of topic and a sentence
    "best_coverage",  # highest coverage of the topic's terms by a sentence
    "words",  # BM25 as a share of the best paper's
    "standing",  # cosine of topic and abstract, in standard deviations above the library's mean, at most 3
    "agreement",  # coverage by the abstract × best_sentence
    "terms",  # number of topic terms / 6
    "kinship",  # mean cosine of the abstract with those of the two papers ranked first
)


def sentence_features(reading: Reading, candidate: Candidate) -> Floats:
    """Return the SENTENCE_FEATURES of each sentence, `(sentences, features) float64`."""
    count = len(candidate.sentences)
    texts = [candidate.text(i) for i in range(count)]
    table = matched(candidate.words, reading.terms, reading.known)
    telling = _telling(table, reading.weights(reading.terms))
    want = sought(reading.want)
    held = np.array([holds(want, text) if want else 0.0 for text in texts])
    place = np.arange(count) / max(count - 1, 1)
    return np.column_stack(
        [
            candidate.vectors @ reading.vector,
            held,
            (held == 0) * float(want is not None),
            place,
            place == 0,
            [min(len(text.split()) / 40, 1.5) for text in texts],
            telling,
            telling - telling.max(initial=0.0),
        ]
    )


def _telling(table: Matrix, rarity: Floats) -> Floats:
    """Weigh terms by how few sentences of the paper hold them (as idf, within the paper)."""
    holding = table.sum(axis=0)
    within = np.where(holding > 0, np.log((len(table) + 1) / (holding + 0.5)), 0.0)
    return coverage(table, np.clip(within, 0, None) * np.sqrt(rarity))


def paper_features(
    reading: Reading, candidate: Candidate, words: float, kinship: float, usual: Sequence[tuple[float, float]]
) -> Floats:
    """Return the PAPER_FEATURES of one paper, `(features,) float64`, for its best matching topic.

    `words` is the paper's BM25 as a share of the best; `usual` the mean and standard deviation of each
    topic's similarity to the library. Kinship is pseudo-relevance feedback (Rocchio 1971): what is like the
    best papers is about their topic, whatever words it uses.
    """
    rows = [
        _topic_features(reading, candidate, topic, words, kinship, background)
        for topic, background in zip(reading.topics, usual, strict=True)
    ]
    return max(rows, key=lambda row: float(row[0] + row[1]))


def _topic_features(
    reading: Reading,
    candidate: Candidate,
    topic: tuple[Vectors, tuple[str, ...]],
    words: float,
    kinship: float,
    background: tuple[float, float],
) -> Floats:
    vector, terms = topic
    weights = reading.weights(terms)
    table = matched((*candidate.words, candidate.naming), terms, reading.known)
    best = float((candidate.vectors @ vector).max(initial=-1.0))
    whole = float(coverage(table.max(axis=0, keepdims=True), weights)[0]) if len(terms) else 0.0
    similarity = float((candidate.chunk_vectors @ vector).max())
    mean, deviation = background
    return np.array(
        [
            best,
            float(coverage(table, weights).max(initial=0.0)),
            words,
            min((similarity - mean) / max(deviation, 1e-6), 3.0),
            whole * best,
            len(terms) / 6,
            kinship,
        ]
    )


def sought(want: Want | None) -> Want | None:
    """Return the want if a sentence can be seen to hold it; the name of a thing is not seen by its form."""
    return want if want and want.sort != "thing" else None
