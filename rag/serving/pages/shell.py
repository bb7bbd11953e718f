"""The shell of every page: a template and its values come in, a whole page goes out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from rag.counting import counted
from rag.errors import RagError
from rag.outputs.printable import one_line
from rag.serving.answering import RETRY_AFTER_S, Busy
from rag.serving.pages.files import address_of
from rag.serving.problems import problem_of
from rag.serving.state import NoPapers, State
from rag.text.latex import readable

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

WRITERS: Mapping[str, str] = {
    "extractive": "answers are quoted from them",
    "auto": "answers by a chat model where one is set, else quoted",
}
_REFUSED = {"message": "The server does not take this.", "hint": ""}
REFUSALS: Mapping[int, Mapping[str, str]] = {
    404: {"message": "There is nothing at this address.", "hint": ""},
    413: {"message": "This is larger than the server takes.", "hint": "Send less at once."},
}


class NotThere(RagError):
    """Nothing, or nothing any more, is at an address."""


@dataclass(frozen=True, slots=True)
class Shell:
    """What every page needs: the library, and how it says things."""

    state: State

    @property
    def library(self) -> Library:
        """The open library; raises NoPapers while there is none."""
        return self.state.library

    def page(self, request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page; `template` is the name of a file in `templates/`, without its ending."""
        here = "/" + request.url.path.strip("/").split("/", 1)[0]
        shared = {"here": here, "navigation": NAVIGATION, "standing": self.standing()}
        html = templates().get_template(f"{template}.html").render(shared | values)
        return HTMLResponse(html, status, {"Cache-Control": "no-store"})

    def failure(self, request: Request, error: Exception) -> HTMLResponse:
        """Return the page that tells of a failure; where there is no library yet, the one that makes it."""
        if isinstance(error, NoPapers):
            return self.page(request, "welcome", status=200 if request.method == "GET" else 409)
        told = self.told(error)
        response = self.page(request, "failure", status=int(told["status"]), error=told)
        if isinstance(error, Busy):
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
        return response

    def told(self, error: Exception) -> Mapping[str, Any]:
        """Return status, message and hint of a failure, without anything that is only for who runs this."""
        if isinstance(error, NotThere):
            return {"status": 404, "message": error.message, "hint": error.hint}
        if isinstance(error, RequestValidationError):
            return {"status": 422, "message": "This address or form is not as it must be.", "hint": ""}
        if isinstance(error, HTTPException):
            return {"status": error.status_code, **REFUSALS.get(error.status_code, _REFUSED)}
        problem = problem_of(error, self.state.settings)
        return {"status": problem.status, "message": _begun(problem.detail), "hint": problem.hint}

    def standing(self) -> str:
        """Say how many papers there are, and who writes the answers."""
        model = self.state.settings.model
        how = WRITERS.get(model) or f"answers by {one_line(model, 60)}"
        return f"{counted(self.state.count, 'paper')} · {how}"

    def routes(self) -> APIRouter:
        """Return a router whose expected failures are told on a page."""
        return APIRouter(route_class=_told_on_a_page(self))


def _begun(message: str) -> str:
    """Return a message as a sentence begins."""
    return message[:1].upper() + message[1:]


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
    found.filters["count"] = counted
    found.filters["asked"] = lambda text, limit=0: one_line(readable(text), limit)
    found.globals["static"] = address_of
    return found


def _told_on_a_page(shell: Shell) -> type[APIRoute]:
    class Told(APIRoute):
        """A route that answers an expected failure with a page that says what to do."""

        def get_route_handler(self) -> Callable[[Request], Any]:
            handle = super().get_route_handler()

            async def told(request: Request) -> Response:
                try:
                    response: Response = await handle(request)
                except (RagError, RequestValidationError, HTTPException) as error:
                    return shell.failure(request, error)
                return response

            return told

    return Told
