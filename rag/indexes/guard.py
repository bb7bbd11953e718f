"""One index kept true to the ledger: compared at each use, caught up, made anew, or stood in for."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from rag.counting import counted
from rag.errors import IndexFault, IndexUnreachable, LibraryError, LibraryLocked, RagError
from rag.indexes.shelves import IndexT, Shelf
from rag.indexes.watermark import Watermark
from rag.ledger import Ledger, WriterLock

# How many times longer an index on a server is left alone than it took to find out that it cannot be used.
_REST = 10

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How an index stands to the ledger; `reason` says why it is broken, `generation` what it holds."""

    state: Literal["ready", "behind", "broken"]
    reason: str = ""
    generation: int = 0
    token: str = ""
    count: int = 0


class Guard(Generic[IndexT]):
    """Gives an index that agrees with the ledger, whatever happened to its files.

    Uses of one index come one after another: an index may have to be closed and opened again at any time.
    """

    def __init__(self, shelf: Shelf[IndexT], ledger: Ledger, warnings: list[str]) -> None:
        self.name = shelf.name
        self._shelf = shelf
        self._ledger = ledger
        self._warnings = warnings
        self._excuse = ""
        self._marks = shelf.marks
        self._lock = threading.RLock()
        self._index: IndexT | None = None
        self._seen: tuple[object, ...] = ()
        self._again_at = 0.0
        self.provisional = False

    def run(self, use: Callable[[IndexT], Result]) -> Result:
        """Return what `use` makes of the index; if the index fails, of it once healed, or of its stand-in."""
        with self._lock:
            index = self._current()
            for remedy in (self._reopened, self._replaced):
                try:
                    return use(index)
                except IndexFault as fault:
                    index = remedy(fault)
            return use(index)

    def prepare(self) -> None:
        """Compare the index with the ledger and heal it if need be, without opening a healthy one."""
        with self._lock, contextlib.suppress(LibraryError, IndexFault):
            began = time.monotonic()
            try:
                self._make_ready("")
            except IndexUnreachable as fault:
                self._keep(self._meanwhile(fault, began))

    def update(self) -> None:
        """Bring the index up to what was just stored; a failure is a warning, since it can be healed."""
        with self._lock:
            self.close()
            try:
                first = not self._marks.any
                found = self.diagnose()
                if found.state != "ready":
                    self._heal(found)
                if found.state == "broken" and not first:
                    self._warn(self._report(found, 0))
            except IndexFault as fault:
                self._warn(f"The {self.name} could not be brought up to date: {fault.message}")

    def rebuild(self) -> None:
        """Make the index again from the ledger."""
        with self._lock, self._right_to_write():
            self.close()
            self._heal(Diagnosis("broken", "it was asked for"))

    def diagnose(self) -> Diagnosis:
        """Say how the index stands to the ledger; cheap. Raises IndexUnreachable if its server cannot say."""
        if not self._ledger.generation and not self._marks.any:
            return Diagnosis("ready")
        try:
            mark = self._marks.read()
            self._compare(mark)
        except IndexUnreachable:
            raise
        except IndexFault as fault:
            return Diagnosis("broken", fault.message)
        state: Literal["ready", "behind"] = (
            "ready" if mark.generation == self._ledger.generation else "behind"
        )
        return Diagnosis(state, "", mark.generation, mark.token, mark.count)

    def close(self) -> None:
        """Let go of the index; the next use opens it again."""
        with self._lock:
            index, self._index = self._index, None
            if index is not None:
                with contextlib.suppress(IndexFault):
                    self._shelf.close(index)
            self._marks.close()

    def _current(self) -> IndexT:
        if self._index is None or self._seen != self._view():
            self.close()
            return self._keep(self._opened(""))
        return self._index

    def _reopened(self, fault: IndexFault) -> IndexT:
        """Return the index opened anew; on files, `fault` is reason enough to make it again."""
        self.close()
        # A server may only have been restarted: what it holds is looked at before it is written anew.
        return self._keep(self._opened("" if self._shelf.remote else fault.message))

    def _replaced(self, fault: IndexFault) -> IndexT:
        self.close()
        return self._keep(self._meanwhile(fault, time.monotonic()))

    def _keep(self, index: IndexT) -> IndexT:
        self._index = index
        self._seen = self._view()
        return index

    def _view(self) -> tuple[object, ...]:
        """Return what must stay the same for an open index to stay good."""
        if not self.provisional:
            return (self._ledger.state, False)
        # Asking a server that is down takes time: it is left alone for a while.
        news = time.monotonic() >= self._again_at if self._shelf.remote else self._marks.stamp
        return (self._ledger.state, True, news)

    def _opened(self, suspicion: str) -> IndexT:
        """Open the index, healed if need be; a second failure gives the stand-in."""
        self.provisional = False
        self._withdraw()
        if not self._ledger.count():
            return self._shelf.stand_in()
        began = time.monotonic()
        problem: LibraryError | IndexFault
        try:
            return self._healthy(suspicion)
        except (IndexUnreachable, LibraryError) as error:
            return self._meanwhile(error, began)
        except IndexFault as fault:
            problem = fault
        try:
            return self._healthy(problem.message)
        except (IndexFault, LibraryError) as error:
            return self._meanwhile(error, began)

    def _healthy(self, suspicion: str) -> IndexT:
        ready = self._make_ready(suspicion)
        before = self._marks.stamp
        index = self._shelf.open(ready.token)
        if self._marks.dirty or self._marks.stamp != before:
            self._shelf.close(index)
            raise LibraryLocked(f"The {self.name} is being written by another process.")
        return index

    def _meanwhile(self, problem: LibraryError | IndexFault, began: float) -> IndexT:
        """Return what answers while the index cannot be used; finding that out `began` at that time."""
        self.provisional = True
        now = time.monotonic()
        self._again_at = now + max(self._shelf.retry_s, _REST * (now - began))
        if self._shelf.shared and isinstance(problem, LibraryLocked):
            with contextlib.suppress(IndexFault):
                index = self._shelf.open("")
                self._apologise(
                    f"The {self.name} is being written by another process;"
                    " the newest papers may be missing from it."
                )
                return index
        self._apologise(
            f"The {self.name} cannot be used now; the ledger is searched directly. {_cause(problem)}"
        )
        return self._shelf.stand_in()

    def _warn(self, text: str) -> str:
        # Warnings go out with answers, also to whom the place of the library is no concern.
        text = text.replace(str(self._ledger.folder), "the library")
        if text not in self._warnings:
            self._warnings.append(text)
        return text

    def _apologise(self, text: str) -> None:
        """Warn of something that holds only until the index can be used again."""
        self._withdraw()
        self._excuse = self._warn(text)

    def _withdraw(self) -> None:
        with contextlib.suppress(ValueError):
            self._warnings.remove(self._excuse)

    def _make_ready(self, suspicion: str) -> Diagnosis:
        """Heal the index if need be; raise LibraryError if it may not be written, IndexFault on failure."""
        writes_to_open = not (self._shelf.shared or self._shelf.remote)
        if writes_to_open and not os.access(self._ledger.folder, os.W_OK):
            raise LibraryError(f"{self._ledger.folder} is read-only.")
        found = self.diagnose()
        if (found.state == "ready" and not suspicion) or not self._ledger.generation:
            return found
        with self._right_to_write():
            # Another process may have healed it before the lock was ours.
            found = Diagnosis("broken", suspicion) if suspicion else self.diagnose()
            if found.state != "ready":
                changed = self._changes(found)
                self._heal(found)
                self._warn(self._report(found, changed))
        return self.diagnose()

    def _heal(self, found: Diagnosis) -> None:
        """Write what is missing; if that fails or does not add up, write everything."""
        if found.state == "behind":
            with contextlib.suppress(IndexFault):
                self._write(found.generation)
                return
        self._marks.begin()
        self._marks.clear()
        self._write(0)

    def _write(self, since: int) -> None:
        self._marks.begin()
        generation = self._ledger.generation
        token = self._ledger.token(generation)
        count = self._shelf.write(since, token)
        if count != self._shelf.expected():
            raise IndexFault(f"it holds {count} of {self._shelf.expected()} entries")
        self._marks.end(Watermark(self._shelf.basis(), generation, token, count))

    def _compare(self, mark: Watermark) -> None:
        if mark.basis != self._shelf.basis():
            raise IndexFault("it was made in another way, or from other vectors")
        if mark.token != self._ledger.token(mark.generation):
            raise IndexFault("it belongs to another copy of the library")
        if mark.generation == self._ledger.generation and mark.count != self._shelf.expected():
            raise IndexFault(f"it holds {mark.count} of {self._shelf.expected()} entries")

    def _changes(self, found: Diagnosis) -> int:
        added, removed = self._ledger.changes_since(found.generation)
        return len({*added, *removed})

    def _report(self, found: Diagnosis, changed: int) -> str:
        if found.state == "behind":
            papers = counted(changed, "paper")
            return f"The {self.name} was behind the library by {papers}; brought up to date."
        reason = found.reason.replace(f"The {self.name} ", "it ", 1).rstrip(".")
        return f"The {self.name} was made again from the ledger: {reason}."

    def _right_to_write(self) -> contextlib.AbstractContextManager[object]:
        return contextlib.nullcontext() if self._ledger.writable else WriterLock(self._ledger.folder)


def _cause(problem: RagError) -> str:
    """Say why an index cannot be used; which process of which machine writes is for `rag doctor` to tell."""
    is_locked = isinstance(problem, LibraryLocked)
    return "Another process is writing to the library." if is_locked else problem.message
