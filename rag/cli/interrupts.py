"""Ctrl-C where Python or a module in C loses it: an error that hides one, and one dropped in a `__del__`."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

# Long enough for what dropped it to have ended, short enough not to be noticed.
AGAIN_S = 0.05


@contextmanager
def kept() -> Iterator[None]:
    """Press Ctrl-C again where Python drops the KeyboardInterrupt: in a `__del__` or a callback."""
    before, pending = sys.unraisablehook, list[threading.Timer]()

    def hook(dropped: UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            again = threading.Timer(AGAIN_S, _press)
            again.daemon = True
            pending.append(again)
            again.start()
        else:
            before(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before
        for again in pending:
            again.cancel()


def hides(error: BaseException) -> bool:
    """Tell whether an import failed because it was interrupted: modules in C make an ImportError of it."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    kinds = [type(link) for link in chain]
    return KeyboardInterrupt in kinds and any(issubclass(kind, ImportError) for kind in kinds)


def _press() -> None:
    if os.name == "posix":
        # Unlike interrupt_main, this also wakes a thread that waits in the system.
        os.kill(os.getpid(), signal.SIGINT)
    else:
        _thread.interrupt_main()
