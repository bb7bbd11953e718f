"""Formats of answers and of lists of papers: a format's name comes in, the text to write goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from rag.domain import Answer, Paper
from rag.errors import UsageError
from rag.outputs.answer_csv import answer_csv, has_rows
from rag.outputs.answer_html import answer_html
from rag.outputs.bibtex import papers_bibtex
from rag.outputs.markdown import answer_markdown
from rag.outputs.printable import to_json
from rag.outputs.ris import papers_ris
from rag.outputs.tables import papers_csv, papers_jsonl

Thing = TypeVar("Thing")


def _nothing(_: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Format(Generic[Thing]):
    """One format: the endings of its files, what writes it, and a remark when there is nothing to write."""

    suffixes: tuple[str, ...]
    write: Callable[[Thing], str]
    remark: Callable[[Thing], str] = _nothing


def _cited(answer: Answer) -> Iterable[Paper]:
    return (reference.paper for reference in answer.references)


def _uncited(answer: Answer) -> str:
    return "" if answer.references else "nothing is cited: the list of references is empty"


def _rowless(answer: Answer) -> str:
    return "" if has_rows(answer) else "there is no sentence: the table has only its heading"


def answer_json(answer: Answer) -> str:
    """Return the answer as one JSON object."""
    return to_json(answer.to_dict()) + "\n"


ANSWER_FORMATS: Mapping[str, Format[Answer]] = {
    "markdown": Format((".md", ".markdown"), answer_markdown),
    "html": Format((".html", ".htm"), answer_html),
    "json": Format((".json",), answer_json),
    "csv": Format((".csv",), answer_csv, _rowless),
    "bibtex": Format((".bib",), lambda answer: papers_bibtex(_cited(answer)), _uncited),
    "ris": Format((".ris",), lambda answer: papers_ris(_cited(answer)), _uncited),
}
PAPER_FORMATS: Mapping[str, Format[Iterable[Paper]]] = {
    "jsonl": Format((".jsonl", ".ndjson"), papers_jsonl),
    "csv": Format((".csv",), papers_csv),
    "bibtex": Format((".bib",), papers_bibtex),
    "ris": Format((".ris",), papers_ris),
}


def export(answer: Answer, name: str) -> str:
    """Return the answer in the form of this name; raise UsageError if there is none."""
    if name not in ANSWER_FORMATS:
        raise UsageError(f"there is no format {name!r}", hint=f"Formats: {', '.join(ANSWER_FORMATS)}")
    return ANSWER_FORMATS[name].write(answer)


def format_of(path: Path | str, formats: Mapping[str, Format[Any]] = ANSWER_FORMATS) -> str:
    """Return the name of the format a file's ending stands for; raise UsageError naming the endings."""
    suffix = Path(path).suffix.lower()
    for name, form in formats.items():
        if suffix in form.suffixes:
            return name
    endings = ", ".join(suffix for form in formats.values() for suffix in form.suffixes)
    raise UsageError(
        f"the ending of {str(path)!r} does not tell the format",
        hint=f"Give --format, or one of the endings {endings}.",
    )
