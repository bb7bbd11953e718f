"""An abstract's text (and title) in, the paper's stable id out; a whole record in, its digest out."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from dataclasses import asdict

from rag.domain import Record
from rag.text.latex import readable

ID_LENGTH = 20
# What the id is made from, and where the record stood.
_IN_ID = frozenset({"text", "title", "source", "line"})


def paper_id(text: str, title: str = "") -> str:
    """Return 20 hex characters that LaTeX marks, case, line breaks and compatibility forms do not change."""
    normal = _normalised(text)
    if title.strip():
        normal = f"{_normalised(title)}\n{normal}"
    return hashlib.sha256(normal.encode("utf-8", "replace")).hexdigest()[:ID_LENGTH]


def record_digest(record: Record, own_id: str) -> str:
    """Return what tells a record from every other: the id of its text, and a hash of all else it says."""
    rest = {key: value for key, value in asdict(record).items() if key not in _IN_ID and value}
    if not rest:
        return own_id
    told = json.dumps(rest, sort_keys=True, default=str).encode("utf-8", "replace")
    return f"{own_id}-{hashlib.sha256(told).hexdigest()[:12]}"


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", readable(text)).casefold().split())
