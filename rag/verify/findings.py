"""What a check finds: the layer that speaks, and the reason in words a person understands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rag.verify.alignment import Links
from rag.verify.reading import WEIGHTS, Reading


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction between a claim and an abstract; `weight` says how sure it is, 0–1."""

    layer: str
    reason: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Case:
    """A claim beside the abstract it is checked against, and the sentences it is said to rest on.

    `known` holds the names of the paper and the words of them, folded; `best` is the nearest sentence.
    `title` holds the stems of the paper's title.
    """

    claim: Reading
    abstract: Reading
    links: Links
    sentences: Sequence[int]
    known: frozenset[str] = frozenset()
    best: int = 0
    title: frozenset[str] = frozenset()

    def within(self, position: int) -> bool:
        """Tell whether a word of the abstract stands in the sentences the claim rests on."""
        return self.abstract.words[position].sentence in self.sentences

    def own(self, side: Collection[int], other: Collection[int]) -> list[int]:
        """Return the words of the claim on one side only, those that mean little left out."""
        shared = {self.claim.words[j].stem for j in other}
        return [
            j
            for j in side
            if self.claim.words[j].stem not in shared and self.claim.words[j].weight >= WEIGHTS["verb"]
        ]

    def nouns(self, words: Collection[int]) -> list[int]:
        """Return those of some words of the claim that are nouns or names, in order."""
        return sorted(j for j in words if self.claim.words[j].weight >= WEIGHTS["noun"])

    def count(self, words: Collection[int], positions: Collection[int]) -> int:
        """Count the words of the claim that have a counterpart at some positions of the abstract."""
        return sum(any(k.at in positions and k.sign > 0 for k in self.links[j]) for j in words)
