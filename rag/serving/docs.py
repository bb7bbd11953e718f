"""The page about the REST interface: the application's description in, a page without scripts out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from rag.serving.doors import API
from rag.serving.plain_page import plain_page

PATH = f"{API}/docs"
_STYLE = """
.page { max-width: 56rem; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: .92em; }
summary b { display: inline-block; min-width: 4.5em; color: var(--good); }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0;
  border-top: 1px solid var(--line); }
"""


def router(app: FastAPI) -> APIRouter:
    """Return the route of the page."""
    routes = APIRouter(include_in_schema=False)

    @routes.get(PATH)
    async def page() -> Response:
        return plain_page("askpapers: REST", "".join(_page(app.openapi())), _STYLE)

    return routes


def _page(description: Mapping[str, Any]) -> Iterator[str]:
    yield (
        "<h1>askpapers: REST</h1>\n"
        '<p>The same for programs: <a href="/api/openapi.json">openapi.json</a>. Errors are'
        " <code>application/problem+json</code>.</p>\n"
    )
    shapes = description.get("components", {}).get("schemas", {})
    heading = ""
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            tag = (operation.get("tags") or ["other"])[0]
            if tag != heading:
                yield f"<h2>{escape(tag)}</h2>\n"
                heading = tag
            yield from _operation(method.upper(), path, operation, shapes)


def _operation(
    method: str, path: str, operation: Mapping[str, Any], shapes: Mapping[str, Any]
) -> Iterator[str]:
    summary = escape(operation.get("summary", ""))
    yield f"<details>\n<summary><b>{method}</b> <code>{escape(path)}</code> {summary}</summary>\n"
    for paragraph in operation.get("description", "").split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>\n"
    rows = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    rows += [row for row in _body(operation.get("requestBody", {}), shapes)]
    if rows:
        yield "<table>\n<tr><th>field</th><th>where</th><th>what</th></tr>\n"
        yield from (f"<tr><td><code>{a}</code></td><td>{b}</td><td>{c}</td></tr>\n" for a, b, c in rows)
        yield "</table>\n"
    yield "</details>\n"


def _parameter(parameter: Mapping[str, Any]) -> tuple[str, str, str]:
    return _row(parameter["name"], parameter["in"], parameter.get("schema", {}), parameter.get("required"))


def _body(body: Mapping[str, Any], shapes: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for kind, content in body.get("content", {}).items():
        name = content["schema"].get("$ref", "").rpartition("/")[2]
        shape = shapes.get(name, {})
        where = "form" if "form" in kind else "JSON body"
        for field, schema in shape.get("properties", {}).items():
            yield _row(field, where, schema, field in shape.get("required", ()))


def _row(name: str, where: str, schema: Mapping[str, Any], required: bool | None) -> tuple[str, str, str]:
    options = [kind.get("type", "") for kind in schema.get("anyOf", ())] or [schema.get("type", "")]
    limits = [f"{words} {schema[key]}" for key, words in _LIMITS.items() if key in schema]
    default = schema.get("default")
    said = [
        " or ".join(filter(None, options)),
        *limits,
        "required" if required else "",
        f"default {default}" if default not in (None, "", []) else "",
        schema.get("description", ""),
    ]
    return escape(name), where, escape("; ".join(filter(None, said)))


_LIMITS: Mapping[str, str] = {
    "minimum": "from",
    "maximum": "to",
    "maxLength": "characters at most",
    "maxItems": "items at most",
    "enum": "one of",
}
