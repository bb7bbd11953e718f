"""A retrieved paper made ready for scoring: its sentences with their vectors and index terms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.domain import Hit, Paper, Sentence
from rag.embedders import Vectors
from rag.text.abbreviations import abbreviations
from rag.text.words import terms


@dataclass(frozen=True, slots=True)
class Candidate:
    """A paper with what scoring needs of each sentence.

    `vectors` is `(sentences, dim) float32`, `chunk_vectors` `(chunks, dim) float32`, rows of unit length;
    `words` holds the index terms of each sentence, abbreviations of the abstract spelt both ways;
    `naming` the terms of its title and names.
    """

    paper: Paper
    sentences: tuple[Sentence, ...]
    vectors: Vectors
    chunk_vectors: Vectors
    words: tuple[frozenset[str], ...]
    naming: frozenset[str]

    def text(self, index: int) -> str:
        """Return the text of a sentence."""
        span = self.sentences[index]
        return self.paper.text[span.start : span.end]

    def all_words(self) -> frozenset[str]:
        """Return the terms of the whole abstract and of the paper's names."""
        return self.naming.union(*self.words)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with the hit that brought it."""

    hit: Hit
    candidate: Candidate


def candidate(
    paper: Paper, sentences: Sequence[Sentence], vectors: Vectors, chunk_vectors: Vectors
) -> Candidate:
    """Prepare a paper for scoring."""
    texts = [paper.text[s.start : s.end] for s in sentences]
    short = abbreviations(paper.text)
    words = tuple(frozenset(_spelt_both_ways(text, short)) for text in texts)
    aliases = paper.extra.get("aliases", ())
    naming = frozenset(t for name in (paper.title, paper.name, *aliases) for t in terms(str(name)))
    return Candidate(paper, tuple(sentences), vectors, chunk_vectors, words, naming)


def _spelt_both_ways(text: str, short: dict[str, str]) -> set[str]:
    found = set(terms(text))
    lowered = text.lower()
    for abbreviation, long in short.items():
        if re.search(rf"\b{re.escape(abbreviation)}s?\b", text):
            found.update(terms(long))
        if long.lower() in lowered:
            found.update(terms(abbreviation))
    return found
