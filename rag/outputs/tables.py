"""Tables of papers: papers come in, CSV or JSON lines go out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from rag.domain import Paper
from rag.outputs.printable import clean, to_json

COLUMNS = ("id", "name", "title", "authors", "year", "venue", "url", "doi", "source", "text")
# Spreadsheets run a cell that begins so as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def paper_dict(paper: Paper) -> dict[str, Any]:
    """Return everything the library holds of a paper as JSON values."""
    return paper.to_dict() | {
        "sources": list(paper.sources),
        "text": paper.text,
        "original": paper.original,
        "extra": dict(paper.extra),
    }


def papers_jsonl(papers: Iterable[Paper]) -> str:
    """Return one JSON object a line for each paper."""
    return "".join(to_json(paper_dict(paper), indent=None) + "\n" for paper in papers)


def papers_csv(papers: Iterable[Paper]) -> str:
    """Return a CSV table; a cell a spreadsheet would run as a formula gets a leading apostrophe."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(_row(paper) for paper in papers)
    return buffer.getvalue()


def guarded(cell: str) -> str:
    """Return a cell's text that no spreadsheet runs as a formula."""
    return "'" + cell if cell.startswith(FORMULA_STARTS) else cell


def _row(paper: Paper) -> list[str]:
    values = paper.to_dict() | {"authors": "; ".join(paper.authors), "text": paper.text}
    return [guarded(clean("" if values[column] is None else str(values[column]))) for column in COLUMNS]
