"""Single values as sources write them in, clean ones out: people, years, DOIs, addresses, arXiv numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from rag.citing import is_suffix
from rag.text.identifiers import arxiv_in, doi_in
from rag.text.latex import readable
from rag.text.markup import plain

_LONGEST = 2000
_LONGEST_NAME = 200
_MOST_WORDS = 20_000
# As MEDLINE and reference lists write names; a family name alone has more than three letters, or small ones.
_INITIALS_LAST = re.compile(r"((?:[a-z]{1,4} )?[A-ZÀ-Þ][\w'’-]*[a-zß-ÿ][\w'’-]*) ((?:[A-Z]\.?[ -]?){1,3})")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]\d\d|20\d\d)(?!\d)")
_URL = re.compile(r"https?://[^\s<>\"{}|\\^`]+", re.IGNORECASE)
_NAMES = (
    "name",
    "display_name",
    "displayName",
    "full_name",
    "fullName",
    "fullname",
    "literal",
    "title",
    "text",
)
_GIVEN = ("given", "first", "firstName", "first_name", "forename", "fore_name")
_FAMILY = ("family", "last", "lastName", "last_name", "surname")
_QUOTED = re.compile(r"'([^']{1,300})'(?=\s*[,\]])|\"([^\"]{1,300})\"(?=\s*[,\]])")
_LATIN = re.compile(r"[A-Za-z]")


def line_of(value: Any) -> str:
    """Return a title or the like as one line of readable text."""
    text = value if isinstance(value, str) else next(_texts(value), "")
    return _clean(text, _LONGEST)


def prose(value: Any) -> str:
    """Return an abstract as the source has it; of one in parts, or of an inverted index, the whole text."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict) and value and all(isinstance(at, list) for at in value.values()):
        return _in_order(value)
    return " ".join(text.strip() for text in _texts(value))


def people(value: Any) -> tuple[str, ...]:
    """Return the names of authors, given names first, from a list or from text with any separator."""
    if isinstance(value, str):
        names: Iterable[str] = _listed(value) or _split(value)
    else:
        names = (_person(one) for one in (value if isinstance(value, list) else [value]))
    return tuple(dict.fromkeys(name for name in map(_given_first, names) if name))


def year(value: Any) -> int | None:
    """Return the year of a date in any form: number, text, parts, or milliseconds since 1970."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _year_of_number(value)
    if isinstance(value, str):
        found = _YEAR.search(value[:200])
        return int(found[0]) if found else None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, (year(part) for part in list(parts)[:20])), None)


def venue(value: Any) -> str:
    """Return the name of a journal or conference."""
    if isinstance(value, dict) and isinstance(value.get("source"), dict):
        value = value["source"]
    return line_of(value)


def doi(value: Any) -> str:
    """Return a DOI in lower case, without what may stand before it."""
    if isinstance(value, dict):
        value = next((inner for key, inner in value.items() if key.lower() == "doi"), "")
    return doi_in(value) if isinstance(value, str) else ""


def http_url(value: Any) -> str:
    """Return the first web address in a value."""
    found = (_URL.search(text[:_LONGEST]) for text in _texts(value))
    return next((match[0].rstrip(".,;)") for match in found if match), "")


def keywords(value: Any) -> tuple[str, ...]:
    """Return keywords from a list, or from text with semicolons or commas between them."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        value = value[0]
    if isinstance(value, str) and _listed(value):
        parts: Iterable[str] = _listed(value)
    elif isinstance(value, str):
        parts = re.split(r"[;|\n；]" if re.search(r"[;|\n；]", value) else ",", value)
    elif isinstance(value, list):
        parts = (next(_texts(one), "") for one in value)
    else:
        parts = ()
    return tuple(dict.fromkeys(filter(None, (_clean(part, _LONGEST_NAME) for part in parts))))


def arxiv_id(value: Any) -> str:
    """Return the arXiv number in a value, without its version; "" if there is none."""
    if isinstance(value, dict):
        value = next((inner for key, inner in value.items() if key.lower() == "arxiv"), "")
    return arxiv_in(value) if isinstance(value, str) else ""


def _clean(text: str, longest: int) -> str:
    return readable(plain(text[:longest]))


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts in a value: of records those that name them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, float) and not math.isfinite(value):
        # JSON as Python writes it has NaN where there is nothing.
        return
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{value:.15g}" if isinstance(value, float) else str(value)[:_LONGEST_NAME]
    elif isinstance(value, list) and depth < 4:
        for one in value[:1000]:
            yield from _texts(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        named = (value[key] for key in ("value", "url", *_NAMES, "raw", "keyword") if value.get(key))
        yield from _texts(next(named, None), depth + 1)


def _in_order(index: Mapping[str, list[Any]]) -> str:
    """Return the text of an inverted index, which lists for each word where it stands."""
    places = [
        (at, word) for word, where in index.items() for at in where[:_MOST_WORDS] if isinstance(at, int)
    ]
    return " ".join(word for _, word in sorted(places)[:_MOST_WORDS])


def _year_of_number(value: int | float) -> int | None:
    if 1500 <= value < 2100:
        return int(value)
    seconds = value / 1000 if value > 1e11 else value
    if not 1e8 < seconds < 4.1e9:
        return None
    return datetime.fromtimestamp(seconds, UTC).year


def _person(value: Any) -> str:
    """Return the name in one entry of a list of authors."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part for part in value[:3] if isinstance(part, str)]
        return " ".join(filter(None, [*parts[1:2], *parts[:1], *parts[2:]]))
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("author"), dict):
        return _person(value["author"])
    whole = next((value[key] for key in _NAMES if isinstance(value.get(key), str) and value[key]), "")
    parts = [
        next((value[k] for k in keys if isinstance(value.get(k), str)), "") for keys in (_GIVEN, _FAMILY)
    ]
    return whole or " ".join(filter(None, parts))


def _listed(text: str) -> list[str]:
    """Return the texts in a list that was written out, such as `['A B', 'C D']`; none if it is not one."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return []
    return [one or other for one, other in _QUOTED.findall(text[: 100 * _LONGEST])]


def _split(text: str) -> list[str]:
    """Part a text of several names: at semicolons, else `and`, else at commas between whole names."""
    text = text[: 100 * _LONGEST].strip()
    # A blank after a blank begins no separator, and no name in braces is longer: both bound the search.
    for separator in (r"[;|\n；]", r"(?<!\s)\s+(?:and|und|et|&)\s+(?![^{}]{0,200}\})"):
        parts = re.split(separator, text)
        if len(parts) > 1:
            return [one for part in parts for one in (_commas(part) if ";" not in text else [part])]
    return _commas(text)


def _commas(text: str) -> list[str]:
    """Part at commas, unless what stands there is one name such as `Doe, Jane` or `Doe, Jr., Jane`."""
    parts = [part.strip() for part in re.split(r"[,、，]", text) if part.strip()]
    whole = all(" " in part or not _LATIN.search(part) for part in parts)
    return parts if len(parts) > 3 or (len(parts) > 1 and whole) else [text]


def _given_first(name: str) -> str:
    """Return a name as it is read: `Doe, Jane` as `Jane Doe`, `Ng AK` as `AK Ng`."""
    name = _clean(name, _LONGEST_NAME)
    if initials := _INITIALS_LAST.fullmatch(name.strip()):
        return f"{initials[2]} {initials[1]}"
    parts = [part.strip() for part in name.split(",")]
    if len(parts) == 3 and (suffix := next(filter(is_suffix, parts[1:]), "")):
        given = parts[2] if suffix == parts[1] else parts[1]
        return f"{given} {parts[0]} {suffix}"
    if len(parts) == 2 and all(parts):
        if is_suffix(parts[1]):
            return f"{parts[0]} {parts[1]}"
        return f"{parts[1]} {parts[0]}"
    return name.strip(" ,")
