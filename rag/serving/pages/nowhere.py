"""The page for an address where nothing is: any path comes in, a page that says so goes out."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from rag.serving.pages.shell import NotThere, Shell
from rag.serving.plain_page import wants_page


def routes(shell: Shell) -> APIRouter:
    """Return the route of all addresses that no other route takes, for browsers."""
    told = shell.routes().route_class

    class Left(told):  # type: ignore[misc, valid-type]
        """A route for pages alone."""

        def matches(self, scope: Scope) -> tuple[Match, Scope]:
            if not wants_page(scope):
                return Match.NONE, {}
            match: tuple[Match, Scope] = super().matches(scope)
            return match

    router = APIRouter(route_class=Left)

    @router.get("/{path:path}")
    def nowhere(path: str) -> Response:
        raise NotThere("There is nothing at this address.", hint="The pages are listed above.")

    return router
