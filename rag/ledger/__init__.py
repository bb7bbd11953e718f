"""The ledger, the source of truth: papers, sentences, chunks and vectors in one SQLite file."""

from __future__ import annotations

from rag.ledger.lock import WriterLock
from rag.ledger.store import FileEntry, Ledger, PreparedPaper

__all__ = ["FileEntry", "Ledger", "PreparedPaper", "WriterLock"]
