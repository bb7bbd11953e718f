"""Check a draft or a list of claims: sentences and what they cite → verdict, quote and reason for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from rag.domain import Hit, Quotation, Verdict
from rag.embedders import Vectors
from rag.evidence.candidates import Candidate
from rag.evidence.gather import Gatherer
from rag.jobs.keys import Keys
from rag.ledger import Ledger
from rag.question import understand
from rag.retrieve import Retriever
from rag.text.words import content_terms
from rag.verify.citations import judge_together
from rag.verify.claims import read_claims
from rag.verify.drafts import Statement, read_draft
from rag.verify.judge import LONGEST_CLAIM, Judgement, judge, too_long

T = TypeVar("T")
Kind = Literal["draft", "claims"]
# How many of the papers nearest to a sentence are looked at for support.
_LOOKED_AT = 5
_FEWEST_WORDS = 4
_NOT_FACTUAL = re.compile(
    r"\?$|^(?:In (?:this|the next|the following) (?:section|chapter)|Section|Figure|Table|See|Let|We thank)\b"
    r"|\b(?:is|are) organized as follows\b",
    re.IGNORECASE,
)
_RANK: Mapping[Verdict, int] = {"supported": 2, "partial": 1, "unsupported": 0}


@dataclass(frozen=True, slots=True)
class Checked:
    """A sentence with its verdict, what it was held against, and a paper that supports it better.

    `record` holds the fields of a JSON line the sentence came from.
    """

    text: str
    line: int
    keys: tuple[str, ...]
    verdict: Verdict
    reason: str
    found: Quotation | None = None
    better: Quotation | None = None
    record: Mapping[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as JSON values; a claim keeps the fields of its line."""
        found = self.found
        result = {
            "verdict": self.verdict,
            "reason": self.reason,
            "quote": found.quote if found else "",
            "start": found.start if found else 0,
            "end": found.end if found else 0,
            "paper": found.paper.to_dict() if found else None,
            "better": self.better.to_dict() if self.better else None,
        }
        if self.record is not None:
            return {**self.record, **result}
        return {"line": self.line, "text": self.text, "keys": list(self.keys), **result}


@dataclass(frozen=True, slots=True)
class Shelf:
    """What checking needs of an open library; `on_step` is told of each sentence before it is checked."""

    ledger: Ledger
    retriever: Retriever
    gatherer: Gatherer
    embed: Callable[[str], Vectors]
    on_step: Callable[[], None] = lambda: None


def check_text(raw: str, kind: Kind, shelf: Shelf, *, find: bool = False) -> list[Checked]:
    """Check every sentence of a draft that cites, or with `find` any that states something; or every claim.

    Raises UsageError when a line of claims is not one.
    """
    return _KINDS[kind](raw, shelf, find)


def _check_draft(raw: str, shelf: Shelf, find: bool) -> list[Checked]:
    known = _keys(shelf)
    draft = read_draft(raw, known.authors.fits)
    known = replace(known, references=draft.references)
    checked = (_check_statement(s, known, shelf, find) for s in _each(draft.statements, shelf))
    return [c for c in checked if c is not None]


def _keys(shelf: Shelf) -> Keys:
    return Keys.of(shelf.ledger.papers(), shelf.retriever.names(), {})


def _check_claims(raw: str, shelf: Shelf, find: bool) -> list[Checked]:
    known = _keys(shelf)
    return [
        replace(
            _checked(
                Statement(claim.text, claim.line, (claim.source,) if claim.source else ()), known, shelf
            ),
            record=claim.record,
        )
        for claim in _each(read_claims(raw), shelf)
    ]


def _each(items: Iterable[T], shelf: Shelf) -> Iterator[T]:
    for item in items:
        shelf.on_step()
        yield item


_KINDS: Mapping[Kind, Callable[[str, Shelf, bool], list[Checked]]] = {
    "draft": _check_draft,
    "claims": _check_claims,
}


def _check_statement(statement: Statement, known: Keys, shelf: Shelf, find: bool) -> Checked | None:
    if len(statement.text) > LONGEST_CLAIM:
        return _checked(statement, known, shelf)
    if not statement.keys:
        named = known.named_in(statement.claim)
        if named:
            return _held_against(statement, named, shelf)
        if not (find and _is_factual(statement.text)):
            return None
    return _checked(statement, known, shelf)


def _checked(statement: Statement, known: Keys, shelf: Shelf) -> Checked:
    if len(statement.text) > LONGEST_CLAIM:
        reason = too_long(statement.text)
        return Checked(statement.text, statement.line, statement.keys, "partial", reason)
    if not statement.keys:
        return _looked_for(statement, shelf)
    led = {key: known.papers(key) for key in statement.keys}
    lost = [key for key, papers in led.items() if not papers]
    ids = tuple(dict.fromkeys(i for papers in led.values() for i in papers))
    if not ids:
        reason = known.why_lost(lost)
        better = _best(statement.claim, shelf, frozenset())
        supported = better is not None and better[1].verdict == "supported"
        found = _found(*better) if better and supported else None
        return Checked(statement.text, statement.line, statement.keys, "unsupported", reason, better=found)
    checked = _held_against(statement, ids, shelf)
    return replace(checked, reason=f"{checked.reason}; {known.why_lost(lost)}") if lost else checked


def _held_against(statement: Statement, ids: Sequence[str], shelf: Shelf) -> Checked:
    """Judge a sentence against the papers it cites, and look further when they do not support it."""
    papers = _prepared(ids, shelf)
    judged = judge_together(statement.claim, papers, shelf.embed(statement.claim), shelf.embed)
    best = max(judged, key=lambda i: (_RANK[judged[i].verdict], judged[i].chance))
    judgement = judged[best]
    better = None
    if judgement.verdict != "supported":
        other = _best(statement.claim, shelf, frozenset(ids))
        better = _found(*other) if other and other[1].verdict == "supported" else None
    return Checked(
        statement.text,
        statement.line,
        statement.keys,
        judgement.verdict,
        judgement.reason,
        _found(papers[best], judgement),
        better,
    )


def _looked_for(statement: Statement, shelf: Shelf) -> Checked:
    """Judge a sentence that cites nothing against the papers that come nearest."""
    best = _best(statement.text, shelf, frozenset())
    if best is None:
        return Checked(statement.text, statement.line, (), "unsupported", "the library has no paper on this")
    paper, judgement = best
    return Checked(
        statement.text,
        statement.line,
        (),
        judgement.verdict,
        judgement.reason,
        _found(paper, judgement),
    )


def _best(text: str, shelf: Shelf, but: frozenset[str]) -> tuple[Candidate, Judgement] | None:
    hits = [h for h in shelf.retriever.retrieve(understand(text)).hits if h.paper.id not in but][:_LOOKED_AT]
    papers = shelf.gatherer.candidates(hits)
    vector = shelf.embed(text)
    judged = [(paper, judge(text, paper, vector)) for paper in papers if paper.sentences]
    return max(judged, key=lambda pair: (_RANK[pair[1].verdict], pair[1].chance), default=None)


def _prepared(ids: Sequence[str], shelf: Shelf) -> dict[str, Candidate]:
    hits = [Hit(paper, 0.0) for paper in shelf.ledger.papers(ids)]
    return {candidate.paper.id: candidate for candidate in shelf.gatherer.candidates(hits)}


def _found(paper: Candidate, judgement: Judgement) -> Quotation | None:
    start, end = judgement.quoted
    return Quotation.of(paper.paper, start, end) if end else None


def _is_factual(text: str) -> bool:
    return len(content_terms(text)) >= _FEWEST_WORDS and not _NOT_FACTUAL.search(text)
