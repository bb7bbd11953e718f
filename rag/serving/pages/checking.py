"""The Check page: a draft comes in, its sentences with what the papers say of them go out."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from rag.outputs.check_html import check_body
from rag.outputs.check_text import NOTHING, summary
from rag.serving.answering import Voice
from rag.serving.pages.asking import Text
from rag.serving.pages.shell import Shell
from rag.serving.shapes import MOST_DRAFT
from rag.text.latex import readable

NOTHING_HERE = NOTHING.replace("With --find", "With the box below ticked,")


def routes(shell: Shell) -> APIRouter:
    """Return the routes of checking."""
    router = shell.routes()

    @router.get("/check")
    def page(request: Request) -> Response:
        return _page(shell, request)

    @router.post("/check")
    async def check(request: Request, draft: Text = "", find: Text = "") -> Response:
        return await shell.state.answers.run(
            request, lambda voice: _checked(shell, request, draft, bool(find), voice)
        )

    return router


def _checked(shell: Shell, request: Request, draft: str, find: bool, voice: Voice) -> Response:
    if not draft.strip():
        return _page(shell, request, find=find, problem="Paste a text first.", status=400)
    if len(draft) > MOST_DRAFT:
        much = f"{len(draft):,} characters; at most {MOST_DRAFT:,} can be checked at once."
        return _page(shell, request, draft, find, problem=f"This text has {much}", status=400)
    found = shell.state.filled().check(draft, find=find, on_step=voice.check)
    checked = [replace(item, text=readable(item.text)) for item in found]
    told = f"{summary(checked)}." if checked else NOTHING_HERE
    return _page(shell, request, draft, find, found=Markup(check_body(checked)), told=told)


def _page(
    shell: Shell,
    request: Request,
    draft: str = "",
    find: bool = False,
    *,
    found: Markup | str = "",
    told: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    shell.state.filled()
    return shell.page(
        request,
        "check",
        status=status,
        draft=draft,
        most=MOST_DRAFT,
        find=find,
        found=found,
        told=told,
        problem=problem,
    )
