"""A paper in, what its sentences do out: which say what it contributes, which only where its code lies."""

from __future__ import annotations

import re

from rag.evidence.candidates import Candidate

_CONTRIBUTES = re.compile(
    r"\b(?:we|this (?:paper|work|study|article)|here,? we)\s+(?:\w+\s+){0,2}"
    r"(?:propos|present|introduc|develop|describ|stud|investigat|show|argu|deriv|identif|design|formulat|apply"
    r"|applie|address|consider|tackl|examin|explor|audit|offer|extend|establish)\w*",
    re.IGNORECASE,
)
# Where the code lies is no answer, unless it is asked for.
_AVAILABILITY = re.compile(
    r"\b(?:code|data|dataset|implementation|demo|project page|models?)\b[^.]{0,200}"
    r"\b(?:available|released?|public|found)\b"
    r"|^code\s*:|https?://",
    re.IGNORECASE,
)


def contributions(candidate: Candidate) -> list[int]:
    """Return the sentences that say what the paper does, in order."""
    return [i for i in range(len(candidate.sentences)) if _CONTRIBUTES.search(candidate.text(i))]


def contribution(candidate: Candidate) -> int | None:
    """Return the first sentence that says what the paper does, if one says so."""
    return next(iter(contributions(candidate)), None)


def notes(candidate: Candidate) -> list[bool]:
    """Return for each sentence whether it only says where code or data lie."""
    return [bool(_AVAILABILITY.search(candidate.text(i))) for i in range(len(candidate.sentences))]
