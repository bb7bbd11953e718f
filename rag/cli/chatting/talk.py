"""A conversation under way: questions come in, answers are printed, remembered and kept."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import IO, Protocol

import click

from rag.cli.answering import tell_cost
from rag.cli.chatting.keeping import Keeper
from rag.cli.giving import Wanted, give_as_it_comes
from rag.cli.session import note, warn
from rag.domain import Answer, AnswerSentence, Hit, Paper, Usage
from rag.errors import UsageError
from rag.ledger.conversations import Kind, Turn
from rag.outputs.terminal import Line, print_lines

# An answer is told sentence by sentence where a chat model writes it, and a person watches.
Told = Callable[[AnswerSentence], None] | None
Job = Callable[[Told], Answer]


class Answering(Protocol):
    """What a chat has answered by a library."""

    def ask(
        self,
        question: str,
        history: Sequence[Answer] = (),
        *,
        only: Collection[str] | None = None,
        on_sentence: Told = None,
    ) -> Answer:
        """Answer a question, or the follow-up to earlier answers."""

    def compare(self, papers: Sequence[str]) -> Answer:
        """Compare papers by name."""

    def summarize(self, topic: str = "", *, only: Collection[str] | None = None) -> Answer:
        """Sum up what the papers say on a topic, or all of them."""


class Finding(Protocol):
    """What a chat finds in a library."""

    def papers(self, ids: Iterable[str] | None = None) -> list[Paper]:
        """Return all papers, or those with these ids."""

    def paper(self, words: str) -> Paper:
        """Return the paper that the words mean; raise UnknownPaper."""

    def search(self, question: str, k: int = 10) -> list[Hit]:
        """Return the papers that fit best."""


class Talk:
    """The turns so far, the papers it is limited to (none: all), and what it has cost.

    With `as_json` stdout gets one JSON object an answer, and everything else goes to stderr.
    """

    def __init__(
        self,
        answering: Answering,
        finding: Finding,
        keeper: Keeper,
        turns: Iterable[Turn] = (),
        *,
        as_json: bool = False,
    ) -> None:
        self.finding = finding
        self.keeper = keeper
        self.turns = list(turns)
        self.only: tuple[Paper, ...] = ()
        self.written: set[Path] = set()
        self.stopped = 0
        self._answering = answering
        self.as_json = as_json
        self._usages: list[Usage] = []

    @property
    def last(self) -> Answer | None:
        """The last answer; None before the first."""
        return self.turns[-1].answer if self.turns else None

    @property
    def is_unanswered(self) -> bool:
        """Whether something was asked since the chat began, and the last of it not answered."""
        return bool(self._usages) and self.last is not None and self.last.status == "not_found"

    def ask(self, question: str) -> None:
        """Answer a question, with what was said before in mind."""
        only = self._allowed
        history = [turn.answer for turn in self.turns]
        self._take(
            "ask", question, lambda told: self._answering.ask(question, history, only=only, on_sentence=told)
        )

    def compare(self, typed: str, papers: Sequence[str]) -> None:
        """Compare papers by name."""
        self._take("compare", typed, lambda told: self._answering.compare(papers))

    def summarize(self, typed: str, topic: str) -> None:
        """Sum up a topic."""
        self._take("summarize", typed, lambda told: self._answering.summarize(topic, only=self._allowed))

    def begin_anew(self) -> None:
        """Forget what was said and every limit; what was kept stays kept."""
        self.turns.clear()
        self.only = ()
        self.keeper.begin()

    def show(self, lines: Iterable[Line]) -> None:
        """Show lines that are no answer."""
        print_lines(lines, self.stream)
        self.stream.flush()

    def referred(self, words: str) -> Paper:
        """Return the paper of a reference of the last answer, given as `2` or `[2]`, or one by its name.

        Raises UsageError when there is no such reference, UnknownPaper when there is no such paper.
        """
        number = words.strip().removeprefix("[").removesuffix("]")
        if not (number.isascii() and number.isdigit()):
            return self.finding.paper(words)
        references = self.last.references if self.last else ()
        found = [r.paper for r in references if r.marker == int(number)]
        if not found:
            raise UsageError(
                f"the last answer has no reference [{number}]",
                hint="/sources shows those it has; a name will do too.",
            )
        return found[0]

    def tell_total(self) -> None:
        """Say what the models called in this chat have cost, if any was."""
        from rag.generate.pricing import told

        total = _sum(self._usages)
        if total.calls and len(self._usages) > 1:
            note(told("in all", total))
        if total.calls and self.stopped:
            note(f"Not counted: what was stopped ({self.stopped}).")

    @property
    def stream(self) -> IO[str]:
        """Where lines go that are no answer."""
        return sys.stderr if self.as_json else sys.stdout

    @property
    def _allowed(self) -> set[str] | None:
        return {paper.id for paper in self.only} or None

    def _take(self, kind: Kind, typed: str, job: Job) -> None:
        answer = self._printed(job)
        self.turns.append(Turn(kind, typed, answer, time.time()))
        self._usages.append(answer.usage)
        warn(answer.warnings)
        if self.only and answer.status == "not_found":
            note("Only some papers were asked; /only alone asks all again.")
        tell_cost(answer)
        self.keeper.keep(self.turns)

    def _printed(self, job: Job) -> Answer:
        if not self.as_json:
            answer = give_as_it_comes(job, Wanted())
        else:
            from rag.outputs.printable import to_json

            answer = job(None)
            click.echo(to_json(answer.to_dict(), indent=None))
        sys.stdout.flush()
        return answer


def _sum(usages: Sequence[Usage]) -> Usage:
    costs = [usage.cost_usd for usage in usages]
    known = [cost for cost in costs if cost is not None]
    return Usage(
        sum(usage.calls for usage in usages),
        sum(usage.prompt_tokens for usage in usages),
        sum(usage.completion_tokens for usage in usages),
        sum(known) if len(known) == len(costs) else None,
    )
