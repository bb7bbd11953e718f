"""The OpenAI-compatible door under /v1: conversations come in, answers go out as a chat model's replies."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from rag.domain import Answer, AnswerSentence
from rag.outputs.printable import to_json
from rag.serving.answering import Event, EventStream
from rag.serving.asking import ask
from rag.serving.chat_shapes import MODEL, ChatBody, Reply, UnknownModel
from rag.serving.chat_text import message, rest, sentence_text
from rag.serving.doors import OPENAI
from rag.serving.problems import problem_of
from rag.serving.replies import EVENTS, json_response
from rag.serving.state import State

_FAILURES: dict[int | str, dict[str, Any]] = {
    code: {"description": "A failure, as OpenAI clients read it."}
    for code in (400, 404, 409, 422, 500, 502, 503)
}
_DONE = b"data: [DONE]\n\n"


def router(state: State) -> APIRouter:
    """Return the routes that OpenAI clients use."""
    routes = APIRouter(prefix=OPENAI, responses=_FAILURES, tags=["OpenAI-compatible"])

    def failed(error: Exception) -> Event:
        return Event("error", problem_of(error, state.settings).for_openai())

    @routes.get("/models", summary="The models: one, the library")
    async def models() -> Response:
        """Return a list with one model."""
        return json_response({"object": "list", "data": [_model()]})

    @routes.get("/models/{model}", summary="One model")
    async def model(model: str) -> Response:
        """Return the model of this name."""
        _check(model)
        return json_response(_model())

    @routes.post("/chat/completions", responses=EVENTS, summary="Answer the last question of a conversation")
    async def complete(body: ChatBody, request: Request) -> Response:
        """Answer the last message of the user; earlier ones say what "it" and "they" mean.

        Messages of other roles are not read. Citations are [n] in the text, with a list at the end; the field
        `askpapers` holds the answer as /api/v1/ask gives it.
        """
        _check(body.model)
        asked = body.asked()
        request.state.question = asked.question
        if body.stream:
            with_usage = body.stream_options is not None and body.stream_options.include_usage
            return EventStream(
                state.answers, lambda voice: ask(state, asked, voice), failed, _Pieces(with_usage).encode
            )
        answer = await state.answers.run(request, lambda voice: ask(state, asked, voice))
        return json_response(Reply().whole(message(answer), answer))

    return routes


class _Pieces:
    """Turns the events of one answer into the pieces of a streamed reply."""

    def __init__(self, with_usage: bool) -> None:
        self._with_usage = with_usage
        self._reply = Reply()
        self._begun = False
        self._sent: list[AnswerSentence] = []

    def encode(self, event: Event) -> bytes:
        """Return the pieces for one event; steps of the work have none."""
        if event.name == "sentence":
            self._sent.append(event.data)
            return self._text(sentence_text(event.data))
        if event.name == "answer":
            return self._text(rest(event.data, self._sent)) + self._end(event.data)
        if event.name == "error":
            return _data(event.data) + _DONE
        return b"" if self._begun else self._text("")

    def _text(self, text: str) -> bytes:
        role = {} if self._begun else {"role": "assistant"}
        self._begun = True
        return _data(self._reply.piece({**role, "content": text}))

    def _end(self, answer: Answer) -> bytes:
        last = self._reply.piece({}, "stop") | {"askpapers": answer.to_dict()}
        used = _data(self._reply.last(answer)) if self._with_usage else b""
        return _data(last) + used + _DONE


def _check(model: str) -> None:
    if model != MODEL:
        raise UnknownModel(f"There is no model {model!r} here.", hint=f"The only one is {MODEL}.")


def _model() -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": MODEL}


def _data(value: Any) -> bytes:
    return f"data: {to_json(value, indent=None)}\n\n".encode()
