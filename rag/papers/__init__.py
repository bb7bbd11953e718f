"""Records in, papers out: an id, a name no other paper has, and readable text."""

from __future__ import annotations

from collections.abc import Container

from rag.domain import Paper, Record
from rag.papers.identity import paper_id
from rag.papers.names import aliases, candidates, choose
from rag.text.latex import readable
from rag.text.markup import plain


def make_paper(record: Record, taken: Container[str] = frozenset()) -> Paper:
    """Return the paper of `record`, named unlike any folded name in `taken`.

    `extra["aliases"]` lists the other names the paper introduces.
    """
    text, title = texts(record)
    name = choose(candidates(text, title, record.text), taken)
    others = [alias for alias in aliases(text, title, record.text) if alias != name]
    return Paper(
        id=paper_id(text, title),
        name=name,
        text=text,
        original=record.text,
        title=title,
        authors=record.authors,
        year=record.year,
        venue=record.venue,
        url=record.url,
        doi=record.doi,
        sources=(record.source,),
        extra={**record.extra, "aliases": others},
    )


def texts(record: Record) -> tuple[str, str]:
    """Return the readable text and title of a record, which its paper's id is made of."""
    return readable(plain(record.text)), readable(plain(record.title))
