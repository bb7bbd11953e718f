"""Scores for people: the numbers of an evaluation come in, table rows and lines go out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.outputs.printable import one_line
from rag.outputs.terminal import Line

if TYPE_CHECKING:
    from rag.evaluate.questions import Result

LABELS: Mapping[str, str] = {
    "questions": "questions",
    "right_paper_first": "right paper first (fact, noisy)",
    "gold_in_first_5": "every gold paper in the first 5 (all but lang, none)",
    "must_in_short_answer": "all facts in an answer of at most 4 sentences (fact, noisy, followup)",
    "find_precision": "which papers: precision",
    "find_recall": "which papers: recall",
    "find_f1_macro": "which papers: F1, mean over questions",
    "find_f1_micro": "which papers: F1, all references together",
    "compare_must": "compare: all facts",
    "cells_of_their_row": "compare: table cells that cite the paper of their row",
    "topic_precision": "topic: precision of references",
    "topic_recall": "topic: recall of references",
    "topic_f1_macro": "topic: F1, mean over questions",
    "topic_f1_micro": "topic: F1, all references together",
    "lang_right_paper_first": "other language: right paper first",
    "lang_must": "other language: all facts",
    "not_found_precision": "not found: precision",
    "not_found_recall": "not found: recall",
    "citations_resolved": "citations that lead to a paper",
    "quotes_verbatim": "quotes that stand word for word in their paper",
    "sentences_cited": "sentences with a citation",
    "latency_p50_ms": "time to answer, median, ms",
    "latency_p95_ms": "time to answer, 95th percentile, ms",
    "ok": "right in every respect",
}


def score_rows(scores: Mapping[str, float | None]) -> Iterator[tuple[str, str]]:
    """Return a label and a number for each score that the question set can tell."""
    for name, value in scores.items():
        if value is not None:
            label = LABELS.get(name) or f"right in every respect: {name.removeprefix('ok_')}"
            yield label, _number(value)


def ranking_rows(scores: Mapping[str, Mapping[str, float | None]]) -> Iterator[tuple[str, ...]]:
    """Return a row for each ranking with its measures."""
    for name, measures in scores.items():
        yield name, *("–" if value is None else f"{value:.4f}" for value in measures.values())


def failure_lines(results: Sequence[Result]) -> Iterator[Line]:
    """Return each question that went wrong, with what is wrong."""
    for result in results:
        if result.faults:
            yield Line(f"{result.case.id} ({result.case.type}) {one_line(result.case.turns[-1])}", "name")
            yield from (Line(one_line(fault), "doubt", 4) for fault in result.faults)


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"
