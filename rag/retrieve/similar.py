"""Some words and very many names in, the name that is most like them out, without comparing them all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.uint64]


class SimilarNames:
    """Folded names, each with the set of its characters: names with too many others are not compared."""

    def __init__(self, names: Sequence[str]) -> None:
        lengths = np.fromiter(map(len, names), dtype=np.int64, count=len(names))
        # By length: those of a length that may be similar lie together.
        self._order = np.argsort(lengths, kind="stable")
        self._names = tuple(names)
        self._lengths = lengths[self._order]
        self._marks = _marks(names, lengths)[self._order]

    def best(self, word: str, least: float) -> tuple[str, float] | None:
        """Return the name most similar to `word` and how similar it is, at least `least` of 100; or None.

        Similarity is rapidfuzz's ratio: 100 less the share of the characters of both that must be taken out
        or put in to turn one into the other. A character that one has and the other lacks is one of these.
        """
        from rapidfuzz import fuzz, process

        # The longest name has what it has more; that may be no more than its share of both. Rounding must
        # not leave out what belongs in, hence a little more.
        other = 1 - least / 100
        longest = len(word) * (1 + other) / (1 - other) + 1e-6
        shortest = len(word) * (1 - other) / (1 + other) - 1e-6
        first, last = np.searchsorted(self._lengths, (shortest, longest), side="left")
        (mark,) = _marks((word,), np.array([len(word)]))
        lacking = np.bitwise_count(self._marks[first:last] ^ mark)
        near = first + np.flatnonzero(lacking <= int((longest + len(word)) * other + 1e-6))
        found = process.extractOne(
            word, [self._names[n] for n in np.sort(self._order[near])], scorer=fuzz.ratio, score_cutoff=least
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
