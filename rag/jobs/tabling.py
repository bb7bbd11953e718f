"""Papers in, a checked table of them by aspects out, and sentences that set them side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rag.domain import AnswerSentence, Cell, Paper, Reference, Table
from rag.embedders import Embedder
from rag.errors import UsageError
from rag.evidence.aspects import USUAL, Aspect, aspect, stated, view
from rag.evidence.candidates import Candidate
from rag.evidence.gather import Evidence
from rag.evidence.linear import Floats
from rag.evidence.matching import coverage, matched
from rag.evidence.reading import Rarity, Reading
from rag.evidence.roles import RoleModel
from rag.evidence.shared import shared
from rag.generate import DraftSentence
from rag.generate.comparing import Row, cell, sentences
from rag.jobs.passage import Passage
from rag.text.words import content_terms
from rag.verify.citations import check

MOST_ASPECTS, LONGEST_ASPECT = 12, 80
# "We propose X (Long Name)": a clause of fewer characters says nothing of what X does.
_MERE_NAME = 60
# Of the sentences that bear on a question the best, and a second one nearly as likely.
_ASKED, _ASKED_SHARE, _BY_CHANCE = 2, 0.8, 0.5
_FRAME = frozenset(content_terms("compare contrast versus vs differ differences similarities common papers"))


@dataclass(frozen=True, slots=True)
class Comparer:
    """What reads aspects off papers: a model of sentence roles, how rare words are, and the embedder.

    `on_step` is told of each paper before it is read.
    """

    roles: RoleModel
    rarity: Rarity
    embedder: Embedder
    on_step: Callable[[], None] = lambda: None

    def rows(self, candidates: Sequence[Candidate], aspects: Sequence[Aspect]) -> list[Row]:
        """Read the aspects off each paper."""
        rows = []
        for candidate in candidates:
            self.on_step()
            texts = [candidate.text(i) for i in range(len(candidate.sentences))]
            vectors = candidate.vectors if self.roles.reads(self.embedder.identity) else None
            seen = view(candidate, self.roles.chances(texts, vectors))
            rows.append(Row(seen, {wanted.name: stated(seen, wanted) for wanted in aspects}))
        return rows

    def does(self, candidate: Candidate) -> int | None:
        """Return the sentence that says most of what a paper does, None when none says it."""
        self.on_step()
        texts = [candidate.text(i) for i in range(len(candidate.sentences))]
        vectors = candidate.vectors if self.roles.reads(self.embedder.identity) else None
        found = stated(view(candidate, self.roles.chances(texts, vectors)), Aspect("approach", "approach"))
        if not found:
            return None
        return found[0 if found[0].end - found[0].start >= _MERE_NAME else -1].sentence

    def aspects(self, words: Sequence[str]) -> tuple[Aspect, ...]:
        """Return the aspects the asker names, each once, or the usual ones.

        Raises UsageError for more aspects, or longer ones, than a table can hold.
        """
        names = dict.fromkeys(name for word in words if (name := " ".join(word.split())))
        if len(names) > MOST_ASPECTS or any(len(name) > LONGEST_ASPECT for name in names):
            raise UsageError(
                "that is too much to compare by",
                hint=f"Name at most {MOST_ASPECTS} aspects of at most {LONGEST_ASPECT} characters.",
            )
        return tuple(aspect(name, self.embedder.embed_query) for name in names or USUAL)


def compared(
    candidates: Sequence[Candidate],
    comparer: Comparer,
    words: Sequence[str] = (),
    asked: Evidence | None = None,
) -> Passage:
    """Compare papers by the aspects that `words` name, in quotations; `asked` is evidence for a question."""
    aspects = comparer.aspects(words)
    rows = comparer.rows(candidates, aspects)
    if asked is not None:
        rows = [replace(row, asked=found) for row, found in zip(rows, _asked(asked), strict=True)]
    woven = sentences(rows, aspects, shared(candidates, comparer.rarity))
    references = [Reference(number, c.paper) for number, c in enumerate(candidates, 1)]
    return _checked(rows, aspects, woven, references)


def tabled(passage: Passage, candidates: Sequence[Candidate], comparer: Comparer) -> Passage:
    """Add the table of the usual aspects to a passage that was written in other words."""
    aspects = comparer.aspects(())
    table = _checked(comparer.rows(candidates, aspects), aspects, (), passage.references)
    return replace(passage, table=table.table, references=table.references)


def _checked(
    rows: Sequence[Row],
    aspects: Sequence[Aspect],
    woven: Sequence[DraftSentence],
    references: Sequence[Reference],
) -> Passage:
    began = time.perf_counter()
    papers = {row.seen.candidate.paper.id: row.seen.candidate.paper for row in rows}
    papers |= {reference.paper.id: reference.paper for reference in references}
    drafts = {(row.seen.candidate.paper.id, a.name): cell(row, a.name) for row in rows for a in aspects}
    filled = {key: draft for key, draft in drafts.items() if draft is not None}
    found, references = check((*woven, *filled.values()), papers, references=references)
    cells = dict(zip(filled, found[len(woven) :], strict=True))
    return Passage(
        "answered" if cells else "not_found",
        found[: len(woven)] if cells else (),
        tuple(references),
        verify_ms=(time.perf_counter() - began) * 1e3,
        table=table_of([row.seen.candidate.paper for row in rows], aspects, cells),
    )


def table_of(
    papers: Sequence[Paper], aspects: Sequence[Aspect], cells: Mapping[tuple[str, str], AnswerSentence]
) -> Table:
    """Return the table; what is not among the `cells`, by paper id and aspect, is not stated."""
    names = tuple(a.name for a in aspects)
    rows = {paper.id: {name: _cell(cells.get((paper.id, name))) for name in names} for paper in papers}
    return Table(tuple(rows), names, rows)


def _cell(sentence: AnswerSentence | None) -> Cell:
    return Cell() if sentence is None else Cell(sentence.text, sentence.citations)


def _asked(evidence: Evidence) -> list[tuple[int, ...]]:
    """Return for each paper the sentences that bear on the question, if it asks more than to compare."""
    reading = evidence.reading
    named = frozenset().union(*(c.naming for c in evidence.candidates))
    wanted = [term for term in reading.terms if term not in named and term not in _FRAME]
    if not wanted:
        return [() for _ in evidence.candidates]
    rows = zip(evidence.candidates, evidence.sentences, strict=True)
    return [_bearing(reading, candidate, chances, wanted) for candidate, chances in rows]


def _bearing(
    reading: Reading, candidate: Candidate, chances: Floats, wanted: Sequence[str]
) -> tuple[int, ...]:
    """Return the sentences that are near to the question by meaning and words and likely to answer it."""
    if not len(chances):
        return ()
    covered = coverage(matched(candidate.words, wanted, reading.known), reading.weights(wanted))
    scores = candidate.vectors @ reading.vector + covered + _BY_CHANCE * chances / max(chances.max(), 1e-9)
    order = [int(i) for i in np.argsort(-scores, kind="stable")[:_ASKED]]
    return tuple(i for i in order if scores[i] >= _ASKED_SHARE * scores[order[0]])
