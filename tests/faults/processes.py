"""Processes that are killed: begun, listened to, and ended at a moment that was drawn by lot."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

from tests.faults import work

_DEADLINE_S = 120.0


@dataclass
class Child:
    """A process at work, and what it has told so far."""

    process: ForkServerProcess
    pipe: Connection
    told: list[object]

    def hear(self, wait_s: float = _DEADLINE_S) -> bool:
        """Take in the next thing it tells; False when it says nothing more, or nothing in time."""
        try:
            if not self.pipe.poll(wait_s):
                return False
            self.told.append(self.pipe.recv())
        except EOFError:
            return False
        return True

    def kill_after(self, tellings: int, delay_s: float) -> None:
        """Kill it once it has told so many things and so much time has passed; keep what it told."""
        while len(self.told) < tellings and self.hear():
            pass
        # Not a pause: it ends as soon as the process does.
        self.process.join(delay_s)
        self.process.kill()
        self.process.join()
        while self.hear(0):
            pass
        self.pipe.close()

    def finish(self) -> int:
        """Wait until it ends by itself; return its exit code."""
        while self.hear():
            pass
        self.process.join(_DEADLINE_S)
        self.pipe.close()
        code = self.process.exitcode
        assert code is not None, "it does not end"
        return code


def begin(kind: str, folder: Path) -> Child:
    """Begin a kind of work on a library; return once the process is ready to begin."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parents[2])
    context = multiprocessing.get_context("forkserver")
    # Loaded once, so that a hundred processes begin in the time of a few.
    context.set_forkserver_preload(["chromadb", "tantivy", "tests.faults.work"])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=work.run, args=(kind, folder, there), daemon=True)
    process.start()
    there.close()
    child = Child(process, here, [])
    assert child.hear(), "the process did not begin"
    child.told.clear()
    return child


def moments(kind: str, tellings: int, delay_s: float) -> Iterator[tuple[int, float]]:
    """Yield the moments at which processes of a kind are killed: RAG_KILLS of them, or 15."""
    import random

    chance = random.Random(f"kills of {kind}")
    for _ in range(int(os.environ.get("RAG_KILLS", "15"))):
        yield chance.randint(0, tellings), chance.uniform(0, delay_s)
