"""Heads: a HEAD request comes in; the route for GET answers it, and its body is left out."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.serving.doors import MCP


class Heads:
    """Answers HEAD wherever GET is answered, as RFC 9110 wants it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; of what comes back to HEAD, only the head."""
        is_head = scope["type"] == "http" and scope["method"] == "HEAD"
        # What MCP is asked for may be a stream without end.
        if not is_head or str(scope["path"]).startswith(MCP):
            await self._app(scope, receive, send)
            return

        async def leave_out(message: Message) -> None:
            is_body = message["type"] == "http.response.body"
            await send({**message, "body": b""} if is_body else message)

        # The same scope: routing notes in it what the log reads when all is over.
        scope["method"] = "GET"
        try:
            await self._app(scope, receive, leave_out)
        finally:
            scope["method"] = "HEAD"
