"""Resolve, locate and judge citations: draft sentences with spans → answer sentences with verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rag.domain import AnswerSentence, Citation, Paper, Reference, Verdict
from rag.embedders import Vectors
from rag.generate import DraftSentence, Span
from rag.verify.judge import Judgeable, Judgement, Words, judge
from rag.verify.parting import parted

_RANK: Mapping[Verdict, int] = {"supported": 2, "partial": 1, "unsupported": 0}
_PART = "it says a part of this"
_OWN_PART = "it says what is said of it"
Embed = Callable[[str], Vectors]


def check(
    sentences: Sequence[DraftSentence],
    papers: Mapping[str, Paper],
    prepared: Mapping[str, Judgeable] | None = None,
    embed: Embed | None = None,
    references: Sequence[Reference] = (),
) -> tuple[tuple[AnswerSentence, ...], tuple[Reference, ...]]:
    """Return the sentences with their citations, and the references in the order they are first cited.

    References given keep their numbers and stand before the others, cited or not.

    A quotation is taken as it is, and one woven of quotations by these; any other sentence is judged against
    the abstracts it cites: by words, and
    with `prepared` papers (by id) and `embed` by meaning too.
    """
    markers = {reference.paper.id: reference.marker for reference in references}
    for sentence in sentences:
        for span in sentence.spans:
            markers.setdefault(span.paper_id, len(markers) + 1)
    checked = tuple(
        AnswerSentence(s.text, _citations(s, papers, prepared or {}, embed, markers)) for s in sentences
    )
    return checked, tuple(Reference(marker, papers[paper_id]) for paper_id, marker in markers.items())


def _citations(
    sentence: DraftSentence,
    papers: Mapping[str, Paper],
    prepared: Mapping[str, Judgeable],
    embed: Embed | None,
    markers: Mapping[str, int],
) -> tuple[Citation, ...]:
    if sentence.quoted:
        return tuple(_cite_woven(sentence, span, papers, markers) for span in sentence.spans)
    if all(_quoted(sentence.text, span, papers) for span in sentence.spans):
        judged = {}
    else:
        cited = {s.paper_id: prepared.get(s.paper_id) or Words.of(papers[s.paper_id]) for s in sentence.spans}
        judged = judge_together(sentence.text, cited, embed(sentence.text) if embed else None, embed)
    return tuple(_cite(sentence, span, papers, judged, markers) for span in sentence.spans)


def judge_together(
    text: str, cited: Mapping[str, Judgeable], vector: Vectors | None, embed: Embed | None = None
) -> dict[str, Judgement]:
    """Judge a sentence against each paper it cites, by id; what several say together, each says a part of.

    Where it says something of each paper on its own, each part is judged against its own paper.
    """
    judged = {paper_id: judge(text, paper, vector) for paper_id, paper in cited.items()}
    if len(judged) < 2:
        return judged
    parts = parted(text, [paper.paper for paper in cited.values()])
    own = {p: judge(part, cited[p], embed(part) if embed else None) for p, part in parts.items()}
    if own and all(judgement.verdict == "supported" for judgement in own.values()):
        return {p: replace(judgement, reason=_OWN_PART) for p, judgement in own.items()}
    best = max(_RANK[j.verdict] for j in judged.values())
    return {paper_id: _as_part(j, best) for paper_id, j in judged.items()}


def _as_part(judgement: Judgement, best: int) -> Judgement:
    """Raise a paper that merely lacks what another paper of the same sentence says."""
    if judgement.verdict != "unsupported" or judgement.layer not in ("support", "name") or best < 1:
        return judgement
    return Judgement("partial", _PART, judgement.spans, judgement.chance, judgement.layer, judgement.quoted)


def _cite(
    sentence: DraftSentence,
    span: Span,
    papers: Mapping[str, Paper],
    judged: Mapping[str, Judgement],
    markers: Mapping[str, int],
) -> Citation:
    start, end = span.start, span.end
    if _quoted(sentence.text, span, papers):
        verdict: Verdict = "supported"
        reason = "quoted word for word"
    else:
        judgement = judged[span.paper_id]
        verdict, reason = judgement.verdict, judgement.reason
        if verdict == "supported" and not _points_there(sentence, span.paper_id, judgement):
            # The paper says it, but not where the draft points: point there instead.
            start, end = judgement.quoted
    quote = papers[span.paper_id].text[start:end]
    return Citation(markers[span.paper_id], span.paper_id, quote, start, end, verdict, reason)


def _cite_woven(
    sentence: DraftSentence, span: Span, papers: Mapping[str, Paper], markers: Mapping[str, int]
) -> Citation:
    """Cite for a sentence woven of quotations: each must stand in it, and in the span it is from."""
    quote = papers[span.paper_id].text[span.start : span.end]
    # A phrase may begin a sentence in one paper and stand within one in another.
    told, words = sentence.text.casefold(), [q.text for q in sentence.quoted if q.span == span]
    holds = bool(words) and all(text and text in quote and text.casefold() in told for text in words)
    verdict: Verdict = "supported" if holds else "unsupported"
    reason = "the words quoted stand there word for word" if holds else "the words quoted do not stand there"
    return Citation(markers[span.paper_id], span.paper_id, quote, span.start, span.end, verdict, reason)


def _points_there(sentence: DraftSentence, paper_id: str, judgement: Judgement) -> bool:
    """Tell whether the spans of a sentence reach every sentence of the paper it rests on."""
    spans = [s for s in sentence.spans if s.paper_id == paper_id]
    return all(any(a < s.end and s.start < b for s in spans) for a, b in judgement.spans)


def _quoted(text: str, span: Span, papers: Mapping[str, Paper]) -> bool:
    """Tell whether a sentence is a quotation and nothing else, but for the name of the paper before it.

    Words around a quotation can turn it into its opposite.
    """
    paper = papers[span.paper_id]
    quote = paper.text[span.start : span.end]
    return bool(quote) and text.strip() in (quote, f"{paper.name}: {quote}")
