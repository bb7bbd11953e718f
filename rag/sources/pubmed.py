"""PubMed XML in, a record for each article out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rag.domain import Notice, Record
from rag.sources.fields import Row, papers
from rag.sources.opening import Source
from rag.sources.xml_elements import BadXml, children, content, elements, text_in

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_START = re.compile(r"<(?:PubmedArticleSet|PubmedArticle|MedlineCitationSet|MedlineCitation)\b")
_ARTICLE = frozenset(("MedlineCitation",))


def detects(source: Source) -> bool:
    """Tell whether a set of PubMed's articles begins near the start."""
    return "<" in source.sample[:10] and _START.search(source.sample, 0, 5000) is not None


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each article."""
    yield from papers(_rows(source), source.name)


def _rows(source: Source) -> Iterator[Row]:
    try:
        for line, citation in elements(source, _ARTICLE):
            yield line, _fields(citation)
    except BadXml as error:
        yield error.line, f"{error}; the rest is not read"


def _fields(citation: Element) -> dict[str, Any]:
    article = next(iter(children(citation, "Article")), citation)
    pmid = text_in(citation, "PMID")
    address = f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/" if pmid.isdecimal() else ""
    journal = next(iter(children(article, "Journal")), article)
    return {
        "id": pmid,
        "title": text_in(article, "ArticleTitle"),
        "abstract": _abstract(article),
        "authors": [_name(author) for author in children(article, "AuthorList", "Author")],
        "year": content_of(children(journal, "JournalIssue", "PubDate")),
        "venue": text_in(journal, "Title") or text_in(journal, "ISOAbbreviation"),
        "doi": _doi(article),
        "url": address,
        "keywords": [content(word) for word in children(citation, "KeywordList", "Keyword")],
    }


def content_of(found: list[Element]) -> str:
    """Return the words in the first of some elements, with spaces between those of its parts."""
    return " ".join(found[0].itertext()) if found else ""


def _abstract(article: Element) -> str:
    """Return the abstract, its parts each after its label."""
    parts = []
    for part in children(article, "Abstract", "AbstractText"):
        label = part.get("Label", "")
        text = content(part)
        shown = (
            f"{label.capitalize()}: " if label and label.upper() not in ("UNLABELLED", "UNASSIGNED") else ""
        )
        parts.append(f"{shown}{text}" if text else "")
    return " ".join(filter(None, parts))


def _name(author: Element) -> str:
    given, family = text_in(author, "ForeName") or text_in(author, "Initials"), text_in(author, "LastName")
    return f"{given} {family}".strip() or text_in(author, "CollectiveName")


def _doi(article: Element) -> str:
    return next((content(e) for e in children(article, "ELocationID") if e.get("EIdType") == "doi"), "")
