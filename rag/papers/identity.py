"""An abstract's text (and title) in, the paper's stable id out."""

from __future__ import annotations

import hashlib
import unicodedata

from rag.text.latex import readable

ID_LENGTH = 20


def paper_id(text: str, title: str = "") -> str:
    """Return 20 hex characters that LaTeX marks, case, line breaks and compatibility forms do not change."""
    normal = _normalised(text)
    if title.strip():
        normal = f"{_normalised(title)}\n{normal}"
    return hashlib.sha256(normal.encode("utf-8", "replace")).hexdigest()[:ID_LENGTH]


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", readable(text)).casefold().split())
