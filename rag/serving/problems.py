"""Failures as problem JSON (RFC 9457): an error comes in; status, title, what happened and what to do go out.

Browsers get a page that says it, clients of OpenAI what they expect. Paths, keys and tracebacks stay inside.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from rag.endpoint import address, without_key
from rag.errors import (
    BudgetError,
    EmbedderError,
    LibraryLocked,
    ModelError,
    NothingMatches,
    PromptTooLong,
    RagError,
    SettingError,
    SourceError,
    UnknownPaper,
    UsageError,
)
from rag.outputs.printable import clean, to_json
from rag.serving.answering import RETRY_AFTER_S, Busy, ClientGone, Event
from rag.serving.chat_shapes import UnknownModel
from rag.serving.doors import OPENAI
from rag.serving.loading import UnknownJob
from rag.serving.plain_page import plain_page, wants_page
from rag.serving.state import NoPapers
from rag.settings import Settings, mask_password

MEDIA_TYPE = "application/problem+json"
# The first class that fits: those of special kinds stand before what they derive from.
_STATUS: tuple[tuple[type[RagError], int], ...] = (
    (Busy, 503),
    (NoPapers, 409),
    (LibraryLocked, 503),
    (UnknownPaper, 404),
    (NothingMatches, 404),
    (UnknownJob, 404),
    (UnknownModel, 404),
    (SettingError, 500),
    (UsageError, 400),
    (SourceError, 422),
    (BudgetError, 402),
    (PromptTooLong, 422),
    (ModelError, 502),
    (EmbedderError, 500),
)
_TRIED_LATER = (429, 503)
_NAMES: Mapping[int, str] = {402: "Would cost too much", 422: "Cannot be used as sent"}
# An absolute path of this machine, or of a Windows one; routes of ours begin with /api or /v1.
_PATHS = re.compile(
    r"(?<![\w./:])(?:/(?!api/|v1/|v1\b|api\b)[^\s/'\"`;)]+(?:/[^\s/'\"`;)]+)+|[A-Za-z]:\\[^\s'\"`;)]+)"
)
_MOST_SHOWN = 5
_MOST_CHARS = 300


@dataclass(frozen=True, slots=True)
class Problem:
    """A failure for a client: HTTP status, what happened, and what to do."""

    status: int
    detail: str
    hint: str = ""
    kind: str = "error"
    errors: tuple[str, ...] = ()
    retry_after_s: int = RETRY_AFTER_S

    @property
    def said(self) -> str:
        """All that there is to tell, as one text."""
        return " ".join(filter(None, (self.detail, *self.errors, self.hint)))

    def to_dict(self) -> dict[str, Any]:
        """Return the members of problem JSON; `hint`, `kind` and `errors` are ours."""
        more = {"hint": self.hint} if self.hint else {}
        listed = {"errors": list(self.errors)} if self.errors else {}
        return {
            "type": "about:blank",
            "title": _NAMES.get(self.status) or HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "kind": self.kind,
            **more,
            **listed,
        }

    def for_openai(self) -> dict[str, Any]:
        """Return the problem as OpenAI clients read it."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": self.said, "type": kind, "param": None, "code": self.kind}}

    def answer(self, scope: Scope, headers: Mapping[str, str] | None = None) -> Response:
        """Return the response in the form the client of a request understands."""
        later = {"Retry-After": str(self.retry_after_s)} if self.status in _TRIED_LATER else {}
        every = {**later, **(headers or {})}
        if str(scope["path"]).startswith(f"{OPENAI}/"):
            return Response(to_json(self.for_openai()), self.status, every, "application/json")
        if wants_page(scope):
            return self._page(every)
        return Response(to_json(self.to_dict()), self.status, every, MEDIA_TYPE)

    def _page(self, headers: Mapping[str, str]) -> Response:
        said = "".join(f"<p>{escape(line)}</p>\n" for line in (self.detail, *self.errors, self.hint) if line)
        title = "That did not work"
        return plain_page(title, f"<h1>{title}</h1>\n{said}", status=self.status, headers=headers)


def problem_of(error: Exception, settings: Settings) -> Problem:
    """Return what a client is told of an error; of one that is a bug, only that there was one."""
    if _is_full(error):
        return Problem(507, "The server's disk is full.", "Free some space on it, and send it again.")
    if not isinstance(error, RagError):
        return Problem(500, "The server made a mistake.", "Its log says more.", kind="bug")
    status = next((code for kind, code in _STATUS if isinstance(error, kind)), 500)
    said, hint = (safe_for_clients(text, settings) for text in (error.message, error.hint))
    return Problem(status, said, hint, kind=type(error).__name__)


def _is_full(error: BaseException | None) -> bool:
    """Tell whether an error, or one that it was raised from, says that a disk is full."""
    if error is None:
        return False
    is_full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
    return is_full or _is_full(error.__cause__ or error.__context__)


def error_event(error: Exception, settings: Settings) -> Event:
    """Return an error as the event of a stream."""
    return Event("error", problem_of(error, settings).to_dict())


def safe_for_clients(text: str, settings: Settings) -> str:
    """Return a message without keys, passwords, and paths of this machine."""
    for path in (settings.library, settings.prompts_dir):
        if path is not None:
            text = text.replace(str(path.absolute()), "the folder")
            text = re.sub(rf"(?<![\w./-]){re.escape(str(path))}(?=[/\s,.:;]|$)", "the folder", text)
    text = mask_password(without_key(text, address(settings)))
    if settings.token:
        text = text.replace(settings.token, "…")
    return clean(_PATHS.sub("…", text))


def add_problem_handlers(app: FastAPI, settings: Settings) -> None:
    """Let every failure of a route come out as problem JSON."""

    async def failed(request: Request, error: Exception) -> Response:
        return problem_of(error, settings).answer(request.scope)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if _is_full(error):
            return problem_of(error, settings).answer(request.scope)
        known = error.detail if error.detail != HTTPStatus(error.status_code).phrase else ""
        detail = known or _DETAILS.get(error.status_code, HTTPStatus(error.status_code).phrase)
        return Problem(error.status_code, detail).answer(request.scope, error.headers)

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        problem = Problem(422, "The request is not as it must be.", errors=tuple(_said(error)))
        return problem.answer(request.scope)

    async def gone(request: Request, error: Exception) -> Response:
        # Nobody reads it; 499 is what logs of web servers call it.
        return Response(status_code=499)

    app.add_exception_handler(ClientGone, gone)
    app.add_exception_handler(RagError, failed)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)


_DETAILS: Mapping[int, str] = {
    404: "There is nothing at this address.",
    405: "This address does not take such a request.",
    413: "The request is larger than the server takes.",
}


def _said(error: RequestValidationError) -> list[str]:
    """Say in words what is wrong with each field; values of the request are not repeated."""
    every = [
        f"{'.'.join(str(part) for part in found['loc'][1:]) or 'body'}: {found['msg']}"[:_MOST_CHARS]
        for found in error.errors()
    ]
    more = len(every) - _MOST_SHOWN
    return [*every[:_MOST_SHOWN], *([f"… and {more} more"] if more > 0 else [])]
