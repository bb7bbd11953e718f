"""The page of one answer: its address comes in, the answer with its references and its exports go out."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from rag.domain import Answer
from rag.outputs.answer_html import answer_body
from rag.outputs.exports import export
from rag.outputs.reference_html import references_html
from rag.serving.pages.kept import Keeping, Kept, legible
from rag.serving.pages.places import address_of
from rag.serving.pages.shell import NotThere, Shell

# The ending of an address: the format, what it is to a browser, and what a person calls it.
EXPORTS: Mapping[str, tuple[str, str, str]] = {
    "md": ("markdown", "text/markdown", "Markdown"),
    "html": ("html", "text/html", "HTML"),
    "json": ("json", "application/json", "JSON"),
    "bib": ("bibtex", "application/x-bibtex", "BibTeX"),
    "ris": ("ris", "application/x-research-info-systems", "RIS"),
    "csv": ("csv", "text/csv", "CSV"),
}
# These hold what an answer cites, and nothing else.
_OF_REFERENCES = ("bib", "ris", "csv")


def routes(shell: Shell) -> APIRouter:
    """Return the routes of kept answers."""
    router = shell.routes()
    keeping = Keeping(shell.state)

    @router.get("/a/{address}")
    def answer(request: Request, address: str) -> Response:
        return answer_page(shell, request, keeping.at(address))

    @router.get("/a/{address}/export.{ending}")
    def exported(address: str, ending: str) -> Response:
        if ending not in EXPORTS:
            raise NotThere(
                f"Answers are not saved as .{ending[:20]}.", hint=f"Endings: {', '.join(EXPORTS)}."
            )
        name, kind, _ = EXPORTS[ending]
        text = export(keeping.at(address).turn.answer, name)
        return attachment(text, kind, f"answer-{address}.{ending}")

    return router


def attachment(text: str, kind: str, name: str) -> Response:
    """Return a file to be saved; `name` is of our own making."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text.encode("utf-8"), media_type=f"{kind}; charset=utf-8", headers=headers)


def answer_page(shell: Shell, request: Request, kept: Kept) -> HTMLResponse:
    """Return the page of a kept answer."""
    return shell.page(
        request,
        "answer",
        title=kept.answer.question,
        body=body_of(kept.answer),
        references=Markup(references_html(kept.answer, address_of)),
        kept=kept,
        address=f"/a/{kept.conversation.id}-{kept.place}",
        exports=_offered(kept.answer),
        warnings=kept.warnings,
    )


def passing_page(shell: Shell, request: Request, answer: Answer, why: str) -> HTMLResponse:
    """Return the page of an answer that could not be kept, and say why."""
    shown = legible(answer)
    return shell.page(
        request, "answer", title=shown.question, body=body_of(shown),
        references=Markup(references_html(shown, address_of)), kept=None, address="", exports={},
        warnings=(f"This answer is not kept: {why}",),
    )  # fmt: skip


def _offered(answer: Answer) -> dict[str, str]:
    """Return the endings that an answer is worth saving with, and what people call them."""
    given = {ending: label for ending, (_, _, label) in EXPORTS.items()}
    return {e: label for e, label in given.items() if answer.references or e not in _OF_REFERENCES}


def body_of(answer: Answer) -> Markup:
    """Return an answer without its references as HTML; whatever is in it has been escaped."""
    return Markup(answer_body(answer, references=False, address=address_of))
