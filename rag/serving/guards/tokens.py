"""The secret: a request comes in; without the token, or a cookie made from it, it goes no further.

Programs send `Authorization: Bearer TOKEN`. People type it once on a page and get a cookie.
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.datastructures import Headers as RequestHeaders
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.serving.doors import REST
from rag.serving.plain_page import wants_page
from rag.serving.problems import Problem
from rag.serving.sessions import COOKIE, is_secret, is_session

LOGIN = "/login"
_OPEN = (LOGIN, f"{REST}/health", f"{REST}/ready")


class Tokens:
    """Lets in who knows the secret; everybody, if there is none."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, ask a browser for the secret, or say that it is missing."""
        if scope["type"] != "http" or not self._secret or scope["path"] in _OPEN or self._knows(scope):
            await self._app(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD") and wants_page(scope):
            query = scope["query_string"].decode("ascii", "replace")
            there = quote(f"{scope['path']}?{query}" if query else scope["path"], safe="/")
            await RedirectResponse(f"{LOGIN}?next={there}", 303)(scope, receive, send)
        else:
            problem = Problem(401, "A token is needed.", "Send it as: Authorization: Bearer TOKEN")
            await problem.answer(scope, {"WWW-Authenticate": "Bearer"})(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        headers = RequestHeaders(scope=scope)
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return is_secret(token.strip(), self._secret)
        return is_session(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""), self._secret)
