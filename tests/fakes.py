"""Small stand-ins at our own protocols, deterministic and quick."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.domain import Chunk, Paper, Record, Sentence
from rag.embedders import EmbedderIdentity
from rag.indexes.healing import open_indexes
from rag.intake import Intake
from rag.ledger import Ledger, PreparedPaper
from rag.text.words import terms


class HashEmbedder:
    """Embeds a text as the sum of fixed random directions, one a word: shared words mean near vectors."""

    def __init__(self, dimension: int = 64, name: str = "hash") -> None:
        self.identity = EmbedderIdentity(name, dimension, f"{name}-{dimension}")
        self.embedded: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row for each text, and remember the texts in `embedded`."""
        self.embedded.extend(texts)
        rows = [self.embed_query(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self.identity.dimension), dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector of a text."""
        total = sum((self._direction(word) for word in terms(text)), self._direction(""))
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)

    def _direction(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "big")
        return np.random.default_rng(seed).standard_normal(self.identity.dimension)


def prepared(number: int, embedder: HashEmbedder, **changes: Any) -> PreparedPaper:
    """Return a small paper of two sentences about `topic<number>`, ready for a ledger."""
    first = f"System{number} solves topic{number}."
    text = f"{first} It was tried on data{number} with success."
    values = {"name": f"System{number}", "text": text, "original": text, "year": 2000 + number % 20}
    paper = Paper(f"{number:020x}", sources=(f"list.txt#{number}",), **{**values, **changes})
    sentences = (
        Sentence(paper.id, 0, 0, len(first)),
        Sentence(paper.id, 1, len(first) + 1, len(paper.text)),
    )
    texts = [paper.text[s.start : s.end] for s in sentences]
    return PreparedPaper(
        paper,
        sentences,
        (Chunk(paper.id, 0, 0, len(paper.text), 12),),
        embedder.embed_documents([paper.text]),
        embedder.embed_documents(texts),
    )


def fill(ledger: Ledger, numbers: Iterable[int], embedder: HashEmbedder) -> list[str]:
    """Store the papers of these numbers; return their ids."""
    batch = [prepared(n, embedder) for n in numbers]
    if ledger.identity is None:
        ledger.set_identity(embedder.identity)
    ledger.add(batch)
    return [item.paper.id for item in batch]


def run_python(code: str, *arguments: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own, with the tests' modules at hand."""
    root = Path(__file__).parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'tests'}"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        env=environment,
        check=False,
    )


_GIVE_UP_RIGHTS = """
import ctypes, os
if os.name == "posix" and os.geteuid() == 0:
    # Permissions do not stop the superuser, unless it gives up its capabilities (Linux, version 3 of capset).
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0
"""


def run_without_rights(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process that permissions stop, also when the superuser runs the tests."""
    return run_python(_GIVE_UP_RIGHTS + textwrap.dedent(code), *arguments)


def run_readonly(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run Python code on a copy of `folder` that its process may read but not write."""
    copy = Path(shutil.copytree(folder, folder.with_name(f"{folder.name}-readonly")))
    everything = [copy, *copy.rglob("*")]
    for path in everything:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        return run_python(_GIVE_UP_RIGHTS + textwrap.dedent(code), str(copy))
    finally:
        for path in everything:
            path.chmod(0o755)


class Shelf:
    """An open library that takes records as if a file had held them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.embedder = HashEmbedder()
        self.ledger = Ledger.open(folder, "write")
        self.indexes = open_indexes(self.ledger)

    def read(self, file_name: str, *records: Record, batch: int = 16) -> Intake:
        """Take in all that a file holds now; records get their places by their order."""
        intake = Intake(self.ledger, self.indexes, self.embedder, batch)
        intake.begin([file_name])
        for number, record in enumerate(records, 1):
            intake.take(replace(record, source=f"{file_name}#{number}"))
        self.ledger.settle_sources(file_name, intake.end().get(file_name, ()))
        self.indexes.update()
        return intake

    def papers(self) -> list[Paper]:
        """Return all papers."""
        return self.ledger.papers()

    def check(self) -> None:
        """Assert that the ledger is sound and the indexes hold what it holds."""
        assert self.ledger.check() == []
        assert self.indexes.problems() == []
        assert self.indexes.words.ids() == set(self.ledger.ids())
        assert self.indexes.vectors.ids() == set(self.ledger.chunk_vectors()[0])

    def close(self) -> None:
        """Close indexes and ledger."""
        self.indexes.close()
        self.ledger.close()
