"""Measure what multiplying in 8 bits gives and costs: speed, vectors, and the answers that come of them.

    .venv/bin/python bench/model_quantised.py [QUESTIONS PAPERS ...]

The weights of `minilm` are stored in 8 bits and multiplied as floats. Here the graph, optimised a little,
is quantised by onnxruntime (`quantize_dynamic`, which needs the package onnx), so that 8-bit numbers are
multiplied. With QUESTIONS (as for `rag eval`) and the PAPERS they are about, both ways answer them.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedders import EmbedderIdentity, minilm
from rag.embedders.minilm import MiniLM
from rag.evaluate.cases import read_cases
from rag.evaluate.questions import run
from rag.evaluate.scores import scores
from rag.library import Library

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench.model_speed import session, texts  # noqa: E402


class EightBit(MiniLM):
    """The offline embedder, multiplying in 8 bits."""

    def __init__(self, folder: Path) -> None:
        from onnxruntime import GraphOptimizationLevel
        from onnxruntime.quantization import QuantType, quantize_dynamic

        super().__init__()
        plain, quantised = folder / "basic.onnx", folder / "eight.onnx"
        model = minilm._packaged(*minilm._WEIGHTS).read_bytes()
        session(
            model,
            optimized_model_filepath=str(plain),
            graph_optimization_level=GraphOptimizationLevel.ORT_ENABLE_BASIC,
        )
        quantize_dynamic(plain, quantised, weight_type=QuantType.QInt8)
        self._session, _ = session(str(quantised), intra_op_num_threads=2)

    @property
    def identity(self) -> EmbedderIdentity:
        """Return an identity of its own: the vectors are others."""
        return EmbedderIdentity("minilm", minilm.DIMENSION, "8-bit")


def answered(embedder: MiniLM, questions: Path, papers: Sequence[Path], place: Path) -> Mapping[str, Any]:
    """Return the scores of `rag eval` with the papers embedded in this way."""
    with Library.open(place, write=True, embedder=embedder) as library:
        library.ingest(papers)
        return scores(run(read_cases(questions), library))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("questions", type=Path, nargs="?")
    parser.add_argument("papers", type=Path, nargs="*")
    arguments = parser.parse_args()
    some, ratios = texts(80), []
    with tempfile.TemporaryDirectory() as place:
        ways = (MiniLM(2), EightBit(Path(place)))
        for _ in range(5):
            times = []
            for way in ways:
                began = time.perf_counter()
                way.embed_documents(some)
                times.append(time.perf_counter() - began)
            ratios.append(times[0] / times[1])
        alike = np.sum(ways[0].embed_documents(some) * ways[1].embed_documents(some), axis=1)
        sys.stdout.write(
            f"times as fast: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})\n"
            f"cosine to the float vectors: median {np.median(alike):.3f}, least {alike.min():.3f}\n"
        )
        if arguments.questions is None:
            return
        both = [
            answered(way, arguments.questions, arguments.papers, Path(place) / str(n))
            for n, way in enumerate(ways)
        ]
    for name, value in both[0].items():
        if value is not None:
            sys.stdout.write(f"{name:<34}{value:>10.3f}{both[1][name]:>10.3f}\n")


if __name__ == "__main__":
    main()
