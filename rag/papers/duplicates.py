"""Two papers in, whether they are one out: by DOI, arXiv number, title, or nearly the same text, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag.domain import Paper
from rag.papers.comparable import plain_words
from rag.papers.likeness import Likeness, likeness
from rag.papers.sketches import Sketch, sketch
from rag.text.identifiers import arxiv_in, doi_in

ALSO = "also"
"""The key of `Paper.extra` under which other values of a field are kept, by the field's name."""

# Below, a shared DOI is taken for a slip: the share of content words that two abstracts of one paper have.
_SAME_KEY = 0.3
_SAME_TITLE = 0.5
_CONTAINED = 0.9
_MOST_INSERTED = 0.35
_LEAST_SCORE = 0.8
_LEAST_WORDS = 12
_SHORT = 40
_SIMILAR_TITLE = 80.0  # of 100, rapidfuzz ratio
# An entry that stays at its place in its file, changed so little, was edited.
_EDITED = 0.9
_TITLE_LETTERS = 15
_START_WORDS = 12

_VERSIONED = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf)/|10\.48550/arxiv\.|^arxiv:?\s*|^)"
    r"(?P<number>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})v(?P<version>\d{1,4})(?:\.pdf)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells whether a paper may be another: keys that are compared whole, and the sketch of its text."""

    keys: tuple[str, ...]
    sketch: Sketch


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two papers are one, how alike their texts are from 0 to 1, and why, in words.

    `doubt` is set when a key says that they are one, and the texts say that they are not.
    """

    same: bool
    score: float
    why: str
    by_key: bool = False
    doubt: bool = False


def fingerprint(paper: Paper) -> Fingerprint:
    """Return the keys and the sketch of a paper."""
    words = [word.text for word in plain_words(paper.text)]
    return Fingerprint(tuple(_keys(paper, words)), sketch(words))


def compare(one: Paper, two: Paper) -> Comparison:
    """Say whether two papers are one.

    A DOI or arXiv number in common decides, unless the texts have next to nothing in common and the titles
    do not agree either; a title in common, if the abstracts are close; else only nearly the same text does.
    """
    alike = likeness(plain_words(one.text), plain_words(two.text))
    shared = _shared_key(one, two)
    same_title = bool(_titles(one).keys() & _titles(two).keys())
    if shared:
        # A volume's DOI may stand on each of its papers; their titles tell.
        is_volume = shared.startswith("same DOI") and _titles_differ(one, two)
        if same_title or alike.vocabulary >= (_SAME_TITLE if is_volume else _SAME_KEY):
            return Comparison(True, alike.score, shared, by_key=True)
        return Comparison(
            False, alike.score, f"{shared}, but the abstracts have little in common", doubt=True
        )
    if same_title:
        if alike.vocabulary >= _SAME_TITLE:
            return Comparison(True, alike.score, "same title, and the abstracts are close", by_key=True)
        return Comparison(False, alike.score, "same title, but the abstracts differ")
    return _by_text(one, two, alike)


def is_edit(before: Paper, after: Paper) -> bool:
    """Say whether an abstract is another one after an edit, given that it stands where the other stood."""
    return likeness(plain_words(before.text), plain_words(after.text)).score >= _EDITED


def arxiv_number(paper: Paper) -> str:
    """Return the arXiv number of a paper without its version, or ""."""
    return next(iter(_arxiv_numbers(str(paper.extra.get("arxiv") or ""), paper.doi, paper.url)), "")


def is_later_version(one: Paper, other: Paper) -> bool:
    """Say whether `one` is known to be a later version at arXiv of the same paper as `other`."""
    mine, theirs = _versions(one), _versions(other)
    return any(number in theirs and version > theirs[number] for number, version in mine.items())


def _versions(paper: Paper) -> dict[str, int]:
    """Return the highest version that is told of each arXiv number of a paper."""
    found: dict[str, int] = {}
    for value in (paper.extra.get("arxiv"), paper.extra.get("source_id"), paper.url):
        match = _VERSIONED.search(str(value or "").strip())
        if match:
            number = match["number"].lower()
            found[number] = max(found.get(number, 0), int(match["version"]))
    return found


def bare_doi(paper: Paper) -> str:
    """Return the DOI of a paper in lower case without an address before it, or ""."""
    return next(iter(_bare_dois(paper.doi)), "")


def _arxiv_numbers(*values: str) -> dict[str, None]:
    return {number.lower(): None for number in map(arxiv_in, values) if number}


def _bare_dois(*values: str) -> dict[str, None]:
    return {doi: None for doi in map(doi_in, values) if doi}


def _all_values(paper: Paper, field: str) -> list[str]:
    """Return the value of a field, and those that gave way to it when papers were merged."""
    also = paper.extra.get(ALSO)
    others = also.get(field, ()) if isinstance(also, Mapping) else ()
    mine = getattr(paper, field, None) or paper.extra.get(field) or ""
    return [str(value) for value in (mine, *others)]


def _numbers(paper: Paper) -> dict[str, None]:
    return _arxiv_numbers(
        *(value for field in ("arxiv", "doi", "url") for value in _all_values(paper, field))
    )


def _dois(paper: Paper) -> dict[str, None]:
    return _bare_dois(*_all_values(paper, "doi"))


def _titles(paper: Paper) -> dict[str, None]:
    return {key: None for key in map(_title_key, _all_values(paper, "title")) if key}


def _by_text(one: Paper, two: Paper, alike: Likeness) -> Comparison:
    score = alike.score
    if alike.clashes and score >= _LEAST_SCORE:
        return Comparison(False, score, f"nearly the same text, but for {_told(alike)}")
    whole = alike.contained >= _CONTAINED and alike.inserted <= _MOST_INSERTED
    if alike.clashes or alike.shorter < _LEAST_WORDS or not whole:
        return Comparison(False, score, "the texts are alike only in part")
    if alike.shorter < _SHORT and _titles_differ(one, two):
        return Comparison(False, score, "the same short text under different titles")
    if score >= 1.0:
        return Comparison(True, score, "the same text")
    if score >= _LEAST_SCORE:
        return Comparison(True, score, "nearly the same text")
    return Comparison(True, score, "one text holds the other")


def _told(alike: Likeness) -> str:
    told = [f"{a or 'nothing'} / {b or 'nothing'}" for a, b in alike.clashes[:3]]
    more = f" and {len(alike.clashes) - 3} more" if len(alike.clashes) > 3 else ""
    return ", ".join(told) + more


def _shared_key(one: Paper, two: Paper) -> str:
    for kind, keys in (("DOI", _dois), ("arXiv number", _numbers)):
        shared = [key for key in keys(one) if key in keys(two)]
        if shared:
            return f"same {kind} {shared[0]}"
    return ""


def _titles_differ(one: Paper, two: Paper) -> bool:
    from rapidfuzz import fuzz

    if not one.title or not two.title:
        return False
    first, second = (" ".join(w.text for w in plain_words(paper.title)) for paper in (one, two))
    goes_on = first.startswith(second) or second.startswith(first)
    return not goes_on and fuzz.ratio(first, second) < _SIMILAR_TITLE


def _keys(paper: Paper, words: list[str]) -> Iterator[str]:
    # Of a text that is cut short, the beginning is what is left to find it by.
    start = "".join(words[:_START_WORDS]) if len(words) >= _START_WORDS else ""
    for kind, values in (
        ("doi", _dois(paper)),
        ("arxiv", _numbers(paper)),
        ("title", _titles(paper)),
        ("start", [start] if start else []),
    ):
        yield from (f"{kind}:{value}" for value in values)


def _title_key(title: str) -> str:
    """Return a title as it is compared; "" where it is too short to tell a paper by."""
    key = "".join(word.text for word in plain_words(title))[:200]
    return key if len(key) >= _TITLE_LETTERS else ""
