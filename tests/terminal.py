"""A program on a terminal of its own: a test types, and reads until some text is shown."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

# Colours, cursor moves and modes; what remains is the text.
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>78]|\r")
DEADLINE_S = 30.0


class Terminal:
    """Runs a command on a pseudo-terminal of 80 columns; use it as a context manager."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self._raw = ""
        self._read = 0
        self._process = subprocess.Popen(
            command,
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=dict(environment),
            # A terminal of its own: Ctrl-C must reach this process as it reaches one of a person.
            preexec_fn=_take_terminal,
        )
        os.close(follower)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        os.close(self._leader)

    @property
    def shown(self) -> str:
        """All that was shown so far, without colours and cursor moves."""
        return _CONTROL.sub("", self._raw)

    def until(self, text: str) -> str:
        """Read until `text` is shown after what was read before; return what was read."""
        end = time.monotonic() + DEADLINE_S
        while (place := self.shown.find(text, self._read)) < 0:
            assert time.monotonic() < end, f"{text!r} was never shown:\n{self.shown}"
            if not self._more():
                raise AssertionError(f"the program ended before {text!r} was shown:\n{self.shown}")
        before, self._read = self._read, place + len(text)
        return self.shown[before : self._read]

    def type(self, keys: str) -> None:
        """Type keys."""
        os.write(self._leader, keys.encode())

    def end(self) -> int:
        """Read to the end and return the exit code."""
        while self._more():
            pass
        return self._process.wait(DEADLINE_S)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._leader], [], [], DEADLINE_S)
        try:
            piece = os.read(self._leader, 4096) if ready else b""
        except OSError:
            piece = b""
        self._raw += piece.decode("utf-8", "replace")
        return bool(piece)


def _take_terminal() -> None:
    # Whoever runs the tests in the background may ignore it, and a child would go on ignoring it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
