"""Questions in other languages without a model: gloss what can be glossed, and say what could not be read."""

from __future__ import annotations

from dataclasses import replace

from rag.evidence.gather import Evidence
from rag.generate import Draft
from rag.generate.extractive import draft
from rag.jobs.followup import Standalone
from rag.retrieve import Retrieval
from rag.text.chinese import gloss, is_chinese
from rag.text.language import ENGLISH, LANGUAGES, language_of

_REMEDY = "Ask in English, or set RAG_MODEL to a chat model, which translates the question."


def in_english(asked: Standalone) -> tuple[Standalone, tuple[str, ...]]:
    """Return the question with Chinese words glossed, and a warning that says how it was read."""
    if not is_chinese(asked.text):
        return asked, ()
    english = gloss(asked.text)
    return replace(asked, text=english), (f"The question was read word by word as: {english}",)


def unread(written: Draft, retrieval: Retrieval, evidence: Evidence) -> Draft:
    """Say so when nothing was found because the embedder does not read the question's language.

    A paper the question names is quoted all the same; whether that answers cannot be told.
    """
    if written.status != "not_found":
        return written
    language = language_of(retrieval.question.text)
    if language == ENGLISH:
        return written
    spoken = f"The question is in {LANGUAGES[language]}, which the offline embedder does not read"
    if not retrieval.named:
        return replace(written, warnings=(*written.warnings, f"{spoken}. {_REMEDY}"))
    why = f"{spoken}: the paper was found by its name, and these sentences of it may not answer. {_REMEDY}"
    question = replace(retrieval.question, kind="fact")
    quoted = draft(replace(evidence, reading=replace(evidence.reading, question=question)), assured=True)
    return replace(quoted, status="partial", warnings=(*written.warnings, why))
