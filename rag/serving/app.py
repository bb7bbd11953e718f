"""The state in, the application out: every door of the server behind the same guards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from rag.serving.state import State

if TYPE_CHECKING:
    from fastapi import FastAPI


def create_app(state: State) -> FastAPI:
    """Return the application with every door: pages, REST, and those of other programs."""
    import anyio.to_thread
    from fastapi import FastAPI
    from starlette.routing import Route

    from rag.serving import chat, docs, login, mcp, pages, rest
    from rag.serving.description import describe
    from rag.serving.doors import API, MCP
    from rag.serving.guards import guard
    from rag.serving.problems import add_problem_handlers

    sessions = mcp.http_sessions(state)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with sessions.run():
            yield
        # Beside the loop, which must still hear that it is to end at once.
        await anyio.to_thread.run_sync(state.close)

    app = FastAPI(
        title="askpapers",
        version=version("askpapers"),
        docs_url=None,
        redoc_url=None,
        openapi_url=f"{API}/openapi.json",
        lifespan=lifespan,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.rag = state
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
    add_problem_handlers(app, state.settings)
    guard(app, state)
    app.include_router(login.router(state))
    app.include_router(rest.router(state))
    app.include_router(chat.router(state))
    app.include_router(docs.router(app))
    app.router.routes.append(Route(MCP, mcp.endpoint(sessions)))
    app.include_router(pages.router(state))
    return app
