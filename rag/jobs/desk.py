"""What the jobs on one open library work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rag.evidence.gather import Gatherer
from rag.jobs.tabling import Comparer
from rag.retrieve import Retriever


@dataclass(frozen=True, slots=True)
class Desk:
    """What searches, what scores, what reads aspects off papers, and how many papers there are."""

    retriever: Retriever
    gatherer: Gatherer
    comparer: Comparer
    size: Callable[[], int]
