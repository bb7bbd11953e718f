"""What papers must have (a year, venue, author, file, name) in, the ids of those that have it out."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.citing import name_parts
from rag.errors import NothingMatches, UsageError
from rag.ledger.store import Store

Years = tuple[int | None, int | None]

_YEARS = re.compile(r"(?P<one>\d{1,4})|(?P<first>\d{1,4})?\.\.(?P<last>\d{1,4})?")
_WORD = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Filters:
    """What papers must have. Values of one filter are alternatives; every filter given must hold.

    `years` is the first and last year, each None where it is open. A venue is meant by its whole name or by
    words of it: "NeurIPS" means "NeurIPS 2024" too. An author is meant by family name or whole name, where an
    initial stands for any name that begins so. Case and accents do not count.
    """

    years: Years | None = None
    venues: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self != Filters()


def parse_years(written: str) -> Years:
    """Return the years that `2024`, `2020..2024`, `2020..` or `..2024` means; raise UsageError for others."""
    match = _YEARS.fullmatch(written.strip())
    if match is None or written.strip() == "..":
        raise UsageError(f"{written!r} is no year, and no range of years", hint=_YEAR_FORMS)
    if match["one"]:
        return int(match["one"]), int(match["one"])
    first = int(match["first"]) if match["first"] else None
    last = int(match["last"]) if match["last"] else None
    if first is not None and last is not None and first > last:
        raise UsageError(f"{written!r} ends before it begins", hint=f"Write {last}..{first}.")
    return first, last


def select(store: Store, filters: Filters, named: Callable[[str], str]) -> frozenset[str] | None:
    """Return the ids of the papers that pass every filter; None when no filter is given.

    `named` returns the id of the paper that words mean, as a name, source or id, or raises UnknownPaper.
    Raises NothingMatches, saying which filter leaves no paper and what there is.
    """
    if not filters:
        return None
    kept: frozenset[str] | None = None
    for given, choose in _CHOICES.items():
        values = getattr(filters, given)
        if values:
            found = frozenset(choose(store, values))
            kept = found if kept is None else kept & found
    if filters.papers:
        found = frozenset(named(words) for words in filters.papers)
        kept = found if kept is None else kept & found
    if not kept:
        raise NothingMatches(
            "each filter is met by some papers, but all of them together by none",
            hint="Leave one of them out.",
        )
    return kept


def _by_year(store: Store, years: Years) -> Iterable[str]:
    found = store.ids_of_years(*years)
    if found:
        return found
    known = store.years()
    there = f"the library has papers from {known[0]} to {known[1]}" if known else "no paper has a year"
    raise NothingMatches(f"no paper is from {_told(years)}", hint=_sentence(there))


def _by_venue(store: Store, venues: Sequence[str]) -> Iterable[str]:
    known = store.venues()
    wanted = [words for words in map(_words, venues) if words]
    meant = [venue for venue in known if any(_holds(_words(venue), words) for words in wanted)]
    if meant:
        return store.ids_of_venues(meant)
    raise NothingMatches(
        f"no venue is called {_or(venues)}", hint=_there("venues", known, "no paper has a venue")
    )


def _by_author(store: Store, authors: Sequence[str]) -> Iterable[str]:
    wanted = [words for words in map(_name_words, authors) if words]
    rows = store.authors()
    found = [i for i, names in rows if any(_wrote(words, names) for words in wanted)]
    if found:
        return found
    known = Counter(name for _, names in rows for name in json.loads(names))
    near = _near(authors, known)
    hint = f"Did you mean {_or(near)}?" if near else _there("authors", known, "no paper has authors")
    raise NothingMatches(f"no author is called {_or(authors)}", hint=hint)


def _by_file(store: Store, files: Sequence[str]) -> Iterable[str]:
    known = {entry.name: entry.path for entry in store.files()}
    meant = [
        name
        for name, path in known.items()
        if any(file in (name, path) or f"/{name}".endswith(f"/{file}") for file in files)
    ]
    found = [e.paper_id for name in meant for e in store.sources_of(name) if not e.gone]
    if found:
        return found
    what = f"nothing in the library is from {_or(files)}"
    raise NothingMatches(what, hint=_there("files", dict.fromkeys(known, 1), "no file was read"))


_CHOICES: Mapping[str, Callable[[Store, Any], Iterable[str]]] = {
    "years": _by_year,
    "venues": _by_venue,
    "authors": _by_author,
    "files": _by_file,
}
_YEAR_FORMS = "Write --year 2024, 2020..2024, 2020.. or ..2024."


def _wrote(wanted: Sequence[str], names: str) -> bool:
    """Say whether one of the authors, a JSON list, is meant; most lists are dismissed unparsed."""
    if wanted[-1] not in (names.casefold() if names.isascii() else _folded(names)):
        return False
    return any(_is_called(_name_words(name), wanted) for name in json.loads(names))


def _is_called(name: Sequence[str], wanted: Sequence[str]) -> bool:
    """Say whether the wanted words stand in the name in order, the last of them at its end."""
    if not name or name[-1] != wanted[-1]:
        return False
    left = iter(name[:-1])
    return all(any(_is_short_for(word, full) for full in left) for word in wanted[:-1])


def _is_short_for(word: str, full: str) -> bool:
    return word == full or (len(word) == 1 and full.startswith(word))


def _name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name, folded, the family name last: `King, Jr., Martin` gives martin, king."""
    return _words(" ".join(name_parts(name)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_folded(text)))


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return plain if plain.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", plain))


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    size = len(wanted)
    return any(tuple(words[n : n + size]) == tuple(wanted) for n in range(len(words) - size + 1))


def _told(years: Years) -> str:
    first, last = years
    if first == last:
        return str(first)
    return f"{'' if first is None else first}..{'' if last is None else last}"


def _or(values: Collection[str]) -> str:
    return " or ".join(f"“{value}”" for value in values)


def _there(kind: str, known: Mapping[str, int], none: str) -> str:
    """Return what there is of a kind, the most frequent first."""
    names = [name for name in sorted(known, key=lambda name: (-known[name], name)) if name]
    if not names:
        return _sentence(none)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"The {kind} there are: {'; '.join(names[:_SHOWN])}{more}."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _near(authors: Sequence[str], known: Collection[str]) -> list[str]:
    from rapidfuzz import fuzz, process

    names = list(known)
    found: list[str] = []
    for author in authors:
        near = process.extract(author, names, scorer=fuzz.WRatio, score_cutoff=80, limit=3, processor=_folded)
        found += [name for name, _, _ in near]
    return list(dict.fromkeys(found))
