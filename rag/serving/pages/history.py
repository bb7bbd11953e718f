"""The History pages: kept conversations come in; a list, one whole, an export, or one less goes out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from rag.outputs.conversation import FORMATS
from rag.serving.pages.answers import attachment
from rag.serving.pages.kept import Keeping
from rag.serving.pages.shell import NotThere, Shell

_LISTED = 50
EXPORTS: Mapping[str, tuple[str, str]] = {
    "md": ("markdown", "text/markdown"),
    "html": ("html", "text/html"),
    "json": ("json", "application/json"),
}


def routes(shell: Shell) -> APIRouter:
    """Return the routes of kept conversations."""
    router = shell.routes()
    keeping = Keeping(shell.state)

    @router.get("/history")
    def page(request: Request, page: int = 1) -> Response:
        every = keeping.store.all()
        pages = max(1, -(-len(every) // _LISTED))
        page = min(max(page, 1), pages)
        rows = [(c, when(c.latest)) for c in every[(page - 1) * _LISTED : page * _LISTED]]
        return shell.page(
            request, "history", rows=rows, total=len(every), page=page, pages=pages,
            address=lambda number: f"/history?page={number}",
        )  # fmt: skip

    @router.get("/history/{conversation_id}/export.{ending}")
    def export(conversation_id: str, ending: str) -> Response:
        if ending not in EXPORTS:
            raise NotThere(f"Conversations are not saved as .{ending[:20]}.", hint="Endings: md, html, json.")
        kept = keeping.conversation(conversation_id)
        name, kind = EXPORTS[ending]
        text = FORMATS[name](kept.conversation, kept.turns)
        return attachment(text, kind, f"conversation-{kept.conversation.id}.{ending}")

    @router.get("/history/{conversation_id}/delete")
    def confirm(request: Request, conversation_id: str) -> Response:
        return shell.page(request, "forget", kept=keeping.conversation(conversation_id))

    @router.post("/history/{conversation_id}/delete")
    def delete(conversation_id: str) -> Response:
        keeping.store.delete([keeping.conversation(conversation_id).conversation.id])
        return RedirectResponse("/history", 303)

    return router


def when(moment: float) -> str:
    """Return a moment (seconds since 1970) as day and minute, in the server's own time."""
    return datetime.fromtimestamp(moment, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
