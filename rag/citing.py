"""What is known of a paper in, the text it is cited by out: `Lovelace et al. 2026, NeurIPS, doi:10.1/x`."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PARTICLE = re.compile(r"[a-zà-ÿ'’]+")
# The last words of those who are no persons, and are cited whole.
_BODIES = frozenset(
    "organization organisation university institute team group consortium collaboration committee".split()
)
_SUFFIXES = frozenset("jr jr. sr sr. ii iii iv".split())


def cited_as(
    authors: Sequence[str], year: int | None, venue: str, doi: str, arxiv: str, *, name: str, source: str
) -> str:
    """Return authors, year, venue and DOI as people write them; without authors, after the paper's name.

    A paper of which nothing is known but its text is cited by name and source.
    """
    when = "" if year is None else str(year)
    number = f"doi:{doi}" if doi else f"arXiv:{arxiv}" if arxiv else ""
    facts = [" ".join(filter(None, (_who(authors), when))), _without_year(venue, when), number]
    told = ", ".join(filter(None, facts))
    if authors and told:
        return told
    return " · ".join(filter(None, (name, told or source)))


def family_name(author: str) -> str:
    """Return the family name of an author, with its particles: `J. van der Berg` gives `van der Berg`."""
    family, comma, _ = author.partition(",")
    words = family.split()
    while len(words) > 1 and words[-1].lower() in _SUFFIXES:
        words.pop()
    if comma or len(words) < 2 or words[-1].lower() in _BODIES:
        return " ".join(words)
    start = len(words) - 1
    while start > 1 and _PARTICLE.fullmatch(words[start - 1]):
        start -= 1
    return " ".join(words[start:])


def _who(authors: Sequence[str]) -> str:
    names = [name for name in map(family_name, authors) if name]
    if len(names) > 2:
        return f"{names[0]} et al."
    return " & ".join(names)


def _without_year(venue: str, year: str) -> str:
    """Return a venue without the year that is told already: `NeurIPS 2026` gives `NeurIPS`."""
    bare = re.sub(rf"[\s,(]*\b{re.escape(year)}\b\)?\s*$", "", venue) if year else venue
    return bare or venue
