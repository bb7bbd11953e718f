"""Two readings of one paper in, one paper that has the richer value of every field out; nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rag.domain import Paper
from rag.papers.duplicates import ALSO, arxiv_number, bare_doi
from rag.text.words import fold_name

_NOTHING: tuple[Any, ...] = (None, "", [], ())
_LISTS = frozenset({"keywords", "aliases"})


def merged(held: Paper, other: Paper) -> Paper:
    """Return `held`, its id, name, text and sources kept, with what `other` knows more.

    The richer value of a field wins: the longer list of authors, the longer title or venue, a publisher's
    DOI rather than arXiv's; among equals the held one. A value that gives way is kept in `extra["also"]`.
    """
    values: dict[str, Any] = {}
    also: dict[str, list[Any]] = {key: list(rest) for key, rest in _also(held).items()}
    for key, rest in _also(other).items():
        also[key] = [*also.get(key, []), *rest]
    for field, richness in _FIELDS.items():
        mine, theirs = getattr(held, field), getattr(other, field)
        wins = bool(theirs) and (not mine or richness(theirs) > richness(mine))
        values[field] = theirs if wins else mine
        also[field] = [*also.get(field, []), mine, theirs]
    extra = _extra(held, other, also)
    if other.text != held.text:
        also["text"] = [*also.get("text", []), held.text, other.text]
    left = {key: _distinct(key, rest, {**extra, **values, "text": held.text}) for key, rest in also.items()}
    left = {key: rest for key, rest in left.items() if rest}
    return replace(held, **values, extra={**extra, ALSO: left} if left else extra)


def updated(before: Paper, after: Paper) -> Paper:
    """Return `after` with what only `before` knows: a source has corrected what it said before."""
    gaps = {field: getattr(before, field) for field in _FIELDS if not getattr(after, field)}
    extra = {key: value for key, value in before.extra.items() if key != "aliases"}
    also = {key: rest for key, rest in _also(before).items() if key != "text"}
    given = {key: value for key, value in after.extra.items() if value not in _NOTHING}
    extra = {**extra, ALSO: also, **given}
    return replace(after, **gaps, extra={k: v for k, v in extra.items() if k != ALSO or v})


def superseded(held: Paper, later: Paper) -> Paper:
    """Return `later`, a later version of `held`, with the richer value of every other field.

    The text of the earlier version is not kept, and what names a version is that of the later one.
    """
    both = merged(held, later)
    named = {key: later.extra[key] for key in ("arxiv", "source_id") if key in later.extra}
    also = {key: rest for key, rest in _also(both).items() if key not in ("text", *named)}
    extra = {key: value for key, value in both.extra.items() if key != ALSO} | named
    fields = {field: getattr(both, field) for field in _FIELDS}
    if arxiv_number(Paper("", "", "", url=both.url)) and later.url:
        fields["url"] = later.url
        also.pop("url", None)
    return replace(later, **fields, extra={**extra, ALSO: also} if also else extra)


def differs(one: Paper, two: Paper) -> bool:
    """Say whether two states of a paper differ in what is stored of them, other than their sources."""
    return any(getattr(one, f) != getattr(two, f) for f in _FIELDS) or dict(one.extra) != dict(two.extra)


def _extra(held: Paper, other: Paper, also: dict[str, list[Any]]) -> dict[str, Any]:
    extra = {key: value for key, value in held.extra.items() if key != ALSO}
    for key, value in other.extra.items():
        if key == ALSO or value in _NOTHING:
            continue
        if key in _LISTS:
            extra[key] = [
                v for v in _united(extra.get(key), value) if fold_name(str(v)) != fold_name(held.name)
            ]
        elif extra.get(key) in _NOTHING:
            extra[key] = value
        elif extra[key] != value:
            also[key] = [*also.get(key, []), value]
    return extra


def _united(mine: object, theirs: object) -> list[Any]:
    kept = {fold_name(str(value)): value for value in reversed([*_items(mine), *_items(theirs)])}
    return list(reversed(kept.values()))


def _distinct(key: str, values: Sequence[Any], won: Mapping[str, Any]) -> list[Any]:
    """Return the values that say something else than the one that won, each once."""
    seen = {_folded(won.get(key))}
    kept = []
    for value in values:
        value = list(value) if isinstance(value, tuple) else value
        if value not in _NOTHING and _folded(value) not in seen:
            seen.add(_folded(value))
            kept.append(value)
    return kept


def _also(paper: Paper) -> Mapping[str, Sequence[Any]]:
    found = paper.extra.get(ALSO)
    return {k: list(_items(v)) for k, v in found.items()} if isinstance(found, Mapping) else {}


def _items(value: object) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        yield from value
    elif value not in (None, ""):
        yield value


def _folded(value: object) -> str:
    if isinstance(value, list | tuple):
        return "|".join(fold_name(str(item)) for item in value)
    return fold_name(str(value)) or str(value)


def _length(value: Any) -> int:
    return len(value)


def _whole_names(authors: Sequence[str]) -> tuple[int, int]:
    return len(authors), sum(len(author.replace(".", "")) for author in authors)


def _published(doi: str) -> bool:
    return not arxiv_number(Paper("", "", "", doi=doi)) and bool(bare_doi(Paper("", "", "", doi=doi)))


def _no_preprint(url_or_venue: str) -> tuple[bool, int]:
    return "arxiv" not in url_or_venue.lower(), len(url_or_venue)


def _no_difference(value: Any) -> int:
    return 0


_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "title": _length,
    "authors": _whole_names,
    "year": _no_difference,
    "venue": _no_preprint,
    "url": lambda url: "arxiv" not in url.lower(),
    "doi": _published,
}
