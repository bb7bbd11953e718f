"""Bodies: what clients send comes in piece by piece; what grows beyond its limit is refused."""

from __future__ import annotations

import anyio
from starlette.datastructures import Headers as RequestHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.serving.problems import Problem

_TOO_LARGE, _TOO_SLOW = 413, 408
PIECE_S = 30.0
_MOST_DIGITS = 18
_SAID = "The request is larger than the server takes."


async def _soon(receive: Receive) -> Message:
    """Return the next piece of a body; raise HTTPException where none comes for long."""
    with anyio.move_on_after(PIECE_S):
        return await receive()
    raise HTTPException(_TOO_SLOW, "The rest of the request did not come.")


class Bodies:
    """Limits each request's body, forms with files to `upload_bytes`; what is announced is not believed."""

    def __init__(self, app: ASGIApp, body_bytes: int, upload_bytes: int) -> None:
        self._app = app
        self._body_bytes = body_bytes
        self._upload_bytes = upload_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say that it is too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = RequestHeaders(scope=scope)
        most, taken, is_whole = self._most(headers), 0, False
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or len(announced) > _MOST_DIGITS or int(announced) > most:
            await Problem(_TOO_LARGE, _SAID).answer(scope)(scope, receive, send)
            return

        async def count() -> Message:
            nonlocal taken, is_whole
            message = await (receive() if is_whole else _soon(receive))
            is_whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > most:
                # Whoever reads a body lets this through, and it becomes problem JSON.
                raise HTTPException(_TOO_LARGE, _SAID)
            return message

        await self._app(scope, count, send)

    def _most(self, headers: RequestHeaders) -> int:
        has_files = headers.get("content-type", "").lower().startswith("multipart/form-data")
        return self._upload_bytes if has_files else self._body_bytes
