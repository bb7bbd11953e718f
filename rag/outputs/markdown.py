"""Markdown output: an answer comes in, a Markdown text with numbered references goes out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from rag.counting import counted
from rag.domain import Answer, AnswerSentence, Cell, Paper, Quotation, Reference, Table
from rag.outputs.parts import (
    Part,
    by_marker,
    coverage_line,
    doubts,
    known,
    markers_by_id,
    papers_by_id,
    parts,
    understood,
)
from rag.outputs.printable import clean, one_line
from rag.outputs.terminal import quotes_of, where
from rag.outputs.weblinks import web_address
from rag.outputs.wording import ALSO_RELATED, NEAREST, NEAREST_SHOWN, NOT_STATED, STATUS

_INLINE = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
# Blanks, not line ends: a run of empty lines would be gone through again from each of them.
_NUMBERED = re.compile(r"^([^\S\n]*\d+)([.)])", re.MULTILINE)
_BULLET = re.compile(r"^([^\S\n]*)([-+=])", re.MULTILINE)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is: no emphasis, links, HTML, formulas or lists."""
    text = _INLINE.sub(r"\\\1", clean(text))
    return _NUMBERED.sub(r"\1\\\2", _BULLET.sub(r"\1\\\2", text))


def answer_markdown(answer: Answer) -> str:
    """Return the answer as Markdown: question, sentences or table with markers, references with quotes."""
    return "\n".join(_blocks(answer)).rstrip() + "\n"


def _blocks(answer: Answer) -> Iterator[str]:
    yield f"## {_line(answer.question)}\n"
    if understood(answer):
        yield f"*Understood as: {_line(understood(answer))}*\n"
    if answer.status in STATUS:
        yield f"{STATUS[answer.status]}\n"
    if answer.table is not None:
        yield _table(answer.table, papers_by_id(answer), markers_by_id(answer))
    for part in parts(answer):
        yield _part(part)
    yield from _closing(answer)


def _closing(answer: Answer) -> Iterator[str]:
    if answer.coverage is not None:
        yield f"{coverage_line(answer.coverage)}\n"
    if answer.also_related:
        yield f"### {ALSO_RELATED}\n"
        yield from map(_related, answer.also_related)
    if answer.references:
        yield "### References\n"
        yield from (_reference(reference, answer) for reference in answer.references)
    if answer.status == "not_found" and answer.hits:
        yield f"{NEAREST}\n"
        yield from (f"- {escaped(where(hit.paper))}" for hit in answer.hits[:NEAREST_SHOWN])
        yield ""
    yield from (f"*Remark: {_line(warning)}*\n" for warning in answer.warnings)


def _part(part: Part) -> str:
    count = f" ({counted(part.papers, 'paper')})" if part.papers else ""
    heading = f"### {_line(part.heading)}{count}\n\n" if part.heading else ""
    return heading + "\n".join(_sentence(sentence) for _, sentence in part.sentences) + "\n"


def _sentence(sentence: AnswerSentence | Cell) -> str:
    marks = "".join(rf"\[{marker}\]" for marker in by_marker(sentence.citations))
    flags = "".join(f" *({escaped(doubt)})*" for doubt in doubts(sentence))
    return f"{_line(sentence.text or '')}{' ' + marks if marks else ''}{flags}"


def _table(table: Table, papers: Mapping[str, Paper], markers: Mapping[str, int]) -> str:
    rows = [_row(["Paper", *map(_line, table.aspects)]), _row(["---"] * (1 + len(table.aspects)))]
    for paper in table.papers:
        name = _line(papers[paper].name if paper in papers else paper)
        mark = rf" \[{markers[paper]}\]" if paper in markers else ""
        rows.append(_row([name + mark, *(_cell(table.cells[paper][aspect]) for aspect in table.aspects)]))
    return "\n".join(rows) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    return f"*{NOT_STATED}*" if cell.text is None else _sentence(cell)


def _related(related: Quotation) -> str:
    return f"- {escaped(where(related.paper))}\n  > {_line(related.quote)}\n"


def _reference(reference: Reference, answer: Answer) -> str:
    lines = [f"{reference.marker}. {escaped(where(reference.paper))}"]
    address = web_address(reference.paper.url)
    if address:
        lines[0] += f" <{address}>"
    if known(reference.paper):
        lines.append(f"   {_line(known(reference.paper))}")
    lines += [f"   > {_line(quote)}\n" for quote in quotes_of(reference.marker, answer)]
    return "\n".join(lines)


def _line(text: str) -> str:
    return escaped(one_line(text))
