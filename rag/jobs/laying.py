"""Lay out an overview: a lead and groups of papers → a checked passage in sections."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import accumulate

from rag.domain import AnswerSentence, Coverage, Section
from rag.generate import DraftSentence
from rag.generate.overview import Grouped, section
from rag.jobs.passage import Passage
from rag.verify.citations import check


def laid_out(lead: DraftSentence, groups: Sequence[Grouped], belong: int) -> Passage:
    """Return an overview in quotations of the papers in `groups`, out of `belong` that could be used."""
    began = time.perf_counter()
    parts = [section(group) for group in groups]
    papers = {candidate.paper.id: candidate.paper for group in groups for candidate, _ in group.papers}
    sentences, references = check((lead, *(s for part in parts for s in part)), papers)
    sections = in_sections([group.heading for group in groups], list(map(len, parts)), [g.of for g in groups])
    return Passage(
        "answered",
        sentences,
        references,
        verify_ms=(time.perf_counter() - began) * 1e3,
        sections=sections,
        coverage=Coverage(len(cited(sentences)), belong),
    )


def in_sections(headings: Sequence[str], sizes: Sequence[int], papers: Sequence[int]) -> tuple[Section, ...]:
    """Return sections whose sentences follow the lead one after another, `sizes` of them each."""
    ends = list(accumulate(sizes, initial=1))
    return tuple(
        Section(heading, tuple(range(start, start + size)), count)
        for heading, start, size, count in zip(headings, ends, sizes, papers, strict=False)
        if size
    )


def cited(sentences: Sequence[AnswerSentence]) -> set[str]:
    """Return the ids of the papers that sentences cite."""
    return {citation.paper_id for sentence in sentences for citation in sentence.citations}
