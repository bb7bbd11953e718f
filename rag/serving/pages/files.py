"""Files that pages load: a name comes in, its content, never anything outside the table, goes out."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from rag.outputs import check_html
from rag.outputs.answer_html import ANSWER_STYLE
from rag.outputs.map_svg import drawing_style
from rag.outputs.page import STYLE

if TYPE_CHECKING:
    from rag.serving.pages.shell import Shell

_CSS, _SCRIPT, _PICTURE = "text/css", "text/javascript", "image/svg+xml"
_A_YEAR = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class File:
    """A file that pages load: what it is, and what reads it."""

    kind: str
    read: Callable[[], str]


def _look() -> str:
    """Return the one style of all pages: what saved pages have, and what only these need."""
    own = _packaged("rag.serving.pages", "static/page.css")
    return "\n".join((STYLE, ANSWER_STYLE, drawing_style(), own))


def _packaged(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text("utf-8")


FILES: Mapping[str, File] = {
    "look.css": File(_CSS, _look),
    "check.css": File(_CSS, lambda: check_html.STYLE),
    "page.js": File(_SCRIPT, lambda: _packaged("rag.serving.pages", "static/page.js")),
    "asking.js": File(_SCRIPT, lambda: _packaged("rag.serving.pages", "static/asking.js")),
    "map.js": File(_SCRIPT, lambda: _packaged("rag.outputs", "map_page.js")),
    "icon.svg": File(_PICTURE, lambda: _packaged("rag.serving.pages", "static/icon.svg")),
}


@functools.cache
def content(name: str) -> bytes:
    """Return a file of the table; raise KeyError for any other."""
    return FILES[name].read().encode("utf-8")


@functools.cache
def address_of(name: str) -> str:
    """Return the address of a file, which changes with its content: a browser may keep it for ever."""
    return f"/static/{name}?v={hashlib.sha256(content(name)).hexdigest()[:12]}"


def routes(shell: Shell) -> APIRouter:
    """Return the route of the files."""
    router = APIRouter()

    @router.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in FILES:
            return PlainTextResponse("There is no such file.", 404)
        return Response(content(name), media_type=FILES[name].kind, headers={"Cache-Control": _A_YEAR})

    return router
