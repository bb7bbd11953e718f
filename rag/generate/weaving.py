"""Weave a sentence of the papers' own words and a few of the program's: pieces in, a draft sentence out.

What stands in quotation marks is a paper's own. The words between say only what the program itself has
established, such as that two abstracts use a phrase.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.evidence.candidates import Candidate
from rag.generate import DraftSentence, Quoted, Span


class Weave:
    """A sentence in the making."""

    def __init__(self) -> None:
        self._text = ""
        self._quoted: list[Quoted] = []

    def say(self, words: str) -> Weave:
        """Add words of the program."""
        self._text += words
        return self

    def quote(self, words: str, span: Span) -> Weave:
        """Add words of a paper, in quotation marks; they must stand in the span."""
        self._text += f"“{words}”"
        return self.rest_on(words, span)

    def rest_on(self, words: str, span: Span) -> Weave:
        """Name words of a paper that the sentence holds already, in whatever capitals."""
        self._quoted.append(Quoted(words, span))
        return self

    def done(self) -> DraftSentence:
        """Return the sentence with the spans it rests on."""
        spans = dict.fromkeys(piece.span for piece in self._quoted)
        return DraftSentence(self._text, tuple(spans), tuple(self._quoted))


def listed(names: Sequence[str]) -> str:
    """Return names as a row of words: `A, B and C`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def span_of(candidate: Candidate, sentence: int) -> Span:
    """Return the span of a sentence in its paper's text."""
    found = candidate.sentences[sentence]
    return Span(found.paper_id, found.start, found.end)


def named_quote(candidate: Candidate, sentence: int) -> DraftSentence:
    """Return a sentence of a paper after the paper's name."""
    text = f"{candidate.paper.name}: {candidate.text(sentence)}"
    return DraftSentence(text, (span_of(candidate, sentence),))
