"""Evidence → a draft answer: sentences, each with the spans of the papers it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from rag.domain import Status


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a paper's text: code point offsets, end excluded."""

    paper_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words within a sentence that are a paper's own, and the span they are taken from."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """A sentence that has not been checked yet, with what it is said to rest on.

    A sentence that is woven of quotations names them in `quoted`; its other words are the program's own.
    """

    text: str
    spans: tuple[Span, ...]
    quoted: tuple[Quoted, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that has not been checked yet."""

    status: Status
    sentences: tuple[DraftSentence, ...] = ()
    warnings: tuple[str, ...] = ()


NOT_FOUND = Draft("not_found")
