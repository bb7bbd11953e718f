"""Earlier turns of a conversation: the questions before come in, their answers go out.

Clients send the questions they asked before. Their answers are remembered by the whole row of questions that
led to them. One that is no longer remembered is asked again, which costs milliseconds for quotations, and for
a chat model mostly nothing, because its replies are kept.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.domain import Answer

MOST_TURNS = 8
"""How many of the last questions count; a follow-up hardly ever means what was said before."""
_KEPT = 512

Ask = Callable[[str, Sequence[Answer]], Answer]


@dataclass(frozen=True, slots=True)
class Scope:
    """What answers were given from: a state of the library, and the papers allowed (None: all)."""

    state: tuple[int, str]
    only: tuple[str, ...] | None = None


class Earlier:
    """Remembers the latest answers by the questions that led to them. Safe to use from many threads."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._lock = threading.Lock()

    def history(self, questions: Sequence[str], ask: Ask, scope: Scope) -> tuple[Answer, ...]:
        """Return the answers to the last of `questions`; `ask` gives those that are not remembered."""
        answers: list[Answer] = []
        for end in range(max(0, len(questions) - MOST_TURNS), len(questions)):
            key = _key(questions[: end + 1], scope)
            answer = self._recalled(key)
            if answer is None:
                answer = ask(questions[end], tuple(answers))
                self._keep(key, answer)
            answers.append(answer)
        return tuple(answers)

    def remember(self, questions: Sequence[str], answer: Answer, scope: Scope) -> None:
        """Keep the answer to the last of `questions`."""
        self._keep(_key(questions, scope), answer)

    def _recalled(self, key: str) -> Answer | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def _keep(self, key: str, answer: Answer) -> None:
        with self._lock:
            self._answers[key] = answer
            self._answers.move_to_end(key)
            while len(self._answers) > self._kept:
                self._answers.popitem(last=False)


def _key(questions: Sequence[str], scope: Scope) -> str:
    """Return the name under which the answer to the last question of a row is kept."""
    only = None if scope.only is None else sorted(scope.only)
    said = json.dumps([list(questions[-MOST_TURNS:]), only, scope.state], ensure_ascii=True)
    return hashlib.sha256(said.encode()).hexdigest()
