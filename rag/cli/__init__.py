"""The command line: arguments come in, answers go to stdout, everything else to stderr."""

from __future__ import annotations

from rag.cli.program import main

__all__ = ["main"]
