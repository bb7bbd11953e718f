"""Question sets: cases and a library come in, judged answers go out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rag.domain import Answer, Citation, Hit, Paper
from rag.evaluate.cases import Case
from rag.evaluate.metrics import f1, precision_recall

SENTENCE_LIMIT = 4
FIRST = 5
ENOUGH_F1 = 0.8
# Asked before the clock runs: models and indexes are loaded with the first question, whatever it is.
_WARM_UP = "Which paper comes first?"


class Answers(Protocol):
    """What can be evaluated: a library that answers questions on its papers."""

    def ask(self, question: str, history: Sequence[Answer] = ()) -> Answer:
        """Answer a question, given the answers before it in the conversation."""

    def papers(self) -> Sequence[Paper]:
        """Return every paper."""

    def search(self, question: str, k: int = 10) -> Sequence[Hit]:
        """Return the papers that fit best."""


@dataclass(frozen=True, slots=True)
class Result:
    """A case with the answer it got, how long that took, and what is wrong with it (nothing: it is right).

    `unresolved` are citations that lead to no paper, `altered` those whose quote is not what stands there.
    """

    case: Case
    answer: Answer
    seconds: float
    faults: tuple[str, ...] = ()
    unresolved: tuple[Citation, ...] = ()
    altered: tuple[Citation, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "id": self.case.id,
            "type": self.case.type,
            "ok": not self.faults,
            "faults": list(self.faults),
            "answer": self.answer.to_dict(),
        }


def run(
    cases: Sequence[Case], library: Answers, progress: Callable[[int, int], None] | None = None
) -> tuple[Result, ...]:
    """Ask every question and judge what comes back; `progress` is told how many of how many are done.

    The time to load models and indexes is not counted.
    """
    texts = {paper.id: paper.text for paper in library.papers()}
    results: list[Result] = []
    library.search(_WARM_UP, 1)
    for case in cases:
        answer, seconds = _ask(case, library)
        results.append(judge(case, answer, seconds, texts))
        if progress is not None:
            progress(len(results), len(cases))
    return tuple(results)


def judge(case: Case, answer: Answer, seconds: float, texts: Mapping[str, str]) -> Result:
    """Compare an answer with what is right; `texts` holds the text of every paper by id."""
    listed = {reference.marker: reference.paper.id for reference in answer.references}
    resolved: list[Citation] = []
    unresolved: list[Citation] = []
    for citation in answer.citations():
        leads = citation.paper_id in texts and listed.get(citation.marker) == citation.paper_id
        (resolved if leads else unresolved).append(citation)
    altered = [c for c in resolved if not c.quote or texts[c.paper_id][c.start : c.end] != c.quote]
    faults = (
        *(f"citation [{c.marker}] leads to no paper" for c in unresolved),
        *(f"quote of [{c.marker}] is not at {c.start} to {c.end} of its paper" for c in altered),
        *_faults(case, answer),
    )
    return Result(case, answer, seconds, faults, tuple(unresolved), tuple(altered))


def missing_must(case: Case, answer: Answer) -> tuple[tuple[str, ...], ...]:
    """Return the lists of which no string stands, ignoring case, in the answer's sentences or quotes."""
    parts = [s.text for s in answer.sentences] + [c.quote for c in answer.citations()]
    text = "\n".join(parts).casefold()
    return tuple(options for options in case.must if not any(o.casefold() in text for o in options))


def _ask(case: Case, library: Answers) -> tuple[Answer, float]:
    history: tuple[Answer, ...] = ()
    for turn in case.turns[:-1]:
        history += (library.ask(turn, history=history),)
    started = time.perf_counter()
    answer = library.ask(case.turns[-1], history=history)
    return answer, time.perf_counter() - started


def _faults(case: Case, answer: Answer) -> Iterator[str]:
    if not case.gold:
        if answer.status != "not_found":
            yield "answered, though the papers do not say"
        return
    if answer.status == "not_found":
        yield "not found, though the papers say"
    for options in missing_must(case, answer):
        yield f"lacks {' or '.join(repr(option) for option in options)}"
    yield from _JUDGES[case.type](case, answer)


def _short_fault(answer: Answer) -> Iterator[str]:
    if not is_short(answer):
        yield f"{len(answer.sentences)} sentences, at most {SENTENCE_LIMIT} wanted"


def _hit_fault(case: Case, answer: Answer) -> Iterator[str]:
    unseen = unseen_gold(case, answer)
    if unseen:
        yield f"not in the first {FIRST}: {', '.join(sorted(unseen))}"


def _set_fault(case: Case, answer: Answer) -> Iterator[str]:
    precision, found = reference_quality(case, answer)
    if f1(precision, found) < ENOUGH_F1:
        yield f"references: precision {precision:.2f}, recall {found:.2f}; {_difference(case, answer)}"


def _fact_fault(case: Case, answer: Answer) -> Iterator[str]:
    yield from _short_fault(answer)
    yield from _hit_fault(case, answer)


_JUDGES: Mapping[str, Callable[[Case, Answer], Iterator[str]]] = {
    "fact": _fact_fault,
    "noisy": _fact_fault,
    "followup": _fact_fault,
    "lang": _hit_fault,
    "none": _hit_fault,
    "compare": _hit_fault,
    "find": _set_fault,
    "topic": _set_fault,
}


def is_short(answer: Answer) -> bool:
    """Tell whether the answer keeps to the length that a question about one paper deserves."""
    return len(answer.sentences) <= SENTENCE_LIMIT


def unseen_gold(case: Case, answer: Answer) -> frozenset[str]:
    """Return the gold sources that are not among the first hits, though there was room for all of them."""
    unseen = case.gold - sources_of(hit.paper for hit in answer.hits[:FIRST])
    return unseen if len(case.gold - unseen) < FIRST else frozenset()


def sources_of(papers: Iterable[Paper]) -> set[str]:
    """Return every source of the papers."""
    return {source for paper in papers for source in paper.sources}


def named_references(case: Case, answer: Answer) -> set[str]:
    """Return one source for each referenced paper: its gold source if it has one."""
    named = set()
    for reference in answer.references:
        sources = reference.paper.sources
        named.add(next((s for s in sources if s in case.gold), reference.paper.source or reference.paper.id))
    return named


def reference_quality(case: Case, answer: Answer) -> tuple[float, float]:
    """Return precision and recall of the references against the gold sources."""
    return precision_recall(named_references(case, answer), case.gold)


def _difference(case: Case, answer: Answer) -> str:
    named = named_references(case, answer)
    parts = (("missing", case.gold - named), ("too many", named - case.gold))
    return "; ".join(f"{label}: {', '.join(sorted(group))}" for label, group in parts if group)
