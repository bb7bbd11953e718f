"""Turn texts into unit vectors: text → float32 vector, by a model named in a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.errors import SettingError
from rag.settings import Settings

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """What makes two embedders' vectors comparable: model name, dimension, digest of the weights."""

    name: str
    dimension: int
    digest: str


class Embedder(Protocol):
    """A model that turns texts into unit vectors."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Return what the library records to recognise this model again."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, `(len(texts), dimension) float32`."""

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, `(dimension,) float32`."""


class VectorStore(Protocol):
    """Where vectors that were paid for are kept."""

    def vectors(self, keys: Sequence[str]) -> dict[str, Vectors]:
        """Return those of the vectors with these keys that were kept."""

    def keep_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Keep vectors by key."""


def open_embedder(name: str, settings: Settings | None = None, store: VectorStore | None = None) -> Embedder:
    """Load the embedder called `name`: one of EMBEDDERS, or `openai:MODEL` at the server of the settings.

    `store` keeps the vectors a server was paid for. Raises SettingError for a name that is none,
    EmbedderError when its weights are missing or its server fails.
    """
    kind, _, model = name.partition(":")
    if kind in REMOTE and model.strip():
        return REMOTE[kind](model.strip(), settings or Settings(), store)
    if name not in EMBEDDERS:
        known = [*EMBEDDERS, *(f"{kind}:MODEL" for kind in REMOTE)]
        raise SettingError(
            f"no embedder is called {name!r}", hint=f"set RAG_EMBEDDER to one of: {', '.join(known)}"
        )
    return open_local(name)


def open_local(name: str, threads: int = 0) -> Embedder:
    """Load one of EMBEDDERS; `threads` is how many it may use, 0 as many as it likes.

    Raises EmbedderError when its weights are missing.
    """
    return EMBEDDERS[name](threads)


def _minilm(threads: int) -> Embedder:
    from rag.embedders.minilm import MiniLM

    return MiniLM(threads)


def _wordllama(_threads: int) -> Embedder:
    from rag.embedders.static import StaticVectors

    return StaticVectors()


def _openai(model: str, settings: Settings, store: VectorStore | None) -> Embedder:
    from rag.embedders.openai import OpenAIVectors
    from rag.endpoint import endpoint

    return OpenAIVectors(model, endpoint(settings), store)


EMBEDDERS: dict[str, Callable[[int], Embedder]] = {"minilm": _minilm, "wordllama": _wordllama}
REMOTE: dict[str, Callable[[str, Settings, VectorStore | None], Embedder]] = {"openai": _openai}


class Remembering:
    """An embedder that keeps the vectors of the last questions: one question is embedded once, not thrice."""

    def __init__(self, embedder: Embedder, size: int = 256) -> None:
        self._embedder = embedder
        self._recall = lru_cache(maxsize=size)(embedder.embed_query)

    @property
    def identity(self) -> EmbedderIdentity:
        """Return the identity of the embedder within."""
        return self._embedder.identity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; documents are not remembered."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of `text`, from memory when it was asked for lately."""
        return self._recall(text)


def unit_rows(vectors: Vectors) -> Vectors:
    """Scale each row to length one; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.clip(norms, 1e-12, None), dtype=np.float32)
