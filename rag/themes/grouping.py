"""Vectors in, groups of row numbers out: how many there are is read from the vectors.

Ward's tree over a sample is cut where the groups stand apart best (silhouette, Rousseeuw 1987). The means of
these groups are then moved by spherical k-means over all rows: the work grows with n, not with its square.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rag.embedders import Vectors

Labels = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST_THEMES = 24
_FEWEST = 4
_SAMPLE = 2000
_ROUNDS = 12
# Below this mean silhouette a division says nothing.
_LEAST_APART = 0.015
# Similarities are compared after rounding: the last digits depend on the number of threads.
_DIGITS = 5


def centred(vectors: Vectors) -> Vectors:
    """Return unit rows with what all of them share taken out, `(n, dim) float32`."""
    rows = np.asarray(vectors, dtype=np.float64)
    rows = rows - rows.mean(axis=0)
    # A row that is the mean itself, such as one of many copies, has no direction.
    rows[np.abs(rows) < 1e-6] = 0.0
    return _unit(rows).astype(np.float32)


def grouped(rows: Vectors, most: int | None, seed: int) -> list[list[int]]:
    """Return groups of row numbers, the largest first; `rows` are unit rows `(n, dim)`."""
    from threadpoolctl import threadpool_limits

    # Sums over several threads come out in any order.
    with threadpool_limits(1):
        labels = _labels(rows, most, seed)
    groups = [np.flatnonzero(labels == label).tolist() for label in range(int(labels.max()) + 1)]
    return sorted((some for some in groups if some), key=lambda some: (-len(some), some[0]))


def most_central_first(rows: Vectors, members: list[int]) -> list[int]:
    """Return the members in the order of their similarity to the mean of all."""
    numbers = np.asarray(members, dtype=np.int64)
    own = rows[numbers]
    similarity = np.round(own @ _unit(own.mean(axis=0)), _DIGITS)
    return [int(row) for row in numbers[np.lexsort((numbers, -similarity))]]


def _labels(rows: Vectors, most: int | None, seed: int) -> Labels:
    sample = _sample(rows, seed)
    one = np.zeros(len(rows), dtype=np.int64)
    best = max(_cuts(sample, most), key=lambda cut: cut[0], default=None)
    if best is None or best[0] < _LEAST_APART:
        return one
    return _settled(rows, _means(sample, best[1]), _least(len(rows)))


def _sample(rows: Vectors, seed: int) -> Vectors:
    if len(rows) <= _SAMPLE:
        return rows
    chosen = np.random.default_rng(seed).choice(len(rows), _SAMPLE, replace=False)
    return rows[np.sort(chosen)]


def _cuts(sample: Vectors, most: int | None) -> list[tuple[float, Labels]]:
    """Return for each number of groups worth trying how far apart they stand, and the labels."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.metrics import silhouette_score

    distances = np.clip(1.0 - sample @ sample.T, 0.0, 2.0)
    np.fill_diagonal(distances, 0.0)
    cuts = []
    for count in _numbers(sample, most):
        labels = AgglomerativeClustering(count, linkage="ward").fit_predict(sample)
        cuts.append((float(silhouette_score(distances, labels, metric="precomputed")), labels))
    return cuts


def _numbers(sample: Vectors, most: int | None) -> list[int]:
    """Return the numbers of groups to try, about the root of half the papers."""
    distinct = len(np.unique(np.round(sample, 3), axis=0))
    usual = math.sqrt(len(sample) / 2)
    highest = min(round(usual * 1.3), MOST_THEMES if most is None else most, distinct, len(sample) // 2)
    lowest = max(2, min(round(usual / 1.6), highest))
    step = max(1, (highest - lowest) // 6)
    return list(range(lowest, highest + 1, step)) if len(sample) >= _FEWEST else []


def _settled(rows: Vectors, means: Vectors, least: int) -> Labels:
    """Return the nearest mean of each row after the means have moved; groups below `least` are given up."""
    while True:
        for _ in range(_ROUNDS):
            labels = _nearest(rows, means)
            means = _means(rows, labels, len(means))
        labels = _nearest(rows, means)
        sizes = np.bincount(labels, minlength=len(means))
        if sizes.min() >= least or len(means) == 1:
            return labels
        means = np.delete(means, int(sizes.argmin()), axis=0)


def _nearest(rows: Vectors, means: Vectors) -> Labels:
    return np.asarray(np.round(rows @ means.T, _DIGITS).argmax(axis=1), dtype=np.int64)


def _means(rows: Vectors, labels: Labels, count: int = 0) -> Vectors:
    """Return the unit mean of the rows of each label; a label that has lost its rows gets a zero row."""
    sums = np.zeros((max(count, int(labels.max()) + 1), rows.shape[1]))
    np.add.at(sums, labels, rows)
    return _unit(sums).astype(np.float32)


def _least(papers: int) -> int:
    return max(2, round(math.sqrt(papers) / 8))


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))
