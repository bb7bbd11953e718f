"""Prepare a question for scoring: its vectors, its terms with their rarity, and what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.embedders import Vectors
from rag.evidence.candidates import Candidate
from rag.evidence.linear import Floats
from rag.evidence.matching import variants
from rag.evidence.wants import Want, wanted
from rag.question import Question
from rag.text.words import content_terms

Rarity = Callable[[Sequence[str]], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A question prepared for scoring: its vector, terms with their rarity, and what it asks for.

    `named` holds, for each paper the question names, the terms of the words that name it.
    """

    question: Question
    vector: Vectors
    topics: tuple[tuple[Vectors, tuple[str, ...]], ...]
    terms: tuple[str, ...]
    rarity: Mapping[str, float]
    want: Want | None
    known: Mapping[str, Mapping[str, float]]
    named: Mapping[str, frozenset[str]]

    def weights(self, terms: Sequence[str]) -> Floats:
        """Return the rarity of each term."""
        return np.array([self.rarity[term] for term in terms])


def read(
    question: Question,
    embed: Callable[[str], Vectors],
    rarity: Rarity,
    candidates: Sequence[Candidate],
    named: Mapping[str, frozenset[str]],
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
        named,
    )


def _distinct(terms: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms))
