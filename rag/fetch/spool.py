"""Pages of papers in, one file of JSON lines out that survives being cut off at any moment."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass
class Spool:
    """A file that is being filled: how much of it counts, and from which place to go on."""

    file: Path
    limit: int
    place: str = ""
    count: int = 0
    total: int = 0
    size: int = 0
    complete: bool = False

    @classmethod
    def open(cls, folder: Path, service: str, asked: str, limit: int) -> Spool:
        """Return the spool of a query: as it was left when that was cut off, else a new one."""
        folder.mkdir(parents=True, exist_ok=True)
        plain = re.sub(r"[^A-Za-z0-9.]+", "-", asked)[:60].strip("-.")
        mark = hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:8]
        spool = cls(folder / f"{service}-{plain}-{mark}.jsonl", limit)
        spool._resume()
        return spool

    def add(self, papers: Iterable[Mapping[str, Any]], following: str, total: int) -> None:
        """Store a page, then that it is stored: what is cut off between the two is fetched again."""
        lines = [json.dumps(paper, ensure_ascii=True) + "\n" for paper in papers]
        with self._part.open("ab") as stream:
            stream.truncate(self.size)
            stream.write("".join(lines).encode("ascii"))
            stream.flush()
            os.fsync(stream.fileno())
            self.size = stream.tell()
        self.count += len(lines)
        self.place, self.total = following, total
        self.complete = not following
        fields = {name: value for name, value in asdict(self).items() if name != "file"}
        draft = self._state.with_suffix(".new")
        draft.write_text(json.dumps(fields))
        draft.replace(self._state)

    def finish(self) -> Path:
        """Put the file in its place; return its path."""
        if not self._part.exists():
            self._part.touch()
        self._part.replace(self.file)
        self._state.unlink(missing_ok=True)
        return self.file

    @property
    def _part(self) -> Path:
        return self.file.with_suffix(".part")

    @property
    def _state(self) -> Path:
        return self.file.with_suffix(".state")

    def _resume(self) -> None:
        """Take up what was left; what does not fit together is begun again."""
        try:
            state = json.loads(self._state.read_text())
            held = self._part.stat().st_size
        except (OSError, ValueError):
            self._part.unlink(missing_ok=True)
            return
        whole = isinstance(state, dict) and state.get("limit") == self.limit
        if whole and isinstance(state.get("size"), int) and held >= state["size"]:
            self.place, self.count = str(state.get("place", "")), int(state.get("count", 0))
            self.size, self.total = int(state["size"]), int(state.get("total", 0))
            self.complete = bool(state.get("complete"))
        else:
            self._part.unlink(missing_ok=True)
