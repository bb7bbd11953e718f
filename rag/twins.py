"""A paper in, the papers of the library that it may be out, compared: by key, or by nearly the same text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from rag.domain import Paper
from rag.ledger import Ledger
from rag.ledger.store import Store
from rag.papers.duplicates import Comparison, compare, fingerprint
from rag.papers.sketches import PLACES, Sketches, SketchIndex, share

Kind = Literal["merged", "twice", "near", "crowd"]

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
class Duplicate:
    """What is, or may be, a duplicate in a library; `score` says how alike the texts are, from 0 to 1.

    "merged": `source` holds another text or title of the one paper in `papers`. "twice": both papers are
    held, and are one by today's rules. "near": two papers that were kept apart, though they look alike.
    "crowd": so many papers look alike that each was compared with a few of them only; `papers` are two.
    """

    kind: Kind
    score: float
    why: str
    papers: tuple[Paper, ...]
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "kind": self.kind,
            "score": round(self.score, 4),
            "why": self.why,
            "papers": [paper.to_dict() for paper in self.papers],
            "source": self.source or None,
        }


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


def duplicates(store: Store) -> list[Duplicate]:
    """Return what was merged in a library, is held twice or nearly so: each kind by how alike it is."""
    merged = store.merged()
    close, crowded = _pairs(store)
    pairs = sorted(close, key=sorted)
    wanted = {*(s.paper_id for s in merged), *(i for pair in pairs for i in pair)}
    papers = {p.id: p for p in store.papers(wanted)}
    found = [
        Duplicate("merged", seen.likeness or 0.0, seen.why, (papers[seen.paper_id],), seen.source)
        for seen in merged
        if seen.paper_id in papers
    ]
    # What another process removed meanwhile is no duplicate any more.
    for a, b in (pair for pair in pairs if papers.keys() >= set(pair)):
        compared = compare(papers[a], papers[b])
        if compared.same or compared.doubt or compared.score >= _NEAR:
            kind: Kind = "twice" if compared.same else "near"
            found.append(Duplicate(kind, compared.score, compared.why, (papers[a], papers[b])))
    if crowded:
        some = tuple(papers[i] for i in crowded if i in papers)[:2]
        why = f"{len(crowded):,} papers look so alike that each was compared with a few of them only"
        found.append(Duplicate("crowd", 0.0, why, some))
    return sorted(found, key=lambda d: (get_args(Kind).index(d.kind), -d.score))


def _pairs(store: Store) -> tuple[set[tuple[str, str]], list[str]]:
    """Return every two ids of papers that come near each other, or share a key, in the order stored.

    Then the ids of those that so many come near that they were paired with a few only.
    """
    ids, sketches = _all_fingerprints(store)
    close, crowded = SketchIndex(sketches).pairs()
    near = {(ids[a], ids[b]) for a, b in close if share(sketches[a], sketches[b : b + 1])[0] >= _LEAST_SHARE}
    # Many papers that share a beginning or a title share one that says nothing.
    groups = (group for group in store.shared_keys() if len(group) <= _COMPARED)
    keyed = {pair for group in groups for pair in combinations(group, 2)}
    place = {paper_id: n for n, paper_id in enumerate(store.ids())}
    held = ((a, b) for a, b in near | keyed if a in place and b in place)
    return {(a, b) if place[a] < place[b] else (b, a) for a, b in held}, [ids[n] for n in sorted(crowded)]


def _all_fingerprints(store: Store) -> tuple[list[str], Sketches]:
    """Return the sketches of all papers; those not stored yet are made."""
    ids, sketches = store.fingerprints()
    missing = store.unfingerprinted()
    papers = store.papers(missing) if missing else []
    made = [fingerprint(paper).sketch for paper in papers]
    rows = np.concatenate([sketches, np.array(made, dtype=np.uint16).reshape(-1, PLACES)])
    return [*ids, *(paper.id for paper in papers)], rows
