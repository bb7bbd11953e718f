"""Replies in JSON: JSON values come in, a response goes out; and how the API's description shows them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from rag.outputs.printable import to_json

PREFIX = "/api/v1"
JSON = "application/json"
PROBLEM = "application/problem+json"
ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer: sentences, citations, references, and all that was found.",
        "content": {JSON: {"schema": {"$ref": "#/components/schemas/Answer"}}},
    },
}


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return values as JSON, without numbers that JSON does not know."""
    return Response(to_json(value, indent=None), status, headers, JSON)
