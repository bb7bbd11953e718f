"""The fitted weights of `rag.verify.judge`; written by `bench/claims.py --fit`, not by hand."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FEATURES = (
    "covered",  # weighted share of the claim's words in the sentences found
    "anywhere",  # the same, in the whole abstract
    "alone",  # the same, in the best sentence alone
    "similarity",  # cosine of the claim and the best sentence
    "missing",  # weight of the nouns and names the abstract lacks, at most 3
    "missing_share",  # their share of the claim
    "contradicted",  # weight of the surest contradiction found
)
WEIGHTS = (-2.608, 3.255, -1.400, 1.873, -0.128, -8.876, -4.920)
BIAS = 0.793


def chance(features: NDArray[np.float64]) -> float:
    """Return how likely a claim is supported, 0–1, from its `FEATURES`, `(features,) float64`."""
    score = float(features @ np.array(WEIGHTS)) + BIAS
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
