"""The Papers pages: what to look for comes in, a list, a paper, or one paper less goes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from rag.counting import counted
from rag.domain import Paper
from rag.ledger import Imprint
from rag.outputs.printable import clean, one_line
from rag.outputs.reference_html import facts_html
from rag.serving.pages.shell import NotThere, Shell

_LISTED = 25
_FOUND = 200
_GLIMPSE = 230
_SUGGESTED = 200

Words = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is looked for: words, and year, venue and author as typed; empty where any will do."""

    q: str = ""
    year: str = ""
    venue: str = ""
    author: str = ""

    def fits(self, paper: Paper | Imprint) -> bool:
        """Tell whether a paper has the year, the venue and the author."""
        return (
            self.year in ("", str(paper.year))
            and self.venue.casefold() in paper.venue.casefold()
            and self.author.casefold() in ", ".join(paper.authors).casefold()
        )

    def address(self, page: int) -> str:
        """Return the address of a page of what is found."""
        wanted = {name: value for name, value in asdict(self).items() if value}
        return f"/papers?{urlencode(wanted | {'page': page})}"


def routes(shell: Shell) -> APIRouter:
    """Return the routes of papers."""
    router = shell.routes()

    @router.get("/papers")
    def page(
        request: Request,
        q: Words = "",
        year: Words = "",
        venue: Words = "",
        author: Words = "",
        page: int = 1,
    ) -> Response:
        chosen = Chosen(*(one_line(value) for value in (q, year, venue, author)))
        return _list(shell, request, chosen, page)

    @router.get("/papers/{paper_id}")
    def paper(request: Request, paper_id: str) -> Response:
        found = the_paper(shell, paper_id)
        return shell.page(
            request, "paper", paper=found, facts=Markup(facts_html(found)), text=clean(found.text),
            also=", ".join(map(one_line, found.sources[1:])),
        )  # fmt: skip

    @router.get("/papers/{paper_id}/remove")
    def confirm(request: Request, paper_id: str) -> Response:
        return shell.page(request, "remove", paper=the_paper(shell, paper_id))

    @router.post("/papers/{paper_id}/remove")
    def remove(paper_id: str) -> Response:
        shell.library.remove(the_paper(shell, paper_id).id)
        return RedirectResponse("/papers", 303)

    return router


def the_paper(shell: Shell, paper_id: str) -> Paper:
    """Return the paper with this id; raise NotThere if there is none."""
    found = shell.library.papers([paper_id])
    if not found:
        raise NotThere(
            "There is no such paper in the library.", hint="It may have been removed; Papers lists all."
        )
    return found[0]


def _list(shell: Shell, request: Request, chosen: Chosen, page: int) -> Response:
    every = shell.state.imprints()
    fitting = [paper.id for paper in _looked_at(shell, chosen, every) if chosen.fits(paper)]
    pages = max(1, -(-len(fitting) // _LISTED))
    page = min(max(page, 1), pages)
    first = (page - 1) * _LISTED
    return shell.page(
        request, "papers", empty=not every, chosen=chosen, page=page, pages=pages, address=chosen.address,
        rows=[_row(paper) for paper in _whole(shell, fitting[first : first + _LISTED])], first=first + 1,
        told=_told(fitting, chosen), authors=any(paper.authors for paper in every),
        years=sorted({paper.year for paper in every if paper.year is not None}, reverse=True),
        venues=sorted({paper.venue for paper in every if paper.venue})[:_SUGGESTED],
    )  # fmt: skip


def _looked_at(shell: Shell, chosen: Chosen, every: Sequence[Imprint]) -> Iterable[Paper | Imprint]:
    """Return the papers among which some are chosen: those nearest to the words, or all."""
    if not (chosen.q and every):
        return every
    return [hit.paper for hit in shell.library.search(chosen.q, _FOUND)]


def _whole(shell: Shell, ids: Sequence[str]) -> list[Paper]:
    """Return the papers with these ids, in their order; only what is shown is read."""
    found = {paper.id: paper for paper in shell.library.papers(ids)} if ids else {}
    return [found[paper_id] for paper_id in ids if paper_id in found]


def _row(paper: Paper) -> tuple[Paper, Markup, str]:
    return paper, Markup(facts_html(paper)), one_line(paper.text, _GLIMPSE)


def _told(fitting: Sequence[str], chosen: Chosen) -> str:
    if chosen == Chosen():
        return f"{counted(len(fitting), 'paper')}, in the order they came in."
    if not fitting:
        return "No paper is like this."
    if chosen.q:
        return f"The nearest {counted(len(fitting), 'paper')}, those that fit best first."
    return f"{counted(len(fitting), 'paper')} found."
