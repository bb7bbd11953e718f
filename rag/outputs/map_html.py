"""Topics in, a page with the map out: one file that needs no network, with a list of the themes beside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.resources import files

from rag.counting import counted
from rag.jobs.topics import Topics
from rag.outputs.map_marks import ink_of, outline_of
from rag.outputs.map_sheet import sheet_of
from rag.outputs.map_svg import drawing, drawing_style
from rag.outputs.printable import one_line
from rag.outputs.topics import further_terms

_HINT = (
    "Point at a mark to see its paper. Choose a theme in the list to see it alone. With the keyboard: arrow"
    " keys move over the map, Enter shows a theme alone, Escape shows all."
)


def map_html(topics: Topics) -> str:
    """Return the page; everything from the papers is escaped, and no script but the page's own may run."""
    sheet = sheet_of(topics)
    themes = len(topics.themes)
    title = f"{counted(len(topics.papers), 'paper')} in {counted(themes, 'theme')}"
    left_out = (
        f" {sheet.left_out:,} papers are not drawn: they are too many for a page." if sheet.left_out else ""
    )
    script = _part("map_page.js")
    attributes = 'tabindex="0" role="application" aria-label="Map of the papers" aria-describedby="hint"'
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{drawing_style()}{_part('map_page.css')}</style>\n</head>\n<body>\n"
        f'<h1>{title}</h1>\n<p class="hint" id="hint">{_HINT}{left_out}</p>\n<main>\n<div class="sheet">\n'
        f'{drawing(topics, sheet, attributes)}</div>\n<ol class="legend">\n'
        + "\n".join(_entries(topics, sheet.radius))
        + '\n</ol>\n</main>\n<div id="tip" role="status"></div>\n'
        + f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _entries(topics: Topics, radius: float) -> Iterator[str]:
    reach = radius * 1.6
    box = f"{-reach:g} {-reach:g} {2 * reach:g} {2 * reach:g}"
    for number, theme in enumerate(topics.themes):
        yield (
            f'<li><button type="button" aria-pressed="false"><span class="order">{number + 1}</span>'
            f'<svg class="c{ink_of(number)}" viewBox="{box}" aria-hidden="true">'
            f'<use href="#m{outline_of(number)}"/></svg>'
            f'<span class="title">{_safe(theme.heading)}</span>'
            f'<span class="count">{len(theme.members):,}</span>'
            f'<span class="terms">{_safe(further_terms(theme))}</span></button></li>'
        )


def _policy(script: str) -> str:
    """Return a policy that lets nothing be fetched, and only this script run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"


def _part(name: str) -> str:
    return files("rag.outputs").joinpath(name).read_text("utf-8")


def _safe(text: str) -> str:
    return escape(one_line(text))
