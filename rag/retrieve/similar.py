"""Some words and very many names in, the name that is most like them out, without comparing them all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.uint64]


class SimilarNames:
    """Folded names, each with the set of its characters: names with too many others are not compared."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._lengths = np.fromiter(map(len, self._names), dtype=np.int64, count=len(self._names))
        self._marks = _marks(self._names, self._lengths)

    def best(self, word: str, least: float) -> tuple[str, float] | None:
        """Return the name most similar to `word` and how similar it is, at least `least` of 100; or None.

        Similarity is rapidfuzz's ratio: 100 less the share of the characters of both that must be taken out
        or put in to turn one into the other. A character that one has and the other lacks is one of these.
        """
        from rapidfuzz import fuzz, process

        (mark,) = _marks((word,), np.array([len(word)]))
        lacking = np.bitwise_count(self._marks ^ mark)
        # A little more than may be, so that rounding never leaves out what belongs in.
        most = (self._lengths + len(word)) * (1 - least / 100) + 1e-6
        near = np.flatnonzero((lacking <= most) & (np.abs(self._lengths - len(word)) <= most))
        found = process.extractOne(
            word, [self._names[n] for n in near], scorer=fuzz.ratio, score_cutoff=least
        )
        return (found[0], found[1]) if found else None


def _marks(names: Sequence[str], lengths: NDArray[np.int64]) -> Marks:
    """Return the set of each name's characters as 64 bits; several characters may share a bit."""
    if not len(lengths) or not lengths.sum():
        return np.zeros(len(lengths), dtype=np.uint64)
    codes = np.frombuffer("".join(names).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    bits = np.left_shift(np.uint64(1), (codes & 63).astype(np.uint64))
    starts = np.cumsum(lengths) - lengths
    return np.bitwise_or.reduceat(bits, starts)
