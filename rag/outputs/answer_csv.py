"""CSV output of an answer: an answer comes in, one table of papers or of cited sentences goes out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag.domain import Answer, AnswerSentence, Cell, Paper, Table
from rag.outputs.parts import doubts, papers_by_id, parts
from rag.outputs.printable import clean
from rag.outputs.tables import guarded
from rag.outputs.wording import ALSO_RELATED, NOT_STATED, UNCITED

SENTENCE = ("sentence", "verdict", "marker", "paper", "source", "quote", "reason")
OVERVIEW = ("section", "sentence", "verdict", "paper", "source", "quote", "reason")
# Stands between the quotes of one cell.
BETWEEN = " | "

Row = Mapping[str, str]


def answer_csv(answer: Answer) -> str:
    """Return a row for each compared paper, or for each citation of each sentence.

    No cell runs as a formula.
    """
    if answer.table is not None:
        return _written(*_comparison(answer.table, papers_by_id(answer)))
    columns = OVERVIEW if answer.sections or answer.also_related else SENTENCE
    rows = [*_sentences(answer), *_related(answer)]
    return _written(columns, ([row.get(column, "") for column in columns] for row in rows))


def has_rows(answer: Answer) -> bool:
    """Tell whether the table has more than its heading row."""
    return bool(answer.table or answer.sentences or answer.also_related)


def _written(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for row in (columns, *rows):
        writer.writerow([guarded(clean(cell).strip()) for cell in row])
    return buffer.getvalue()


def _comparison(table: Table, papers: Mapping[str, Paper]) -> tuple[Sequence[str], Iterable[Sequence[str]]]:
    columns = ["paper", "source"]
    for aspect in table.aspects:
        columns += [aspect, f"{aspect}: quote"]
    return columns, (list(_paper_row(paper, table, papers)) for paper in table.papers)


def _paper_row(paper: str, table: Table, papers: Mapping[str, Paper]) -> Iterator[str]:
    yield from _name(papers[paper]) if paper in papers else (paper, "")
    for aspect in table.aspects:
        cell = table.cells[paper][aspect]
        yield _with_doubts(cell)
        yield BETWEEN.join(dict.fromkeys(c.quote for c in cell.citations))


def _with_doubts(cell: Cell) -> str:
    if cell.text is None:
        return NOT_STATED
    return cell.text + "".join(f" ({doubt})" for doubt in doubts(cell))


def _sentences(answer: Answer) -> Iterator[Row]:
    papers = papers_by_id(answer)
    for part in parts(answer):
        for _, sentence in part.sentences:
            yield from ({"section": part.heading} | row for row in _citations(sentence, papers))


def _citations(sentence: AnswerSentence, papers: Mapping[str, Paper]) -> Iterator[dict[str, str]]:
    if not sentence.citations:
        yield {"sentence": sentence.text, "verdict": "unsupported", "reason": UNCITED}
    for citation in sentence.citations:
        paper = papers.get(citation.paper_id)
        name, source = _name(paper) if paper else (citation.paper_id, "")
        yield {
            "sentence": sentence.text,
            "verdict": citation.verdict,
            "marker": str(citation.marker),
            "paper": name,
            "source": source,
            "quote": citation.quote,
            "reason": citation.reason,
        }


def _related(answer: Answer) -> Iterator[Row]:
    for related in answer.also_related:
        name, source = _name(related.paper)
        yield {"section": ALSO_RELATED, "paper": name, "source": source, "quote": related.quote}


def _name(paper: Paper) -> tuple[str, str]:
    return paper.name, paper.source
