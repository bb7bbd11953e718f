"""A conversation as a page: its turns come in, one self-contained HTML file goes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from rag.domain import Answer, AnswerSentence, Reference, Table
from rag.ledger.conversations import Conversation, Turn
from rag.outputs.page import page, safe
from rag.outputs.terminal import quotes_of, where
from rag.outputs.wording import NEAREST, NEAREST_SHOWN, NOT_STATED, STATUS, UNCITED, VERDICTS

_STYLE = """
section { margin-top: 2.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
.doubt { color: var(--some); font-size: .9rem; font-weight: 600; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .3rem .5rem; vertical-align: top; text-align: left; }
"""


def conversation_html(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the page; everything from questions, answers and papers is escaped."""
    title = conversation.title or "Conversation"
    sections = "\n".join(chain.from_iterable(_turn(turn, place) for place, turn in enumerate(turns, 1)))
    return page(title, f'<h1 dir="auto">{safe(title)}</h1>\n<main>\n{sections}\n</main>', _STYLE)


def _turn(turn: Turn, place: int) -> Iterator[str]:
    answer = turn.answer
    yield f"<section>\n<h2>{safe(answer.question)}</h2>"
    if answer.status in STATUS:
        yield f"<p>{STATUS[answer.status]}</p>"
    headings = {s.sentence_indexes[0]: s.heading for s in answer.sections if s.sentence_indexes}
    for index, sentence in enumerate(answer.sentences):
        if index in headings:
            yield f"<h3>{safe(headings[index])}</h3>"
        yield from _sentence(sentence, place)
    if answer.table is not None:
        yield from _table(answer.table, answer)
    if answer.references:
        yield "<h3>References</h3>\n<ol>"
        yield from (_reference(reference, answer, place) for reference in answer.references)
        yield "</ol>"
    if answer.status == "not_found" and answer.hits:
        yield f"<p>{safe(NEAREST)}</p>\n<ul>"
        yield from (f"<li>{safe(where(hit.paper))}</li>" for hit in answer.hits[:NEAREST_SHOWN])
        yield "</ul>"
    yield "</section>"


def _sentence(sentence: AnswerSentence, place: int) -> Iterator[str]:
    seen = dict.fromkeys(citation.marker for citation in sentence.citations)
    marks = "".join(f'<a href="#r{place}-{marker:d}">[{marker:d}]</a>' for marker in seen)
    yield f"<p>{safe(sentence.text)} {marks}</p>"
    if not sentence.citations:
        yield f'<p class="doubt">{safe(UNCITED)}</p>'
    for citation in sentence.citations:
        if citation.verdict in VERDICTS:
            said = f"{VERDICTS[citation.verdict]} by [{citation.marker}]: {citation.reason}"
            yield f'<p class="doubt">{safe(said.rstrip(": "))}</p>'


def _table(table: Table, answer: Answer) -> Iterator[str]:
    names = {r.paper.id: r.paper.name for r in answer.references}
    names = {hit.paper.id: hit.paper.name for hit in answer.hits} | names
    yield f"<table>\n<tr><th></th>{''.join(f'<th>{safe(a)}</th>' for a in table.aspects)}</tr>"
    for paper in table.papers:
        cells = "".join(f"<td>{safe(table.cells[paper][a].text or NOT_STATED)}</td>" for a in table.aspects)
        yield f"<tr><th>{safe(names.get(paper, paper))}</th>{cells}</tr>"
    yield "</table>"


def _reference(reference: Reference, answer: Answer, place: int) -> str:
    quotes = "".join(f"<blockquote>{safe(q)}</blockquote>" for q in quotes_of(reference.marker, answer))
    url = reference.paper.url
    link = f' <a href="{safe(url)}">{safe(url)}</a>' if url.startswith(("http://", "https://")) else ""
    named = f"{safe(where(reference.paper))}{link}{quotes}"
    return f'<li id="r{place}-{reference.marker:d}" value="{reference.marker:d}">{named}</li>'
