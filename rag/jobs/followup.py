"""Make a follow-up stand alone: question and earlier answers → question, and the papers it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.domain import Answer, Reference

_ORDINALS = {
    word: place
    for place, words in enumerate(("first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th"), 1)
    for word in words.split()
} | {"last": 0}
# "The second one" and "what about the second?" mean a paper; "the second step" does not.
_ORDINAL = re.compile(
    rf"\bthe ({'|'.join(_ORDINALS)})"
    r"(?:\s+(?:one|paper|study|method|of (?:them|these|those))\b|\s*(?=[?.!,;]|$))",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\bwhich (?:one|ones|of (?:them|these|those|the (?:two|three)))\b"
    r"|\b(?:either|any|both|all|none) of (?:them|these)\b",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(r"\b(?:the|that) (?:[\w-]+ ){1,4}one\b", re.IGNORECASE)
_PLURAL = re.compile(r"\b(?:they|them|their|these (?:two|papers|methods|approaches)|both)\b", re.IGNORECASE)
_SINGULAR = re.compile(
    r"\b(?:it|its|it's|this (?:paper|method|approach|work|system|model|study|one)"
    r"|that (?:paper|method|one)|the (?:paper|authors|method))\b",
    re.IGNORECASE,
)
_CONTINUES = re.compile(r"^(?:and|but|so|also|what about|how about|why|how so|i mean)\b", re.IGNORECASE)
_SHORT = 4  # words


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that needs no history: its text, and the ids of the papers it is about (empty: any)."""

    text: str
    only: tuple[str, ...] = ()


def standalone(question: str, history: Sequence[Answer], names_papers: bool = False) -> Standalone:
    """Bind "it", "the second one", "which of them" to the papers of the last answer that cited any.

    `names_papers` tells that the question names its papers itself: then pronouns refer to those.
    """
    references = _last_references(history)
    if not references:
        return Standalone(question)
    if names_papers:
        return Standalone(question)
    if ordinal := _ORDINAL.search(question):
        chosen = _at(references, _ORDINALS[ordinal[1].lower()])
        if chosen:
            return _about(question, (chosen,))
    if _CHOICE.search(question):
        return Standalone(question, tuple(r.paper.id for r in references))
    if _DESCRIBED.search(question):
        earlier = (r.paper.id for answer in reversed(history) for r in answer.references)
        return Standalone(question, tuple(dict.fromkeys(earlier)))
    if _PLURAL.search(question):
        return _about(question, references if len(references) < _SHORT else references[:1])
    if _SINGULAR.search(question) or _CONTINUES.search(question) or len(question.split()) <= _SHORT:
        return _about(question, references[:1])
    return Standalone(question)


def _last_references(history: Sequence[Answer]) -> tuple[Reference, ...]:
    return next((answer.references for answer in reversed(history) if answer.references), ())


def _at(references: tuple[Reference, ...], place: int) -> Reference | None:
    if place == 0:
        return references[-1]
    return references[place - 1] if place <= len(references) else None


def _about(question: str, references: Sequence[Reference]) -> Standalone:
    names = ", ".join(r.paper.name for r in references)
    return Standalone(f"{question.rstrip(' ?')} ({names})?", tuple(r.paper.id for r in references))
