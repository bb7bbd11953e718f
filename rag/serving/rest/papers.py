"""REST for the papers themselves: search, list, show, remove, and the themes of them all."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from rag.outputs.tables import paper_dict
from rag.serving.choosing import Choice, chosen
from rag.serving.replies import PREFIX, PROBLEMS, json_response
from rag.serving.shapes import MOST_QUESTION
from rag.serving.state import State

PaperName = Annotated[str, Path(max_length=300, description="Id, source or name.")]


def router(state: State) -> APIRouter:
    """Return the routes about papers."""
    routes = APIRouter(prefix=PREFIX, responses=PROBLEMS, tags=["papers"])
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
        source: Annotated[str, Query(max_length=300, description="Name of the file it came from.")] = "",
        year_from: Annotated[int | None, Query(ge=0, le=9999)] = None,
        year_to: Annotated[int | None, Query(ge=0, le=9999)] = None,
        sort: Literal["added", "name", "year"] = "added",
        offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> Response:
        """Return one page of the papers that fit, and how many fit in all."""
        choice = Choice(q, source, year_from, year_to, sort)
        found = await state.answers.run(request, lambda voice: chosen(state.all_papers(), choice))
        page = [paper.to_dict() for paper in found[offset : offset + limit]]
        return json_response({"total": len(found), "offset": offset, "papers": page})

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
