"""Answers as the text of a chat message: sentences with [n], and below them what each number stands for.

Chat programs show such text as Markdown; what papers say can make no picture, formula or markup in it, and no
link but what a program may make of a bare name such as example.com.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.domain import Answer, AnswerSentence, Cell, Reference, Table
from rag.outputs.parts import by_marker, coverage_line, doubts, papers_by_id, parts, understood
from rag.outputs.printable import one_line
from rag.outputs.terminal import quotes_of, where
from rag.outputs.wording import NEAREST, NEAREST_SHOWN, NOT_STATED, STATUS

_MARKUP = re.compile(
    r"""[<`$|*\\] | (?<![^\W_])_ | _(?![^\W_])         # snake_case stays
    | (?<=\])[(:]                                      # [words](address), [words]: address
    | (?<=\S)~ | ~(?=~)                                # ~~words~~; "~5 ms" stays
    | (?<=\w):(?=//) | (?<=\bwww)\. | (?<=\w)@(?=\w)   # what is made a link by itself
    | ^(?:\# | > | [-+=](?=[\s=-]|$))                  # a heading, a quotation, a list
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_REPLACED = "\n\n(The reply was begun anew:)\n\n"


def message(answer: Answer) -> str:
    """Return the whole text."""
    return "".join(_blocks(answer)).strip() + "\n"


def sentence_text(sentence: AnswerSentence) -> str:
    """Return one sentence with its numbers, as it is sent while the answer is being written."""
    return _cited(sentence) + "\n\n"


def rest(answer: Answer, sent: Sequence[AnswerSentence]) -> str:
    """Return what is missing after some sentences were sent; everything if they do not begin the answer."""
    if not sent:
        return message(answer)
    if tuple(sent) != answer.sentences[: len(sent)] or answer.table is not None or answer.sections:
        return _REPLACED + message(answer)
    more = "".join(sentence_text(sentence) for sentence in answer.sentences[len(sent) :])
    return (more + "".join(_closing(answer))).rstrip() + "\n"


def _blocks(answer: Answer) -> Iterator[str]:
    if understood(answer):
        yield f"Understood as: {_plain(understood(answer))}\n\n"
    if answer.status in STATUS:
        yield f"{STATUS[answer.status]}\n\n"
    if answer.table is not None:
        yield from _table(answer.table, answer)
    for part in parts(answer):
        if part.heading:
            yield f"**{_plain(part.heading)}**\n\n"
        yield from (sentence_text(sentence) for _, sentence in part.sentences)
    yield from _closing(answer)


def _closing(answer: Answer) -> Iterator[str]:
    if answer.coverage is not None:
        yield f"{coverage_line(answer.coverage)}\n\n"
    if answer.references:
        yield "References\n\n"
        yield from (_reference(reference, answer) for reference in answer.references)
    if answer.status == "not_found" and answer.hits:
        yield f"{NEAREST}\n\n"
        yield from (f"- {_plain(where(hit.paper))}\n" for hit in answer.hits[:NEAREST_SHOWN])
    yield from (f"\nRemark: {_plain(warning)}\n" for warning in answer.warnings)


def _table(table: Table, answer: Answer) -> Iterator[str]:
    papers = papers_by_id(answer)
    yield _row(["Paper", *map(_plain, table.aspects)])
    yield _row(["---"] * (1 + len(table.aspects)))
    for paper_id in table.papers:
        name = papers[paper_id].name if paper_id in papers else paper_id
        cells = (table.cells[paper_id][aspect] for aspect in table.aspects)
        yield _row([_plain(name), *(NOT_STATED if cell.text is None else _cited(cell) for cell in cells)])
    yield "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cited(cited: AnswerSentence | Cell) -> str:
    marks = "".join(f"[{marker}]" for marker in by_marker(cited.citations))
    flags = "".join(f" ({_plain(doubt)})" for doubt in doubts(cited))
    return f"{_plain(cited.text or '')}{' ' + marks if marks else ''}{flags}"


def _reference(reference: Reference, answer: Answer) -> str:
    quotes = "".join(f"  “{_plain(quote)}”\n" for quote in quotes_of(reference.marker, answer))
    return f"[{reference.marker}] {_plain(where(reference.paper))}\n{quotes}\n"


def _plain(text: str) -> str:
    return _NUMBERED.sub(r"\1\\\2", _MARKUP.sub(lambda found: f"\\{found[0]}", one_line(text)))
