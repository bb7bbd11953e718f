"""RIS output: papers come in, records for reference managers go out.

The tags are those of the RIS specification of 2011 (Research Information Systems).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rag.domain import Paper
from rag.outputs.bibtex import Kind, kind_of
from rag.outputs.printable import one_line
from rag.outputs.weblinks import web_address

# CPAPER: a paper at a meeting; GEN: anything else, such as a preprint.
_TYPES: Mapping[Kind, str] = {"misc": "GEN", "inproceedings": "CPAPER", "article": "JOUR"}


def papers_ris(papers: Iterable[Paper]) -> str:
    """Return one record for each paper; every value is on one line, so that none can pass for a tag."""
    return "\n".join(_record(paper) for paper in papers)


def _record(paper: Paper) -> str:
    values = ((tag, one_line(value)) for tag, value in _values(paper))
    lines = [f"{tag}  - {value}\n" for tag, value in values if value]
    return "".join([*lines, "ER  - \n"])


def _values(paper: Paper) -> Iterator[tuple[str, str]]:
    # The type comes first, whatever follows.
    yield "TY", _TYPES[kind_of(paper.venue)]
    yield "ID", paper.id
    yield "TI", paper.title or paper.name
    for author in paper.authors:
        yield "AU", author
    yield "PY", "" if paper.year is None else str(paper.year)
    yield "T2", paper.venue
    yield "DO", paper.doi
    yield "UR", web_address(paper.url)
    yield "AB", paper.text
    yield "N1", paper.source
