"""Have a chat model write an overview: it groups papers, then writes each section; all is checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.domain import AnswerSentence, Coverage, Reference
from rag.errors import BudgetError, ModelError
from rag.evidence.candidates import Candidate
from rag.evidence.fencing import as_data
from rag.evidence.packing import Packed, pack_chosen
from rag.generate.cells import Group, read_groups
from rag.generate.overview import Grouped
from rag.generate.pricing import Bill
from rag.generate.replies import read_answer
from rag.jobs.laying import cited, in_sections
from rag.jobs.passage import Passage
from rag.jobs.repairing import checked, citing, fails
from rag.jobs.writing import ModelWriter

_ON_LIBRARY = "what these papers are about"
_SENTENCES = 3  # of each paper that are shown


@dataclass(frozen=True, slots=True)
class _Written:
    """A section as the model wrote it, checked, and what a reader must know of it."""

    heading: str
    sentences: tuple[AnswerSentence, ...]
    papers: int
    warnings: tuple[str, ...]


def outlined(
    topic: str, groups: Sequence[Grouped], quoted: Passage, writer: ModelWriter, bill: Bill
) -> Passage:
    """Return the overview in a model's words; the lead, and a section that fails, stay quotations.

    An empty `topic` is the whole library: its themes stay as they are. Raises ModelError when there is
    nothing to be had of the model, BudgetError before it costs too much.
    """
    grouping = groups if not topic or len(groups) < 2 else _regrouped(topic, groups, writer, bill)
    written = [_section(topic, group, quoted, writer, bill) for group in grouping]
    parts = [part for part in written if part.sentences]
    if not parts:
        return quoted
    every = [quoted.sentences[0], *(sentence for part in parts for sentence in part.sentences)]
    sentences, references = _numbered(every, groups)
    warnings = tuple(warning for part in written for warning in part.warnings)
    belong = quoted.coverage.belong if quoted.coverage is not None else 0
    return replace(
        quoted,
        engine=writer.chat.engine,
        status="partial" if any(map(fails, sentences)) else "answered",
        sentences=sentences,
        references=references,
        sections=in_sections(
            [part.heading for part in parts],
            [len(part.sentences) for part in parts],
            [part.papers for part in parts],
        ),
        warnings=(*quoted.warnings, *warnings),
        coverage=Coverage(len(cited(sentences)), belong),
    )


def _packed(papers: Sequence[tuple[Candidate, int]], writer: ModelWriter) -> Packed:
    return pack_chosen(papers, _SENTENCES, writer.evidence_tokens, writer.chat.encoding)


def _regrouped(topic: str, groups: Sequence[Grouped], writer: ModelWriter, bill: Bill) -> Sequence[Grouped]:
    """Have the model put the papers under headings; those it leaves out are not used."""
    papers = {c.paper.id: (c, i) for group in groups for c, i in group.papers}
    packed = _packed(list(papers.values()), writer)
    values = {"topic": as_data(topic), "papers": packed.text, "fence": packed.fence}
    found = writer.chat.ask(writer.prompts.prompt("topic_outline"), values, read_groups, bill).value
    used: set[str] = set()
    regrouped = []
    for group in found:
        members = [papers[paper_id] for paper_id in _members(group, packed) if paper_id not in used]
        used.update(candidate.paper.id for candidate, _ in members)
        if members:
            regrouped.append(Grouped(group.heading, tuple(members), len(members)))
    return regrouped or groups


def _members(group: Group, packed: Packed) -> list[str]:
    numbered = (packed.paper(number) for number in group.papers)
    return list(dict.fromkeys(paper.paper.id for paper in numbered if paper is not None))


def _section(topic: str, group: Grouped, quoted: Passage, writer: ModelWriter, bill: Bill) -> _Written:
    """Have the model write one section; where that fails, say so and quote."""
    packed = _packed(group.papers, writer)
    asked = topic or _ON_LIBRARY
    values = {
        "topic": as_data(asked),
        "heading": as_data(group.heading),
        "papers": packed.text,
        "fence": packed.fence,
    }
    try:
        outcome = writer.chat.ask(writer.prompts.prompt("topic_section"), values, read_answer, bill)
    except (ModelError, BudgetError) as error:
        if not bill.usage.calls:
            raise
        why = f"The section “{group.heading}” is quoted, for the model did not write it: {error.message}"
        return _Written(group.heading, _quotations(group, quoted), group.of, (why,))
    question = f"{asked}: {group.heading}"
    found = citing(
        checked(outcome.value.sentences, packed, question, writer.chat, writer.prompts, bill, writer.embed)
    )
    cut = (f"The section “{group.heading}” is not whole: {outcome.cut}.",) if outcome.cut else ()
    sentences = found.sentences or _quotations(group, quoted)
    return _Written(group.heading, sentences, group.of, (*found.warnings, *cut))


def _quotations(group: Grouped, quoted: Passage) -> tuple[AnswerSentence, ...]:
    """Return the sentences of the overview in quotations that cite papers of a group and no others."""
    own = {candidate.paper.id for candidate, _ in group.papers}
    return tuple(s for s in quoted.sentences[1:] if cited([s]) and cited([s]) <= own)


def _numbered(
    sentences: Sequence[AnswerSentence], groups: Sequence[Grouped]
) -> tuple[tuple[AnswerSentence, ...], tuple[Reference, ...]]:
    """Number the papers in the order they are first cited."""
    papers = {c.paper.id: c.paper for group in groups for c, _ in group.papers}
    order = dict.fromkeys(c.paper_id for sentence in sentences for c in sentence.citations)
    markers = {paper_id: number for number, paper_id in enumerate(order, 1)}
    renumbered = tuple(
        replace(s, citations=tuple(replace(c, marker=markers[c.paper_id]) for c in s.citations))
        for s in sentences
    )
    return renumbered, tuple(Reference(number, papers[paper_id]) for paper_id, number in markers.items())
