"""What a job has written: checked sentences with their references, by whom, and at what cost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from rag.domain import AnswerSentence, Paper, Reference, Status, Usage
from rag.generate import Draft
from rag.verify.citations import check

EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Passage:
    """A checked draft. `verify_ms` is what the checks took of the time it was written in."""

    status: Status
    sentences: tuple[AnswerSentence, ...] = ()
    references: tuple[Reference, ...] = ()
    warnings: tuple[str, ...] = ()
    engine: str = EXTRACTIVE
    usage: Usage = Usage()
    verify_ms: float = 0.0


def quoted(draft: Draft, papers: Mapping[str, Paper]) -> Passage:
    """Check a draft of quotations."""
    started = time.perf_counter()
    sentences, references = check(draft.sentences, papers)
    took = (time.perf_counter() - started) * 1e3
    return Passage(draft.status, sentences, references, draft.warnings, verify_ms=took)
