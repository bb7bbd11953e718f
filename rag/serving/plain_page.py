"""Pages that need no library: a title and HTML of our own come in, a page with its style inside goes out."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Scope

from rag.outputs.page import STYLE
from rag.serving.doors import DOORS


def plain_page(
    title: str, body: str, style: str = "", status: int = 200, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """Return the page; its policy allows this one style, forms to this server, and nothing else."""
    whole = STYLE + style
    html = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{whole}</style>\n</head>\n<body>\n"
        f'<main class="page">\n{body}</main>\n</body>\n</html>\n'
    )
    return HTMLResponse(html, status, {"Content-Security-Policy": _policy_for(whole), **(headers or {})})


def wants_page(scope: Scope) -> bool:
    """Tell whether a browser asks for a page, and not a program for one of its doors."""
    accepted = Headers(scope=scope).get("accept", "") if scope["type"] == "http" else ""
    return "text/html" in accepted and not str(scope["path"]).startswith(DOORS)


def _policy_for(style: str) -> str:
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'self';"
        " frame-ancestors 'none'"
    )
