"""Find what a model's citation numbers mean: sentences as written and the packed evidence → spans of papers.

A number that leads nowhere is reported, never guessed at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag.domain import Sentence
from rag.evidence.packing import Packed, PackedPaper
from rag.generate import DraftSentence, Span
from rag.generate.replies import Written
from rag.text.words import content_terms

_CITE = re.compile(
    r"(?:(?:paper|sentence|source|p|s)?\.?\s*)(?P<paper>\d{1,4})(?:[.:](?P<sentence>\d{1,4}))?", re.IGNORECASE
)
# A citation of a whole paper is located at this many of its sentences.
_LOCATED = 2


@dataclass(frozen=True, slots=True)
class Cited:
    """A sentence with the spans its numbers mean; `unknown` are the numbers that lead nowhere."""

    draft: DraftSentence
    unknown: tuple[str, ...] = ()


def resolve(written: Written, packed: Packed) -> Cited:
    """Turn numbers into spans: `2.3` is a sentence, `2` the sentences of paper 2 that come nearest."""
    spans: dict[Span, None] = {}
    unknown = []
    for cite in written.cites:
        found = list(_meant(cite, written.text, packed))
        spans.update(dict.fromkeys(found))
        if not found:
            unknown.append(cite)
    return Cited(DraftSentence(written.text, tuple(spans)), tuple(unknown))


def _meant(cite: str, text: str, packed: Packed) -> Iterable[Span]:
    match = _CITE.fullmatch(cite.strip())
    paper = packed.paper(int(match["paper"])) if match else None
    if match is None or paper is None:
        return ()
    if match["sentence"] is None:
        return [_span(s) for s in _nearest(text, paper)]
    sentence = paper.sentence(int(match["sentence"]))
    return () if sentence is None else (_span(sentence),)


def _nearest(text: str, paper: PackedPaper) -> list[Sentence]:
    """Return the shown sentences that together hold most words of `text`, in the order of the abstract."""
    missing = set(content_terms(text))
    chosen: list[int] = []
    while len(chosen) < _LOCATED:
        left = [i for i in paper.shown if i not in chosen]
        gains = {i: len(missing & paper.candidate.words[i]) for i in left}
        best = max(left, key=lambda i: gains[i], default=None)
        if best is None or (chosen and not gains[best]):
            break
        chosen.append(best)
        missing -= paper.candidate.words[best]
    return [paper.candidate.sentences[i] for i in sorted(chosen)]


def _span(sentence: Sentence) -> Span:
    return Span(sentence.paper_id, sentence.start, sentence.end)
