"""Words in, MinHash sketches out, and the index that finds the sketches that come near one.

A sketch stands for the set of word pairs of a text: the share of places in which two sketches are equal
estimates the share of pairs that both texts have (Broder 1997). The index looks up bands of three places, so
that texts which share half of their pairs meet in some band with a chance of 99.5%, those that share a
hundredth in less than one of twenty thousand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Sketch = NDArray[np.uint16]
Sketches = NDArray[np.uint16]

PLACES = 120
_BAND = 3
_SEED = 1
# Bump it when words are made comparable in another way: sketches and keys are then made again.
_FORMAT = "pairs/2"
_SHIFTS = np.array([0, 16, 32], dtype=np.uint64)
_BANDS = np.arange(PLACES // _BAND, dtype=np.uint64) << np.uint64(48)
# In a larger group of sketches that share a band, each is paired with those next to it only.
_MOST_ALIKE = 32
_NEIGHBOURS = 3
# New sketches are looked up one by one until there are so many, then sorted in with the rest.
_MOST_LOOSE = 1024


def sketch(words: Sequence[str]) -> Sketch:
    """Return `(120,) uint16`: the MinHash of the pairs of neighbouring words."""
    from rensa import RMinHash

    pairs = [f"{first} {second}" for first, second in zip(words, words[1:], strict=False)] or list(words)
    minhash = RMinHash(num_perm=PLACES, seed=_SEED)
    minhash.update(pairs)
    # Sixteen of the 32 bits of each place: equal by chance once in 65,536.
    return (np.array(minhash.digest(), dtype=np.uint32) & 0xFFFF).astype(np.uint16)


@cache
def scheme() -> str:
    """Return a mark that changes whenever sketches are made in another way, by us or by the library used."""
    probe = sketch("a mark of how sketches are made today".split())
    return f"{_FORMAT}:{hashlib.sha256(probe.tobytes()).hexdigest()[:12]}"


def share(one: Sketch, others: Sketches) -> NDArray[np.float64]:
    """Return the estimated share of pairs in common: with each of `(n, 120)` others, `(n,)`."""
    return np.asarray((others == one).mean(axis=1), dtype=np.float64)


class SketchIndex:
    """Finds among many sketches those that share a band with one. Positions count from 0, as added."""

    def __init__(self, sketches: Sketches) -> None:
        # Room for more: the rows in use are the first `_size`.
        self._rows, self._size = sketches, len(sketches)
        self._sorted, self._owners = _sorted_bands(sketches)
        self._loose: dict[int, list[int]] = {}
        self._loose_count = 0

    def add(self, one: Sketch) -> int:
        """Take in a sketch; return its position."""
        position = self._size
        if position == len(self._rows):
            room = np.zeros((max(position, _MOST_LOOSE), PLACES), dtype=np.uint16)
            self._rows = np.concatenate([self._rows, room])
        self._rows[position] = one
        self._size += 1
        for band in _bands(one[None, :])[0].tolist():
            self._loose.setdefault(band, []).append(position)
        self._loose_count += 1
        if self._loose_count > max(_MOST_LOOSE, len(self._sorted) // PLACES):
            self._sort_in()
        return position

    def near(self, one: Sketch) -> list[int]:
        """Return the positions of the sketches that share a band with `one`."""
        bands = _bands(one[None, :])[0]
        left = np.searchsorted(self._sorted, bands, "left")
        right = np.searchsorted(self._sorted, bands, "right")
        held = [self._owners[a:b] for a, b in zip(left, right, strict=True) if a < b]
        found = {int(n) for some in held for n in some}
        return sorted(found.union(*(self._loose.get(band, ()) for band in bands.tolist())))

    def rows(self, positions: Sequence[int]) -> Sketches:
        """Return the sketches at these positions."""
        return self._rows[list(positions)]

    def pairs(self) -> tuple[set[tuple[int, int]], set[int]]:
        """Return every two positions, the lower first, whose sketches share a band; and the crowded ones.

        Where more than 32 share a band, each is paired with the next three only; these are the crowded.
        """
        self._sort_in()
        edges = np.flatnonzero(np.diff(self._sorted, prepend=0, append=0) != 0)
        many = np.flatnonzero(np.diff(edges) > 1)
        pairs: set[tuple[int, int]] = set()
        crowded: set[int] = set()
        for n in many:
            group = sorted(self._owners[edges[n] : edges[n + 1]].tolist())
            if len(group) > _MOST_ALIKE:
                crowded.update(group)
                pairs.update((a, b) for i, a in enumerate(group) for b in group[i + 1 : i + 1 + _NEIGHBOURS])
            else:
                pairs.update(combinations(group, 2))
        return pairs, crowded

    def _sort_in(self) -> None:
        self._sorted, self._owners = _sorted_bands(self._rows[: self._size])
        self._loose.clear()
        self._loose_count = 0


def _bands(sketches: Sketches) -> NDArray[np.uint64]:
    """Return `(n, 40) uint64`: three places in one number, and in its highest bits which band it is."""
    grouped = sketches.reshape(len(sketches), -1, _BAND).astype(np.uint64)
    return np.asarray((grouped << _SHIFTS).sum(axis=2, dtype=np.uint64) | _BANDS, dtype=np.uint64)


def _sorted_bands(sketches: Sketches) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    bands = _bands(sketches).ravel() if len(sketches) else np.zeros(0, dtype=np.uint64)
    order = np.argsort(bands)
    return bands[order], order // (PLACES // _BAND)
