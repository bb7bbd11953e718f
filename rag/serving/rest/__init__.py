"""The REST interface under /api/v1: the state comes in, its router goes out."""

from __future__ import annotations

from fastapi import APIRouter

from rag.serving.rest import answering, health, loading, papers
from rag.serving.state import State


def router(state: State) -> APIRouter:
    """Return every route of the REST interface."""
    whole = APIRouter()
    for part in (answering, papers, loading, health):
        whole.include_router(part.router(state))
    return whole
