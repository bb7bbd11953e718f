"""A fast, plainer embedder for first looks and very large libraries: wordllama's static word vectors."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rag.embedders import EmbedderIdentity, Vectors, unit_rows
from rag.errors import EmbedderError

DIMENSION = 256


class StaticVectors:
    """Mean of static word vectors, 256 dimensions, from the package `wordllama`."""

    def __init__(self) -> None:
        """Load the packaged vectors. Raises EmbedderError when the package is not installed."""
        spec = find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise EmbedderError(
                "the embedder 'wordllama' is not installed", hint="pip install 'askpapers[static]'"
            )
        folder = Path(spec.origin).parent
        self._digest = _digest(folder)
        with _logging_kept():
            import wordllama

            self._model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)

    @property
    def identity(self) -> EmbedderIdentity:
        """Return the model's name, dimension and weight digest."""
        return EmbedderIdentity("wordllama", DIMENSION, self._digest)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, `(len(texts), 256) float32`."""
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return unit_rows(self._model.embed(clean).astype(np.float32))

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of `text`, `(256,) float32`."""
        return np.asarray(self.embed_documents([text])[0])


@contextlib.contextmanager
def _logging_kept() -> Iterator[None]:
    """Keep the root logger as it is: wordllama configures logging for the whole program."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        for handler in [handler for handler in root.handlers if handler not in handlers]:
            root.removeHandler(handler)


def _digest(folder: Path) -> str:
    weights = sorted(folder.rglob("*.safetensors"))
    if not weights:
        raise EmbedderError(
            "the package 'wordllama' has no weights in it", hint="pip install --force-reinstall wordllama"
        )
    return hashlib.sha256(weights[0].read_bytes()).hexdigest()[:16]
