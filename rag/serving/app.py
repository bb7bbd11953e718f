"""Settings and an open library in, the application that serves it out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.serving.state import State

if TYPE_CHECKING:
    from fastapi import FastAPI


def create_app(state: State) -> FastAPI:
    """Return the application with every door: pages, REST, and those of other programs."""
    from fastapi import FastAPI

    app = FastAPI(title="askpapers", docs_url=None, redoc_url=None)
    app.state.rag = state
    return app
