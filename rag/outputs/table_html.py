"""A comparison on a page: its table comes in, a table whose cells open their quotes goes out."""

from __future__ import annotations

from rag.domain import Answer, AnswerSentence, Cell, Citation, Paper
from rag.outputs.check_text import SYMBOLS
from rag.outputs.page import safe
from rag.outputs.parts import doubts, markers_by_id, papers_by_id, worst
from rag.outputs.reference_html import place_of
from rag.outputs.wording import NOT_STATED

STYLE = """
.page:has(table) { max-width: 66rem; }
.page:has(table) section:not(#table) { max-width: 46rem; }
.wide { overflow-x: auto; margin: 0 0 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; line-height: 1.45; }
th, td { padding: .6rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-size: .85rem; border-bottom-width: 2px; }
tbody th { min-width: 7rem; } td { min-width: 9rem; }
.aspect { display: none; color: var(--soft); font-size: .85rem; font-weight: 600; }
.missing { color: var(--soft); font-style: italic; }
summary { cursor: pointer; } summary::marker { color: var(--soft); }
details[open] > summary { margin-bottom: .3rem; }
td .flag { margin-top: .2rem; } td.unsupported .flag { color: var(--bad); }
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, tbody th, td { display: block; } .wide { overflow: visible; }
  tr { margin: 0 0 1rem; padding: .3rem .9rem .6rem; background: var(--card); border: 1px solid var(--line);
    border-radius: .5rem; }
  tbody th { padding: .5rem 0; } td { padding: .45rem 0; } td:last-child { border-bottom: 0; }
  .aspect { display: block; } }
@media print { td { min-width: 0; } .hint { display: none; } }
"""


def table_section(answer: Answer) -> str:
    """Return the table of a comparison; empty for any other answer."""
    if answer.table is None:
        return ""
    papers, markers = papers_by_id(answer), markers_by_id(answer)
    heads = "".join(
        f'<th scope="col" role="columnheader" dir="auto">{safe(aspect)}</th>'
        for aspect in ("Paper", *answer.table.aspects)
    )
    rows = "\n".join(
        _row(paper, papers.get(paper), markers.get(paper), answer) for paper in answer.table.papers
    )
    # The roles stay when a narrow screen shows the rows as blocks.
    return (
        f'<section id="table">\n<p class="soft hint">Open a cell to see the sentence it rests on.</p>\n'
        f'<div class="wide" tabindex="0" role="region" aria-label="Comparison">\n<table role="table">\n'
        f'<thead role="rowgroup"><tr role="row">{heads}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{rows}\n</tbody>\n</table>\n</div>\n</section>'
    )


def flags_html(cited: AnswerSentence | Cell) -> str:
    """Return the doubts about a sentence or a cell, each with the symbol of the worst verdict."""
    symbol = SYMBOLS[worst(cited)]
    return "".join(f'<span class="flag">{symbol} {safe(doubt)}</span>' for doubt in doubts(cited))


def _row(paper_id: str, paper: Paper | None, marker: int | None, answer: Answer) -> str:
    assert answer.table is not None
    name = safe(paper.name if paper else paper_id)
    mark = f' <a href="#r{marker}">[{marker}]</a>' if marker else ""
    cells = "".join(
        _cell(aspect, answer.table.cells[paper_id][aspect], answer) for aspect in answer.table.aspects
    )
    return f'<tr role="row"><th scope="row" role="rowheader" dir="auto">{name}{mark}</th>{cells}</tr>'


def _cell(aspect: str, cell: Cell, answer: Answer) -> str:
    label = f'<span class="aspect">{safe(aspect)}</span>'
    if cell.text is None:
        return f'<td role="cell">{label}<span class="missing">{NOT_STATED}</span></td>'
    text = f'<span dir="auto">{safe(cell.text)}</span>{flags_html(cell)}'
    shown = f"<details><summary>{text}</summary>{_quotes(cell, answer)}</details>" if cell.citations else text
    return f'<td role="cell" class="{worst(cell)}">{label}{shown}</td>'


def _quotes(cell: Cell, answer: Answer) -> str:
    return "".join(_quote(c, answer) for c in {c.quote: c for c in cell.citations}.values())


def _quote(citation: Citation, answer: Answer) -> str:
    link = f'<a href="#{place_of(citation, answer)}">[{citation.marker}]</a>'
    return f'<blockquote dir="auto">“{safe(citation.quote)}” {link}</blockquote>'
