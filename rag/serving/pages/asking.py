"""The Ask page: a question comes in, the address of its answer goes out; with scripts, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rag.domain import Answer
from rag.errors import LibraryError
from rag.ledger.conversations import Kind
from rag.outputs.printable import clean
from rag.serving.answering import Event, EventStream, Voice, sse
from rag.serving.pages.answers import passing_page
from rag.serving.pages.examples import examples
from rag.serving.pages.kept import Keeping, Kept
from rag.serving.pages.shell import Shell
from rag.serving.shapes import MOST_QUESTION
from rag.serving.state import State

Text = Annotated[str, Form()]
Texts = Annotated[list[str], Form(default_factory=list)]
_MOST_ONLY = 50
# Of so many papers examples are made.
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Posed:
    """A question from a form, the address of what it follows up, and the papers that alone may answer."""

    question: str
    after: str = ""
    only: tuple[str, ...] = ()

    @property
    def fault(self) -> str:
        """What is wrong with the question, empty if nothing is."""
        if not self.question:
            return "Type a question first."
        if len(self.question) > MOST_QUESTION:
            much = f"{len(self.question):,} characters, at most {MOST_QUESTION:,}"
            return f"This is too long for a question: {much}."
        return ""

    def answer(self, state: State, voice: Voice, after: Kept | None) -> Answer:
        """Answer it; the voice is told of steps and sentences."""
        return state.filled().ask(
            self.question,
            after.history if after else (),
            only=self.only or None,
            on_sentence=voice.sentence,
            on_stage=voice.stage,
            on_piece=voice.check,
        )


def routes(shell: Shell) -> APIRouter:
    """Return the routes of asking."""
    router = shell.routes()
    state, keeping = shell.state, Keeping(shell.state)

    @router.get("/")
    def page(request: Request, q: str = "") -> Response:
        return _page(shell, request, question=clean(q)[:MOST_QUESTION])

    @router.post("/ask")
    async def ask(request: Request, only: Texts, question: Text = "", after: Text = "") -> Response:
        posed = _posed(request, question, after, only)

        def asked(voice: Voice) -> Response:
            if posed.fault:
                return _refused(shell, request, posed)
            earlier = keeping.at(posed.after) if posed.after else None
            answer = posed.answer(state, voice, earlier)
            return shown(shell, request, keeping, "ask", posed.question, answer, earlier)

        return await state.answers.run(request, asked)

    @router.post("/ask/stream")
    async def stream(request: Request, only: Texts, question: Text = "", after: Text = "") -> Response:
        posed = _posed(request, question, after, only)
        if posed.fault:
            return await state.answers.run(request, lambda voice: _refused(shell, request, posed))
        run = _Run(shell, request, keeping, posed)
        return EventStream(state.answers, run.work, run.failed, run.encode)

    return router


class _Run:
    """One answer on its way to a page: at its end stands the address where it is kept."""

    def __init__(self, shell: Shell, request: Request, keeping: Keeping, posed: Posed) -> None:
        self._shell, self._request, self._keeping, self._posed = shell, request, keeping, posed
        self._end: dict[str, str] = {}

    def work(self, voice: Voice) -> Answer:
        """Answer the question and keep the answer, unless nobody waits for it any more."""
        earlier = self._keeping.at(self._posed.after) if self._posed.after else None
        answer = self._posed.answer(self._shell.state, voice, earlier)
        voice.check()
        try:
            self._end = {"address": self._keeping.keep("ask", self._posed.question, answer, earlier)}
        except LibraryError as error:
            page = passing_page(self._shell, self._request, answer, _reason(self._shell, error))
            self._end = {"html": bytes(page.body).decode()}
        return answer

    def failed(self, error: Exception) -> Event:
        """Return the event that tells of a failure."""
        return Event("failed", self._shell.told(error))

    def encode(self, event: Event) -> bytes:
        """Return an event as it is sent; in place of the whole answer, where it is."""
        return sse(Event("kept", self._end) if event.name == "answer" else event)


def shown(
    shell: Shell,
    request: Request,
    keeping: Keeping,
    kind: Kind,
    question: str,
    answer: Answer,
    after: Kept | None = None,
) -> Response:
    """Keep an answer and lead to its address; where it cannot be kept, show it at once."""
    try:
        return RedirectResponse(keeping.keep(kind, question, answer, after), 303)
    except LibraryError as error:
        return passing_page(shell, request, answer, _reason(shell, error))


def _posed(request: Request, question: str, after: str, only: list[str]) -> Posed:
    # For the log, where it is to hold questions.
    request.state.question = question
    return Posed(question.strip(), after, tuple(only[:_MOST_ONLY]))


def _refused(shell: Shell, request: Request, posed: Posed) -> HTMLResponse:
    return _page(shell, request, question=posed.question[:MOST_QUESTION], problem=posed.fault, status=400)


def _reason(shell: Shell, error: LibraryError) -> str:
    return str(shell.told(error)["message"])


def _page(
    shell: Shell, request: Request, *, question: str = "", problem: str = "", status: int = 200
) -> HTMLResponse:
    papers = shell.state.first_papers(_LOOKED_AT)
    return shell.page(
        request, "ask", status=status, question=question, problem=problem,
        empty=not papers, examples=examples(papers),
    )  # fmt: skip
