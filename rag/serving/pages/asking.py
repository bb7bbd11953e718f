"""The Ask page: a question comes in, the address of its answer goes out; with scripts, step by step."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from rag.domain import Answer
from rag.errors import LibraryError
from rag.ledger.conversations import MOST_QUESTION, Kind
from rag.outputs.printable import clean
from rag.serving.pages.answers import passing_page
from rag.serving.pages.examples import examples
from rag.serving.pages.kept import Keeping, Kept
from rag.serving.pages.shell import Shell

Text = Annotated[str, Form()]
Texts = Annotated[list[str], Form()]


def routes(shell: Shell) -> APIRouter:
    """Return the routes of asking."""
    router = shell.routes()
    library, keeping = shell.library, Keeping(shell.library, shell.state.settings)

    @router.get("/")
    def page(request: Request, q: str = "") -> Response:
        return _page(shell, request, question=clean(q)[:MOST_QUESTION])

    @router.post("/ask")
    def ask(request: Request, question: Text = "", after: Text = "", only: Texts = []) -> Response:  # noqa: B006
        problem = fault(question)
        if problem:
            return _page(shell, request, question=question, problem=problem, status=400)
        earlier = keeping.at(after) if after else None
        history = earlier.history if earlier else ()
        answer = library.ask(question.strip(), history, only=only or None)
        return shown(shell, request, keeping, "ask", question.strip(), answer, earlier)

    return router


def fault(question: str) -> str:
    """Return what is wrong with a question, empty if nothing is."""
    if not question.strip():
        return "Type a question first."
    if len(question) > MOST_QUESTION:
        return f"This is too long for a question: {len(question):,} characters, at most {MOST_QUESTION:,}."
    return ""


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
        return passing_page(shell, request, answer, error.message)


def _page(shell: Shell, request: Request, *, question: str = "", problem: str = "", status: int = 200) -> Response:
    papers = shell.library.papers()
    return shell.page(
        request, "ask", status=status, question=question, problem=problem,
        empty=not papers, examples=examples(papers),
    )  # fmt: skip
