"""Ask: question → retrieval → evidence → draft → checked answer."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

from rag.domain import Answer, Hit
from rag.evidence.gather import Evidence, Gatherer
from rag.generate import Draft
from rag.generate.extractive import draft
from rag.jobs.followup import Standalone, standalone
from rag.question import Question, understand
from rag.retrieve import Retrieval, Retriever
from rag.text.language import ENGLISH, LANGUAGES, language_of
from rag.verify.citations import check

_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bdifferences? between (?P<a>.+?) and (?P<b>.+)",
        r"\b(?:compare|contrast)\s+(?P<a>.+?)\s+(?:with|to|against|vs\.?|versus)\s+(?P<b>.+)",
        r"\b(?:compare|contrast)\s+(?P<a>.+?)\s+and\s+(?P<b>.+)",
        r"\bhow (?:do|does|did) (?P<a>.+?) differ (?:(?:in|as to) .+? )?from (?P<b>.+)",
        r"\bhow (?:do|does|did) (?P<a>.+?) and (?P<b>.+?) (?:differ|compare)\b",
        r"^(?P<a>.+?)\s+(?:vs\.?|versus)\s+(?P<b>.+)",
        r"^(?P<a>[^:?]+?) and (?P<b>.+)",
    )
)
_AFTER = re.compile(r"[:?;,.]\s|[:?;,.]$|\s+(?:as|in (?:how|what|terms|where)|when it comes)\b")


def ask(text: str, retriever: Retriever, gatherer: Gatherer, history: Sequence[Answer] = ()) -> Answer:
    """Answer a question, or the follow-up to earlier answers, with sentences quoted from the papers."""
    started = time.perf_counter()
    asked = standalone(text, history, bool(history) and _names_papers(text, retriever))
    question = understand(asked.text)
    retrieval = retriever.retrieve(question, asked.only or None)
    chosen = _narrowed(question, asked, retrieval, retriever)
    found = time.perf_counter()
    written = _write(chosen, gatherer, bool(asked.only))
    generated = time.perf_counter()
    papers = {h.paper.id: h.paper for h in chosen.hits}
    sentences, references = check(written.sentences, papers)
    verified = time.perf_counter()
    return Answer(
        question=text,
        standalone_question=asked.text,
        status=written.status,
        sentences=sentences,
        references=references,
        hits=retrieval.hits,
        warnings=written.warnings,
        timings_ms={
            "retrieve": (found - started) * 1e3,
            "generate": (generated - found) * 1e3,
            "verify": (verified - generated) * 1e3,
            "total": (verified - started) * 1e3,
        },
    )


def _names_papers(text: str, retriever: Retriever) -> bool:
    return any(m.certain for m in retriever.names().mentions(text))


def _write(retrieval: Retrieval, gatherer: Gatherer, assured: bool) -> Draft:
    evidence = gatherer.gather(retrieval)
    written = draft(evidence, assured=assured or retrieval.question.kind == "compare")
    if written.status != "not_found":
        return written
    language = language_of(retrieval.question.text)
    return written if language == ENGLISH else _foreign(retrieval, evidence, LANGUAGES[language])


def _foreign(retrieval: Retrieval, evidence: Evidence, language: str) -> Draft:
    """Answer from the paper a question in another language names, or say why nothing was found."""
    remedy = "Ask in English, or set RAG_MODEL to a chat model, which translates the question."
    if not retrieval.named:
        why = f"The question is in {language}, which the offline embedder does not read. {remedy}"
        return Draft("not_found", warnings=(why,))
    why = (
        f"The question is in {language}, which the offline embedder does not read: the paper was found by its"
        f" name, and these sentences of it may not answer. {remedy}"
    )
    fact = replace(
        evidence, reading=replace(evidence.reading, question=replace(retrieval.question, kind="fact"))
    )
    return replace(draft(fact, assured=True), status="partial", warnings=(why,))


def _narrowed(question: Question, asked: Standalone, retrieval: Retrieval, retriever: Retriever) -> Retrieval:
    """Keep the papers compared, when a question compares; with fewer than two it asks for a fact."""
    if not question.compares:
        return retrieval
    sides = _named_sides(retrieval) or _described_sides(question, retriever)
    if len(sides) < 2:
        kind = "fact" if question.kind == "compare" else question.kind
        return replace(retrieval, question=replace(question, kind=kind))
    return replace(retrieval, question=replace(question, kind="compare"), hits=sides)


def _named_sides(retrieval: Retrieval) -> tuple[Hit, ...]:
    by_id = {h.paper.id: h for h in retrieval.hits}
    return tuple(by_id[p] for p in retrieval.named if p in by_id) if len(retrieval.named) > 1 else ()


def _described_sides(question: Question, retriever: Retriever) -> tuple[Hit, ...]:
    """Find the papers for the two sides of "compare the … with the …" when they are not named."""
    for pattern in _SIDES:
        match = pattern.search(question.text)
        if match:
            sides = [_AFTER.split(match[group])[0] for group in ("a", "b")]
            hits = [retriever.retrieve(understand(side)).hits[:1] for side in sides]
            return tuple({h.paper.id: h for found in hits for h in found}.values())
    return ()
