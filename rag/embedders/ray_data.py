"""Many texts → vectors, embedded by Ray Data on every machine of a cluster by a packaged model.

Needs the extra `ray`. Each worker loads the model itself: the package must be installed on every machine.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from rag.closing import Closing
from rag.embedders import EMBEDDERS, EmbedderIdentity, Vectors, open_embedder
from rag.errors import EmbedderError, UsageError

# How many papers are worth handing out together; what a kill can lose of the work.
PAPERS = 512
# Fewer texts are embedded here: handing them out takes longer.
_FEWEST = 256
_TEXTS_A_TASK = 64
_PATIENCE_S = 5.0


class RayVectors(Closing):
    """The embedder called `name`, spread over a Ray cluster: the same vectors, by more machines.

    `address` is that of the cluster; "" starts one on this machine. Raises UsageError for a model that is
    not a packaged one, EmbedderError when Ray is not installed or the cluster cannot be reached.
    """

    def __init__(self, name: str, address: str = "") -> None:
        if name not in EMBEDDERS:
            raise UsageError(
                f"{name} cannot be run on a cluster",
                hint=f"Ray is for {' and '.join(EMBEDDERS)}; a server of embeddings has its own machines.",
            )
        self._local = open_embedder(name)
        self._name = name
        self._ray = _connected(address)
        self._workers = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        self._ray.shutdown()

    @property
    def identity(self) -> EmbedderIdentity:
        """Return the identity of the model, the same as without Ray."""
        return self._local.identity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text; what a worker that dies was given is embedded by another."""
        if len(texts) < _FEWEST:
            return self._local.embed_documents(texts)
        import ray.data

        rows = [{"place": place, "text": text} for place, text in enumerate(texts)]
        # At least a task for each worker, or some would have nothing to do.
        blocks = max(self._workers, len(texts) // _TEXTS_A_TASK)
        embedded = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(
            _Embed,
            fn_constructor_args=(self._name,),
            batch_size=_TEXTS_A_TASK,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=self._workers),
            num_cpus=1,
        )
        try:
            found = embedded.take_all()
        except ray.exceptions.RayError as error:
            raise EmbedderError(
                f"the cluster could not embed: {type(error).__name__}",
                hint="What was stored so far is kept: run the same command again, or leave out --engine ray.",
            ) from error
        vectors = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        for row in found:
            vectors[row["place"]] = row["vector"]
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, embedded here."""
        return self._local.embed_query(text)


class _Embed:
    """A worker: loads the model once, then embeds batch after batch."""

    def __init__(self, name: str) -> None:
        self._embedder = open_embedder(name)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        vectors = self._embedder.embed_documents([str(text) for text in batch["text"]])
        return {"place": batch["place"], "vector": vectors}


def _connected(address: str) -> Any:
    if find_spec("ray") is None:
        raise EmbedderError("Ray is not installed", hint="pip install 'askpapers[ray]'")
    # Ray reports its use to its makers unless it is told not to, before it is loaded.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    try:
        _reach(address)
        # Its own page would open a port.
        here: dict[str, Any] = {} if address else {"include_dashboard": False}
        ray.init(address=address or None, log_to_driver=False, logging_level=logging.ERROR, **here)
    except (OSError, ValueError, RuntimeError) as error:
        raise EmbedderError(
            f"the Ray cluster at {address or 'this machine'} cannot be reached: {str(error)[:200]}",
            hint="Start one with `ray start --head`, and give its address with --address.",
        ) from error
    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray


def _reach(address: str) -> None:
    """Knock at a cluster's door: Ray itself waits for minutes where nobody is. Raises OSError."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.rpartition("/")[2], int(port)), _PATIENCE_S).close()
