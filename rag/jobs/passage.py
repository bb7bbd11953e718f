"""What a job has written: checked sentences with their references, by whom, and at what cost."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.domain import (
    Answer,
    AnswerSentence,
    Coverage,
    Hit,
    Paper,
    Quotation,
    Reference,
    Section,
    Status,
    Table,
    Usage,
)
from rag.generate import Draft
from rag.verify.citations import check

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Passage:
    """A checked draft. `verify_ms` is what the checks took of the time it was written in.

    A comparison has a `table`, an overview `sections`, `also_related` and `coverage`.
    """

    status: Status
    sentences: tuple[AnswerSentence, ...] = ()
    references: tuple[Reference, ...] = ()
    warnings: tuple[str, ...] = ()
    engine: str = EXTRACTIVE
    usage: Usage = Usage()
    verify_ms: float = 0.0
    table: Table | None = None
    sections: tuple[Section, ...] = ()
    also_related: tuple[Quotation, ...] = ()
    coverage: Coverage | None = None


def quoted(draft: Draft, papers: Mapping[str, Paper]) -> Passage:
    """Check a draft of quotations."""
    started = time.perf_counter()
    sentences, references = check(draft.sentences, papers)
    took = (time.perf_counter() - started) * 1e3
    return Passage(draft.status, sentences, references, draft.warnings, verify_ms=took)


@dataclass(frozen=True, slots=True)
class Clock:
    """When a job began and when it had found its papers, in seconds of `time.perf_counter`."""

    began: float
    found: float


def answer_of(passage: Passage, question: str, hits: Sequence[Hit], clock: Clock) -> Answer:
    """Return the answer that a passage makes, timed until now."""
    now = time.perf_counter()
    return Answer(
        question=question,
        status=passage.status,
        engine=passage.engine,
        sentences=passage.sentences,
        references=passage.references,
        hits=tuple(hits),
        usage=passage.usage,
        warnings=passage.warnings,
        timings_ms={
            "retrieve": (clock.found - clock.began) * 1e3,
            "generate": (now - clock.found) * 1e3 - passage.verify_ms,
            "verify": passage.verify_ms,
            "total": (now - clock.began) * 1e3,
        },
        table=passage.table,
        sections=passage.sections,
        also_related=passage.also_related,
        coverage=passage.coverage,
    )
