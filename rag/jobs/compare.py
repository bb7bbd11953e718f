"""Compare: papers, or those on a topic → a table by aspects, and sentences on what sets them apart."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from rag.domain import Answer, Hit, Paper
from rag.errors import UsageError
from rag.evidence.belonging import belonging, has_topic
from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.generate.weaving import listed
from rag.jobs.desk import Desk
from rag.jobs.filling import filled_in
from rag.jobs.passage import Clock, Passage, answer_of
from rag.jobs.tabling import compared
from rag.jobs.topic import gathered
from rag.jobs.writing import ModelWriter, attempted

# More rows than this are no comparison any more; a topic is cut to fewer, the surest first.
MOST_PAPERS = 20
_OF_A_TOPIC = 8


def compare(
    papers: Sequence[Paper], aspects: Sequence[str], desk: Desk, writer: ModelWriter | None = None
) -> Answer:
    """Compare given papers by the aspects named, or by the usual ones.

    Raises UsageError for fewer than two papers, or too many.
    """
    began = time.perf_counter()
    chosen = {paper.id: paper for paper in papers}
    if not 2 <= len(chosen) <= MOST_PAPERS:
        raise UsageError(
            f"{len(chosen)} paper{'' if len(chosen) == 1 else 's'} cannot be compared",
            hint=f"Name 2 to {MOST_PAPERS} different papers, or a topic with --topic.",
        )
    hits = [Hit(paper, 1.0, {"name": rank}) for rank, paper in enumerate(chosen.values(), 1)]
    found = time.perf_counter()
    passage = _written(desk.gatherer.candidates(hits), aspects, desk, writer)
    question = f"Compare {listed([paper.name for paper in chosen.values()])}"
    return answer_of(passage, question, hits, Clock(began, found))


def compare_topic(
    topic: str,
    aspects: Sequence[str],
    desk: Desk,
    only: Collection[str] | None = None,
    writer: ModelWriter | None = None,
) -> Answer:
    """Compare the papers that belong to a topic; "not found" when there are not two."""
    began = time.perf_counter()
    evidence = gathered(topic, desk, only)
    found = time.perf_counter()
    places = belonging(evidence) if has_topic(evidence) else []
    passage = _of_topic(evidence, places, aspects, desk, writer)
    return answer_of(passage, f"Compare the papers on {topic}", evidence.hits, Clock(began, found))


def _of_topic(
    evidence: Evidence,
    places: Sequence[int],
    aspects: Sequence[str],
    desk: Desk,
    writer: ModelWriter | None,
) -> Passage:
    if len(places) < 2:
        only = [evidence.candidates[i].paper.name for i in places]
        why = f"Only {only[0]} is on this topic; there is nothing to compare it with." if only else ""
        return Passage("not_found", warnings=(why,) if why else ())
    passage = _written([evidence.candidates[i] for i in places[:_OF_A_TOPIC]], aspects, desk, writer)
    left = len(places) - _OF_A_TOPIC
    if left <= 0:
        return passage
    more = f"{left} more papers are on this topic; name those to compare, or narrow it."
    return replace(passage, warnings=(*passage.warnings, more))


def _written(
    candidates: Sequence[Candidate], aspects: Sequence[str], desk: Desk, writer: ModelWriter | None
) -> Passage:
    quoted = compared(candidates, desk.comparer, aspects)
    if quoted.status == "not_found":
        quoted = replace(quoted, warnings=("The abstracts say nothing of these aspects.",))
    if writer is None:
        return quoted
    wanted = desk.comparer.aspects(aspects)
    return attempted(writer, partial(filled_in, candidates, wanted, quoted, writer), lambda: quoted)
