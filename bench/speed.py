"""Measure the speed of the program in one run, as ratios and times that can be compared between machines.

    .venv/bin/python bench/speed.py [--rounds N]

Cold starts are measured alternately and their medians compared, so that a busy moment hits both sides.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rag.library import Library
from rag.resources import seeds

QUESTION = "How much faster than FOA is EVA-0?"
# Each question is asked once: the program remembers the vectors of questions it has seen.
PATTERNS = ("What does {} do?", "How well does {} work, and on which data?", "Which papers are like {}?")


def seconds(function: Callable[[], object]) -> float:
    """Return how long one call takes."""
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def process(*arguments: str, library: Path) -> Callable[[], object]:
    """Return a function that runs Python with the arguments in a fresh process."""
    environment = os.environ | {"RAG_LIBRARY": str(library)}

    def run() -> None:
        finished = subprocess.run(
            [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if finished.returncode not in (0, 3):
            raise SystemExit(f"{arguments} failed:\n{finished.stderr.decode()}")

    return run


def medians(rounds: int, *functions: Callable[[], object]) -> list[float]:
    """Return the median time of each function, run in turns."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(rounds):
        for kept, function in zip(times, functions, strict=True):
            kept.append(seconds(function))
    return [statistics.median(kept) for kept in times]


def ingest_share(path: Path) -> float:
    """Ingest the seeds into a new library; return the share of the time spent in the embedder."""
    with Library.open(path, write=True) as library:
        report = library.ingest([seeds()])
    return report.embedding_seconds / report.seconds


def warm_ask(path: Path) -> tuple[float, float]:
    """Return the median and the 95th percentile of a question asked of an open library, in ms."""
    with Library.open(path) as library:
        library.ask(QUESTION)
        questions = [pattern.format(paper.name) for pattern in PATTERNS for paper in library.papers()]
        times = sorted(seconds(partial(library.ask, question)) for question in questions)
    return statistics.median(times) * 1000, times[int(len(times) * 0.95)] * 1000


def warm_jobs(path: Path) -> tuple[float, float]:
    """Return the medians of comparing three papers, and of summing up a topic, in an open library, in ms."""
    with Library.open(path) as library:
        names = [paper.name for paper in library.papers()]
        library.compare(names[:3])
        library.summarize("learning")
        compared = [
            seconds(partial(library.compare, names[start : start + 3])) for start in range(len(names) - 2)
        ]
        topics = [f"work on {name}" for name in names]
        summed = [seconds(partial(library.summarize, topic)) for topic in topics]
    return statistics.median(compared) * 1000, statistics.median(summed) * 1000


def main() -> None:
    """Measure everything and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of cold starts (default: 5)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "library"
        share = ingest_share(path)
        p50, p95 = warm_ask(path)
        compared, summed = warm_jobs(path)
        started, chroma, asked = medians(
            rounds,
            process("-m", "rag", "--help", library=path),
            process("-c", "import chromadb", library=path),
            process("-m", "rag", "ask", QUESTION, library=path),
        )
    rows = (
        ("warm ask, median", f"{p50:.1f} ms", "under 50 ms"),
        ("warm ask, 95th percentile", f"{p95:.1f} ms", ""),
        ("warm compare of 3 papers, median", f"{compared:.1f} ms", "under 150 ms"),
        ("warm summarize, median", f"{summed:.1f} ms", "under 150 ms"),
        ("rag --help", f"{started:.3f} s", "under 0.3 s"),
        ("python -c 'import chromadb'", f"{chroma:.3f} s", ""),
        ("cold rag ask", f"{asked:.3f} s", ""),
        ("cold rag ask / import chromadb", f"{asked / chroma:.2f}", "at most 1.6"),
        ("share of ingest in the embedder", f"{share:.0%}", "at least 85%"),
    )
    for name, value, wanted in rows:
        sys.stdout.write(f"{name:<34}{value:>12}   {wanted}\n")


if __name__ == "__main__":
    main()
