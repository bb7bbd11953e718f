"""A claim's links into an abstract in, the sentence, or two sentences, that come nearest to saying it out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag.text.words import fold_name
from rag.verify.alignment import Links
from rag.verify.reading import Reading

# What closeness in meaning counts beside shared words when a sentence is chosen.
_BY_MEANING = 0.6
# A second sentence must add this share of the claim; one that does not stand next to the first, more.
_NEIGHBOUR_ADDS, _OTHER_ADDS = 0.12, 0.2
# The cosine that usually goes with sharing every word, for want of vectors.
_USUAL = 0.75
_OPPOSITE_COUNTS = 0.9


@dataclass(frozen=True, slots=True)
class Support:
    """The sentences a claim rests on, in order, and how much of the claim they hold.

    `covered` is the weighted share of the claim's words in them, `anywhere` in the whole abstract, `alone`
    in the best sentence alone; `similarity` is the cosine of the claim and `best`, the nearest sentence.
    """

    sentences: tuple[int, ...]
    covered: float
    anywhere: float
    alone: float
    similarity: float
    best: int


def find_support(
    claim: Reading,
    abstract: Reading,
    links: Links,
    cosines: NDArray[np.float64] | None,
    sentences: int,
    known: frozenset[str],
) -> Support:
    """Choose the sentences; `cosines` holds the similarity of the claim to each, `(sentences,) float64`.

    The paper's own names, `known`, go without saying in every sentence.
    """
    table, weights = _held(claim, abstract, links, sentences, known)
    total = max(float(weights.sum()), 1e-9)
    alone = table @ weights / total
    cosines = _USUAL * alone if cosines is None else cosines
    telling = weights / np.sqrt(1 + (table > 0).sum(axis=0))
    best = int(np.argmax(table @ telling / max(float(telling.sum()), 1e-9) + _BY_MEANING * cosines))
    chosen: tuple[int, ...] = (best,)
    both = np.maximum(table, table[best]) @ weights / total
    gains = both - alone[best]
    needed = np.full(len(cosines), _OTHER_ADDS)
    needed[max(best - 1, 0) : best + 2] = _NEIGHBOUR_ADDS
    second = int(np.argmax(gains - needed + 0.1 * cosines))
    if gains[second] >= needed[second]:
        chosen = tuple(sorted((best, second)))
    covered = float(table[list(chosen)].max(axis=0) @ weights / total)
    anywhere = float(table.max(axis=0) @ weights / total)
    return Support(chosen, covered, anywhere, float(alone[best]), float(cosines[best]), best)


def _held(
    claim: Reading, abstract: Reading, links: Links, sentences: int, known: frozenset[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how well each sentence holds each word of the claim, and the weights of the words."""
    words = [i for i, word in enumerate(claim.words) if word.content]
    table = np.zeros((sentences, len(words)))
    for column, i in enumerate(words):
        if fold_name(claim.words[i].lower) in known:
            table[:, column] = 1.0
        for link in links[i]:
            row = abstract.words[link.at].sentence
            sure = link.sure if link.sign > 0 else link.sure * _OPPOSITE_COUNTS
            table[row, column] = max(table[row, column], sure)
    return table, np.array([claim.words[i].weight for i in words])
