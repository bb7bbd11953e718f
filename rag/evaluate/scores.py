"""Scores: judged answers come in, one number for each thing a question set can tell goes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.evaluate.cases import TYPES
from rag.evaluate.metrics import f1, mean, percentile, precision_recall
from rag.evaluate.questions import (
    Result,
    is_short,
    missing_must,
    named_references,
    reference_quality,
    sources_of,
    unseen_gold,
)

FACTS = ("fact", "noisy")
SHORT = ("fact", "noisy", "followup")


def scores(results: Sequence[Result]) -> dict[str, float | int | None]:
    """Return every score of a run, by name; None where the set has no question for it."""
    told = [result for result in results if result.case.gold]
    return {
        "questions": len(results),
        "right_paper_first": _share(told, FACTS, _first_is_gold),
        "gold_in_first_5": _share(told, _types_but("lang", "none"), _gold_in_first),
        "must_in_short_answer": _share(told, SHORT, lambda r: _musts_met(r) and is_short(r.answer)),
        **_reference_scores(told, "find"),
        "compare_must": _share(told, ("compare",), _musts_met),
        "cells_of_their_row": _cells_of_their_row(results),
        **_reference_scores(told, "topic"),
        "lang_right_paper_first": _share(told, ("lang",), _first_is_gold),
        "lang_must": _share(told, ("lang",), _musts_met),
        **_not_found_scores(results),
        **_citation_scores(results),
        "latency_p50_ms": _milliseconds(results, 0.5),
        "latency_p95_ms": _milliseconds(results, 0.95),
        **{f"ok_{kind}": _share(results, (kind,), lambda r: not r.faults) for kind in _kinds(results)},
        "ok": _share(results, TYPES, lambda r: not r.faults),
    }


def _first_is_gold(result: Result) -> bool:
    return bool(sources_of(hit.paper for hit in result.answer.hits[:1]) & result.case.gold)


def _gold_in_first(result: Result) -> bool:
    return not unseen_gold(result.case, result.answer)


def _musts_met(result: Result) -> bool:
    return result.answer.status != "not_found" and not missing_must(result.case, result.answer)


def _share(results: Sequence[Result], types: Sequence[str], right: Callable[[Result], bool]) -> float | None:
    return mean([float(right(result)) for result in results if result.case.type in types])


def _types_but(*left_out: str) -> tuple[str, ...]:
    return tuple(kind for kind in TYPES if kind not in left_out)


def _kinds(results: Sequence[Result]) -> tuple[str, ...]:
    present = {result.case.type for result in results}
    return tuple(kind for kind in TYPES if kind in present)


def _reference_scores(results: Sequence[Result], kind: str) -> dict[str, float | None]:
    chosen = [result for result in results if result.case.type == kind]
    each = [reference_quality(result.case, result.answer) for result in chosen]
    precision, found = _pooled(chosen)
    return {
        f"{kind}_precision": mean([p for p, _ in each]),
        f"{kind}_recall": mean([r for _, r in each]),
        f"{kind}_f1_macro": mean([f1(p, r) for p, r in each]),
        f"{kind}_f1_micro": f1(precision, found) if chosen else None,
    }


def _pooled(results: Sequence[Result]) -> tuple[float, float]:
    """Return precision and recall over the references of all questions together."""
    pairs = [(r.case.id, s) for r in results for s in named_references(r.case, r.answer)]
    wanted = [(r.case.id, s) for r in results for s in r.case.gold]
    return precision_recall([f"{i}\n{s}" for i, s in pairs], [f"{i}\n{s}" for i, s in wanted])


def _not_found_scores(results: Sequence[Result]) -> dict[str, float | None]:
    said = [result.case.id for result in results if result.answer.status == "not_found"]
    true = [result.case.id for result in results if not result.case.gold]
    precision, found = precision_recall(said, true)
    return {
        "not_found_precision": precision if said else None,
        "not_found_recall": found if true else None,
    }


def _citation_scores(results: Sequence[Result]) -> dict[str, float | None]:
    citations = sum(1 for r in results for _ in r.answer.citations())
    unresolved = sum(len(r.unresolved) for r in results)
    altered = sum(len(r.altered) for r in results)
    return {
        "citations_resolved": 1 - unresolved / citations if citations else None,
        "quotes_verbatim": 1 - (unresolved + altered) / citations if citations else None,
        "sentences_cited": mean([float(bool(s.citations)) for r in results for s in r.answer.sentences]),
    }


def _cells_of_their_row(results: Sequence[Result]) -> float | None:
    """Return the share of filled table cells that cite the paper of their row, and no other."""
    tables = [result.answer.table for result in results if result.answer.table is not None]
    rows = [(paper, cell) for t in tables for paper, row in t.cells.items() for cell in row.values()]
    return mean([float({c.paper_id for c in cell.citations} == {p}) for p, cell in rows if cell.text])


def _milliseconds(results: Sequence[Result], share: float) -> float | None:
    value = percentile([result.seconds * 1000 for result in results], share)
    return None if value is None else round(value, 2)
