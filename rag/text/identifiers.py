"""Text of unknown origin in, the DOI or arXiv number it holds out, in the one form they are compared in."""

from __future__ import annotations

import re

_LONGEST = 2000
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}]+")
_WHOLE_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
# What ends a sentence or a bracket around a DOI, and no DOI.
_AFTER = ".,;:]"

ARXIV_NUMBER = r"(?:\d{4}\.\d{4,5}|[A-Za-z-]{2,12}(?:\.[A-Za-z]{2})?/\d{7})(?:v\d{1,3})?"
"""A pattern, without groups, of the numbers of arXiv, old and new, with or without a version."""

_ARXIV = re.compile(rf"(?:^|arxiv[:.]?\s*|arxiv\.org/(?:abs|pdf)/)({ARXIV_NUMBER})(?:\.pdf)?$", re.IGNORECASE)
_ARXIV_LIST = re.compile(rf"{ARXIV_NUMBER}(?:\s*,\s*{ARXIV_NUMBER})*")
_VERSION = re.compile(r"v\d+$", re.IGNORECASE)


def doi_in(text: str) -> str:
    """Return the first DOI in a text, in lower case, without marks that follow it; "" if there is none."""
    found = _DOI.search(text[:_LONGEST])
    doi = _trimmed(found[0]).lower() if found else ""
    return "" if doi.endswith("/") else doi


def whole_doi(text: str) -> str:
    """Return the DOI that a text is, as it is written but for an address before it; "" if it is none."""
    found = _WHOLE_DOI.fullmatch(text.strip())
    return found[1] if found else ""


def arxiv_in(text: str) -> str:
    """Return the arXiv number that a text is, or an address or DOI ends in, without its version; or ""."""
    found = _ARXIV.search(text.strip()[:_LONGEST].rstrip(_AFTER))
    return _VERSION.sub("", found[1]) if found else ""


def are_arxiv_numbers(text: str) -> bool:
    """Say whether a text is numbers of arXiv with commas between, and nothing else."""
    return _ARXIV_LIST.fullmatch(text) is not None


def _trimmed(doi: str) -> str:
    """Leave out marks at the end, and a bracket that was opened before the DOI."""
    while doi[-1] in _AFTER or (doi[-1] == ")" and doi.count("(") < doi.count(")")):
        doi = doi[:-1]
    return doi
