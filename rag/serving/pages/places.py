"""Where things are: a paper comes in, the address of its page goes out."""

from __future__ import annotations

from urllib.parse import quote

from rag.domain import Paper


def address_of(paper: Paper) -> str:
    """Return the address of a paper's page."""
    return f"/papers/{quote(paper.id, safe='')}"
