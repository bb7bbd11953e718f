"""A real Chroma server in a process of its own, on a free port of this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.server_process import await_answer, free_port

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
        await_answer(self._process, f"{self.url}/api/v2/heartbeat")
        return self

    def kill(self) -> None:
        """End the server at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
