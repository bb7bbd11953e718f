"""Words typed for one paper → the papers they can only mean, or else those that come near."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.domain import Paper
from rag.ledger.store import Store
from rag.retrieve.naming import Names
from rag.text.latex import readable
from rag.text.words import fold_name

_SHORTEST_PREFIX = 8
_SIMILAR = 70.0  # of 100, rapidfuzz ratio: these are only offered, never taken
_SHORTEST_SIMILAR = 3


@dataclass(frozen=True, slots=True)
class Lookup:
    """The papers that the typed words mean; when none, those that come `near`, most likely first."""

    found: tuple[Paper, ...]
    near: tuple[Paper, ...] = ()


def lookup(words: str, store: Store) -> Lookup:
    """Return the papers whose id, source, name or alias is `words`; a first part of an id will do.

    Nothing similar is ever found: it may be the wrong paper, and the next thing done may be to remove it.
    Texts are read only when no paper is called so.
    """
    words = words.strip()
    exact = store.papers([store.exactly(words)])
    if exact:
        return Lookup(tuple(exact))
    names = Names.of(store.names())
    folded = {fold_name(words), fold_name(readable(words))} - {""}
    found = _called(words, folded, store, names)
    if found:
        return Lookup(tuple(found))
    papers = store.papers()
    gone = tuple(paper for paper in papers if words in paper.sources)
    if gone:
        return Lookup(gone)
    by_id = {paper.id: paper for paper in papers}
    near = [*_similar(folded, names), *(paper.id for paper in _with_words(words, papers))]
    return Lookup((), tuple(by_id[paper_id] for paper_id in dict.fromkeys(near) if paper_id in by_id))


def _called(words: str, folded: set[str], store: Store, names: Names) -> list[Paper]:
    """Return the papers with this name, else with this alias or title, else whose ids begin so."""
    called = {paper_id for name in folded for paper_id in names.ids.get(name, ())}
    entitled = {paper_id for title, paper_id in store.titles() if fold_name(title) in folded}
    papers = store.papers(called | entitled)
    if not papers and len(words) >= _SHORTEST_PREFIX:
        return store.papers(i for i in store.ids() if i.startswith(words.lower()))
    return [paper for paper in papers if fold_name(paper.name) in folded] or papers


def _similar(folded: set[str], names: Names) -> Iterator[str]:
    """Yield the ids of the papers with similar names, most similar first."""
    from rapidfuzz import fuzz, process

    known = list(names.ids)
    for typed in folded:
        if len(typed) >= _SHORTEST_SIMILAR:
            for name, _, _ in process.extract(typed, known, scorer=fuzz.ratio, score_cutoff=_SIMILAR):
                yield from names.ids[name]


def _with_words(words: str, papers: Sequence[Paper]) -> list[Paper]:
    """Return the papers that hold every word, or words that begin so: first those whose name does."""
    starts = [re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE) for word in words.split()]

    def holds(text: str) -> bool:
        return bool(starts) and all(start.search(text) for start in starts)

    named = [paper for paper in papers if holds(f"{paper.name} {paper.title}")]
    return [*named, *(paper for paper in papers if holds(f"{paper.name} {paper.title} {paper.text}"))]
