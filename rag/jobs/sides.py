"""Find the papers a comparison is about: "compare A and B" → the hits for its sides, named or described."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from rag.domain import Hit
from rag.question import understand
from rag.retrieve import Retrieval, Retriever
from rag.text.words import fold_name

_SIDE = r".{1,200}?"
_SIDES = tuple(
    re.compile(pattern.replace("SIDE", _SIDE), re.IGNORECASE)
    for pattern in (
        r"\bdifferences? between (?P<a>SIDE) and (?P<b>.{1,300})",
        r"\b(?:compare|contrast)\s+(?P<a>SIDE)\s+(?:with|to|against|vs\.?|versus)\s+(?P<b>.{1,300})",
        r"\b(?:compare|contrast)\s+(?P<a>SIDE)\s+and\s+(?P<b>.{1,300})",
        r"\bhow (?:do|does|did) (?P<a>SIDE) differ (?:(?:in|as to) SIDE )?from (?P<b>.{1,300})",
        r"\bhow (?:do|does|did) (?P<a>SIDE) and (?P<b>SIDE) (?:differ|compare)\b",
        r"^(?P<a>SIDE)\s+(?:vs\.?|versus)\s+(?P<b>.{1,300})",
        r"^(?P<a>[^:?]{1,200}?) and (?P<b>.{1,300})",
    )
)
# What follows a side says in which respect the two are compared.
_RESPECT = re.compile(r"[:?;,.]\s|[:?;,.]$|\s+(?:as|in (?:how|what|terms|where)|when it comes)\b")
# A word spelt as a name: capitals inside it or two in a row, or a digit in it.
_NAME = re.compile(r"[^\W\d_]*[A-Z][\w-]*[A-Z\d][\w-]*|\w+-\d+")


@dataclass(frozen=True, slots=True)
class Sides:
    """The papers compared, one hit each, and the names in the question that no paper of the library has."""

    hits: tuple[Hit, ...]
    unknown: tuple[str, ...] = ()


def sides(retrieval: Retrieval, retriever: Retriever, only: Collection[str] | None = None) -> Sides:
    """Return the papers compared; fewer than two hits when the question compares no two of the library."""
    named = _named(retrieval)
    return Sides(named) if len(named) > 1 else _described(retrieval.question.text, retriever, only)


def _named(retrieval: Retrieval) -> tuple[Hit, ...]:
    by_id = {h.paper.id: h for h in retrieval.hits}
    return tuple(by_id[p] for p in retrieval.named if p in by_id)


def _described(text: str, retriever: Retriever, only: Collection[str] | None) -> Sides:
    match = next((found for pattern in _SIDES if (found := pattern.search(text))), None)
    if match is None:
        return Sides(())
    parts = [_RESPECT.split(match[group])[0].strip() for group in ("a", "b")]
    unknown = tuple(part for part in parts if _is_unknown_name(part, retriever))
    hits = [retriever.retrieve(understand(part), only).hits[:1] for part in parts if part not in unknown]
    return Sides(tuple({h.paper.id: h for found in hits for h in found}.values()), unknown)


def _is_unknown_name(part: str, retriever: Retriever) -> bool:
    """Tell whether a side is a mere name that stands nowhere in the library: it describes no paper."""
    if not _NAME.fullmatch(part) or any(m.certain for m in retriever.names().mentions(part)):
        return False
    return not any(retriever.known([fold_name(part)]))
