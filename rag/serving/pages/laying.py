"""Compare and Summarize: papers or a topic come in, the address of a table or an overview goes out."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import JSONResponse, Response

from rag.errors import RagError, UsageError
from rag.outputs.printable import one_line
from rag.serving.answering import Voice
from rag.serving.pages.asking import Text, Texts, shown
from rag.serving.pages.kept import Keeping
from rag.serving.pages.shell import Shell

FIELDS = 4
_MOST_PAPERS, _MOST_ASPECTS = 20, 12
_MOST_WORDS = 500
# A longer list makes the page heavy; with scripts, what is typed is looked up instead.
_LISTED = 300
_SUGGESTED = 12
_SEPARATORS = re.compile(r"[,;\n]+")

Names = Annotated[list[str], Query(default_factory=list)]
Words = Annotated[str, Query(max_length=_MOST_WORDS)]


def routes(shell: Shell) -> APIRouter:
    """Return the routes of comparisons and overviews."""
    router = shell.routes()
    state, keeping = shell.state, Keeping(shell.state)

    @router.get("/compare")
    def compare_page(request: Request, paper: Names, topic: Words = "") -> Response:
        return _compare_page(shell, request, paper[:_MOST_PAPERS], topic)

    @router.post("/compare")
    async def compare(request: Request, paper: Texts, topic: Text = "", aspects: Text = "") -> Response:
        names = [name.strip() for name in paper if name.strip()][:_MOST_PAPERS]
        wanted = [word.strip() for word in _SEPARATORS.split(aspects) if word.strip()][:_MOST_ASPECTS]
        topic = topic.strip()[:_MOST_WORDS]

        def compared(voice: Voice) -> Response:
            try:
                answer = state.filled().compare(names, topic=topic, aspects=wanted, on_step=voice.check)
            except UsageError as error:
                return _compare_page(shell, request, names, topic, aspects, error)
            return shown(shell, request, keeping, "compare", answer.question, answer)

        return await state.answers.run(request, compared)

    @router.get("/summarize")
    def summarize_page(request: Request, topic: Words = "") -> Response:
        state.filled()
        return shell.page(request, "summarize", topic=topic, error=None)

    @router.post("/summarize")
    async def summarize(request: Request, topic: Text = "") -> Response:
        topic = topic.strip()[:_MOST_WORDS]

        def summed_up(voice: Voice) -> Response:
            try:
                answer = state.filled().summarize(topic, on_step=voice.check)
            except UsageError as error:
                told = shell.told(error)
                return shell.page(request, "summarize", status=told["status"], topic=topic, error=told)
            return shown(shell, request, keeping, "summarize", answer.question, answer)

        return await state.answers.run(request, summed_up)

    @router.get("/suggest")
    def suggest(q: Words = "") -> Response:
        return JSONResponse(suggested(shell, q))

    return router


def suggested(shell: Shell, words: str) -> list[str]:
    """Return the names of papers that begin with the words, then of those that hold them."""
    typed = words.strip().casefold()
    names = [one_line(name) for name in shell.library.names()]
    fits = [name for name in names if typed in name.casefold()]
    return sorted(fits, key=lambda name: not name.casefold().startswith(typed))[:_SUGGESTED]


def _compare_page(
    shell: Shell,
    request: Request,
    names: list[str],
    topic: str = "",
    aspects: str = "",
    error: RagError | None = None,
) -> Response:
    known = shell.state.filled().names()
    told = shell.told(error) if error else None
    return shell.page(
        request, "compare", status=told["status"] if told else 200,
        fields=[*names, *[""] * (FIELDS - len(names))], topic=topic, aspects=aspects, error=told,
        names=[one_line(name) for name in known[:_LISTED]],
    )  # fmt: skip
