"""Measure what settings of onnxruntime and of batching give the offline embedder, as ratios within one run.

    .venv/bin/python bench/model_speed.py [--rounds N] [--texts N]

Every setting embeds the same abstracts and sentences, in turns, so that a busy moment hits all of them. A
ratio above 1 is faster than the program's own setting.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedders import minilm
from rag.resources import seeds
from rag.sources import find, read
from rag.text.latex import readable
from rag.text.sentences import spans

Embed = Callable[[Sequence[str]], None]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to embed: what to call it, what embeds, and how many seconds its session took to load."""

    name: str
    embed: Embed
    load_s: float


def texts(most: int) -> list[str]:
    """Return abstracts of the seeds and their sentences, long and short in turn."""
    found: list[str] = []
    for path in find([seeds()]):
        for record in read(path):
            text = readable(getattr(record, "text", ""))
            found += [text, *(text[a:b] for a, b in spans(text))]
    return [text for text in found if text][:most]


def session(model: bytes | str, **settings: Any) -> tuple[Any, float]:
    """Return a session with these settings of `SessionOptions`, and how long it took to load."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.inter_op_num_threads = 1
    for name, value in settings.items():
        setattr(options, name, value)
    began = time.perf_counter()
    loaded = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return loaded, time.perf_counter() - began


def one_by_one(loaded: Any, tokenizer: Any) -> Embed:
    """Embed each text alone."""

    def embed(some: Sequence[str]) -> None:
        for text in some:
            run(loaded, [tokenizer.encode(text).ids])

    return embed


def by_length(loaded: Any, tokenizer: Any, size: int) -> Embed:
    """Embed in batches of texts of nearly the same length."""

    def embed(some: Sequence[str]) -> None:
        rows = sorted((tokenizer.encode(text).ids for text in some), key=len)
        for start in range(0, len(rows), size):
            run(loaded, rows[start : start + size])

    return embed


def run(loaded: Any, rows: Sequence[Sequence[int]]) -> None:
    """Run the model on rows of word pieces, the shorter ones padded."""
    longest = max(map(len, rows))
    ids = np.zeros((len(rows), longest), dtype=np.int64)
    mask = np.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        mask[place, : len(row)] = 1
    loaded.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})


def ways(folder: Path) -> list[Way]:
    """Return every way that is compared, the program's own first."""
    import onnxruntime

    model = minilm._packaged(*minilm._WEIGHTS).read_bytes()
    tokenizer = minilm._load_tokenizer(minilm._packaged(*minilm._TOKENIZER))
    level = onnxruntime.GraphOptimizationLevel
    saved = folder / "optimised.onnx"
    session(model, optimized_model_filepath=str(saved))
    own = {"intra_op_num_threads": minilm.usual_threads()}
    settings: dict[str, tuple[bytes | str, dict[str, Any]]] = {
        f"as it is, threads: {minilm.usual_threads()}": (model, own),
        "1 thread": (model, {"intra_op_num_threads": 1}),
        "no graph optimisation": (model, {**own, "graph_optimization_level": level.ORT_DISABLE_ALL}),
        "basic graph optimisation": (model, {**own, "graph_optimization_level": level.ORT_ENABLE_BASIC}),
        "graph optimised before": (str(saved), {**own, "graph_optimization_level": level.ORT_DISABLE_ALL}),
        "without memory arena": (model, {**own, "enable_cpu_mem_arena": False}),
        "without memory pattern": (model, {**own, "enable_mem_pattern": False}),
    }
    made = []
    for name, (source, options) in settings.items():
        loaded, seconds = session(source, **options)
        made.append(Way(name, one_by_one(loaded, tokenizer), seconds))
    loaded, seconds = session(model, **own)
    made += [Way(f"batches of {n} by length", by_length(loaded, tokenizer, n), seconds) for n in (4, 16)]
    return made


def main() -> None:
    """Measure every way in turns, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--texts", type=int, default=80, help="texts to embed a round (default: 80)")
    arguments = parser.parse_args()
    some = texts(arguments.texts)
    with tempfile.TemporaryDirectory() as place:
        compared = ways(Path(place))
        times: list[list[float]] = [[] for _ in compared]
        for _ in range(arguments.rounds):
            for kept, way in zip(times, compared, strict=True):
                began = time.perf_counter()
                way.embed(some)
                kept.append(time.perf_counter() - began)
    own = times[0]
    sys.stdout.write(f"{'way':<28}{'ratio':>8}{'texts/s':>10}{'load, s':>10}\n")
    for kept, way in zip(times, compared, strict=True):
        ratio = statistics.median(a / b for a, b in zip(own, kept, strict=True))
        speed = len(some) / statistics.median(kept)
        sys.stdout.write(f"{way.name:<28}{ratio:>8.2f}{speed:>10.1f}{way.load_s:>10.2f}\n")


if __name__ == "__main__":
    main()
