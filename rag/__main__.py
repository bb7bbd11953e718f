"""Run the command line with `python -m rag`."""

from __future__ import annotations

import sys

from rag.cli import main

if __name__ == "__main__":
    sys.exit(main())
