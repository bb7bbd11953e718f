"""A paper in, the papers of the library that it may be out, compared: by key, or by nearly the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rag.domain import Paper
from rag.ledger import Ledger
from rag.ledger.store import Store
from rag.papers.duplicates import Comparison, compare, fingerprint
from rag.papers.sketches import PLACES, Sketches, SketchIndex, share

# Of those that come near, so many are compared word by word, if they share enough pairs of words.
_COMPARED = 12
_LEAST_SHARE = 0.15
_SLICE = 500
# Pairs less alike than this are no near misses.
_NEAR = 0.6


@dataclass(frozen=True, slots=True)
class Match:
    """A paper of the library, and how another compares with it."""

    paper: Paper
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Pair:
    """Two papers of the library that may be one, and how they compare."""

    one: Paper
    two: Paper
    comparison: Comparison


class Twins:
    """Finds what an arriving paper may be, among those of a ledger open for writing and those on their way.

    No text is read but of the few papers that come near.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        missing = ledger.unfingerprinted()
        for start in range(0, len(missing), _SLICE):
            ledger.put_fingerprints(ledger.papers(missing[start : start + _SLICE]))
        self._ids, sketches = ledger.fingerprints()
        self._index = SketchIndex(sketches)
        # Papers the ledger does not hold yet, or not as they will be; and their keys.
        self._fresh: dict[str, Paper] = {}
        self._fresh_keys: dict[str, list[str]] = {}

    def find(self, paper: Paper) -> list[Match]:
        """Return the papers that `paper` may be, the surest first; `comparison.same` says whether it is."""
        made = fingerprint(paper)
        keyed = dict.fromkeys(
            [*(i for key in made.keys for i in self._fresh_keys.get(key, ())), *self._ledger.keyed(made.keys)]
        )
        positions = self._index.near(made.sketch)
        shares = share(made.sketch, self._index.rows(positions))
        best = np.argsort(-shares, kind="stable")[:_COMPARED]
        near = [self._ids[positions[n]] for n in best if shares[n] >= _LEAST_SHARE]
        wanted = [i for i in dict.fromkeys([*list(keyed)[:_COMPARED], *near]) if i != paper.id]
        matches = [Match(other, compare(other, paper)) for other in self._papers(wanted)]
        return sorted(matches, key=lambda m: (not m.comparison.same, -m.comparison.score))

    def add(self, paper: Paper) -> None:
        """Take in a paper that is about to be stored."""
        made = fingerprint(paper)
        self._ids.append(paper.id)
        self._index.add(made.sketch)
        self.change(paper)

    def change(self, paper: Paper) -> None:
        """Take in what is about to be stored of a paper that is known."""
        self._fresh[paper.id] = paper
        for key in fingerprint(paper).keys:
            self._fresh_keys.setdefault(key, []).append(paper.id)

    def settle(self) -> None:
        """Take note that all papers taken in are stored."""
        self._fresh.clear()
        self._fresh_keys.clear()

    def _papers(self, ids: Iterable[str]) -> Iterator[Paper]:
        wanted = list(ids)
        stored = {paper.id: paper for paper in self._ledger.papers(wanted)} | self._fresh
        return (stored[paper_id] for paper_id in wanted if paper_id in stored)


def pairs(store: Store) -> list[Pair]:
    """Return the papers of a library that are, or may be, held twice: the most alike first."""
    ids, sketches = _all_fingerprints(store)
    index = SketchIndex(sketches)
    found = {
        (ids[a], ids[b])
        for a, b in index.pairs()
        if share(sketches[a], sketches[b : b + 1])[0] > _LEAST_SHARE
    }
    place = {paper_id: n for n, paper_id in enumerate(ids)}
    for group in store.shared_keys():
        # A group of many shares a beginning or a title that says nothing.
        for a in group if len(group) <= _COMPARED else ():
            found |= {(a, b) for b in group if place.get(a, 0) < place.get(b, 0)}
    papers = {paper.id: paper for paper in store.papers({i for pair in found for i in pair})}
    compared = (
        Pair(papers[a], papers[b], compare(papers[a], papers[b]))
        for a, b in sorted(found, key=lambda p: place[p[0]])
    )
    close = [p for p in compared if p.comparison.same or p.comparison.doubt or p.comparison.score >= _NEAR]
    return sorted(close, key=lambda p: (not p.comparison.same, -p.comparison.score))


def _all_fingerprints(store: Store) -> tuple[list[str], Sketches]:
    """Return the sketches of all papers; those not stored yet are made."""
    ids, sketches = store.fingerprints()
    missing = store.unfingerprinted()
    made = [fingerprint(paper).sketch for paper in store.papers(missing)] if missing else []
    rows = np.concatenate([sketches, np.array(made, dtype=np.uint16).reshape(-1, PLACES)])
    return [*ids, *missing], rows
