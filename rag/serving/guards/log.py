"""The log: each request comes in, one line of JSON about it goes out to the logger `rag.serving.requests`.

It holds no question, no address of a paper and no query: only the pattern of the route.
"""

from __future__ import annotations

import json
import logging
import time
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.serving.doors import MCP

_LOG = logging.getLogger("rag.serving.requests")
_CLOSED = 499
_MOST_CHARS = 500


class Log:
    """Writes a line for each request when it is over; with `with_questions` also what was asked."""

    def __init__(self, app: ASGIApp, with_questions: bool = False) -> None:
        self._app = app
        self._with_questions = with_questions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = _CLOSED, time.perf_counter()

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            took_ms = (time.perf_counter() - began) * 1e3
            _LOG.info("%s", json.dumps(self._line(scope, status, took_ms), ensure_ascii=True))

    def _line(self, scope: Scope, status: int, took_ms: float) -> dict[str, Any]:
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "method": scope["method"],
            "route": _route(scope),
            "status": status,
            "ms": round(took_ms, 1),
            "client": (scope.get("client") or ("",))[0],
        }
        question = scope.get("state", {}).get("question")
        asked = {"question": str(question)[:_MOST_CHARS]} if question and self._with_questions else {}
        return line | asked


def _route(scope: Scope) -> str:
    """Return the pattern of the route, never what stands in its place, such as the name of a paper."""
    route = getattr(scope.get("route"), "path", "") or scope.get("root_path", "")
    return str(route or (scope["path"] if scope["path"] == MCP else "-"))
