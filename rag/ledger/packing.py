"""Vectors and sketches to blobs and back: float32 rows as they are, or int8 rows with one factor each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rag.papers.sketches import PLACES, Sketch, Sketches

Matrix = NDArray[np.float32]
Vector = NDArray[np.float32]


def pack(rows: Matrix) -> bytes:
    """Return `(n, dim)` float32 rows as little-endian bytes."""
    return np.ascontiguousarray(rows, dtype="<f4").tobytes()


def unpack(blob: bytes | bytearray, dimension: int) -> Matrix:
    """Return the `(n, dim)` float32 rows of `pack`; raise ValueError if the length does not fit."""
    return np.frombuffer(blob, dtype="<f4").reshape(-1, dimension).astype(np.float32, copy=False)


def quantise(rows: Matrix) -> tuple[bytes, bytes]:
    """Return `(n, dim)` rows as n float32 factors and n int8 rows: a quarter of the size."""
    rows = np.asarray(rows, dtype=np.float32)
    peaks = np.abs(rows).max(axis=1, initial=0.0)
    scales = np.where(peaks > 0, peaks / 127, 1).astype("<f4")
    codes = np.rint(rows / scales[:, None]).astype(np.int8)
    return scales.tobytes(), codes.tobytes()


def restore(scales: bytes, codes: bytes, dimension: int) -> Matrix:
    """Return the `(n, dim)` float32 rows of `quantise`, each value within half a factor of the first."""
    factors = np.frombuffer(scales, dtype="<f4")
    rows = np.frombuffer(codes, dtype=np.int8).reshape(len(factors), dimension)
    return np.asarray(rows * factors[:, None], dtype=np.float32)


def pack_sketch(sketch: Sketch) -> bytes:
    """Return a sketch as little-endian bytes."""
    return np.ascontiguousarray(sketch, dtype="<u2").tobytes()


def unpack_sketches(blob: bytes) -> Sketches:
    """Return the `(n, 120)` sketches of `pack_sketch`, joined."""
    return np.frombuffer(blob, dtype="<u2").reshape(-1, PLACES).astype(np.uint16, copy=False)
