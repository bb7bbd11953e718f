"""Vectors from a server: any OpenAI-compatible `/embeddings`, in batches, never paid for twice."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rag import tokens
from rag.embedders import EmbedderIdentity, Vectors, VectorStore, unit_rows
from rag.endpoint import CONNECT_TIMEOUT_S, EMBEDDING, Endpoint, insisting
from rag.errors import EmbedderError

BATCH = 64
# OpenAI's models read at most 8,191 tokens; servers of other models cut by themselves.
MAX_TOKENS = 8000
_CHARS_PER_TOKEN = 4
_PROBE = "a"
_FIRST_PAUSE_S = 0.5


class OpenAIVectors:
    """Vectors of a model behind an OpenAI-compatible server."""

    def __init__(
        self,
        model: str,
        server: Endpoint,
        store: VectorStore | None = None,
        *,
        batch: int = BATCH,
        first_pause_s: float = _FIRST_PAUSE_S,
    ) -> None:
        """Ask the server for one vector, to learn their dimension; from `store` if it was asked before.

        Raises EmbedderError when the server does not give one.
        """
        self._model = model
        self._server = replace(server, use=EMBEDDING)
        self._store = store
        self._batch = batch
        self._first_pause_s = first_pause_s
        self._dimension = 0
        self._dimension = len(self.embed_query(_PROBE))

    @property
    def identity(self) -> EmbedderIdentity:
        """Return the model's name and dimension; a digest of its weights is not to be had."""
        name = f"openai:{self._model}"
        known = hashlib.sha256(f"{name} {self._dimension}".encode()).hexdigest()[:16]
        return EmbedderIdentity(name, self._dimension, known)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, `(len(texts), dimension) float32`.

        Vectors are kept as each batch comes, so that a failure half-way loses nothing that was paid for.
        """
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        clean = [_shortened(text) for text in texts]
        keys = [self._key(text) for text in clean]
        found = self._kept(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, clean, strict=True) if key not in found}
        found |= self._paid_for(missing)
        return unit_rows(np.stack([found[key] for key in keys]))

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, `(dimension,) float32`."""
        return np.asarray(self.embed_documents([text])[0])

    def _paid_for(self, missing: Mapping[str, str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        if not missing:
            return found
        texts = list(missing.items())
        with _client(self._server) as client:
            for start in range(0, len(texts), self._batch):
                some = dict(texts[start : start + self._batch])
                fresh = dict(zip(some, self._fetched(client, list(some.values())), strict=True))
                if self._store is not None:
                    self._store.keep_vectors(fresh)
                found |= fresh
        return found

    def _kept(self, keys: list[str]) -> dict[str, Vectors]:
        found = self._store.vectors(keys) if self._store is not None else {}
        # Another dimension is that of another model which the server had under this name.
        return {key: row for key, row in found.items() if len(row) == self._dimension or not self._dimension}

    def _key(self, text: str) -> str:
        parts = (self._server.base_url, self._model, text)
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()

    def _fetched(self, client: Any, texts: list[str]) -> Vectors:
        rows = self._answered(client, texts)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise self._odd(rows, texts)
        if self._dimension and rows.shape[1] != self._dimension:
            raise self._changed(client, rows, texts)
        return rows

    def _changed(self, client: Any, rows: Vectors, texts: list[str]) -> EmbedderError:
        """Return what to say of vectors of another dimension; keep the one that the server has by now.

        This embedder stays what it is: what it has embedded so far could not be compared with the rest.
        """
        probe = self._answered(client, [_PROBE])
        if probe.shape != (1, rows.shape[1]):
            return self._odd(rows, texts)
        if self._store is not None:
            self._store.keep_vectors({self._key(_PROBE): probe[0]})
        return EmbedderError(
            f"{self._server.host} now gives {self._model} vectors of {rows.shape[1]} dimensions,"
            f" no longer of {self._dimension}: it has another model of this name",
            hint="Start the program again; a library embedded before then needs `rag doctor --reembed`.",
        )

    def _odd(self, rows: Vectors, texts: list[str]) -> EmbedderError:
        return EmbedderError(
            f"{self._server.host} gave vectors of shape {rows.shape} for {len(texts)} texts",
            hint="Check that RAG_EMBEDDER names an embedding model of that server.",
        )

    def _answered(self, client: Any, texts: list[str]) -> Vectors:
        return insisting(
            lambda: self._request(client, texts),
            self._server,
            self._model,
            self._first_pause_s,
            EmbedderError,
        )

    def _request(self, client: Any, texts: list[str]) -> Vectors:
        # As plain numbers: not every server can pack them in base64, which the client would ask for.
        reply = client.embeddings.create(model=self._model, input=texts, encoding_format="float")
        ordered = sorted(reply.data, key=lambda item: item.index)
        return np.array([item.embedding for item in ordered], dtype=np.float32)


def _client(server: Endpoint) -> Any:
    from openai import OpenAI, Timeout

    wait = Timeout(server.timeout_s, connect=min(CONNECT_TIMEOUT_S, server.timeout_s))
    return OpenAI(base_url=server.base_url, api_key=server.api_key, timeout=wait, max_retries=0)


def _shortened(text: str) -> str:
    """Return a text the server can take: not empty, no lone surrogates, and no longer than it reads."""
    clean = text.encode("utf-8", "replace").decode("utf-8") or " "
    while len(clean) > MAX_TOKENS and tokens.count(clean, "cl100k_base") > MAX_TOKENS:
        clean = clean[: min(len(clean) * 3 // 4, MAX_TOKENS * _CHARS_PER_TOKEN)]
    return clean
