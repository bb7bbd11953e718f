"""Replies in JSON: values come in, a response goes out; and how the interface's description shows them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from rag.outputs.printable import to_json
from rag.serving.answer_shapes import AnswerShape, JobShape, ProblemShape
from rag.serving.answering import EVENT_STREAM

JSON = "application/json"
_CODES = {
    400: "It cannot be done as asked.",
    401: "The token is missing or wrong.",
    402: "It could cost more than is allowed.",
    403: "It comes from a page of another site.",
    404: "There is no such thing.",
    409: "There are no papers yet.",
    413: "The request is too large.",
    421: "The server is not known by this name.",
    422: "The request is not as it must be.",
    429: "Too many requests.",
    500: "The server made a mistake, or cannot go on.",
    502: "The chat model failed.",
    503: "Too much is going on; try again.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {
        "description": words,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for code, words in _CODES.items()
}
_EVENTS: dict[str, Any] = {EVENT_STREAM: {}}
ANSWER: dict[int | str, dict[str, Any]] = {200: {"description": "The answer.", "model": AnswerShape}}
# The same, for routes that can also send it as events.
STREAMED: dict[int | str, dict[str, Any]] = {200: {**ANSWER[200], "content": _EVENTS}}
JOB: dict[int | str, dict[str, Any]] = {
    200: {"description": "The job.", "model": JobShape, "content": _EVENTS}
}
EVENTS: dict[int | str, dict[str, Any]] = {200: {"description": "The reply.", "content": _EVENTS}}
BEGUN: dict[int | str, dict[str, Any]] = {202: {"description": "The job has begun.", "model": JobShape}}
SHAPES = {"Problem": ProblemShape}


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return values as JSON, without numbers that JSON does not know; nobody is to keep it."""
    return Response(
        to_json(value, indent=None), status, {"Cache-Control": "no-store", **(headers or {})}, JSON
    )
