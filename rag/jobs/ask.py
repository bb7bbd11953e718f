"""Ask: question → retrieval → evidence → draft → checked answer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from rag.domain import Answer, Hit
from rag.evidence.belonging import has_topic
from rag.evidence.gather import Evidence
from rag.generate.extractive import draft
from rag.jobs.desk import Desk
from rag.jobs.followup import Standalone, standalone
from rag.jobs.foreign import in_english, unread
from rag.jobs.hinting import hints
from rag.jobs.passage import Clock, Passage, answer_of, quoted
from rag.jobs.sides import sides
from rag.jobs.summarize import overview
from rag.jobs.tabling import compared, tabled
from rag.jobs.writing import Task
from rag.question import is_courtesy, understand
from rag.retrieve import Retrieval, Retriever

Stage = Literal["searching", "reading", "writing", "checking"]
OnStage = Callable[[Stage, int], None]
"""Is told of each step as it begins, and of how many papers there are to it, where that is known."""

# "Which papers do not use …" cannot be answered by what papers say.
_NEGATES = re.compile(
    r"\b(?:do|does|did|are|is|was|were|have|has)(?:n['’]t| not)\b|\b(?:other than|except)\b", re.I
)

_COURTESY = "That asks for nothing; ask something about the papers."


def ask(
    text: str,
    desk: Desk,
    history: Sequence[Answer] = (),
    task: Task | None = None,
    only: Collection[str] | None = None,
    on_stage: OnStage = lambda stage, papers: None,
) -> Answer:
    """Answer a question, or the follow-up to earlier answers: in a writer's words, else in quotations.

    With `only`, the papers with these ids are the whole library.
    """
    started = time.perf_counter()
    if is_courtesy(text):
        return answer_of(Passage("not_found", warnings=(_COURTESY,)), text, (), Clock(started, started))
    on_stage("searching", 0)
    retriever = desk.retriever
    asked = _standalone(text, retriever, history)
    if task is not None:
        asked = task.standalone(asked, partial(_names_papers, retriever))
    asked, warnings = in_english(asked)
    retrieval = find(asked, retriever, only)
    found = time.perf_counter()
    on_stage("reading", len(retrieval.hits))
    evidence = desk.gatherer.gather(retrieval)
    on_stage("writing", len(evidence.hits))
    quote = partial(_quoted, retrieval, evidence, desk, bool(asked.only))
    passage = task.write(asked.text, evidence, quote) if task is not None else quote()
    if _compares(evidence) and passage.table is None and passage.status != "not_found":
        passage = tabled(passage, evidence.candidates, desk.comparer)
    on_stage("checking", len(passage.references))
    unsure = bool(retrieval.unknown) or _negates(retrieval)
    unheld = passage.status == "not_found" and only is None
    meant = hints(asked.text, desk.store) if unheld else ()
    answer = answer_of(passage, text, _best_first(retrieval, evidence), Clock(started, found))
    return replace(
        answer,
        standalone_question=asked.text,
        status="partial" if unsure and passage.status == "answered" else passage.status,
        warnings=(*warnings, *_cautions(retrieval), *passage.warnings, *meant),
    )


def _quoted(retrieval: Retrieval, evidence: Evidence, desk: Desk, bound: bool) -> Passage:
    if _compares(evidence):
        return compared(evidence.candidates, desk.comparer, asked=evidence)
    if evidence.reading.question.kind == "topic" and not bound and has_topic(evidence):
        return overview(evidence, desk, desk.store.count())
    # Among given papers there is one to choose; whether a given paper states a fact must still be asked.
    sure = retrieval.question.kind == "compare" or (bound and retrieval.question.kind != "fact")
    written = unread(draft(evidence, assured=sure), retrieval, evidence)
    return quoted(written, {h.paper.id: h.paper for h in evidence.hits})


def _compares(evidence: Evidence) -> bool:
    return evidence.reading.question.kind == "compare" and len(evidence.candidates) > 1


def find(asked: Standalone, retriever: Retriever, only: Collection[str] | None = None) -> Retrieval:
    """Return the papers for a question, best first; for a comparison, also the papers compared.

    With `only`, none but the papers with these ids can be found.
    A question that names two papers is about both; one that speaks of comparing but not of two papers asks
    for a fact.
    """
    question = understand(asked.text)
    retrieval = retriever.retrieve(question, _among(asked.only, only))
    names_both = question.kind == "fact" and len(retrieval.named) > 1
    if not (question.compares or names_both):
        return retrieval
    found = sides(retrieval, retriever, only)
    if len(found.hits) < (1 if found.unknown else 2):
        kind = "fact" if question.kind == "compare" else question.kind
        return replace(retrieval, question=replace(question, kind=kind), unknown=found.unknown)
    comparing = replace(question, kind="compare")
    return replace(retrieval, question=comparing, compared=found.hits, unknown=found.unknown)


def _among(bound: Sequence[str], only: Collection[str] | None) -> Collection[str] | None:
    """Return the papers that may be found: those a follow-up is about, those allowed, or both."""
    if only is None:
        return bound or None
    # A follow-up about papers that are not allowed finds nothing, and not something else.
    return [p for p in bound if p in only] if bound else only


def _negates(retrieval: Retrieval) -> bool:
    return retrieval.question.kind == "find" and bool(_NEGATES.search(retrieval.question.text))


def _cautions(retrieval: Retrieval) -> tuple[str, ...]:
    """Return what a reader must know of how the question was taken."""
    if _negates(retrieval):
        return (
            "Papers are listed by what they say; what they do not do or use cannot be told from abstracts.",
        )
    if not retrieval.unknown:
        return ()
    names = " or ".join(retrieval.unknown)
    return (f"No paper of the library speaks of {names}; nothing is said about that side.",)


def _standalone(text: str, retriever: Retriever, history: Sequence[Answer]) -> Standalone:
    if not history:
        return Standalone(text)
    return standalone(text, history, retriever.names().mentions)


def _names_papers(retriever: Retriever, text: str) -> bool:
    return any(m.certain for m in retriever.names().mentions(text))


def _best_first(retrieval: Retrieval, evidence: Evidence) -> tuple[Hit, ...]:
    """Return all hits: the papers compared first, those of a list in the order in which they belong to it."""
    belongs = {h.paper.id: float(b) for h, b in zip(evidence.hits, evidence.belongs, strict=True)}
    every = {h.paper.id: h for h in (*retrieval.compared, *retrieval.hits)}
    return tuple(sorted(every.values(), key=lambda h: -belongs.get(h.paper.id, 0.0)))
