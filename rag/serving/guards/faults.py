"""Faults: what a route raises and nobody expected comes in; a plain error goes out, the log gets the rest."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.serving.problems import problem_of
from rag.settings import Settings

_LOG = logging.getLogger("rag.serving")


class Faults:
    """Answers with problem JSON where a route failed before it began to answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        begun = False

        async def watch(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except Exception as error:
            if scope["type"] != "http":
                raise
            _LOG.error("a request failed: %s", type(error).__name__, exc_info=error)
            if not begun:
                await problem_of(error, self._settings).answer(scope)(scope, receive, send)
