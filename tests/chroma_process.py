"""A real Chroma server in a process of its own, on a free port of this machine."""

from __future__ import annotations

import contextlib
import random
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

_DEADLINE_S = 60.0
_START = "import sys; from chromadb.cli.cli import app; sys.argv = ['chroma', *sys.argv[1:]]; app()"


class ChromaProcess:
    """`chroma run` on the folder `path`; it can be killed and started again at the same address."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> ChromaProcess:
        """Start the server and wait until it answers."""
        arguments = ("run", "--path", str(self._path), "--host", "127.0.0.1", "--port", str(self._port))
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + _DEADLINE_S
        while not self._answers():
            if self._ended_within(0.05) or time.monotonic() > deadline:
                self.kill()
                raise AssertionError(f"the Chroma server at {self.url} does not answer")
        return self

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _ended_within(self, wait_s: float) -> bool:
        assert self._process is not None
        try:
            self._process.wait(timeout=wait_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=5):
                return True
        except OSError:
            return False


def free_port() -> int:
    """Return a port that nobody listens on now, and that the system gives to no outgoing connection."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randint(20_000, 32_000)))
            return int(probe.getsockname()[1])
