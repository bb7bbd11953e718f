"""What is known of a paper in, the text it is cited by out: `Lovelace et al. 2026, NeurIPS, doi:10.1/x`."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PARTICLE = re.compile(r"[a-zà-ÿ'’]+")
# The last words of those who are no persons, and are cited whole.
_BODIES = frozenset(
    "organization organisation university institute team group consortium collaboration committee".split()
)
# What stands for the authors who are not named: BibTeX says "and others".
_OTHERS = frozenset({"others", "et al"})
_SUFFIXES = frozenset("jr sr ii iii iv".split())


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
    return name_parts(author)[1]


def name_parts(author: str) -> tuple[str, str]:
    """Return given names and family name, `Jr.` and the like left out, of a name written in either order."""
    family, *others = (_without_suffix(part.split()) for part in author.split(","))
    if others:
        return " ".join(word for part in others for word in part if not is_suffix(word)), " ".join(family)
    start = _family_start(family)
    return " ".join(family[:start]), " ".join(family[start:])


def is_suffix(word: str) -> bool:
    """Say whether a word is none of a person's names but tells one from another, such as `Jr.`."""
    return word.lower().rstrip(".") in _SUFFIXES


def _without_suffix(words: list[str]) -> list[str]:
    while len(words) > 1 and is_suffix(words[-1]):
        words = words[:-1]
    return words


def _family_start(words: Sequence[str]) -> int:
    if len(words) < 2 or words[-1].lower() in _BODIES:
        return 0
    start = len(words) - 1
    while start > 1 and _PARTICLE.fullmatch(words[start - 1]):
        start -= 1
    return start


def _who(authors: Sequence[str]) -> str:
    names = [name for name in map(family_name, authors) if name]
    if len(names) > 2 or (len(names) == 2 and authors[-1].lower().rstrip(".") in _OTHERS):
        return f"{names[0]} et al."
    return " & ".join(names)


def _without_year(venue: str, year: str) -> str:
    """Return a venue without the year that is told already: `NeurIPS 2026` gives `NeurIPS`."""
    bare = re.sub(rf"[\s,(]*\b{re.escape(year)}\b\)?\s*$", "", venue) if year else venue
    return bare or venue
