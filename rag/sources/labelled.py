"""A list whose lines say what they are (`Title: …`, `Abstract: …`) in, the fields of each paper out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.sources.fields import Row

_LABEL = re.compile(
    r"[ \t]*(?:[-*•]\s+)?[*_]{0,2}(title|abstract|authors?|year|date|venue|journal|conference|booktitle|"
    r"doi|url|link|keywords?|id|arxiv|标题|题名|摘要|作者|关键词)[*_]{0,2}\s?[:：][*_]{0,2}[ \t]*(.*)",
    re.IGNORECASE,
)
_TITLES, _ABSTRACTS = ("title", "标题", "题名"), ("abstract", "摘要")


def is_labelled(text: str) -> bool:
    """Say whether there are lines labelled as titles and as abstracts near the start of a list."""
    labels = {found[1].lower() for line in text[:50_000].split("\n") if (found := _LABEL.match(line))}
    return not labels.isdisjoint(_TITLES) and not labels.isdisjoint(_ABSTRACTS)


def rows(text: str) -> Iterator[Row]:
    """Yield line and fields of each paper; it begins where a label comes that it already has."""
    fields: dict[str, str] = {}
    begin, last = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        found = _LABEL.match(line)
        label = found[1].lower() if found else ""
        if label in fields or (label in _TITLES and any(a in fields for a in _ABSTRACTS)):
            yield begin, fields
            fields, last = {}, ""
        if found:
            begin = begin if fields else number
            fields[label], last = found[2].strip(), label
        elif last and line.strip():
            fields[last] = f"{fields[last]} {line.strip()}".strip()
    if fields:
        yield begin, fields
