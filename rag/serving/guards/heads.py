"""Heads: a HEAD request comes in; the route for GET answers it, and its body is left out."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.serving.doors import MCP

_ROUTED = ("route", "root_path")


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

        # The server looks at the scope it gave: what it sends for HEAD needs no body.
        inner = {**scope, "method": "GET"}
        try:
            await self._app(inner, receive, leave_out)
        finally:
            # The log tells the route.
            scope.update({key: inner[key] for key in _ROUTED if key in inner})
