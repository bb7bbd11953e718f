"""Words that every output uses for the same thing."""

from __future__ import annotations

from collections.abc import Mapping

NEAREST_SHOWN = 5
NOT_FOUND = "These papers do not answer this."
NEAREST = "Nearest papers (they do not answer the question):"
PARTIAL = "The papers answer this only in part."
ALSO_RELATED = "Also related"
NOT_STATED = "not stated"
UNCITED = "not supported: it cites nothing"
STATUS: Mapping[str, str] = {"not_found": NOT_FOUND, "partial": PARTIAL}
VERDICTS: Mapping[str, str] = {
    "partial": "only partly supported",
    "unsupported": "not supported",
}
