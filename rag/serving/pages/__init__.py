"""The pages for people: a library comes in, routes that send whole HTML pages go out.

Every page works without scripts; `static/page.js` adds what is more comfortable with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import APIRouter

    from rag.serving.state import State


def router(state: State) -> APIRouter:
    """Return the routes of all pages."""
    from fastapi import APIRouter

    from rag.serving.pages import (
        adding,
        answers,
        asking,
        checking,
        files,
        history,
        laying,
        nowhere,
        papers,
        topics,
    )
    from rag.serving.pages.shell import Shell

    shell = Shell(state)
    every = APIRouter(include_in_schema=False)
    # The page for what is nowhere takes every address that is left.
    for part in (files, asking, answers, laying, topics, adding, papers, checking, history, nowhere):
        every.include_router(part.routes(shell))
    return every
