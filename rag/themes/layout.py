"""Vectors of papers in, their places on a map out: what is alike stands near.

The places are those of t-SNE (van der Maaten and Hinton 2008) after PCA. Of very many papers a sample is
placed so, and each other paper between the papers of the sample that are nearest to it.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rag.embedders import Vectors
from rag.themes.grouping import centred

Places = npt.NDArray[np.float64]

# So many are placed by t-SNE; its time is about 2 ms for each.
MOST_PLACED = 5000
_FEWEST_PLACED = 5
_DIMENSIONS = 30
_ROUNDS = 500
_NEIGHBOURS = 3
_BATCH = 2000
_GOLDEN = math.pi * (3.0 - math.sqrt(5.0))
# How far copies of a paper stand apart, and papers placed by others scatter, of the width of the map.
_APART = 0.008
_DIGITS = 4


def layout(vectors: Vectors, *, seed: int = 0) -> Places:
    """Return a place `(x, y)` in [0, 1] for each of the unit rows `(n, dim)`: `(n, 2) float64`.

    The same rows and seed give the same places.
    """
    from threadpoolctl import threadpool_limits

    if not len(vectors):
        return np.zeros((0, 2))
    # Sums over several threads come out in any order, and t-SNE makes much of the last digit.
    with threadpool_limits(1):
        rows = centred(vectors)
        places = _placed(rows, seed) if len(rows) <= MOST_PLACED else _placed_by_sample(rows, seed)
    return np.round(_fitted(_copies_apart(places)), _DIGITS)


def _placed(rows: Vectors, seed: int) -> Places:
    distinct, which = np.unique(np.round(rows, _DIGITS), axis=0, return_inverse=True)
    if len(distinct) < _FEWEST_PLACED:
        return _circle(len(distinct))[which.reshape(-1)]
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    few = PCA(min(_DIMENSIONS, *distinct.shape), svd_solver="full").fit_transform(distinct)
    tsne = TSNE(
        perplexity=min(30.0, (len(distinct) - 1) / 3),
        init="pca",
        max_iter=_ROUNDS,
        random_state=seed,
        n_jobs=1,
    )
    return _fitted(np.asarray(tsne.fit_transform(few), dtype=np.float64))[which.reshape(-1)]


def _placed_by_sample(rows: Vectors, seed: int) -> Places:
    random = np.random.default_rng(seed)
    sample = np.sort(random.choice(len(rows), MOST_PLACED, replace=False))
    known = _placed(rows[sample], seed)
    places = np.vstack(
        [_between(rows[at : at + _BATCH], rows[sample], known) for at in range(0, len(rows), _BATCH)]
    )
    places += random.normal(0.0, _APART / 2, places.shape)
    places[sample] = known
    return places


def _between(rows: Vectors, landmarks: Vectors, known: Places) -> Places:
    """Return for each row the mean place of its nearest landmarks, the nearest counting most."""
    similarity = rows @ landmarks.T
    near = np.argpartition(-similarity, _NEIGHBOURS, axis=1)[:, :_NEIGHBOURS]
    weights = np.clip(np.take_along_axis(similarity, near, axis=1), 1e-3, None) ** 8
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray((known[near] * weights[:, :, None]).sum(axis=1))


def _circle(count: int) -> Places:
    if count == 1:
        return np.full((1, 2), 0.5)
    angles = np.arange(count) * (2 * math.pi / count)
    return np.column_stack([0.5 + np.cos(angles) / 2, 0.5 + np.sin(angles) / 2])


def _copies_apart(places: Places) -> Places:
    """Move papers that stand at one place around it, so that each can be pointed at."""
    _, which = np.unique(np.round(places, _DIGITS), axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    starts = np.flatnonzero(np.diff(which.reshape(-1)[order], prepend=-1))
    rank = np.empty(len(places))
    rank[order] = np.arange(len(places)) - np.repeat(starts, np.diff([*starts, len(places)]))
    turn = np.column_stack([np.cos(rank * _GOLDEN), np.sin(rank * _GOLDEN)])
    return np.asarray(places + turn * (_APART * np.sqrt(rank))[:, None])


def _fitted(places: Places) -> Places:
    """Return places moved and scaled into the unit square; the longer side fills it."""
    low, high = places.min(axis=0), places.max(axis=0)
    size = float((high - low).max())
    return 0.5 + (places - (low + high) / 2) / size if size > 0 else np.full_like(places, 0.5)
