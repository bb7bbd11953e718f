"""Ask for a client: a question with those before it comes in, the library's answer goes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.domain import Answer
from rag.serving.answering import Voice
from rag.serving.earlier import Scope
from rag.serving.state import State


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the questions before it (oldest first), and the papers that may answer, if not all."""

    question: str
    before: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None


def ask(state: State, asked: Asked, voice: Voice) -> Answer:
    """Answer a question; the voice is told of steps and sentences, and may end the work."""
    library = state.filled()

    def again(question: str, history: Sequence[Answer]) -> Answer:
        voice.check()
        return library.ask(question, history, only=asked.only, on_stage=lambda stage, papers: voice.check())

    scope = Scope(library.state, asked.only)
    history = state.earlier.history(asked.before, again, scope)
    answer = library.ask(
        asked.question,
        history,
        only=asked.only,
        on_sentence=voice.sentence,
        on_stage=voice.stage,
        on_piece=voice.check,
    )
    state.earlier.remember((*asked.before, asked.question), answer, scope)
    return answer
