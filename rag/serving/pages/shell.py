"""The shell of every page: a template and its values come in, a whole page goes out."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from starlette.responses import Response

from rag.errors import BudgetError, LibraryLocked, RagError, UsageError
from rag.outputs.parts import number_of
from rag.outputs.printable import one_line
from rag.serving.pages.files import address_of
from rag.serving.state import State

if TYPE_CHECKING:
    from jinja2 import Environment

    from rag.library import Library

TEMPLATES = Path(__file__).parent / "templates"
NAVIGATION = (
    ("/", "Ask"),
    ("/compare", "Compare"),
    ("/summarize", "Summarize"),
    ("/topics", "Topics"),
    ("/papers", "Papers"),
    ("/check", "Check"),
    ("/history", "History"),
)
# What a failure is to a browser; any other is the server's own.
STATUS: tuple[tuple[type[RagError], int], ...] = (
    (LibraryLocked, 409),
    (BudgetError, 402),
    (UsageError, 400),
)


@dataclass(frozen=True, slots=True)
class Shell:
    """What every page needs: the library, and how it says things."""

    state: State

    @property
    def library(self) -> Library:
        """The open library."""
        return self.state.library

    def page(self, request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page; `template` is the name of a file in `templates/`, without its ending."""
        here = "/" + request.url.path.strip("/").split("/", 1)[0]
        shared = {"here": here, "navigation": NAVIGATION, "csrf": csrf(request), "standing": self.standing()}
        html = templates().get_template(f"{template}.html").render(shared | values)
        return HTMLResponse(html, status, {"Cache-Control": "no-store"})

    def standing(self) -> str:
        """Say how many papers there are, and who writes the answers."""
        model = self.state.settings.model
        how = "answers are quoted from them" if model == "extractive" else f"answers by {one_line(model, 60)}"
        return f"{number_of(self.library.count(), 'paper')} · {how}"

    def routes(self) -> APIRouter:
        """Return a router whose expected failures are told on a page."""
        return APIRouter(route_class=_told_on_a_page(self))


def csrf(request: Request) -> str:
    """Return what a form must send back to show that it is ours; empty where nothing is asked for."""
    return str(getattr(request.state, "csrf", ""))


@functools.cache
def templates() -> Environment:
    """Return the templates; whatever they are given is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["line"] = one_line
    found.filters["count"] = number_of
    found.globals["static"] = address_of
    return found


def _told_on_a_page(shell: Shell) -> type[APIRoute]:
    class Told(APIRoute):
        """A route that answers an expected failure with a page that says what to do."""

        def get_route_handler(self) -> Callable[[Request], Any]:
            handle = super().get_route_handler()

            async def told(request: Request) -> Response:
                try:
                    return await handle(request)
                except RagError as error:
                    return shell.page(request, "failure", status=status_of(error), error=error)

            return told

    return Told


def status_of(error: RagError) -> int:
    """Return the HTTP status of a failure."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)
