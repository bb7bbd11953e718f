"""What every route works with: one open library, its settings, and what limits the answers at once."""

from __future__ import annotations

from dataclasses import dataclass

from rag.library import Library
from rag.settings import Settings


@dataclass(frozen=True, slots=True)
class State:
    """An open library and the settings it was opened with."""

    library: Library
    settings: Settings
