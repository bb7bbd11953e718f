"""The sentences of an abstract in, out the chances of each one's role, from background to result.

A linear-chain conditional random field (Lafferty, McCallum & Pereira 2001): each sentence is scored by its
words, its place and, when there is one, its vector; then by what usually follows what. The weights are
written by `bench/fit_roles.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from rag.embedders import EmbedderIdentity, Vectors
from rag.errors import RagError
from rag.evidence.role_features import places, word_features

ROLES: tuple[str, ...] = ("background", "objective", "method", "result", "other")
WEIGHTS = Path(__file__).with_name("roles.npz")
# The sum of a sentence's word weights is divided by the root of their number, or of this if it is more.
FEWEST = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RoleWeights:
    """The weights of one variant, a column per role.

    `words` `(vocabulary, 5)`, `places` `(25, 5)`, `vectors` `(dim, 5)` (no rows: the variant reads none),
    `bias` `(5,)`; `steps` `(5, 5)` from one sentence to the next, `start` and `end` `(5,)` for the first and
    last sentence; `choice` `(5,)` is added to log chances when one role has to be chosen.
    """

    words: Floats
    places: Floats
    vectors: Floats
    bias: Floats
    steps: Floats
    start: Floats
    end: Floats
    choice: Floats


@dataclass(frozen=True, slots=True)
class RoleModel:
    """Tells the roles of sentences, with vectors of the embedder it was fitted on or without."""

    vocabulary: Mapping[str, int]
    embedder: EmbedderIdentity
    with_vectors: RoleWeights
    without: RoleWeights

    def reads(self, embedder: EmbedderIdentity) -> bool:
        """Tell whether vectors of `embedder` may be given: another's of the same length would mislead."""
        return embedder == self.embedder

    def chances(self, texts: Sequence[str], vectors: Vectors | None) -> Floats:
        """Return `(sentences, 5) float64`, rows that sum to 1, in the order of `ROLES`.

        `texts` are all sentences of one abstract in order. `vectors`, `(sentences, dim)`, are left aside
        unless they are as long as those of the model's embedder. Raises ValueError if their number differs.
        """
        if not texts:
            return np.zeros((0, len(ROLES)))
        weights, rows = self._variant(vectors)
        if rows is not None and len(rows) != len(texts):
            raise ValueError(f"{len(rows)} vectors for {len(texts)} sentences")
        scores = places(len(texts)) @ weights.places + weights.bias
        scores += np.stack([self._word_scores(text, weights) for text in texts])
        if rows is not None:
            scores += rows.astype(np.float64) @ weights.vectors
        return posteriors(scores, weights)

    def choose(self, texts: Sequence[str], vectors: Vectors | None) -> tuple[str, ...]:
        """Return one role per sentence, chosen so that rare roles are found too (best macro-F1)."""
        weights, _ = self._variant(vectors)
        lifted = self.chances(texts, vectors) * np.exp(weights.choice)
        return tuple(ROLES[index] for index in lifted.argmax(axis=1))

    def _variant(self, vectors: Vectors | None) -> tuple[RoleWeights, Vectors | None]:
        if vectors is None or vectors.ndim != 2 or vectors.shape[1] != self.embedder.dimension:
            return self.without, None
        return self.with_vectors, vectors

    def _word_scores(self, text: str, weights: RoleWeights) -> Floats:
        known = [self.vocabulary[word] for word in word_features(text) if word in self.vocabulary]
        total: Floats = weights.words[known].sum(axis=0)
        return np.asarray(total / np.sqrt(max(len(known), FEWEST)))


def posteriors(scores: Floats, weights: RoleWeights) -> Floats:
    """Return each sentence's chances given all scores `(sentences, 5)`, by the forward-backward algorithm."""
    scores = scores.copy()
    scores[0] += weights.start
    scores[-1] += weights.end
    local = np.exp(scores - scores.max(axis=1, keepdims=True))
    steps = np.exp(weights.steps)
    ahead, back = local.copy(), np.ones_like(local)
    for i in range(1, len(local)):
        ahead[i] = (ahead[i - 1] / ahead[i - 1].sum()) @ steps * local[i]
    for i in range(len(local) - 2, -1, -1):
        reached = steps @ (local[i + 1] * back[i + 1])
        back[i] = reached / reached.sum()
    both = ahead * back
    return np.asarray(both / both.sum(axis=1, keepdims=True))


def load_roles(path: Path = WEIGHTS) -> RoleModel:
    """Read the weights; raise RagError when they are missing or damaged."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return _model(arrays)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise RagError(
            f"the weights that tell the roles of sentences cannot be read ({path.name}: {error})",
            hint="Install the program again: pip install --force-reinstall --no-deps askpapers",
        ) from error


def save_roles(model: RoleModel, path: Path) -> None:
    """Write the weights in 16 bits, without pickles."""
    arrays: dict[str, Any] = {
        f"{variant}.{name}": np.asarray(getattr(weights, name), dtype=np.float16)
        for variant, weights in (("with_vectors", model.with_vectors), ("without", model.without))
        for name in RoleWeights.__slots__
    }
    words = "\n".join(sorted(model.vocabulary, key=model.vocabulary.__getitem__))
    arrays["vocabulary"] = np.frombuffer(words.encode("utf-8"), dtype=np.uint8)
    name, dimension, digest = model.embedder.name, model.embedder.dimension, model.embedder.digest
    arrays["embedder"] = np.array([name, str(dimension), digest])
    np.savez_compressed(path, **arrays)


def _model(arrays: Mapping[str, NDArray[np.generic]]) -> RoleModel:
    words = arrays["vocabulary"].tobytes().decode("utf-8").split("\n")
    name, dimension, digest = (str(part) for part in arrays["embedder"])
    return RoleModel(
        vocabulary={word: index for index, word in enumerate(words)},
        embedder=EmbedderIdentity(name, int(dimension), digest),
        with_vectors=_weights(arrays, "with_vectors"),
        without=_weights(arrays, "without"),
    )


def _weights(arrays: Mapping[str, NDArray[np.generic]], variant: str) -> RoleWeights:
    return RoleWeights(**{n: arrays[f"{variant}.{n}"].astype(np.float64) for n in RoleWeights.__slots__})
