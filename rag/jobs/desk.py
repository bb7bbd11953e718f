"""What the jobs on one open library work with."""

from __future__ import annotations

from dataclasses import dataclass

from rag.evidence.gather import Gatherer
from rag.jobs.tabling import Comparer
from rag.ledger.store import Store
from rag.retrieve import Retriever


@dataclass(frozen=True, slots=True)
class Desk:
    """What searches, what scores, what reads aspects off papers, and what holds them."""

    retriever: Retriever
    gatherer: Gatherer
    comparer: Comparer
    store: Store
