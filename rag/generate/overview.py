"""Write an overview in the papers' own words: papers in groups with headings → a lead, and sections."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.evidence.candidates import Candidate
from rag.generate import DraftSentence, Span
from rag.generate.weaving import Weave, listed, named_quote, span_of
from rag.text.clauses import clause
from rag.text.words import content_terms

# Of a group the first papers are quoted each in a sentence, some of the others together in one more.
_QUOTED, _TOGETHER = 2, 8
_BRIEF_WORDS = 16
_NAMED = 6  # papers that the lead names
_MOST_OF_IT = 0.5
_LONGEST_RUN = 8  # words of a topic that are looked for together
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Grouped:
    """A heading and its papers, the most telling first, each with the sentence to be quoted.

    `of` counts the papers of the group, of which these may be only some.
    """

    heading: str
    papers: tuple[tuple[Candidate, int], ...]
    of: int


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic in words, and how much each of its index terms tells, by how rare it is."""

    words: str
    rarity: Mapping[str, float]

    def written_in(self, text: str) -> str:
        """Return the words of the topic as `text` writes them, "" when it has less than half of them."""
        wanted = [word.casefold() for word in _WORD.findall(self.words)]
        found = list(_WORD.finditer(text))
        told = self.words.casefold()
        for size in range(min(len(wanted), len(found), _LONGEST_RUN), 0, -1):
            rows = {tuple(wanted[i : i + size]) for i in range(len(wanted) - size + 1)}
            for first in range(len(found) - size + 1):
                some = found[first : first + size]
                if tuple(word[0].casefold() for word in some) in rows:
                    written = text[some[0].start() : some[-1].end()]
                    if written.casefold() in told and self._tells(written):
                        return written
        return ""

    def _tells(self, words: str) -> bool:
        total = sum(self.rarity.values())
        told = sum(self.rarity.get(term, 0.0) for term in set(content_terms(words)))
        return told >= _MOST_OF_IT * total > 0


def lead_on_topic(topic: Topic, groups: Sequence[Grouped], library: int) -> DraftSentence:
    """Say how many papers deal with a topic, and quote the words of the topic from each that has them."""
    papers = [paper for group in groups for paper in group.papers]
    count = sum(group.of for group in groups)
    deal = "deals" if count == 1 else "deal"
    weave = Weave().say(f"{count} of the {library} papers here {deal} with {topic.words}: ")
    shown = papers[:_NAMED]
    pieces = [_named(weave, candidate, sentence, topic) for candidate, sentence in shown]
    more = count - len(shown)
    return weave.say(f"{', '.join(pieces)} and {more} more" if more else listed(pieces)).say(".").done()


def _named(weave: Weave, candidate: Candidate, sentence: int, topic: Topic) -> str:
    """Return how the lead names a paper: alone if it has the topic's words, else with a few of its own."""
    for i in (sentence, *range(len(candidate.sentences))):
        if written := topic.written_in(candidate.text(i)):
            weave.rest_on(written, span_of(candidate, i))
            return candidate.paper.name
    text = candidate.text(sentence)
    start, end = clause(text, words=_BRIEF_WORDS)
    weave.rest_on(text[start:end], span_of(candidate, sentence))
    return f"{candidate.paper.name} (“{text[start:end]}”)"


def lead_on_library(groups: Sequence[Grouped], library: int) -> DraftSentence:
    """Say what a library is about: its themes with their numbers of papers."""
    weave = Weave()
    pieces = [_theme(weave, group) for group in groups]
    papers = "The 1 paper here is on" if library == 1 else f"The {library} papers here fall into"
    themes = "1 theme" if len(groups) == 1 else f"{len(groups)} themes"
    return weave.say(f"{papers} {themes}: {listed(pieces)}.").done()


def _theme(weave: Weave, group: Grouped) -> str:
    """Return how the lead names a theme: its heading, and where no paper writes that, a paper's own words."""
    if (found := _heading_in(group)) is not None:
        weave.rest_on(*found)
        return f"{group.heading} ({group.of})"
    candidate, i = group.papers[0]
    start, end = clause(candidate.text(i), words=_BRIEF_WORDS)
    words = candidate.text(i)[start:end]
    weave.rest_on(words, span_of(candidate, i))
    return f"{group.heading} ({group.of}), such as “{words}”"


def _heading_in(group: Grouped) -> tuple[str, Span] | None:
    """Return words of the heading as a paper of the group writes them, and where."""
    parts = [re.compile(re.escape(part.strip()), re.IGNORECASE) for part in group.heading.split(",")]
    for candidate, _ in group.papers:
        for i in range(len(candidate.sentences)):
            for part in parts:
                if part.pattern and (found := part.search(candidate.text(i))):
                    return found[0], span_of(candidate, i)
    return None


def section(group: Grouped) -> tuple[DraftSentence, ...]:
    """Quote the first papers of a group one by one, and some others together."""
    alone, others = group.papers[:_QUOTED], group.papers[_QUOTED : _QUOTED + _TOGETHER]
    sentences = [named_quote(candidate, i) for candidate, i in alone]
    if len(others) == 1:
        sentences.append(named_quote(*others[0]))
    elif others:
        sentences.append(_together(others))
    return tuple(sentences)


def _together(papers: Sequence[tuple[Candidate, int]]) -> DraftSentence:
    weave = Weave().say("Also: ")
    for place, (candidate, i) in enumerate(papers):
        text = candidate.text(i)
        start, end = clause(text, words=_BRIEF_WORDS)
        weave.say("; " if place else "").say(f"{candidate.paper.name} ")
        weave.quote(text[start:end], span_of(candidate, i))
    return weave.say(".").done()
