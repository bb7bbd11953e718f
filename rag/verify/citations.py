"""Resolve and locate citations: draft sentences with spans → answer sentences with numbered, quoted citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rag.domain import AnswerSentence, Citation, Paper, Reference, Verdict
from rag.generate import DraftSentence, Span


def check(
    sentences: Sequence[DraftSentence], papers: Mapping[str, Paper]
) -> tuple[tuple[AnswerSentence, ...], tuple[Reference, ...]]:
    """Return the sentences with their citations, and the references in the order they are first cited."""
    markers: dict[str, int] = {}
    for sentence in sentences:
        for span in sentence.spans:
            markers.setdefault(span.paper_id, len(markers) + 1)
    checked = tuple(
        AnswerSentence(s.text, tuple(_cite(s.text, span, papers, markers) for span in s.spans))
        for s in sentences
    )
    references = tuple(Reference(marker, papers[paper_id]) for paper_id, marker in markers.items())
    return checked, references


def _cite(text: str, span: Span, papers: Mapping[str, Paper], markers: Mapping[str, int]) -> Citation:
    quote = papers[span.paper_id].text[span.start : span.end]
    verdict, reason = _judge(text, quote)
    return Citation(markers[span.paper_id], span.paper_id, quote, span.start, span.end, verdict, reason)


def _judge(text: str, quote: str) -> tuple[Verdict, str]:
    if quote and quote in text:
        return "supported", "quoted word for word"
    return "unsupported", "the sentence is not a quotation of the paper"
