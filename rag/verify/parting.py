"""A sentence on several papers in, what it says of each out: its parts, cut between the papers' names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rag.domain import Paper

_CUT = re.compile(r"[,;]\s+(?:(?:and|but|yet|while|whereas)\s+)?|\s+(?:and|but|yet|while|whereas)\s+")
_LEAST_WORDS = 3


def parted(text: str, papers: Iterable[Paper]) -> dict[str, str]:
    """Return the part of `text` that speaks of each paper, by id.

    Empty unless every paper is named, and something is said of each on its own.
    """
    papers = list(papers)
    places = sorted((place, paper.id) for paper in papers if (place := _named_at(text, paper)) >= 0)
    if len(places) != len(papers):
        return {}
    cuts = [0]
    for (before, _), (after, _) in zip(places, places[1:], strict=False):
        found = list(_CUT.finditer(text, before, after + 1))
        if not found:
            return {}
        cuts.append(found[-1].end())
    ends = [*cuts[1:], len(text)]
    parts = {paper_id: text[a:b] for (_, paper_id), a, b in zip(places, cuts, ends, strict=True)}
    told = all(len(part.split()) >= _LEAST_WORDS for part in parts.values())
    return parts if told else {}


def _named_at(text: str, paper: Paper) -> int:
    """Return where a paper is first named, -1 if it is not."""
    names = [paper.name, *map(str, paper.extra.get("aliases", ()))]
    found = [re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names if name]
    return min((match.start() for match in found if match), default=-1)
