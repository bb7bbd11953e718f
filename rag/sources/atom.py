"""An Atom feed as arXiv's interface answers in, a record for each entry out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rag.domain import Notice, Record
from rag.sources.fields import Row, papers
from rag.sources.opening import Source
from rag.sources.xml_elements import BadXml, children, elements, text_in

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_START = re.compile(r"<(?:\w+:)?(?:feed|entry)\b[^<>]*http://www\.w3\.org/2005/Atom")
_ENTRY = frozenset(("entry",))
_ERROR = "http://arxiv.org/api/errors"


def detects(source: Source) -> bool:
    """Tell whether an Atom feed begins near the start."""
    return "<" in source.sample[:10] and _START.search(source.sample, 0, 5000) is not None


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each entry."""
    yield from papers(_rows(source), source.name)


def _rows(source: Source) -> Iterator[Row]:
    try:
        for line, entry in elements(source, _ENTRY):
            address = text_in(entry, "id")
            if address.startswith(_ERROR):
                yield line, f"arXiv answered with an error: {text_in(entry, 'summary')[:200]}"
            else:
                yield line, fields(entry)
    except BadXml as error:
        yield error.line, f"{error}; the rest is not read"


def fields(entry: Element) -> dict[str, Any]:
    """Return the fields of one entry."""
    address = text_in(entry, "id")
    return {
        "id": address,
        "url": re.sub(r"^http:", "https:", address),
        "title": text_in(entry, "title"),
        "abstract": text_in(entry, "summary"),
        "authors": [text_in(author, "name") for author in children(entry, "author")],
        "year": text_in(entry, "published") or text_in(entry, "updated"),
        "venue": text_in(entry, "journal_ref"),
        "doi": text_in(entry, "doi"),
        "arxiv": address,
        "categories": [category.get("term", "") for category in children(entry, "category")],
    }
