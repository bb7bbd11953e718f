"""What a check finds: the layer that speaks, and the reason in words a person understands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.verify.alignment import Links
from rag.verify.reading import Reading


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction between a claim and an abstract; `weight` says how sure it is, 0–1."""

    layer: str
    reason: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Case:
    """A claim beside the abstract it is checked against, and the sentences it is said to rest on.

    `known` holds the names of the paper and the words of them, folded.
    """

    claim: Reading
    abstract: Reading
    links: Links
    sentences: Sequence[int]
    known: frozenset[str] = frozenset()

    def within(self, position: int) -> bool:
        """Tell whether a word of the abstract stands in the sentences the claim rests on."""
        return self.abstract.words[position].sentence in self.sentences
