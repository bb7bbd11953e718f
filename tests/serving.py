"""The server as tests use it: an application in this process, or a real process on a free port."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from starlette.testclient import TestClient

from rag.library import Library
from rag.serving.app import create_app
from rag.serving.state import Options, State
from rag.settings import Settings
from tests.server_process import await_answer, free_port

ADDRESS = "http://127.0.0.1:8100"
TOKEN = "a-secret-of-the-tests-1234"
FACT = "How much faster than FOA is EVA-0?"


@contextmanager
def serving(
    folder: Path, library: Library | None = None, *, token: str = "", **options: Any
) -> Iterator[TestClient]:
    """Serve a library in this process; `library` stays open, one of `folder` is closed at the end."""
    settings = Settings(library=folder, token=token)
    state = State(library, settings, Options(**options))
    with TestClient(create_app(state), ADDRESS, follow_redirects=False) as client:
        yield client


def events(text: str) -> list[tuple[str, Any]]:
    """Return the names and data of server-sent events."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if fields:
            found.append((fields.get("event", "message"), json.loads(fields["data"])))
    return found


class Served:
    """`rag serve` in a process of its own; use it as a context manager."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [
            *(sys.executable, "-m", "rag", "--library", str(folder)),
            *("serve", "--port", str(self.port), *options),
        ]
        self._environment = clean_environment(environment)

    def __enter__(self) -> Served:
        # A file, and no pipe: the log must never wait for whoever reads it.
        self._said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=self._said, env=self._environment
        )
        await_answer(self.process, f"{self.url}/api/v1/health")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._said.close()

    def end(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the exit code and what was written to stderr."""
        self.process.send_signal(number)
        code = self.process.wait(timeout=30)
        return code, self.said()

    def said(self) -> str:
        """Return what was written to stderr so far."""
        self._said.seek(0)
        return self._said.read().decode()


def clean_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without settings of whoever runs the tests."""
    root = Path(__file__).parent.parent
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("RAG_", "OPENAI_"))}
    return {**kept, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", **more}
