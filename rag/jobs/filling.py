"""Have a chat model compare papers: it fills the table and says what sets them apart; both are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag.domain import AnswerSentence, Paper, Reference
from rag.errors import BudgetError, ModelError
from rag.evidence.aspects import Aspect
from rag.evidence.candidates import Candidate
from rag.evidence.fencing import as_data
from rag.evidence.packing import Packed, pack_whole
from rag.generate import DraftSentence
from rag.generate.cells import WrittenCell, read_cells
from rag.generate.citing import resolve
from rag.generate.pricing import Bill
from rag.generate.replies import read_answer
from rag.jobs.passage import Passage
from rag.jobs.repairing import checked, citing, fails
from rag.jobs.tabling import table_of
from rag.jobs.writing import ModelWriter
from rag.verify.citations import check

_NOT_STATED = "not stated"


@dataclass(frozen=True, slots=True)
class Filled:
    """The cells that stood the check, by paper id and aspect, and what a reader must know of the others."""

    cells: Mapping[tuple[str, str], AnswerSentence]
    warnings: tuple[str, ...]


def filled_in(
    candidates: Sequence[Candidate],
    aspects: Sequence[Aspect],
    quoted: Passage,
    writer: ModelWriter,
    bill: Bill,
) -> Passage:
    """Return the comparison in a model's words; `quoted` is the same in quotations, for what fails.

    Raises ModelError when the table cannot be had, BudgetError before it costs too much.
    """
    packed = pack_whole(candidates, writer.evidence_tokens, writer.chat.encoding)
    papers = [candidate.paper for candidate in candidates]
    table = _filled(packed, papers, aspects, quoted, writer, bill)
    passage = replace(
        quoted,
        engine=writer.chat.engine,
        table=table_of(papers, aspects, table.cells),
        warnings=(*quoted.warnings, *table.warnings),
    )
    try:
        return _summed_up(passage, packed, papers, writer, bill)
    except (ModelError, BudgetError) as error:
        why = f"The sentences below the table are quotations, for the model wrote none: {error.message}"
        return replace(passage, warnings=(*passage.warnings, why))


def _filled(
    packed: Packed,
    papers: Sequence[Paper],
    aspects: Sequence[Aspect],
    quoted: Passage,
    writer: ModelWriter,
    bill: Bill,
) -> Filled:
    names = ", ".join(as_data(a.name) for a in aspects)
    values = {"papers": packed.text, "fence": packed.fence, "aspects": names}
    outcome = writer.chat.ask(writer.prompts.prompt("compare_cells"), values, read_cells, bill)
    known = {(p.paper.id, a.name.casefold()): a.name for p in packed.papers for a in aspects}
    drafts: dict[tuple[str, str], DraftSentence] = {}
    for cell in outcome.value:
        paper = packed.paper(cell.paper)
        name = known.get((paper.paper.id, cell.aspect.casefold()), "") if paper else ""
        if paper and name and cell.said is not None:
            drafts[paper.paper.id, name] = _own_spans(cell, packed, paper.paper.id)
    warnings = [f"The table is not whole: {outcome.cut}."] if outcome.cut else []
    return _standing(drafts, packed, papers, quoted, writer, tuple(warnings))


def _own_spans(cell: WrittenCell, packed: Packed, paper_id: str) -> DraftSentence:
    """Return the cell with the sentences of its own paper that it cites; those of others do not count."""
    assert cell.said is not None
    draft = resolve(cell.said, packed).draft
    return replace(draft, spans=tuple(span for span in draft.spans if span.paper_id == paper_id))


def _standing(
    drafts: Mapping[tuple[str, str], DraftSentence],
    packed: Packed,
    papers: Sequence[Paper],
    quoted: Passage,
    writer: ModelWriter,
    warnings: tuple[str, ...],
) -> Filled:
    """Keep the cells that their own paper supports; a quotation takes the place of one that fails."""
    prepared = {p.paper.id: p.candidate for p in packed.papers}
    by_id = {paper.id: paper for paper in papers}
    numbered = [Reference(number, paper) for number, paper in enumerate(papers, 1)]
    sentences, _ = check(tuple(drafts.values()), by_id, prepared, writer.embed, numbered)
    cells = dict(zip(drafts, sentences, strict=True))
    unseen = [(paper.id, name) for paper in papers if paper.id not in prepared for name in _aspects(quoted)]
    cells |= {key: cell for key in unseen if (cell := _quotation(key, quoted)) is not None}
    failing = {key: cell for key, cell in cells.items() if fails(cell)}
    for key in failing:
        del cells[key]
        if (quotation := _quotation(key, quoted)) is not None:
            cells[key] = quotation
    why = tuple(
        f"{by_id[paper_id].name}, {aspect}: what the model wrote is not in the abstract"
        f" (“{cell.text[:80]}”); it is {'quoted instead' if (paper_id, aspect) in cells else 'left out'}."
        for (paper_id, aspect), cell in failing.items()
    )
    if unseen:
        why += ("Not every paper fitted the budget: some rows are quoted. Raise RAG_EVIDENCE_TOKENS.",)
    return Filled(cells, (*warnings, *why))


def _aspects(quoted: Passage) -> tuple[str, ...]:
    return quoted.table.aspects if quoted.table is not None else ()


def _quotation(key: tuple[str, str], quoted: Passage) -> AnswerSentence | None:
    assert quoted.table is not None
    cell = quoted.table.cells[key[0]][key[1]]
    return None if cell.text is None else AnswerSentence(cell.text, cell.citations)


def _summed_up(
    passage: Passage,
    packed: Packed,
    papers: Sequence[Paper],
    writer: ModelWriter,
    bill: Bill,
) -> Passage:
    values = {"papers": packed.text, "fence": packed.fence, "table": _as_text(passage, packed)}
    outcome = writer.chat.ask(writer.prompts.prompt("compare_summary"), values, read_answer, bill)
    if not outcome.value.sentences:
        return passage
    question = f"Compare {', '.join(paper.name for paper in papers)}"
    found = citing(
        checked(outcome.value.sentences, packed, question, writer.chat, writer.prompts, bill, writer.embed)
    )
    if not found.sentences:
        return replace(passage, warnings=(*passage.warnings, *found.warnings))
    whole = not outcome.cut and not any(map(fails, found.sentences))
    cut = (f"The answer is not whole: {outcome.cut}.",) if outcome.cut else ()
    return replace(
        passage,
        status="answered" if whole else "partial",
        sentences=_renumbered(found.sentences, papers),
        warnings=(*passage.warnings, *found.warnings, *cut),
        verify_ms=passage.verify_ms + found.verify_s * 1e3,
    )


def _as_text(passage: Passage, packed: Packed) -> str:
    assert passage.table is not None
    lines = []
    for paper in packed.papers:
        row = passage.table.cells[paper.paper.id]
        cells = (f"{as_data(name)}: {as_data(cell.text or _NOT_STATED)}" for name, cell in row.items())
        lines.append(f"Paper {paper.number} – {' | '.join(cells)}")
    return "\n".join(lines)


def _renumbered(sentences: Sequence[AnswerSentence], papers: Sequence[Paper]) -> tuple[AnswerSentence, ...]:
    """Give each citation the number of its paper's row."""
    rows = {paper.id: number for number, paper in enumerate(papers, 1)}
    return tuple(
        replace(s, citations=tuple(replace(c, marker=rows[c.paper_id]) for c in s.citations))
        for s in sentences
    )
