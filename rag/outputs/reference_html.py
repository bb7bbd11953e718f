"""References on a page: a cited paper comes in, its facts and its abstract with the quotes marked go out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rag.domain import Answer, Citation, Paper, Reference
from rag.outputs.page import safe, safe_piece
from rag.outputs.terminal import place
from rag.outputs.weblinks import doi_address, web_address

STYLE = """
.references { list-style: none; margin: 0; padding: 0; }
.reference { position: relative; margin: 0 0 1rem; padding: .9rem 1rem .9rem 3.4rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem; scroll-margin-top: 1rem; }
.reference:target, .reference:has(:target) { border-color: var(--focus); box-shadow: 0 0 0 1px var(--focus); }
.number { position: absolute; left: .9rem; top: .95rem; color: var(--soft); font-weight: 600; }
.name { margin: 0; font-weight: 600; }
.facts { margin: .1rem 0 .5rem; color: var(--soft); font-size: .9rem; }
.abstract { margin: 0; font-size: .95rem; white-space: pre-line; }
mark { background: var(--mark); color: var(--mark-ink); padding: .1em 0; scroll-margin-top: 4rem;
  border-radius: .15rem; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
mark:target { outline: 2px solid var(--focus); outline-offset: 1px; }
.back { margin: .5rem 0 0; font-size: .85rem; }
.back a { padding: .2rem .15rem; }
@media (max-width: 30rem) { .reference { padding: .8rem .9rem; } .number { position: static; float: left;
  margin-right: .5rem; } }
@media print { mark { text-decoration: underline; }
  .reference { border: 0; padding-right: 0; } .name, .facts { break-after: avoid; }
  .back { display: none; } }
"""

Span = tuple[int, int]
Address = Callable[[Paper], str]


def references_html(answer: Answer, address: Address | None = None) -> str:
    """Return the list of references, each with its abstract and links back to what cites it.

    `address` tells where a paper has a page of its own.
    """
    if not answer.references:
        return ""
    items = "\n".join(_reference(reference, answer, address) for reference in answer.references)
    return f'<section>\n<h2>References</h2>\n<ol class="references">\n{items}\n</ol>\n</section>'


def place_of(citation: Citation, answer: Answer) -> str:
    """Return the id of the mark that holds a quote, or of its reference where there is no such mark."""
    for reference in answer.references:
        if reference.marker == citation.marker:
            for start, end in _spans(reference, answer):
                if start <= citation.start < end:
                    return _mark_id(reference.marker, start)
    return f"r{citation.marker}"


def named_html(paper: Paper, address: Address | None) -> str:
    """Return title or name of a paper; with `address`, one that leads to its page."""
    name = safe(paper.title or paper.name)
    return f'<a href="{safe(address(paper))}">{name}</a>' if address is not None else name


def facts_html(paper: Paper) -> str:
    """Return authors, year, venue, DOI, address and source of a paper, as far as they are known."""
    return " · ".join(fact for fact in _facts(paper) if fact)


def _facts(paper: Paper) -> Iterator[str]:
    if paper.title and paper.title != paper.name:
        yield safe(paper.name)
    yield safe(", ".join(paper.authors))
    yield "" if paper.year is None else str(paper.year)
    yield safe(paper.venue)
    doi = doi_address(paper.doi)
    yield _link(doi, f"doi:{doi.removeprefix('https://doi.org/')}") if doi else safe(paper.doi)
    address = web_address(paper.url)
    yield _link(address, address) if address and address != doi else ""
    yield safe(place(paper, paper.source))


def _link(address: str, text: str) -> str:
    return f'<a href="{safe(address)}" rel="noopener noreferrer">{safe(text)}</a>'


def _reference(reference: Reference, answer: Answer, address: Address | None) -> str:
    paper = reference.paper
    return (
        f'<li class="reference" id="r{reference.marker}"><span class="number">[{reference.marker}]</span>\n'
        f'<p class="name" dir="auto">{named_html(paper, address)}</p>\n'
        f'<p class="facts">{facts_html(paper)}</p>\n'
        f'<p class="abstract" dir="auto">{_abstract(reference, answer)}</p>\n'
        f"{_back(reference.marker, answer)}</li>"
    )


def _abstract(reference: Reference, answer: Answer) -> str:
    text, pieces, reached = reference.paper.text, [], 0
    for start, end in _spans(reference, answer):
        pieces.append(safe_piece(text[reached:start]))
        mark = _mark_id(reference.marker, start)
        pieces.append(f'<mark id="{mark}" tabindex="-1">{safe_piece(text[start:end])}</mark>')
        reached = end
    return "".join([*pieces, safe_piece(text[reached:])])


def _back(marker: int, answer: Answer) -> str:
    """Return links to the sentences, or the table, that cite a reference."""
    links = [
        f'<a href="#s{number}" aria-label="Back to sentence {number}">{number}</a>'
        for number, sentence in enumerate(answer.sentences, 1)
        if _cites(sentence.citations, marker)
    ]
    where = "" if not links else ("sentence " if len(links) == 1 else "sentences ") + " ".join(links)
    table = '<a href="#table">the table</a>' if answer.table is not None else ""
    places = ", ".join(part for part in (where, table) if part)
    return f'<p class="back soft">Cited in {places}</p>\n' if places else ""


def _cites(cited: Iterable[Citation], marker: int) -> bool:
    return any(citation.marker == marker for citation in cited)


def _spans(reference: Reference, answer: Answer) -> Sequence[Span]:
    """Return where the quotes of a reference stand in its abstract, in order; those that overlap are one."""
    length = len(reference.paper.text)
    found = {(c.start, c.end) for c in answer.citations() if c.marker == reference.marker}
    merged: list[Span] = []
    for start, end in sorted((s, min(e, length)) for s, e in found if 0 <= s < min(e, length)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _mark_id(marker: int, start: int) -> str:
    return f"r{marker}-{start}"
