"""The Topics page: a library comes in, a map of its papers and a list of its themes go out."""

from __future__ import annotations

import threading

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from rag.jobs.topics import Topics
from rag.outputs.map_marks import ink_of, outline_of
from rag.outputs.map_sheet import Sheet, sheet_of
from rag.outputs.map_svg import drawing
from rag.outputs.topics import further_terms
from rag.serving.pages.places import address_of
from rag.serving.pages.shell import Shell
from rag.serving.state import State

# The papers listed below a theme; the map shows them all.
_LISTED = 60
_ATTRIBUTES = (
    'tabindex="0" role="application" aria-roledescription="map" aria-label="Map of the papers"'
    ' aria-describedby="hint"'
)


def routes(shell: Shell) -> APIRouter:
    """Return the route of the map."""
    router, latest = shell.routes(), _Latest(shell.state)

    @router.get("/topics")
    async def page(request: Request) -> Response:
        return await shell.state.answers.run(request, lambda voice: _page(shell, request, latest.topics()))

    return router


class _Latest:
    """The topics of a library, worked out again only when it holds other papers: thousands take seconds."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._lock = threading.Lock()
        self._ids: tuple[str, ...] = ()
        self._topics: Topics | None = None

    def topics(self) -> Topics:
        """Return the topics with their places on a map; raise NoPapers if there is no paper."""
        library = self._state.filled()
        ids = tuple(imprint.id for imprint in library.imprints())
        with self._lock:
            if self._topics is None or ids != self._ids:
                self._topics, self._ids = library.topics(placed=True), ids
            return self._topics


def _page(shell: Shell, request: Request, topics: Topics) -> Response:
    sheet = sheet_of(topics)
    return shell.page(
        request, "topics", map=_map(topics, sheet), left_out=sheet.left_out,
        themes=_themes(topics), box=_box(sheet), papers=len(topics.papers), listed=_LISTED,
    )  # fmt: skip


def _map(topics: Topics, sheet: Sheet) -> Markup:
    return Markup(drawing(topics, sheet, _ATTRIBUTES, address=address_of))


def _box(sheet: Sheet) -> str:
    reach = sheet.radius * 1.6
    return f"{-reach:g} {-reach:g} {2 * reach:g} {2 * reach:g}"


def _themes(topics: Topics) -> list[dict[str, object]]:
    return [
        {
            "number": number + 1,
            "heading": theme.heading,
            "terms": further_terms(theme),
            "count": len(theme.members),
            "papers": topics.papers_of(theme)[:_LISTED],
            "ink": ink_of(number),
            "outline": outline_of(number),
        }
        for number, theme in enumerate(topics.themes)
    ]
