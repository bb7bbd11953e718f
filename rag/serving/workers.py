"""Workers: jobs come in, each is done in one of a fixed number of threads, its result goes out as a future.

The threads live long, because each keeps its own connection to the ledger. They do not hold up the end of the
process: a job that waits for a silent server is left behind.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Workers:
    """At most `count` jobs are done at the same time; the others wait in the order they came."""

    def __init__(self, count: int, name: str = "answering") -> None:
        self._count = count
        self._name = name
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have a job done; cancelling its future keeps it from being begun."""
        future: Future[T] = Future()
        self._jobs.put((future, work))
        self._hire()
        return future

    def close(self) -> None:
        """Let each worker go when it has done its job."""
        with self._lock:
            for _ in self._threads:
                self._jobs.put(None)
            self._threads.clear()

    def _hire(self) -> None:
        with self._lock:
            if len(self._threads) < self._count:
                thread = threading.Thread(target=self._work, name=self._name, daemon=True)
                self._threads.append(thread)
                thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, work = job
            if future.set_running_or_notify_cancel():
                _do(future, work)


def _do(future: Future[Any], work: Callable[[], Any]) -> None:
    # A function of its own, so that a worker at rest holds nothing of its last job.
    try:
        result = work()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
