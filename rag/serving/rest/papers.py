"""REST for the papers themselves: search, list, show, remove, and the themes of them all."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from rag.outputs.tables import paper_dict
from rag.serving.choosing import listed
from rag.serving.doors import REST
from rag.serving.replies import PROBLEMS, json_response
from rag.serving.shapes import MOST_QUESTION, FiltersBody, Words
from rag.serving.state import State

Names = Annotated[list[Words], Query(max_length=50)]
PaperName = Annotated[str, Path(max_length=300, description="Id, source or name.")]


def router(state: State) -> APIRouter:
    """Return the routes about papers."""
    routes = APIRouter(prefix=REST, responses=PROBLEMS, tags=["papers"])
    _add_finding(routes, state)
    _add_shelf(routes, state)
    return routes


def _add_finding(routes: APIRouter, state: State) -> None:
    @routes.get("/search", summary="The papers nearest to a question")
    async def search(
        request: Request,
        q: Annotated[str, Query(min_length=1, max_length=MOST_QUESTION, pattern=r"\S")],
        k: Annotated[int, Query(ge=1, le=1000)] = 10,
    ) -> Response:
        """Return papers with their scores, and their place in each ranking, best first."""
        hits = await state.answers.run(request, lambda voice: state.filled().search(q, k))
        return json_response({"hits": [hit.to_dict() for hit in hits]})

    @routes.get("/topics", summary="What the papers are about")
    async def topics(
        request: Request,
        most: Annotated[int | None, Query(ge=1, le=1000)] = None,
        placed: bool = False,
    ) -> Response:
        """Return the themes of all papers; with `placed`, also a place on a map for each paper."""
        found = await state.answers.run(
            request, lambda voice: state.filled().topics(most=most, placed=placed)
        )
        return json_response(found.to_dict())


def _add_shelf(routes: APIRouter, state: State) -> None:
    @routes.get("/papers", summary="The papers of the library")
    async def papers(
        request: Request,
        q: Annotated[str, Query(max_length=300, description="Words in name, title, authors or text.")] = "",
        year: Annotated[str, Query(max_length=20, description="2024, 2020..2024, 2020.. or ..2024.")] = "",
        venue: Names = [],  # noqa: B006
        author: Names = [],  # noqa: B006
        file: Names = [],  # noqa: B006
        sort: Literal["added", "name", "year"] = "added",
        offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """Return one page of the papers that fit, and how many fit in all."""
        filters = FiltersBody(year=year, venues=venue, authors=author, files=file)
        found = await state.answers.run(request, lambda voice: listed(state, q, filters, sort))
        page = [paper.to_dict() for paper in found.papers[offset : offset + limit]]
        told = {"total": len(found.papers), "offset": offset, "papers": page}
        return json_response(told | ({"remark": found.remark} if found.remark else {}))

    @routes.get("/papers/{paper}", summary="One paper whole")
    async def paper(request: Request, paper: PaperName) -> Response:
        """Return all the library holds of a paper; offsets of citations count in its `text`."""
        found = await state.answers.run(request, lambda voice: state.filled().paper(paper))
        return json_response(paper_dict(found))

    @routes.delete("/papers/{paper}", summary="Remove a paper")
    async def remove(request: Request, paper: PaperName) -> Response:
        """Remove one paper from the library."""
        return json_response(await state.answers.run(request, lambda voice: _removed(state, paper)))


def _removed(state: State, words: str) -> dict[str, Any]:
    library = state.filled()
    paper = library.paper(words)
    return {"removed": library.remove(paper.id), "paper": paper.to_dict()}
