"""Author-year citations: a text in, the citations in it and the place of each out, and the papers they fit.

Reads (Lee & Okafor, 2023; Smith 2021a), Ortiz and Chen (2019), and Lee et al., 2023 without brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag.citing import family_name
from rag.domain import Paper
from rag.text.words import fold_name

# Every repetition is bounded, so that no text takes more than linear time.
_WORD = r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]{1,30}(?:[-‐'’][^\W\d_]{1,30}){0,3}"
_PARTICLES = r"(?:(?i:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|al|el|bin|ibn|zu|af)\s){0,3}"
_NAME = rf"\b(?:[A-Z]\.[ -]?){{0,3}}{_PARTICLES}(?:[dDlLO]['’])?{_WORD}"
_WHOLE_NAME = rf"{_NAME}(?:\s(?:of\s(?:the\s)?)?{_WORD}){{0,4}}"
_OTHERS = (
    r"(?P<others>,?\s{1,3}(?:[*_]{0,2}et\.?\s{1,3}al\b\.?[*_]{0,2}"
    r"|(?:and|&)\s{1,3}(?:colleagues|others|co-?workers|co-?authors)\b))?"
)
_YEAR = r"(?:1[6-9]|20)\d\d[a-z]?(?!\w)(?![-–]\d)"
_YEARS = rf"(?P<years>{_YEAR}(?:(?:,|\s(?:and|&))\s{{0,3}}{_YEAR}|(?<=[a-h]),\s?[b-h](?![\w.])){{0,6}})"


def _authors(name: str) -> str:
    return (
        rf"(?P<names>{name}(?:,\s{{1,3}}{name}){{0,12}}(?:,?\s{{1,3}}(?:&|and|und)\s{{1,3}}{name})?){_OTHERS}"
    )


_CITE = rf"{_authors(_WHOLE_NAME)},?\s{{0,3}}{_YEARS}"
_ONE = re.compile(_CITE)
_LEAD = (
    r"(?:(?i:see|also|e\.?g\.|cf\.|i\.e\.|but|and|as|in|by|from|after|following|adapted|modified|reviewed"
    r"|compare|for|example|review|reviews|data|a|therein|references),?\s{1,3}){0,5}"
)
_LOCATOR = (
    r"(?:,?\s{0,3}(?:pp?\.|[Ff]ig|[Tt]able|[Ss]ect?|[Cc]h|[Ee]q|§|and references therein)[^;]{0,60}"
    r"|:\s?\d[\d–-]{0,12})?"
)
_PLAIN = re.sub(r"\?P<\w+>", "?:", _CITE)
_PART = re.compile(
    rf"\s{{0,9}}{_LEAD}{_PLAIN}(?:,?\s{{1,3}}(?:(?:and|&)\s{{1,3}})?{_LEAD}{_PLAIN}){{0,12}}{_LOCATOR}\s{{0,9}}"
)
# With the address of a Markdown link, if it is one.
_BRACKET = re.compile(r"[(\[]([^()\[\]]{6,600})[)\]](?:(?<=\])\([^()\s]{1,500}\))?")
_RUNNING = re.compile(
    rf"{_authors(_NAME)}(?:['’]s?)?,?\s{{0,3}}(?:(?P<open>[(\[])\s?{_YEARS}{_LOCATOR}\s?[)\]]"
    rf"|{_YEARS.replace('<years>', '<bare>')})"
)
_EACH_YEAR = re.compile(r"(\d{4})([a-z]?)|\b([b-h])\b")
# A capital and a year, and yet nobody's name.
_NO_NAMES = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug sept sep oct nov dec spring summer autumn fall winter figure fig figs table tables section chapter
    version since until in by from before after between during early late mid year years appendix equation
    copyright vol the this around about circa
    """.split()
)
# "Smith J" without a comma, as in lists of medical papers.
_INITIALS_LAST = re.compile(r"(?<=\w)\s+(?:[A-Z]{1,2}|[A-Z]\.(?:[ -]?[A-Z]\.)*)$")
_OPENERS = frozenset(
    "however moreover thus hence therefore furthermore indeed here then later instead also still".split()
)
_JOINED = re.compile(r"&|\b(?:and|und)\b")
_SPELT = re.compile(r"^(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz|[DLO]['’])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class AuthorYear:
    """One citation: the family names it gives, whether more authors are meant, the year and its letter."""

    families: tuple[str, ...]
    others: bool
    year: int
    letter: str = ""

    def __str__(self) -> str:
        """Write it as a key: `Lee & Okafor 2023`, `Lee et al. 2023a`."""
        *most, last = self.families
        names = f"{', '.join(most)} & {last}" if most else last
        return f"{names}{' et al.' if self.others else ''} {self.year}{self.letter}"


@dataclass(frozen=True, slots=True)
class Mark:
    """Where citations stand in a text; `kept` is what else the bracket holds.

    Those that are `running` are words of the sentence: `Lee (2023) shows …`.
    """

    start: int
    end: int
    cited: tuple[AuthorYear, ...]
    kept: str = ""
    running: bool = False


Fits = Callable[[AuthorYear], bool]
_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Authors:
    """The papers of a library by year, each with the family names of its authors in folded words."""

    years: Mapping[int, Sequence[tuple[tuple[_Words, ...], str]]]

    @staticmethod
    def of(papers: Iterable[Paper]) -> Authors:
        """Read the authors and years of papers; those that lack either fit nothing."""
        years: dict[int, list[tuple[tuple[_Words, ...], str]]] = {}
        for paper in papers:
            families = tuple(_words(family_name(_INITIALS_LAST.sub("", author))) for author in paper.authors)
            if paper.year is not None and families:
                years.setdefault(paper.year, []).append((families, paper.id))
        return Authors(years)

    def fitting(self, cited: AuthorYear) -> tuple[str, ...]:
        """Return the ids of the papers of that year whose authors begin so; all authors named goes first."""
        names = tuple(map(_words, cited.families))
        begun = [
            (families, paper_id)
            for families, paper_id in self.years.get(cited.year, ())
            if len(families) >= len(names) and all(map(_same, names, families))
        ]
        whole = [paper_id for families, paper_id in begun if len(families) == len(names)]
        return tuple(whole if whole and not cited.others else [paper_id for _, paper_id in begun])

    def fits(self, cited: AuthorYear) -> bool:
        """Tell whether any paper fits."""
        return bool(self.fitting(cited))


def read_citation(written: str) -> AuthorYear | None:
    """Return the citation that a text is, and nothing else: `Lee & Okafor 2023`."""
    match = _ONE.fullmatch(written)
    return _cited(match["names"], match["others"], match["years"])[0] if match else None


def marks(text: str, fits: Fits) -> list[Mark]:
    """Return the citations of a text in order.

    What may be something else, as in `in NeurIPS 2023`, is one only where `fits` says that a paper fits.
    """
    found = [mark for match in _BRACKET.finditer(text) if (mark := _bracketed(match, fits))]
    taken = [(mark.start, mark.end) for mark in found]
    for match in _RUNNING.finditer(text):
        mark = _running(match, fits)
        if mark and not any(start < mark.end and mark.start < end for start, end in taken):
            found.append(mark)
    return sorted(found, key=lambda mark: mark.start)


def _bracketed(match: re.Match[str], fits: Fits) -> Mark | None:
    parts = [(part, _of_part(part)) for part in match[1].split(";")]
    # Beside a citation that can be nothing else, (IPCC 2021) is one too.
    sure = any(some and all(_is_sure(m) and _surely(one) for m, one in some) for _, some in parts)
    cited: list[AuthorYear] = []
    kept: list[str] = []
    for part, some in parts:
        if some and all(fits(one) or _is_sure(m) and _surely(one, sure or _has_comma(m)) for m, one in some):
            cited += [one for _, one in some]
        else:
            kept.append(part.strip())
    return Mark(match.start(), match.end(), tuple(cited), "; ".join(kept)) if cited else None


def _of_part(part: str) -> list[tuple[re.Match[str], AuthorYear]]:
    if not _PART.fullmatch(part):
        return []
    # Words such as "See" lead to a citation and are no part of the first name.
    bare = re.sub(rf"^\s*{_LEAD}", "", part)
    return [(m, one) for m in _ONE.finditer(bare) for one in _cited(m["names"], m["others"], m["years"])]


def _is_sure(match: re.Match[str]) -> bool:
    """Tell whether names are joined as authors are: (Okinawa, Japan, 2015) may be a place."""
    return bool(match["others"] or _JOINED.search(match["names"]) or "," not in match["names"])


def _has_comma(match: re.Match[str]) -> bool:
    return match[0][match.end("names") - match.start() :].startswith(",")


def _running(match: re.Match[str], fits: Fits) -> Mark | None:
    names = list(re.finditer(_NAME, match["names"]))
    years = match["years"] or match["bare"]
    for first in (*range(len(names)), _first_author(names, match)):
        cited = _cited(match["names"][names[first].start() :], match["others"], years)
        if all(map(fits, cited)):
            break
    else:
        # No paper fits: it is a citation all the same where it can be nothing else.
        sure = match["open"] or match["others"] or cited[0].letter
        if not (sure and all(map(_surely, cited))):
            return None
    start = match.start("names") + names[first].start()
    return Mark(start, match.end(), tuple(cited), running=True)


def _first_author(names: Sequence[re.Match[str]], match: re.Match[str]) -> int:
    """Return the first of some names that is an author: in "However, Lee (2023)" it is the second."""
    if match["others"] or not _JOINED.search(match["names"]):
        return len(names) - 1
    openers = [name[0].lower() in _OPENERS or name[0].endswith("ly") for name in names]
    return openers.index(False) if False in openers else len(names) - 1


def _cited(names: str, others: str | None, years: str) -> list[AuthorYear]:
    families = tuple(
        _family(name) for name in re.split(r",\s+(?:(?:&|and|und)\s+)?|\s+(?:&|and|und)\s+", names)
    )
    found: list[AuthorYear] = []
    for match in _EACH_YEAR.finditer(years):
        year = int(match[1]) if match[1] else found[-1].year
        found.append(AuthorYear(families, bool(others), year, match[2] or match[3] or ""))
    return found


def _family(name: str) -> str:
    return re.sub(r"^(?:[A-Z]\.[ -]?)+|['’]s?$", "", " ".join(name.split()))


def _surely(cited: AuthorYear, any_spelling: bool = False) -> bool:
    """Tell whether the names can be nothing else: no month, and no acronym such as NeurIPS."""
    words = [word for name in cited.families for word in name.split()]
    if any(word.lower() in _NO_NAMES for word in words):
        return False
    spelt = any(c.isupper() for w in words for part in re.split(r"[-‐]", w) for c in _SPELT.sub("", part)[1:])
    return any_spelling or not spelt or cited.others


def _words(name: str) -> _Words:
    return tuple(folded for word in name.split() if (folded := fold_name(word)))


def _same(name: _Words, family: _Words) -> bool:
    """Tell whether a name is a family name, or one of the two has particles or given names before it."""
    if not name or not family:
        return False
    return "".join(name) == "".join(family) or name[-len(family) :] == family or family[-len(name) :] == name
