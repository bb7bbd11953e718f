"""A topic in words → the evidence on it: every paper that may belong, however many."""

from __future__ import annotations

from collections.abc import Collection

from rag.errors import UsageError
from rag.evidence.gather import Evidence
from rag.jobs.desk import Desk
from rag.question import Question, enumerated, understand

# How many papers are looked at; a topic that many more belong to is none, but the library itself.
_MOST = 200
LONGEST_TOPIC = 300


def gathered(topic: str, desk: Desk, only: Collection[str] | None = None) -> Evidence:
    """Return the evidence on a topic; with `only`, among the papers with these ids.

    Raises UsageError for what is too long to be a topic: everything would be near it.
    """
    if len(topic) > LONGEST_TOPIC:
        raise UsageError(
            f"{len(topic)} characters are no topic",
            hint=f"Name it in at most {LONGEST_TOPIC}; `rag search` finds the papers nearest to a text.",
        )
    asked = understand(topic)
    # "Overview of X" and "papers on X" are taken for X.
    words = asked.topic if asked.kind in ("topic", "find") else asked.text
    question = Question(asked.text, "topic", words, enumerated(words))
    retrieval = desk.retriever.retrieve(question, only, _MOST)
    return desk.gatherer.gather(retrieval, _MOST)
