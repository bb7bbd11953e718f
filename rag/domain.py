"""The nouns of the program: papers, their sentences and chunks, hits, evidence, citations, answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rag.citing import cited_as

Verdict = Literal["supported", "partial", "unsupported"]
Status = Literal["answered", "partial", "not_found"]


@dataclass(frozen=True, slots=True)
class Record:
    """One paper as a source file gives it, before it has an id or a name.

    `source` is `file name#ordinal` (1-based); `line` is where it starts in the file.
    """

    text: str
    source: str
    line: int = 0
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    url: str = ""
    doi: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


BROKEN_OFF = "broken off"
"""The kind of notice on a file, or an item of it, that was read although its end is missing."""
# Items of these kinds were read whole, and found to be no abstract.
_READ_WHOLE = frozenset(("no abstract", "withdrawn", "too short", "too long", "no sentence", "not a paper"))


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader should know about a source: an item skipped, or read with a repair.

    Notices of one `kind`, such as "no abstract", are counted together.
    """

    source: str
    line: int
    reason: str
    skipped: bool = True
    kind: str = ""

    @property
    def is_damage(self) -> bool:
        """Whether more papers may stand in the file than could be read of it."""
        return self.kind == BROKEN_OFF or (self.skipped and self.kind not in _READ_WHOLE)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper in the library. `text` is readable plain text; `original` is what the source held.

    `gone` are those of `sources` that no longer hold it: another paper may stand there now.
    """

    id: str
    name: str
    text: str
    original: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    url: str = ""
    doi: str = ""
    sources: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    gone: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The first place this paper was read from, `file name#ordinal`."""
        return self.sources[0] if self.sources else ""

    @property
    def cited_as(self) -> str:
        """The text it is cited by: `Lovelace et al. 2026, NeurIPS, doi:10.1/x`, or `EVA-0 · file.txt#9`."""
        source = f"{self.source} (gone)" if self.source in self.gone else self.source
        arxiv = str(self.extra.get("arxiv") or "")
        return cited_as(self.authors, self.year, self.venue, self.doi, arxiv, name=self.name, source=source)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields a person or program sees of a cited paper."""
        return {
            "id": self.id,
            "name": self.name,
            "cited_as": self.cited_as,
            "title": self.title or None,
            "authors": list(self.authors),
            "year": self.year,
            "venue": self.venue or None,
            "url": self.url or None,
            "doi": self.doi or None,
            "source": self.source,
            "source_gone": self.source in self.gone,
        }


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a paper: code point offsets into `Paper.text`, end excluded."""

    paper_id: str
    ordinal: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole sentences of a paper that fits the embedder; offsets as for `Sentence`."""

    paper_id: str
    ordinal: int
    start: int
    end: int
    tokens: int

    @property
    def id(self) -> str:
        """The chunk's stable id, `paper id:ordinal`."""
        return f"{self.paper_id}:{self.ordinal}"


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved paper: its score, and why: its rank (1-based) and its signal in each ranking that found it.

    Signals are cosines ("vectors", "sentence") and BM25 ("words").
    """

    paper: Paper
    score: float
    ranks: Mapping[str, int] = field(default_factory=dict)
    signals: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields shown for a retrieved paper."""
        return {
            "paper_id": self.paper.id,
            "name": self.paper.name,
            "source": self.paper.source,
            "score": round(self.score, 6),
            "ranks": dict(self.ranks),
        }


@dataclass(frozen=True, slots=True)
class Citation:
    """A pointer from a sentence of an answer to the quoted words of a paper that it rests on.

    `paper.text[start:end] == quote` holds for every citation.
    """

    marker: int
    paper_id: str
    quote: str
    start: int
    end: int
    verdict: Verdict = "supported"
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the citation as JSON values."""
        return {
            "marker": self.marker,
            "paper_id": self.paper_id,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "verdict": self.verdict,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence of an answer with the citations that carry it."""

    text: str
    citations: tuple[Citation, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as JSON values."""
        return {"text": self.text, "citations": [c.to_dict() for c in self.citations]}


@dataclass(frozen=True, slots=True)
class Reference:
    """A cited paper and its number in the answer."""

    marker: int
    paper: Paper

    def to_dict(self) -> dict[str, Any]:
        """Return the reference as JSON values."""
        return {"marker": self.marker, "paper": self.paper.to_dict()}


@dataclass(frozen=True, slots=True)
class Cell:
    """What one paper says of one aspect, with citations; `text` is None when its abstract does not say."""

    text: str | None = None
    citations: tuple[Citation, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the cell as JSON values."""
        return {"text": self.text, "citations": [c.to_dict() for c in self.citations]}


@dataclass(frozen=True, slots=True)
class Table:
    """Papers compared by aspects: `papers` are ids in row order; every `cells[paper id][aspect]` is there."""

    papers: tuple[str, ...]
    aspects: tuple[str, ...]
    cells: Mapping[str, Mapping[str, Cell]]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {
            "papers": list(self.papers),
            "aspects": list(self.aspects),
            "cells": {p: {a: self.cells[p][a].to_dict() for a in self.aspects} for p in self.papers},
        }


@dataclass(frozen=True, slots=True)
class Section:
    """A theme of an overview: its heading, its sentences by place in the answer, how many papers it has."""

    heading: str
    sentence_indexes: tuple[int, ...]
    papers: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the section as JSON values."""
        return {
            "heading": self.heading,
            "sentence_indexes": list(self.sentence_indexes),
            "papers": self.papers,
        }


@dataclass(frozen=True, slots=True)
class Quotation:
    """A sentence of a paper, for whoever shows it: `paper.text[start:end] == quote`."""

    paper: Paper
    quote: str
    start: int
    end: int

    @classmethod
    def of(cls, paper: Paper, start: int, end: int) -> Quotation:
        """Quote the characters of a paper from `start` to `end`."""
        return cls(paper, paper.text[start:end], start, end)

    def to_dict(self) -> dict[str, Any]:
        """Return the paper and its sentence as JSON values."""
        return {"paper": self.paper.to_dict(), "quote": self.quote, "start": self.start, "end": self.end}


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many papers belong to a topic, and how many of them an overview uses."""

    used: int
    belong: int

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as JSON values."""
        return {"used": self.used, "belong": self.belong}


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was asked for: calls, tokens, and US dollars (None when the price is unknown)."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the usage as JSON values."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": self.cost_usd,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What every job returns: checked sentences, the references they cite, and all that was retrieved.

    A comparison has a `table`, an overview of a topic `sections`, `also_related` and `coverage`.
    """

    question: str
    status: Status
    engine: str = "extractive"
    standalone_question: str = ""
    sentences: tuple[AnswerSentence, ...] = ()
    references: tuple[Reference, ...] = ()
    hits: tuple[Hit, ...] = ()
    usage: Usage = Usage()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    table: Table | None = None
    sections: tuple[Section, ...] = ()
    also_related: tuple[Quotation, ...] = ()
    coverage: Coverage | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values, in the shape `--json` and the API promise."""
        return self._common() | self._of_a_comparison() | self._of_an_overview()

    def citations(self) -> Iterator[Citation]:
        """Yield every citation: of the sentences, then of the table, row by row."""
        for sentence in self.sentences:
            yield from sentence.citations
        for row in self.table.cells.values() if self.table is not None else ():
            for cell in row.values():
                yield from cell.citations

    def _common(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "standalone_question": self.standalone_question or self.question,
            "status": self.status,
            "engine": self.engine,
            "sentences": [s.to_dict() for s in self.sentences],
            "references": [r.to_dict() for r in self.references],
            "hits": [h.to_dict() for h in self.hits],
            "usage": self.usage.to_dict(),
            "timings_ms": {k: round(v, 2) for k, v in self.timings_ms.items()},
            "warnings": list(self.warnings),
        }

    def _of_a_comparison(self) -> dict[str, Any]:
        return {"table": self.table.to_dict()} if self.table is not None else {}

    def _of_an_overview(self) -> dict[str, Any]:
        if self.coverage is None:
            return {}
        return {
            "sections": [s.to_dict() for s in self.sections],
            "also_related": [r.to_dict() for r in self.also_related],
            "coverage": self.coverage.to_dict(),
        }
