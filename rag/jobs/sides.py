"""Find the papers a comparison is about: "compare A and B" → the hits for its sides, named or described."""

from __future__ import annotations

import re

from rag.domain import Hit
from rag.question import understand
from rag.retrieve import Retrieval, Retriever

_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdifferences? between (?P<a>.+?) and (?P<b>.+)",
        r"\b(?:compare|contrast)\s+(?P<a>.+?)\s+(?:with|to|against|vs\.?|versus)\s+(?P<b>.+)",
        r"\b(?:compare|contrast)\s+(?P<a>.+?)\s+and\s+(?P<b>.+)",
        r"\bhow (?:do|does|did) (?P<a>.+?) differ (?:(?:in|as to) .+? )?from (?P<b>.+)",
        r"\bhow (?:do|does|did) (?P<a>.+?) and (?P<b>.+?) (?:differ|compare)\b",
        r"^(?P<a>.+?)\s+(?:vs\.?|versus)\s+(?P<b>.+)",
        r"^(?P<a>[^:?]+?) and (?P<b>.+)",
    )
)
# What follows a side says in which respect the two are compared.
_RESPECT = re.compile(r"[:?;,.]\s|[:?;,.]$|\s+(?:as|in (?:how|what|terms|where)|when it comes)\b")


def sides(retrieval: Retrieval, retriever: Retriever) -> tuple[Hit, ...]:
    """Return the papers compared, one hit each; fewer than two when the question compares no papers."""
    named = _named(retrieval)
    return named if len(named) > 1 else _described(retrieval.question.text, retriever)


def _named(retrieval: Retrieval) -> tuple[Hit, ...]:
    by_id = {h.paper.id: h for h in retrieval.hits}
    return tuple(by_id[p] for p in retrieval.named if p in by_id)


def _described(text: str, retriever: Retriever) -> tuple[Hit, ...]:
    for pattern in _SIDES:
        match = pattern.search(text)
        if match:
            parts = [_RESPECT.split(match[group])[0] for group in ("a", "b")]
            hits = [retriever.retrieve(understand(part)).hits[:1] for part in parts]
            return tuple({h.paper.id: h for found in hits for h in found}.values())
    return ()
