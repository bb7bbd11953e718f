"""Origins: requests come in; those of another site's pages are refused, other than a link to a page of ours.

Browsers say where a request comes from, and pages cannot make them say otherwise. Other programs say nothing.
A search costs something where texts are embedded on a server: no picture of another site may be one.
"""

from __future__ import annotations

from starlette.datastructures import Headers as RequestHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.serving.problems import Problem

_LOOKING = ("GET", "HEAD", "OPTIONS")
# "none": typed by the person, or opened from a bookmark.
_OWN_SITES = ("same-origin", "none")


class Origins:
    """Refuses what a page of another origin sends, other than a person who follows its link."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say that it comes from another site."""
        if scope["type"] == "http" and not _is_own(scope) and not _is_link(scope):
            problem = Problem(403, "This request comes from a page of another site.")
            await problem.answer(scope)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_link(scope: Scope) -> bool:
    """Tell whether a person comes by a link: the whole page is to be ours."""
    headers = RequestHeaders(scope=scope)
    kind = (headers.get("sec-fetch-mode", "navigate"), headers.get("sec-fetch-dest", "document"))
    return scope["method"] in _LOOKING and kind == ("navigate", "document")


def _is_own(scope: Scope) -> bool:
    headers = RequestHeaders(scope=scope)
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in _OWN_SITES
    # Behind a proxy that ends TLS the scheme differs; name and port cannot.
    return origin is None or origin.partition("://")[2] == headers.get("host")
