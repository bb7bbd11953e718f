"""REST for those who watch the server: is the process up, and can it answer."""

from __future__ import annotations

import anyio.to_thread
from fastapi import APIRouter
from starlette.responses import Response

from rag.serving.doors import REST
from rag.serving.problems import problem_of
from rag.serving.replies import PROBLEMS, json_response
from rag.serving.state import State


def router(state: State) -> APIRouter:
    """Return the routes for watchers; they tell nothing of the papers and need no token."""
    routes = APIRouter(prefix=REST, responses=PROBLEMS, tags=["health"])

    @routes.get("/health", summary="Is the process up")
    async def health() -> Response:
        """Return at once, whatever else is going on."""
        return json_response({"status": "up"})

    @routes.get("/ready", summary="Can questions be answered")
    async def ready() -> Response:
        """Return 200 once the library is open, holds papers, and its indexes agree with it; else 503.

        `warnings` counts what has been healed or stood in for: what it was is told to those who may ask.
        Looked at beside the answers under way: a server that is busy is still ready.
        """
        try:
            papers, warnings = await anyio.to_thread.run_sync(_looked, state)
        except Exception as error:
            problem = problem_of(error, state.settings)
            return json_response({"status": "not ready", "reason": problem.detail}, 503)
        return json_response({"status": "ready", "papers": papers, "warnings": warnings})

    return routes


def _looked(state: State) -> tuple[int, int]:
    library = state.filled()
    library.search("ready", 1)
    return state.count, len(library.warnings())
