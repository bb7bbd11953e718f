"""Measure the server under load: many askers at the same time come in, answers a second and waits go out.

    .venv/bin/python bench/serve_load.py [--askers 50] [--seconds 30]

It serves the seed abstracts in a process of its own, on a free port of this machine, with quoted answers.
Each asker asks its next question as soon as it has its answer, so this is the most
that so many people could ask. The askers take processor time too.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from rag.library import Library
from rag.resources import seeds

QUESTIONS = (
    "How much faster than FOA is EVA-0?",
    "How many MLLMs were benchmarked with A3Bench?",
    "Which papers use federated learning?",
    "What is ERIS?",
    "What does ENGINE improve?",
    "How many GPUs were used to train EVA-0?",
    "Which papers introduce a benchmark?",
    "What limits zeroth-order optimization?",
    "How does A2I encode structure?",
    "What is a typed tensor language?",
)


@dataclass
class Tally:
    """What came back: the wait for each answer in seconds, and every failure."""

    waits: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def ask_on(port: int, first: int, until: float, tally: Tally) -> None:
    """Ask one question after the other on one connection until the time is over."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    number = first
    while time.monotonic() < until:
        body = json.dumps({"question": QUESTIONS[number % len(QUESTIONS)]})
        number += 1
        began = time.perf_counter()
        try:
            connection.request("POST", "/api/v1/ask", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            answer = json.loads(response.read())
            if response.status != 200 or answer["status"] not in ("answered", "partial", "not_found"):
                tally.failures.append(f"{response.status} {answer}")
        except (OSError, ValueError, http.client.HTTPException) as error:
            tally.failures.append(repr(error))
            connection.close()
        tally.waits.append(time.perf_counter() - began)
    connection.close()


def load(port: int, askers: int, seconds: float) -> Tally:
    """Let askers ask for some seconds; return what came back."""
    tally, until = Tally(), time.monotonic() + seconds
    threads = [threading.Thread(target=ask_on, args=(port, n, until, tally)) for n in range(askers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tally


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    """Return once the server can answer."""
    while process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/api/v1/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise SystemExit("the server has ended")


def main() -> None:
    """Serve, load, and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--askers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library, port = Path(folder) / "library", free_port()
        with Library.open(library, write=True) as made:
            made.ingest([seeds()])
        command = [sys.executable, "-m", "rag", "--library", str(library), "serve", "--rate", "0"]
        began = time.perf_counter()
        process = subprocess.Popen([*command, "--port", str(port)], stderr=subprocess.DEVNULL, env=os.environ)
        try:
            await_ready(port, process)
            print(f"ready after {time.perf_counter() - began:.1f} s")
            tally = load(port, wanted.askers, wanted.seconds)
        finally:
            process.terminate()
            process.wait()
    report(tally, wanted.askers, wanted.seconds)


def report(tally: Tally, askers: int, seconds: float) -> None:
    """Print the numbers; exit with 1 if a question failed."""
    waits = sorted(tally.waits)
    print(f"{askers} askers, {seconds:g} s: {len(waits)} answers, {len(waits) / seconds:.0f} a second")
    print(f"median {statistics.median(waits):.3f} s, 95th percentile {waits[int(len(waits) * 0.95)]:.3f} s")
    print(f"failures: {len(tally.failures)}", *tally.failures[:3], sep="\n  ")
    raise SystemExit(bool(tally.failures))


if __name__ == "__main__":
    main()
