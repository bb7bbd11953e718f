"""Score sentences, papers and whole questions: does this sentence answer, does this paper belong, is there an answer.

Each score is a linear model over a few features that are read off the text; the weights are in
`rag.evidence.weights`, fitted by `bench/fit_evidence.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.embedders import Vectors
from rag.evidence.candidates import Candidate
from rag.evidence.matching import Matrix, coverage, matched, variants
from rag.evidence.wants import Want, holds, wanted
from rag.question import Question
from rag.text.words import content_terms

Floats = NDArray[np.float64]
Rarity = Callable[[Sequence[str]], Mapping[str, float]]

SENTENCE_FEATURES = (
    "similarity",  # cosine of question and sentence
    "holds",  # how well it holds the sort of thing asked for
    "unmet",  # 1 when something is asked for and it holds none
    "position",  # 0 first sentence … 1 last
    "first",  # 1 for the first sentence, which is nearly always background
    "length",  # words / 40, at most 1.5
    "telling",  # coverage of the question's terms that tell sentences of this paper apart
    "telling_gap",  # the same, below the best sentence of the paper
    "new",  # terms that are not the question's / 25, at most 1.5
    "coverage",  # coverage of the question's terms, weighted by rarity in the library
)
PAPER_FEATURES = (
    "similarity",  # cosine of topic and abstract
    "best_sentence",  # highest cosine of topic and a sentence
    "coverage",  # of the topic's terms by the abstract
    "best_coverage",  # by a single sentence
    "words",  # BM25 as a share of the best paper's
    "standing",  # similarity in standard deviations above the library's mean, at most 3
    "agreement",  # coverage × best_sentence
    "terms",  # number of topic terms / 6
)
ANSWER_FEATURES = (
    "similarity",
    "best_sentence",
    "coverage",  # of the question's terms by the best paper
    "focus",  # by its best sentence
    "unknown",  # share of the terms the paper does not hold
    "unknown_names",  # names among them
    "rarest_unknown",  # rarity of the rarest of them
    "wants",  # 1 when a certain sort of thing is asked for
    "unmet",  # 1 when no sentence holds one
    "holds",  # the best that a sentence holds; .6 when nothing in particular is asked for
    "words",  # log BM25 of the best paper
    "sentence",  # score of the best sentence
    "asked",  # share of the words for the thing asked for that the paper holds; 1 when there are none
    "asked_here",  # the same, of the best sentence
    "met_here",  # highest product of a sentence's holds and its coverage
)


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Weights for standardised features: score = (x - mean) / scale · weight + bias."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weight: tuple[float, ...]
    bias: float

    @staticmethod
    def of(rows: Sequence[tuple[str, float, float, float]], bias: float) -> LinearModel:
        """Build from rows of feature name, mean, scale and weight."""
        _, mean, scale, weight = zip(*rows, strict=True)
        return LinearModel(mean, scale, weight, bias)

    def score(self, features: Floats) -> Floats:
        """Return a score per row of `features`, `(n, features) float64`; 0 is even odds."""
        standard = (features - np.array(self.mean)) / np.array(self.scale)
        return np.asarray(standard @ np.array(self.weight) + self.bias)


@dataclass(frozen=True, slots=True)
class Reading:
    """A question prepared for scoring: its vector, terms with their rarity, and what it asks for."""

    question: Question
    vector: Vectors
    topics: tuple[tuple[Vectors, tuple[str, ...]], ...]
    terms: tuple[str, ...]
    rarity: Mapping[str, float]
    want: Want | None
    known: Mapping[str, Mapping[str, float]]

    def weights(self, terms: Sequence[str]) -> Floats:
        """Return the rarity of each term."""
        return np.array([self.rarity[term] for term in terms])


def read(
    question: Question,
    embed: Callable[[str], Vectors],
    rarity: Rarity,
    candidates: Sequence[Candidate],
) -> Reading:
    """Prepare a question for scoring against `candidates`."""
    terms = _distinct(content_terms(question.text))
    topics = tuple((embed(part), _distinct(content_terms(part))) for part in question.alternatives)
    want = wanted(question.text)
    asked = want.noun if want else ()
    every = _distinct([*terms, *asked, *(term for _, part in topics for term in part)])
    vocabulary = frozenset().union(*(c.all_words() for c in candidates))
    return Reading(
        question,
        embed(question.text),
        topics,
        terms,
        rarity(every),
        want,
        variants(every, vocabulary),
    )


def sentence_features(reading: Reading, candidate: Candidate) -> Floats:
    """Return the SENTENCE_FEATURES of each sentence, `(sentences, features) float64`."""
    count = len(candidate.sentences)
    texts = [candidate.text(i) for i in range(count)]
    table = matched(candidate.words, reading.terms, reading.known)
    telling = _telling(table, reading.weights(reading.terms))
    want = _sought(reading.want)
    held = np.array([holds(want, text) if want else 0.0 for text in texts])
    place = np.arange(count) / max(count - 1, 1)
    asked = set(reading.terms)
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
            [min(len(words - asked) / 25, 1.5) for words in candidate.words],
            coverage(table, reading.weights(reading.terms)),
        ]
    )


def _telling(table: Matrix, rarity: Floats) -> Floats:
    """Weigh terms by how few sentences of the paper hold them (as idf, within the paper)."""
    holding = table.sum(axis=0)
    within = np.where(holding > 0, np.log((len(table) + 1) / (holding + 0.5)), 0.0)
    return coverage(table, np.clip(within, 0, None) * np.sqrt(rarity))


def paper_features(
    reading: Reading, candidate: Candidate, words: float, background: tuple[float, float]
) -> Floats:
    """Return the PAPER_FEATURES of one paper, `(features,) float64`, for its best matching topic.

    `words` is the paper's BM25 as a share of the best; `background` the mean and standard deviation of
    the topic's similarity to the library.
    """
    rows = [_topic_features(reading, candidate, topic, words, background) for topic in reading.topics]
    return max(rows, key=lambda row: float(row[1] + row[3]))


def _topic_features(
    reading: Reading,
    candidate: Candidate,
    topic: tuple[Vectors, tuple[str, ...]],
    words: float,
    background: tuple[float, float],
) -> Floats:
    vector, terms = topic
    weights = reading.weights(terms)
    table = matched((*candidate.words, candidate.naming), terms, reading.known)
    similarity = float((candidate.chunk_vectors @ vector).max())
    best = float((candidate.vectors @ vector).max(initial=-1.0))
    whole = float(coverage(table.max(axis=0, keepdims=True), weights)[0]) if len(terms) else 0.0
    mean, deviation = background
    return np.array(
        [
            similarity,
            best,
            whole,
            float(coverage(table, weights).max(initial=0.0)),
            words,
            min((similarity - mean) / max(deviation, 1e-6), 3.0),
            whole * best,
            len(terms) / 6,
        ]
    )


def _sought(want: Want | None) -> Want | None:
    """Return the want if a sentence can be seen to hold it; the name of a thing is not seen by its form."""
    return want if want and want.sort != "thing" else None


def answer_features(reading: Reading, candidate: Candidate, sentence_scores: Floats, words: float) -> Floats:
    """Return the ANSWER_FEATURES of a question against its best paper, `(features,) float64`.

    `words` is the paper's BM25, 0 when no word is shared.
    """
    terms = reading.topics[0][1] or reading.terms
    weights = reading.weights(terms)
    table = matched((*candidate.words, candidate.naming), terms, reading.known)
    held = table.max(axis=0, initial=0.0)
    missing = [term for term, share in zip(terms, held, strict=True) if share < 0.5]
    best = int(np.argmax(sentence_scores))
    texts = [candidate.text(i) for i in range(len(candidate.sentences))]
    want = _sought(reading.want)
    fits = np.array([holds(want, text) if want else 0.6 for text in texts])
    noun = reading.want.noun if reading.want else ()
    nouns = matched((*candidate.words, candidate.naming), noun, reading.known)
    return np.array(
        [
            float((candidate.chunk_vectors @ reading.topics[0][0]).max()),
            float((candidate.vectors @ reading.topics[0][0]).max()),
            float(coverage(held[None, :], weights)[0]),
            float(coverage(table[best : best + 1], weights)[0]),
            len(missing) / max(len(terms), 1),
            len(_names_among(missing, reading.question.text)),
            max((reading.rarity[term] for term in missing), default=0.0),
            float(want is not None),
            float(fits.max() == 0),
            float(fits.max()),
            math.log1p(words),
            float(sentence_scores[best]),
            float(nouns.max(axis=0).mean()) if noun else 1.0,
            float(nouns[best].mean()) if noun else 1.0,
            float((fits * coverage(table[: len(fits)], weights)).max()),
        ]
    )


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
            if parts <= unknown:
                names.append(word)
    return names


def _distinct(terms: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms))
