"""The Topics page: a library comes in, a map of its papers and a list of its themes go out."""

from __future__ import annotations

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

# The papers listed below a theme; the map shows them all.
_LISTED = 60
_ATTRIBUTES = (
    'tabindex="0" role="application" aria-roledescription="map" aria-label="Map of the papers"'
    ' aria-describedby="hint"'
)


def routes(shell: Shell) -> APIRouter:
    """Return the route of the map."""
    router = shell.routes()

    @router.get("/topics")
    async def page(request: Request) -> Response:
        topics = await shell.state.answers.run(request, lambda voice: shell.state.filled().topics(placed=True))
        sheet = sheet_of(topics)
        return shell.page(
            request, "topics", map=_map(topics, sheet), left_out=sheet.left_out,
            themes=_themes(topics), box=_box(sheet), papers=len(topics.papers), listed=_LISTED,
        )  # fmt: skip

    return router


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
