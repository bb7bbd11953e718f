"""Linear models over features read off a text: a row of features → a score, and the chance it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearModel:
    """Weights for standardised features: score = (x - mean) / scale · weight + bias."""

    mean: tuple[float, ...]
    scale: tuple[float, ...]
    weight: tuple[float, ...]
    bias: float

    @staticmethod
    def of(rows: Sequence[tuple[str, float, float, float]], bias: float) -> LinearModel:
        """Build from rows of feature name, mean, scale and weight."""
        _, mean, scale, weight = zip(*rows, strict=True)
        return LinearModel(mean, scale, weight, bias)

    def score(self, features: Floats) -> Floats:
        """Return a score per row of `features`, `(n, features) float64`; 0 is even odds."""
        standard = (features - np.array(self.mean)) / np.array(self.scale)
        return np.asarray(standard @ np.array(self.weight) + self.bias)


def chance(score: Floats) -> Floats:
    """Return the logistic function of a score: 0 → .5."""
    return np.asarray(1 / (1 + np.exp(-np.clip(score, -30, 30))))
