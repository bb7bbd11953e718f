"""Tell whether the library answers a question at all: features of the question against the best papers.

The weights are in `rag.evidence.weights`, fitted by `bench/fit_evidence.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from rag.embedders import Vectors
from rag.evidence.candidates import Candidate
from rag.evidence.features import sought
from rag.evidence.linear import Floats
from rag.evidence.matching import coverage, matched
from rag.evidence.reading import Reading
from rag.evidence.wants import holds
from rag.text.words import content_terms, fold_name

FACT_FEATURES = (
    "similarity",  # cosine of question and abstract
    "best_sentence",  # highest cosine of question and a sentence
    "unknown",  # share of the question's terms the paper does not hold, its name left aside
    "unknown_names",  # names among them
    "wants",  # 1 when a certain sort of thing is asked for
    "holds",  # the best that a sentence holds; .6 when nothing in particular is asked for
    "words",  # log BM25 of the best paper
    "asked_here",  # share of the words for the thing asked for in the best sentence; 1 when there are none
    "met_here",  # highest product of a sentence's holds and its coverage
)
LIST_FEATURES = (
    "belonging",  # score of the paper that fits the topic best
    "two_best",  # mean score of the two that fit best
    "best_sentence",  # highest cosine of topic and a sentence of any paper
    "coverage",  # coverage of the topic's terms by the best paper
    "rarest_unknown",  # rarity of the rarest term the best paper does not hold
)


def fact_features(reading: Reading, candidate: Candidate, sentence_scores: Floats, words: float) -> Floats:
    """Return the FACT_FEATURES of a question against its best paper, `(features,) float64`.

    `words` is the paper's BM25, 0 when no word is shared.
    """
    name = reading.named.get(candidate.paper.id, frozenset())
    terms = [term for term in reading.topics[0][1] or reading.terms if term not in name]
    table = matched((*candidate.words, candidate.naming), terms, reading.known)
    missing = [t for t, share in zip(terms, table.max(axis=0, initial=0.0), strict=True) if share < 0.5]
    best = int(np.argmax(sentence_scores))
    want = sought(reading.want)
    texts = [candidate.text(i) for i in range(len(candidate.sentences))]
    fits = np.array([holds(want, text) if want else 0.6 for text in texts])
    noun = [term for term in (reading.want.noun if reading.want else ()) if term not in name]
    here = matched(candidate.words[best : best + 1], noun, reading.known)
    covered = coverage(table[: len(texts)], reading.weights(terms))
    return np.array(
        [
            float((candidate.chunk_vectors @ reading.topics[0][0]).max()),
            float((candidate.vectors @ reading.topics[0][0]).max()),
            len(missing) / max(len(terms), 1),
            len(_names_among(missing, reading.question.text)),
            float(want is not None),
            float(fits.max()),
            math.log1p(words),
            float(here.mean()) if noun else 1.0,
            float((fits * covered).max()),
        ]
    )


_VERSION = re.compile(r"\b[A-Za-z]*[A-Z][A-Za-z]*-\d+(?:\.\d+)*\b")
# A question that shares no word with a paper is about it only if its meaning is at least this near.
_FAR = 0.4
# Words of a question about a paper as a whole: "what is the main idea of …", "tell me about …".
_GENERAL = frozenset(
    content_terms(
        "main idea ideas contribution contributions purpose goal point aim gist tell explain describe work "
        "works paper study method approach system propose proposes proposed summary summarise summarize show "
        "mean know key core new novel introduce present overview detail details exactly briefly"
    )
)


def asks_of_another(reading: Reading, candidate: Candidate) -> bool:
    """Return whether a question names a version of something that the paper does not: EVA-1, not EVA-0."""
    paper = candidate.paper
    held = fold_name(f"{paper.title} {paper.name} {paper.text}")
    return any(fold_name(m[0]) not in held for m in _VERSION.finditer(reading.question.text))


def asks_nothing(reading: Reading, candidate: Candidate) -> bool:
    """Return whether a question has no word that could be answered: only numbers, or none the paper holds."""
    words = [term for term in reading.terms if not term.isdigit()]
    if not words:
        return True
    held = matched((*candidate.words, candidate.naming), words, reading.known).max(initial=0.0)
    return bool(held == 0) and float((candidate.vectors @ reading.vector).max()) < _FAR


def asks_what_it_is(reading: Reading, candidate: Candidate) -> bool:
    """Return whether a question names the paper and asks for nothing but what it is."""
    name = reading.named.get(candidate.paper.id, frozenset())
    return bool(name) and all(term in name or term in _GENERAL for term in reading.terms)


def list_features(reading: Reading, candidates: Sequence[Candidate], belonging: Floats) -> Floats:
    """Return the LIST_FEATURES of a topic against the papers found, `(features,) float64`.

    `belonging` is the score of each paper for the topic.
    """
    best = candidates[int(np.argmax(belonging))]
    rows = [_topic_row(reading, best, topic) for topic in reading.topics]
    covered, rarest = max(rows)
    nearest = max(float((c.vectors @ v).max(initial=-1.0)) for c in candidates for v, _ in reading.topics)
    return np.array(
        [float(belonging.max()), float(np.sort(belonging)[-2:].mean()), nearest, covered, -rarest]
    )


def _topic_row(
    reading: Reading, candidate: Candidate, topic: tuple[Vectors, tuple[str, ...]]
) -> tuple[float, float]:
    """Return how far the paper covers the topic's terms, and the negated rarity of what it lacks."""
    _, terms = topic
    held = matched((*candidate.words, candidate.naming), terms, reading.known).max(axis=0, initial=0.0)
    lacking = [reading.rarity[t] for t, share in zip(terms, held, strict=True) if share < 0.5]
    return float(coverage(held[None, :], reading.weights(terms))[0]), -max(lacking, default=0.0)


_WORD = re.compile(r"[^\s,;:?!()\"]+")


def _names_among(missing: Sequence[str], text: str) -> list[str]:
    """Return the words of `text` that look like names and whose terms are all missing."""
    unknown = set(missing)
    names = []
    for i, match in enumerate(_WORD.finditer(text)):
        word = match[0].strip(".'")
        capital = word[:1].isupper() and i > 0
        if (capital or any(c.isupper() for c in word[1:]) or any(c.isdigit() for c in word)) and (
            parts := set(content_terms(word))
        ):
            # "EVA-1" is another paper than EVA-0, though the library holds "eva".
            version = any(c.isdigit() for c in word) and fold_name(word) in unknown
            if parts <= unknown or version:
                names.append(word)
    return names
