"""A local embedder in several processes: texts in, the vectors one process would make of them out.

A process reads texts from its stdin and writes their vectors to its stdout. It ends when its stdin is closed,
so that none stays behind, whatever becomes of the program.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import IO

import numpy as np

from rag.closing import Closing
from rag.embedders import EMBEDDERS, Embedder, EmbedderIdentity, Vectors, open_local
from rag.errors import EmbedderError, UsageError

# Small enough that all processes end at about the same time, large enough that handing over costs little.
SLICE = 8
MOST = 64
_HINT = "Run it again with fewer --workers: each holds the model in memory."


class EmbedderPool(Closing):
    """An embedder that has its documents embedded by `workers` processes; each loads the model for itself.

    A process that is killed is begun again, once for each slice of texts, and the slice embedded again.
    """

    def __init__(self, embedder: Embedder, workers: int) -> None:
        """Begin the processes. Raises UsageError for an embedder that is not one of the local ones."""
        if embedder.identity.name not in EMBEDDERS or not 1 <= workers <= MOST:
            raise UsageError(
                f"{embedder.identity.name} cannot be run in {workers} processes",
                hint=f"Workers are for {' and '.join(EMBEDDERS)}, and {MOST} at most; a server has its own.",
            )
        self._embedder = embedder
        self._workers = [_Worker(embedder.identity, workers) for _ in range(workers)]
        self._threads = ThreadPoolExecutor(workers)
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        """Return the identity of the embedder."""
        return self._embedder.identity

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, `(len(texts), dimension) float32`, in the order of the texts.

        Raises EmbedderError when a process cannot be begun, or ends again and again.
        """
        rows = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        starts = iter(range(0, len(texts), SLICE))

        def work(worker: _Worker) -> None:
            while not worker.stopped and (start := self._next(starts)) is not None:
                rows[start : start + SLICE] = worker.embed(texts[start : start + SLICE])

        for done in [self._threads.submit(work, worker) for worker in self._workers]:
            done.result()
        return rows

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of a question, made in this process."""
        return self._embedder.embed_query(text)

    def close(self) -> None:
        """End the processes, at work or not."""
        for worker in self._workers:
            worker.stop()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _next(self, starts: Iterator[int]) -> int | None:
        with self._lock:
            return next(starts, None)


class _Worker:
    """One process, begun again when it has ended."""

    def __init__(self, identity: EmbedderIdentity, share: int) -> None:
        self._identity = identity
        self._share = share
        self._process = self._begun()
        self._is_known = False
        self.stopped = False

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts; when the process ends meanwhile, another tries once more."""
        try:
            return self._asked(texts)
        except (OSError, EOFError, ValueError):
            self.close()
            if self.stopped:
                raise
            self._process, self._is_known = self._begun(), False
        try:
            return self._asked(texts)
        except (OSError, EOFError, ValueError) as error:
            code = self._process.poll()
            raise EmbedderError(
                f"a process that embeds ended twice while it embedded the same texts (exit code {code})",
                hint=_HINT,
            ) from error

    def stop(self) -> None:
        """End the process, which may be at work in another thread; it is not begun again."""
        self.stopped = True
        self._process.kill()

    def close(self) -> None:
        """End the process, and let go of it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _begun(self) -> subprocess.Popen[bytes]:
        code = Path(__file__).parents[2]
        paths = os.pathsep.join(filter(None, (str(code), os.environ.get("PYTHONPATH", ""))))
        try:
            # In a session of its own, Ctrl-C reaches this process only, which then ends the others.
            return subprocess.Popen(
                [sys.executable, "-m", "rag.embedders.pool", self._identity.name, str(self._share)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": paths},
                start_new_session=True,
            )
        except OSError as error:
            raise EmbedderError(f"a process that embeds cannot be begun: {error}", hint=_HINT) from error

    def _asked(self, texts: Sequence[str]) -> Vectors:
        into, out = self._process.stdin, self._process.stdout
        assert into is not None
        assert out is not None
        if not self._is_known:
            found = EmbedderIdentity(**json.loads(out.readline()))
            if found != self._identity:
                raise EmbedderError(
                    f"the processes have another model: {found.name} {found.digest}", hint=_HINT
                )
            self._is_known = True
        into.write(json.dumps(list(texts)).encode("ascii") + b"\n")
        into.flush()
        size = len(texts) * self._identity.dimension * 4
        data = out.read(size)
        if len(data) != size:
            raise EOFError("the process has ended")
        return np.frombuffer(data, dtype="<f4").reshape(len(texts), -1)


def serve(name: str, share: int, into: IO[bytes], out: IO[bytes]) -> None:
    """Embed each line of texts, a JSON list, that comes in, until no more does; a `share`-th of the cores."""
    embedder = open_local(name, threads=max((os.cpu_count() or 1) // share, 1))
    out.write(json.dumps(asdict(embedder.identity)).encode("ascii") + b"\n")
    out.flush()
    for line in into:
        out.write(np.ascontiguousarray(embedder.embed_documents(json.loads(line)), dtype="<f4").tobytes())
        out.flush()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), sys.stdin.buffer, sys.stdout.buffer)
