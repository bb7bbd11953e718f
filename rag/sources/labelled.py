"""A list whose lines say what they are (`Title: …`, `Abstract: …`) in, the fields of each paper out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.sources.fields import Row
from rag.sources.paragraphs import HEADING, NUMBER, RULE

_LABEL = re.compile(
    r"[ \t]*(?:[-*•]\s+|\(?\d{1,4}[.)]\s+|\[\d{1,4}\]\s+)?"
    r"[*_]{0,2}(title|abstract|authors?|year|date|venue|journal|conference|booktitle|"
    r"doi|url|link|keywords?|id|arxiv|标题|题名|摘要|作者|关键词)[*_]{0,2}\s?[:：][*_]{0,2}[ \t]*(.*)",
    re.IGNORECASE,
)
_TITLES, _ABSTRACTS = ("title", "标题", "题名"), ("abstract", "摘要")


def is_labelled(text: str) -> bool:
    """Say whether lines of a list are labelled as abstracts, others as titles or headings."""
    labels = {_label(line)[0] for line in text.split("\n")}
    return not labels.isdisjoint(_TITLES) and not labels.isdisjoint(_ABSTRACTS)


def label_of(line: str) -> tuple[str, str]:
    """Return what a line says that it is, and its value; "" for one that does not say."""
    found = _LABEL.match(line)
    return (found[1].lower(), found[2].strip()) if found else ("", "")


def is_first(label: str) -> bool:
    """Tell whether a paper may begin with this label."""
    return label in _TITLES or label in _ABSTRACTS


def is_abstract(label: str) -> bool:
    """Tell whether a label is that of an abstract."""
    return label in _ABSTRACTS


def rows(text: str) -> Iterator[Row]:
    """Yield line and fields of each paper; it begins where a label comes that it already has."""
    fields: dict[str, str] = {}
    begin, last = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        label, value = _label(line)
        # A heading above a title is that of the list.
        if fields and set(fields) <= set(_TITLES) and label in _TITLES:
            fields = {}
        if label in fields or (label in _TITLES and any(a in fields for a in _ABSTRACTS)):
            yield begin, fields
            fields, last = {}, ""
        if label:
            begin = begin if fields else number
            fields[label], last = value, label
        elif last and line.strip() and not RULE.fullmatch(line.strip()):
            fields[last] = f"{fields[last]} {line.strip()}".strip()
    if fields:
        yield begin, fields


def _label(line: str) -> tuple[str, str]:
    """Return what a line says it is, and its value; a Markdown heading is a title."""
    found = label_of(line)
    if found[0]:
        return found
    heading = HEADING.fullmatch(line.strip()) if line.lstrip().startswith("#") else None
    return ("title", NUMBER.sub("", heading[2], count=1)) if heading else ("", "")
