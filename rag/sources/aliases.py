"""The names that programs and sites give to the fields of a paper in, our own names out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

# Spelled without case, spaces and marks; earlier ones are preferred.
_ALIASES: Mapping[str, str] = {
    "title": """
        title papertitle articletitle documenttitle worktitle primarytitle headline
        标题 题名 篇名 论文标题
        """,
    # A title, if there is an abstract too: much that is no paper has a name.
    "name": "displayname name",
    "abstract": """
        abstract abstracttext abstracts paperabstract articleabstract documentabstract abstractnote
        abstractnotes
        abstractinvertedindex abstracten fullabstract summary text 摘要 文摘
        """,
    "authors": """
        authorsparsed authors author authorship authorships authornames authorstring authorlist
        authorfullnames creators
        creator 作者
        """,
    "year": """
        year publicationyear publishedyear pubyear issued published publisheddate publicationdate
        publishedprint
        publishedonline datepublished coverdate date pubdate created versions cdate pdate odate
        submitteddate
        submissiondate updatedate updated publishedat 年 年份 出版年
        """,
    "venue": """
        venue journal journalref journaltitle booktitle conference conferencename containertitle
        publicationtitle sourcetitle publicationvenue primarylocation hostvenue series publication
        source venueid
        期刊 会议 来源
        """,
    "doi": "doi articledoi paperdoi externalids ids lid",
    "url": """
        url link links site webpage homepage paperurl landingpageurl htmlurl absurl urlabs openreviewurl
        forumurl
        openaccesspdf pdfurl urlpdf pdf
        """,
    "keywords": """
        keywords keyword authorkeywords indexkeywords tags topics subjects subject fieldsofstudy
        s2fieldsofstudy
        concepts categories 关键词
        """,
    "arxiv": "arxiv arxivid eprint externalids ids",
    "id": "id paperid uid key number pmid corpusid itemkey",
    "track": "track",
    "status": "status decision",
}
# What a record of a paper may be wrapped in.
_WRAPPERS = (
    "content",
    "_source",
    "paper",
    "citedPaper",
    "citingPaper",
    "document",
    "work",
    "attributes",
    "data",
)
_MARKS = re.compile(r"[\W_]+")


def renamed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `raw` that are known, by our names; of several for one, the preferred."""
    found: dict[str, Any] = {}
    ranks: dict[str, int] = {}
    for key, value in unwrapped(raw).items():
        for name, rank in _meanings(key):
            value = value["value"] if isinstance(value, dict) and "value" in value else value
            if value not in (None, "", [], {}) and rank < ranks.get(name, 1000):
                found[name], ranks[name] = value, rank
    return found


def unwrapped(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a record with those of what it is wrapped in, such as OpenReview's `content`."""
    for key in _WRAPPERS:
        inner = raw.get(key)
        if isinstance(inner, dict) and not means("abstract", raw):
            return {**{name: value for name, value in raw.items() if name != key}, **inner}
    return raw


def means(name: str, keys: Iterable[str]) -> bool:
    """Say whether one of the keys stands for our field `name`."""
    return any(found == name for key in keys for found, _ in _meanings(key))


@lru_cache(maxsize=4096)
def _meanings(key: str) -> tuple[tuple[str, int], ...]:
    """Return the names that a key stands for, each with how far down the list of its aliases it is."""
    return _table().get(_MARKS.sub("", key[:100]).casefold(), ())


@cache
def _table() -> Mapping[str, tuple[tuple[str, int], ...]]:
    table: dict[str, tuple[tuple[str, int], ...]] = {}
    for name, aliases in _ALIASES.items():
        for rank, alias in enumerate(aliases.split()):
            table[alias] = (*table.get(alias, ()), (name, rank))
    return table
