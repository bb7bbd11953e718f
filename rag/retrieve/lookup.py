"""Words typed for one paper → the papers they can only mean, or else those that come near."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rag.domain import Paper
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


def lookup(words: str, papers: Sequence[Paper], names: Names) -> Lookup:
    """Return the papers whose id, source, name or alias is `words`; a first part of an id will do.

    Nothing similar is ever found: it may be the wrong paper, and the next thing done may be to remove it.
    """
    words = words.strip()
    folded = {fold_name(words), fold_name(readable(words))} - {""}
    called = {paper_id for name in folded for paper_id in names.ids.get(name, ())}
    stages: tuple[Callable[[Paper], bool], ...] = (
        lambda p: words == p.id,
        lambda p: words in p.sources and words not in p.gone,
        lambda p: words in p.sources,
        lambda p: fold_name(p.name) in folded,
        lambda p: p.id in called or fold_name(p.title) in folded,
        lambda p: len(words) >= _SHORTEST_PREFIX and p.id.startswith(words.lower()),
    )
    for fits in stages:
        found = tuple(paper for paper in papers if fits(paper))
        if found:
            return Lookup(found)
    by_id = {paper.id: paper for paper in papers}
    near = [*_similar(folded, names), *(paper.id for paper in _with_words(words, papers))]
    return Lookup((), tuple(by_id[paper_id] for paper_id in dict.fromkeys(near) if paper_id in by_id))


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
