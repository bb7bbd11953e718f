"""Servers in processes of their own: a free port for each, and waiting until it answers."""

from __future__ import annotations

import contextlib
import random
import socket
import subprocess
import time
import urllib.request

_DEADLINE_S = 60.0
_BETWEEN_TRIES_S = 0.05


def free_port() -> int:
    """Return a port that nobody listens on now, and that the system gives to no outgoing connection."""
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randint(20_000, 32_000)))
            return int(probe.getsockname()[1])


def await_answer(process: subprocess.Popen[bytes], url: str) -> None:
    """Return once `url` answers with success; kill the process and fail when it ends or takes too long."""
    deadline = time.monotonic() + _DEADLINE_S
    while not _answers(url):
        if _ended_within(process, _BETWEEN_TRIES_S) or time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise AssertionError(f"the server does not answer at {url}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def _ended_within(process: subprocess.Popen[bytes], wait_s: float) -> bool:
    try:
        process.wait(timeout=wait_s)
    except subprocess.TimeoutExpired:
        return False
    return True
