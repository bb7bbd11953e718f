"""Answers that were kept: the JSON of one and the papers of the library come in, an `Answer` goes out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rag.domain import (
    Answer,
    AnswerSentence,
    Cell,
    Citation,
    Coverage,
    Hit,
    Paper,
    Quotation,
    Reference,
    Section,
    Table,
    Usage,
)

Json = Mapping[str, Any]
Papers = Mapping[str, Paper]


def cited(data: Json) -> tuple[str, ...]:
    """Return the ids of the papers an answer cites or shows, each once, given its JSON."""
    shown = [*data["references"], *data.get("also_related", ())]
    return tuple(dict.fromkeys(str(entry["paper"]["id"]) for entry in shown))


def restored(data: Json, papers: Papers) -> Answer:
    """Rebuild an answer from what `Answer.to_dict` gave, with `papers` by id.

    A paper that is not among them is made of what the JSON says of it, without a text.
    Raises KeyError, TypeError, ValueError or AttributeError where the JSON is not that of an answer.
    """
    asked, stood = str(data["question"]), str(data["standalone_question"])
    table, coverage = data.get("table"), data.get("coverage")
    return Answer(
        question=asked,
        status=data["status"],
        engine=str(data["engine"]),
        standalone_question=stood,
        sentences=tuple(_sentence(sentence) for sentence in data["sentences"]),
        references=tuple(Reference(r["marker"], _paper(r["paper"], papers)) for r in data["references"]),
        hits=tuple(_hit(hit, papers) for hit in data["hits"]),
        usage=Usage(**data["usage"]),
        timings_ms=dict(data["timings_ms"]),
        warnings=tuple(map(str, data["warnings"])),
        table=_table(table) if table is not None else None,
        sections=tuple(_section(section) for section in data.get("sections", ())),
        also_related=tuple(_related(related, papers) for related in data.get("also_related", ())),
        coverage=Coverage(**coverage) if coverage is not None else None,
    )


def _paper(data: Json, papers: Papers) -> Paper:
    return papers.get(data["id"]) or Paper(
        id=data["id"],
        name=data["name"],
        text="",
        title=data["title"] or "",
        authors=tuple(data["authors"]),
        year=data["year"],
        venue=data["venue"] or "",
        url=data["url"] or "",
        doi=data["doi"] or "",
        sources=(data["source"],),
        gone=(data["source"],) if data["source_gone"] else (),
    )


def _hit(data: Json, papers: Papers) -> Hit:
    source = data["source"]
    paper = papers.get(data["paper_id"]) or Paper(data["paper_id"], data["name"], "", sources=(source,))
    return Hit(paper, data["score"], dict(data["ranks"]))


def _sentence(data: Json) -> AnswerSentence:
    return AnswerSentence(data["text"], _citations(data))


def _citations(data: Json) -> tuple[Citation, ...]:
    return tuple(Citation(**citation) for citation in data["citations"])


def _table(data: Json) -> Table:
    cells = {
        paper: {aspect: Cell(cell["text"], _citations(cell)) for aspect, cell in row.items()}
        for paper, row in data["cells"].items()
    }
    return Table(tuple(data["papers"]), tuple(data["aspects"]), cells)


def _section(data: Json) -> Section:
    return Section(data["heading"], tuple(data["sentence_indexes"]), data["papers"])


def _related(data: Json, papers: Papers) -> Quotation:
    return Quotation(_paper(data["paper"], papers), data["quote"], data["start"], data["end"])
