"""What clients get, as the description of the interface shows it: the JSON of answers, papers and problems.

These shapes only describe: what is sent comes from `to_dict`, and a test holds the two together.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class PaperShape(BaseModel):
    """A cited paper."""

    id: str
    name: str
    cited_as: str
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    url: str | None
    doi: str | None
    source: str
    source_gone: bool


class CitationShape(BaseModel):
    """The words a sentence rests on: `text[start:end] == quote` of the paper, in code points."""

    marker: int
    paper_id: str
    quote: str
    start: int
    end: int
    verdict: Literal["supported", "partial", "unsupported"]
    reason: str


class SentenceShape(BaseModel):
    """A sentence of an answer."""

    text: str
    citations: list[CitationShape]


class ReferenceShape(BaseModel):
    """A cited paper with its number."""

    marker: int
    paper: PaperShape


class HitShape(BaseModel):
    """A paper that was found, and its place in each ranking."""

    paper_id: str
    name: str
    source: str
    score: float
    ranks: dict[str, int]


class UsageShape(BaseModel):
    """What a chat model was asked for; `cost_usd` is null where no price is known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


class CellShape(BaseModel):
    """A cell of a table; `text` is null where the abstract does not say."""

    text: str | None
    citations: list[CitationShape]


class TableShape(BaseModel):
    """Papers (ids, in the order of the rows) compared by aspects."""

    papers: list[str]
    aspects: list[str]
    cells: dict[str, dict[str, CellShape]]


class SectionShape(BaseModel):
    """A theme of an overview, with the places of its sentences in the answer."""

    heading: str
    sentence_indexes: list[int]
    papers: int


class RelatedShape(BaseModel):
    """A paper that only touches on the topic."""

    paper: PaperShape
    quote: str
    start: int
    end: int


class CoverageShape(BaseModel):
    """How many papers belong to the topic, and how many are used."""

    used: int
    belong: int


class AnswerShape(BaseModel):
    """An answer; `table` is there for comparisons, the last three for overviews."""

    question: str
    standalone_question: str
    status: Literal["answered", "partial", "not_found"]
    engine: str
    sentences: list[SentenceShape]
    references: list[ReferenceShape]
    hits: list[HitShape]
    usage: UsageShape
    timings_ms: dict[str, float]
    warnings: list[str]
    table: TableShape | None = None
    sections: list[SectionShape] | None = None
    also_related: list[RelatedShape] | None = None
    coverage: CoverageShape | None = None


class JobShape(BaseModel):
    """Files being read: how far it is; in the end `report`, or `problem`."""

    id: str
    status: Literal["waiting", "running", "done", "failed"]
    file: str
    position: int
    files: int
    added: int
    unchanged: int
    report: dict[str, Any] | None
    problem: dict[str, Any] | None


class ProblemShape(BaseModel):
    """What went wrong (RFC 9457), and what to do."""

    type: str
    title: str
    status: int
    detail: str
    kind: str
    hint: str = ""
    errors: list[str] = []
