"""The ledger, the source of truth: papers, sentences, chunks and vectors in one SQLite file."""

from __future__ import annotations

from rag.ledger.lock import WriterLock
from rag.ledger.opening import Ledger
from rag.ledger.reading import LEDGER_FILE
from rag.ledger.rows import FileEntry, Imprint, PreparedPaper

__all__ = ["LEDGER_FILE", "FileEntry", "Imprint", "Ledger", "PreparedPaper", "WriterLock"]
