"""Summarize: a topic, or the whole library → an overview in sections, every sentence with its citations."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from rag.domain import Answer, Coverage, Hit, Paper, Quotation
from rag.evidence.belonging import belonging, has_topic, related
from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.evidence.narrowing import fitting, unspoken
from rag.evidence.nearest import closeness, closest
from rag.generate.overview import Grouped, Topic, lead_on_library, lead_on_topic
from rag.generate.weaving import listed
from rag.jobs.desk import Desk
from rag.jobs.laying import laid_out
from rag.jobs.outlining import outlined
from rag.jobs.passage import Clock, Passage, answer_of
from rag.jobs.topic import gathered
from rag.jobs.topics import Topics
from rag.jobs.writing import ModelWriter, attempted
from rag.text.words import content_terms
from rag.themes import group

# Fewer papers need no headings; more themes than this are no overview.
_GROUPED_FROM, _MOST_THEMES = 4, 6
_REPRESENTATIVE = 3
_NAMED_TOPIC = 120  # characters
_FARTHER = 1.2  # how much closer to the topic another sentence must be than what a paper does


def summarize(
    topic: str, desk: Desk, only: Collection[str] | None = None, writer: ModelWriter | None = None
) -> Answer:
    """Sum up the papers that belong to a topic, however many: a lead, themes, and what is also related."""
    began = time.perf_counter()
    evidence = gathered(topic, desk, only)
    clock = Clock(began, time.perf_counter())
    passage = overview(evidence, desk, len(only) if only is not None else desk.store.count(), writer)
    return answer_of(passage, f"Summarize {topic}", evidence.hits, clock)


def overview(evidence: Evidence, desk: Desk, size: int, writer: ModelWriter | None = None) -> Passage:
    """Return the overview of a topic among `size` papers; "not found" when none belongs to it."""
    if not has_topic(evidence):
        return Passage("not_found", coverage=Coverage(0, 0))
    places = belonging(evidence)
    groups = _grouped(evidence, places, desk)
    missing = unspoken(evidence)
    words = _short(_without(evidence.reading.question.topic, missing))
    topic = Topic(words, {t: evidence.reading.rarity.get(t, 0.0) for t in set(content_terms(words))})
    fits = len(fitting(evidence, places))
    quoted = laid_out(lead_on_topic(topic, groups, size, fits), groups, len(places))
    quoted = replace(quoted, also_related=_related(evidence))
    if missing:
        quoted = replace(quoted, status="partial", warnings=(not_spoken_of(missing), *quoted.warnings))
    if writer is None:
        return quoted
    return attempted(writer, partial(outlined, words, groups, quoted, writer), lambda: quoted)


def summarize_library(found: Topics, desk: Desk, writer: ModelWriter | None = None) -> Answer:
    """Sum up a whole library: its themes with their numbers of papers, and papers that stand for each."""
    began = time.perf_counter()
    groups = [_standing_for(theme.heading, found.papers_of(theme), desk) for theme in found.themes]
    clock = Clock(began, time.perf_counter())
    quoted = laid_out(lead_on_library(groups, len(found.papers)), groups, len(found.papers))
    passage = quoted
    if writer is not None:
        passage = attempted(writer, partial(outlined, "", groups, quoted, writer), lambda: quoted)
    hits = [Hit(candidate.paper, 1.0) for some in groups for candidate, _ in some.papers]
    return answer_of(passage, "Summarize the library", hits, clock)


def _grouped(evidence: Evidence, places: Sequence[int], desk: Desk) -> list[Grouped]:
    """Put the papers of a topic under headings, each with its closest sentence; few papers under one."""
    candidates = [evidence.candidates[i] for i in places]
    words = _short(evidence.reading.question.topic)
    if len(places) < _GROUPED_FROM:
        members = [(words, list(range(len(places))))]
    else:
        themes = group(
            np.stack([c.chunk_vectors[0] for c in candidates]),
            [c.paper.text for c in candidates],
            most=_MOST_THEMES,
            background=desk.retriever.rarity,
            without=frozenset(content_terms(words)),
        )
        # The surest papers of a topic come first; how central they are to their theme counts less.
        members = [(theme.heading, sorted(theme.members)) for theme in themes]
    return [
        Grouped(heading, tuple((candidates[i], _told(evidence, places[i], desk)) for i in some), len(some))
        for heading, some in members
    ]


def not_spoken_of(words: Sequence[str]) -> str:
    """Say which words of a topic no paper holds."""
    return f"No paper here speaks of {listed([f'“{word}”' for word in words])}; that is left aside."


def _without(topic: str, words: Sequence[str]) -> str:
    """Return a topic without some of its words, all of it if nothing would be left."""
    kept = " ".join(word for word in topic.split() if word.strip(",;:.") not in words)
    return kept if content_terms(kept) else topic


def _short(topic: str) -> str:
    """Return a topic that a sentence can name; a whole abstract may have been given for one."""
    if len(topic) <= _NAMED_TOPIC:
        return topic
    return topic[:_NAMED_TOPIC].rpartition(" ")[0] or topic[:_NAMED_TOPIC]


def _standing_for(heading: str, papers: Sequence[Paper], desk: Desk) -> Grouped:
    candidates = desk.gatherer.candidates([Hit(paper, 1.0) for paper in papers[:_REPRESENTATIVE]])
    told = [c for c in candidates if c.sentences]
    return Grouped(heading, tuple((c, _says(c, desk)) for c in told), len(papers))


def _told(evidence: Evidence, i: int, desk: Desk) -> int:
    """Return the sentence that says what a paper does, unless another is much closer to the topic."""
    candidate = evidence.candidates[i]
    does, near = desk.comparer.does(candidate), closest(evidence, i)
    if does is None:
        return near
    close = closeness(evidence.reading, candidate)
    return does if close[does] >= close[near] - _FARTHER else near


def _says(candidate: Candidate, desk: Desk) -> int:
    """Return the sentence that says what a paper does, else the one nearest to its whole abstract."""
    does = desk.comparer.does(candidate)
    return does if does is not None else int(np.argmax(candidate.vectors @ candidate.chunk_vectors[0]))


def _related(evidence: Evidence) -> tuple[Quotation, ...]:
    found = []
    for i in related(evidence):
        candidate = evidence.candidates[i]
        span = candidate.sentences[closest(evidence, i)]
        found.append(Quotation.of(candidate.paper, span.start, span.end))
    return tuple(found)
