"""REST for the jobs that answer: question, papers or topic in, the JSON of an answer out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from rag.domain import Answer
from rag.serving.answering import EVENT_STREAM, EventStream, Voice
from rag.serving.asking import Asked, ask
from rag.serving.choosing import held_to
from rag.serving.doors import REST
from rag.serving.problems import error_event
from rag.serving.replies import ANSWER, PROBLEMS, STREAMED, json_response
from rag.serving.shapes import AskBody, CheckBody, CompareBody, SummarizeBody
from rag.serving.state import State


def router(state: State) -> APIRouter:
    """Return the routes that answer."""
    routes = APIRouter(prefix=REST, responses=PROBLEMS, tags=["answers"])
    _add_asking(routes, state)
    _add_others(routes, state)
    return routes


def _add_asking(routes: APIRouter, state: State) -> None:
    @routes.post("/ask", responses=STREAMED, summary="Answer a question from the papers")
    async def ask_route(body: AskBody, request: Request) -> Response:
        """Answer with sentences and their quotations.

        With `stream`, or `Accept: text/event-stream`, events come as they happen: `stage` (searching,
        reading, writing, checking), `sentence` (only from a chat model), and at the end `answer` or `error`.
        What `answer` holds counts; a sentence that was sent before may be missing in it.
        """
        request.state.question = body.question
        asked = Asked(body.question, tuple(body.history))

        def job(voice: Voice) -> Answer:
            only = held_to(state, body.filters, body.only)
            return ask(state, replace(asked, only=only), voice)

        if body.stream or EVENT_STREAM in request.headers.get("accept", ""):
            return EventStream(
                state.answers,
                job,
                lambda e: error_event(e, state.settings),
            )
        answer = await state.answers.run(request, job)
        return json_response(answer.to_dict())


def _add_others(routes: APIRouter, state: State) -> None:
    @routes.post("/compare", responses=ANSWER, summary="Compare papers in a table")
    async def compare_route(body: CompareBody, request: Request) -> Response:
        """Compare papers, or those on a topic, in a table of aspects; each cell is quoted or null."""
        answer = await state.answers.run(
            request,
            lambda voice: state.filled().compare(
                body.papers,
                topic=body.topic,
                aspects=body.aspects,
                only=held_to(state, body.filters, body.only),
                on_step=voice.check,
            ),
        )
        return json_response(answer.to_dict())

    @routes.post("/summarize", responses=ANSWER, summary="Sum up a topic, or the whole library")
    async def summarize_route(body: SummarizeBody, request: Request) -> Response:
        """Sum up the papers that belong to a topic under a few headings."""
        answer = await state.answers.run(
            request,
            lambda voice: state.filled().summarize(
                body.topic, only=held_to(state, body.filters, body.only), on_step=voice.check
            ),
        )
        return json_response(answer.to_dict())

    @routes.post("/check", summary="Check a draft, or claims, against the papers they cite")
    async def check_route(body: CheckBody, request: Request) -> Response:
        """Return each sentence with its verdict, the reason, and the quotation."""
        checked = await state.answers.run(
            request,
            lambda voice: state.filled().check(body.text, body.kind, find=body.find, on_step=voice.check),
        )
        return json_response(_counted([item.to_dict() for item in checked]))


def _counted(sentences: list[dict[str, Any]]) -> dict[str, Any]:
    verdicts = ("supported", "partial", "unsupported")
    counts = {verdict: sum(s["verdict"] == verdict for s in sentences) for verdict in verdicts}
    return {"counts": counts, "sentences": sentences}
