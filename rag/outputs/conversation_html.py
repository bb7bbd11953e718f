"""A conversation as a page: its turns come in, one self-contained HTML file goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import chain

from rag.domain import Answer, AnswerSentence, Reference, Table
from rag.ledger.conversations import Conversation, Turn
from rag.outputs.printable import one_line
from rag.outputs.terminal import (
    NEAREST,
    NEAREST_SHOWN,
    NOT_FOUND,
    PARTIAL,
    UNCITED,
    VERDICTS,
    quotes_of,
    where,
)

_STYLE = """
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
h2 { font-size: 1.15rem; border-top: 1px solid #888; padding-top: 1rem; overflow-wrap: anywhere; }
.doubt { color: #8a3a00; font-size: .9rem; }
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: .2rem solid #0072b2; color: #444; }
table { border-collapse: collapse; } th, td { border: 1px solid #888; padding: .3rem; vertical-align: top; }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #151515; } blockquote { color: #bbb; } .doubt { color: #ffb27a; }
  a { color: #8ac7ff; } }
"""


def conversation_html(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the page; everything from questions, answers and papers is escaped."""
    title = _safe(conversation.title) or "Conversation"
    sections = "\n".join(chain.from_iterable(_turn(turn, place) for place, turn in enumerate(turns, 1)))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<main>\n{sections}\n</main>\n</body>\n</html>\n"
    )


def _turn(turn: Turn, place: int) -> Iterator[str]:
    answer = turn.answer
    yield f"<section>\n<h2>{_safe(answer.question)}</h2>"
    if answer.status != "answered":
        yield f"<p>{NOT_FOUND if answer.status == 'not_found' else PARTIAL}</p>"
    headings = {s.sentence_indexes[0]: s.heading for s in answer.sections if s.sentence_indexes}
    for index, sentence in enumerate(answer.sentences):
        if index in headings:
            yield f"<h3>{_safe(headings[index])}</h3>"
        yield from _sentence(sentence, place)
    if answer.table is not None:
        yield from _table(answer.table, answer)
    if answer.references:
        yield "<h3>References</h3>\n<ol>"
        yield from (_reference(reference, answer, place) for reference in answer.references)
        yield "</ol>"
    if answer.status == "not_found" and answer.hits:
        yield f"<p>{_safe(NEAREST)}</p>\n<ul>"
        yield from (f"<li>{_safe(where(hit.paper))}</li>" for hit in answer.hits[:NEAREST_SHOWN])
        yield "</ul>"
    yield "</section>"


def _sentence(sentence: AnswerSentence, place: int) -> Iterator[str]:
    seen = dict.fromkeys(citation.marker for citation in sentence.citations)
    marks = "".join(f'<a href="#r{place}-{marker:d}">[{marker:d}]</a>' for marker in seen)
    yield f"<p>{_safe(sentence.text)} {marks}</p>"
    if not sentence.citations:
        yield f'<p class="doubt">{_safe(UNCITED)}</p>'
    for citation in sentence.citations:
        if citation.verdict in VERDICTS:
            said = f"{VERDICTS[citation.verdict]} by [{citation.marker}]: {citation.reason}"
            yield f'<p class="doubt">{_safe(said.rstrip(": "))}</p>'


def _table(table: Table, answer: Answer) -> Iterator[str]:
    names = {r.paper.id: r.paper.name for r in answer.references}
    names = {hit.paper.id: hit.paper.name for hit in answer.hits} | names
    yield f"<table>\n<tr><th></th>{''.join(f'<th>{_safe(a)}</th>' for a in table.aspects)}</tr>"
    for paper in table.papers:
        cells = "".join(f"<td>{_safe(table.cells[paper][a].text or '–')}</td>" for a in table.aspects)
        yield f"<tr><th>{_safe(names.get(paper, paper))}</th>{cells}</tr>"
    yield "</table>"


def _reference(reference: Reference, answer: Answer, place: int) -> str:
    quotes = "".join(f"<blockquote>{_safe(q)}</blockquote>" for q in quotes_of(reference.marker, answer))
    url = reference.paper.url
    link = f' <a href="{_safe(url)}">{_safe(url)}</a>' if url.startswith(("http://", "https://")) else ""
    named = f"{_safe(where(reference.paper))}{link}{quotes}"
    return f'<li id="r{place}-{reference.marker:d}" value="{reference.marker:d}">{named}</li>'


def _safe(text: str) -> str:
    return escape(one_line(text), quote=True)
