"""The fields of a paper as a source gives them in, a record out, or a notice why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rag.domain import Notice, Record
from rag.sources.aliases import means, renamed, unwrapped
from rag.sources.values import arxiv_id, doi, http_url, keywords, line_of, people, prose, venue, year

MIN_LENGTH = 40
MAX_LENGTH = 20_000
_SHOWN = 60
_STRANGE = "not a paper"
_MISSING = re.compile(
    r"\W*(?:(?:sorry,? )?(?:there is )?no (?:abstract|summary)(?: (?:is|was))?"
    r"(?: (?:available|provided|found|given))?"
    r"|(?:the )?abstract (?:is |was )?(?:not|un)[- ]?(?:yet )?(?:available|provided|found|given)"
    r"|n[./]?a|none|null|nil|nan|undefined|not (?:available|provided|applicable)|unavailable|missing|empty"
    r"|tb[ad]|to be (?:announced|added)|abstract|无摘要|暂无摘要|无)?"
    r"(?: for this (?:paper|article|publication))?\W*",
    re.IGNORECASE,
)
_WITHDRAWN = re.compile(
    r"\W*(?:(?:this|the|our) (?:paper|article|submission|manuscript|preprint|work|arxiv)"
    r"(?: paper| submission)?(?: ?\([^()]{1,80}\)|,[^,]{1,80},)? (?:has (?:now )?been|was|is|had to be)"
    r" (?:temporarily |being )?(?:withdrawn|retracted)\b"
    r"|(?:abstract |paper |article |submission )?(?:withdrawn|retracted)\b"
    r"(?=\W*$| (?:by|due|because|from|at)\b)"
    r"|(?:withdrawal|retraction) notice\b)",
    re.IGNORECASE,
)
_LONGEST_NOTICE = 400
# What the source calls the paper is no id of ours.
_EXTRAS = {"id": "source_id", "track": "track", "status": "status"}

Row = tuple[int, Mapping[str, Any] | str]
"""Where a row begins, and its fields, or why they cannot be read."""


def papers(rows: Iterable[Row], name: str) -> Iterator[Record | Notice]:
    """Yield the record of each row, numbered from 1 in `name`, or a notice why there is none.

    Rows that are no papers are only told of if there are papers among them.
    """
    strange: list[Notice] = []
    any_paper = False
    for ordinal, (line, raw) in enumerate(rows, 1):
        source = f"{name}#{ordinal}"
        item = (
            Notice(source, line, raw, kind="unreadable") if isinstance(raw, str) else paper(raw, source, line)
        )
        if isinstance(item, Notice) and item.kind == _STRANGE and not any_paper:
            strange.append(item)
            continue
        any_paper = True
        yield from strange
        strange.clear()
        yield item


def paper(raw: Mapping[str, Any], source: str, line: int) -> Record | Notice:
    """Return the record of one paper from its fields under any of their usual names."""
    found = renamed(raw)
    title = line_of(found.get("title") or found.get("name"))
    text = prose(found.get("abstract"))
    refusal = _refusal(text, title, "title" in found or means("abstract", unwrapped(raw)))
    if refusal is not None:
        kind, reason = refusal
        return Notice(source, line, reason, kind=kind)
    return Record(
        text=text,
        source=source,
        line=line,
        title=title,
        authors=people(found.get("authors")),
        year=year(found.get("year")),
        venue=venue(found.get("venue")),
        url=_address(found, raw),
        doi=doi(found.get("doi")),
        extra=_extra(found, raw),
    )


def absent(text: str) -> str:
    """Return "no abstract" or "withdrawn" for a text that only says so, else ""."""
    if len(text) > _LONGEST_NOTICE:
        return ""
    if _MISSING.fullmatch(text):
        return "no abstract"
    return "withdrawn" if _WITHDRAWN.match(text) else ""


def quoted(text: str) -> str:
    """Return the beginning of a text in quotation marks, for a notice."""
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1].rstrip() + "…"
    return f"“{shown}”"


def _refusal(text: str, title: str, is_paper: bool) -> tuple[str, str] | None:
    """Return the kind of and the reason for a notice in place of a record, None if there is an abstract."""
    if not (is_paper and (title or text)):
        return _STRANGE, "neither a title nor an abstract in it"
    kind = absent(text)
    if kind:
        return kind, f"{kind}: {quoted(title or text)}"
    if len(text) < MIN_LENGTH:
        return "too short", f"too short to be an abstract: {quoted(text)}"
    if len(text) > MAX_LENGTH:
        return "too long", f"{len(text):,} characters are more than the {MAX_LENGTH:,} an abstract may have"
    return None


def _address(found: Mapping[str, Any], raw: Mapping[str, Any]) -> str:
    """Return where the paper is to be seen: its page, or its forum at OpenReview."""
    address = http_url(found.get("url"))
    forum = raw.get("forum")
    if not address and isinstance(forum, str) and re.fullmatch(r"[\w-]{4,40}", forum):
        return f"https://openreview.net/forum?id={forum}"
    return address


def _extra(found: Mapping[str, Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    extra: dict[str, Any] = {ours: line_of(found[name]) for name, ours in _EXTRAS.items() if name in found}
    words = keywords(found.get("keywords"))
    if words:
        extra["keywords"] = list(words)
    number = next(filter(None, (arxiv_id(found.get(n)) for n in ("arxiv", "id", "url", "doi"))), "")
    if number:
        extra["arxiv"] = number
    return extra
