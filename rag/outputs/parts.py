"""Parts of an answer: an answer comes in, the sections, quotes and doubts that outputs show go out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.counting import counted
from rag.domain import Answer, AnswerSentence, Cell, Citation, Coverage, Paper, Verdict
from rag.outputs.printable import one_line
from rag.outputs.wording import UNCITED, VERDICTS


@dataclass(frozen=True, slots=True)
class Part:
    """A run of an answer's sentences with their numbers (from 1); `heading` is empty outside the sections."""

    heading: str
    papers: int
    sentences: tuple[tuple[int, AnswerSentence], ...]


def parts(answer: Answer) -> Iterator[Part]:
    """Return what stands in no section first, then each section; no sentence is left out."""
    numbered = dict(enumerate(answer.sentences))
    inside = {index for section in answer.sections for index in section.sentence_indexes}
    loose = tuple((i + 1, s) for i, s in numbered.items() if i not in inside)
    if loose:
        yield Part("", 0, loose)
    for section in answer.sections:
        held = tuple((i + 1, numbered[i]) for i in section.sentence_indexes if i in numbered)
        yield Part(section.heading, section.papers, held)


def papers_by_id(answer: Answer) -> Mapping[str, Paper]:
    """Return every paper the answer knows of, cited or retrieved."""
    known = [hit.paper for hit in answer.hits]
    known += [related.paper for related in answer.also_related]
    known += [reference.paper for reference in answer.references]
    return {paper.id: paper for paper in known}


def markers_by_id(answer: Answer) -> Mapping[str, int]:
    """Return the number of each cited paper."""
    return {reference.paper.id: reference.marker for reference in answer.references}


def doubts(cited: AnswerSentence | Cell) -> tuple[str, ...]:
    """Return what is doubtful about a sentence or a filled cell, each doubt once."""
    if not cited.citations:
        return () if cited.text is None else (UNCITED,)
    return tuple(dict.fromkeys(_doubt(c) for c in cited.citations if c.verdict in VERDICTS))


def worst(cited: AnswerSentence | Cell) -> Verdict:
    """Return the worst verdict on a sentence or a filled cell; what cites nothing is unsupported."""
    verdicts = {citation.verdict for citation in cited.citations}
    if not cited.citations or "unsupported" in verdicts:
        return "unsupported"
    return "partial" if "partial" in verdicts else "supported"


def by_marker(cited: Sequence[Citation]) -> Mapping[int, tuple[Citation, ...]]:
    """Return the citations under each marker, in the order of use."""
    markers = dict.fromkeys(c.marker for c in cited)
    return {marker: tuple(c for c in cited if c.marker == marker) for marker in markers}


def coverage_line(coverage: Coverage) -> str:
    """Say how many of a topic's papers an overview uses."""
    verb = "belongs" if coverage.belong == 1 else "belong"
    return f"{counted(coverage.belong, 'paper')} {verb} here; {coverage.used} used."


def known(paper: Paper) -> str:
    """Return title, authors, venue, year and DOI of a paper on one line, as far as they are known."""
    title = "" if paper.title == paper.name else paper.title
    year = "" if paper.year is None else str(paper.year)
    doi = f"doi:{paper.doi}" if paper.doi else ""
    return " · ".join(filter(None, (title, ", ".join(paper.authors), paper.venue, year, doi)))


def understood(answer: Answer) -> str:
    """Return how the question was understood, empty when that is how it was asked."""
    meant = one_line(answer.standalone_question)
    return "" if meant == one_line(answer.question) else meant


def _doubt(citation: Citation) -> str:
    because = f": {one_line(citation.reason)}" if citation.reason else ""
    return f"{VERDICTS[citation.verdict]} by [{citation.marker}]{because}"
