"""Links: an address or DOI of unknown origin comes in, one that is safe to follow goes out, or none."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from rag.outputs.printable import clean
from rag.text.identifiers import whole_doi

# What ends a link in Markdown or HTML, or a line in a list of references.
_UNWANTED = re.compile(r"[\s<>\"\\]")


def web_address(url: str) -> str:
    """Return the address without characters that end a link; empty unless it is an http or https one."""
    address = _UNWANTED.sub("", clean(url))
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and parts.netloc else ""


def doi_address(doi: str) -> str:
    """Return the address at doi.org of a DOI, in any of the ways one is written; empty if it is none."""
    bare = whole_doi(clean(doi))
    return f"https://doi.org/{quote(bare, safe='/().;:-_')}" if bare else ""
