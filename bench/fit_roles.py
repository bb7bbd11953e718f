"""Fit the weights of rag/evidence/roles.npz: abstracts with the role of every sentence → two chains of roles.

    python bench/fit_roles.py CSABSTRUCT/train.jsonl CSABSTRUCT/dev.jsonl [--write]

The collection (Cohan et al. 2019, "Pretrained language models for sequential sentence classification",
Apache-2.0) is not part of this project. Everything is fitted and chosen on the first file, by
cross-validation over its abstracts; the second is only scored at the end, with the weights as written.
Needs scikit-learn, and scipy, which comes with it. Takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.metrics import accuracy_score, f1_score

from rag.embedders.minilm import MiniLM
from rag.evidence.role_features import places, word_features
from rag.evidence.roles import FEWEST, ROLES, WEIGHTS, RoleModel, RoleWeights, load_roles, save_roles
from rag.ledger.packing import quantise, restore

Floats = NDArray[np.float64]
K = len(ROLES)
FOLDS = 5
SEED = 0
# Chosen by cross-validation: a feature must stand in so many sentences; penalties on the squares of the
# weights; steps of the optimiser.
MIN_SENTENCES = 6
PENALTY = {"words": 0.45, "places": 1.0, "vectors": 1.0, "chain": 1.0}
STEPS = 80
SHIFTS = np.arange(-1, 1.01, 0.1)


@dataclass(frozen=True)
class Abstract:
    """The sentences of an abstract, their vectors and their roles as indexes of ROLES."""

    texts: tuple[str, ...]
    vectors: NDArray[np.float32]
    roles: NDArray[np.int64]


@dataclass(frozen=True)
class Padded:
    """Sequences of unequal length side by side: `mask` `(abstracts, longest)` tells what is filled."""

    mask: NDArray[np.bool_]

    @staticmethod
    def of(abstracts: Sequence[Abstract]) -> Padded:
        """Return the mask of these abstracts."""
        lengths = np.array([len(abstract.texts) for abstract in abstracts])
        return Padded(np.arange(lengths.max()) < lengths[:, None])

    @property
    def last(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the index of the last sentence of each abstract."""
        return np.arange(len(self.mask)), self.mask.sum(axis=1) - 1

    def spread(self, rows: Floats) -> Floats:
        """Return rows of sentences as `(abstracts, longest, …)`, 0 where there is none."""
        grid = np.zeros((*self.mask.shape, rows.shape[1]))
        grid[self.mask] = rows
        return grid


def read(path: Path, embedder: MiniLM) -> list[Abstract]:
    """Read abstracts and embed their sentences; the vectors pass through 8 bits, as in a library."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        scales, codes = quantise(embedder.embed_documents(row["sentences"]))
        roles = np.array([ROLES.index(label) for label in row["labels"]])
        found.append(
            Abstract(tuple(row["sentences"]), restore(scales, codes, embedder.identity.dimension), roles)
        )
    return found


def without_copies(train: list[Abstract], dev: list[Abstract]) -> list[Abstract]:
    """Leave out of `train` repeated abstracts and those of `dev`, and tell how many."""
    held, kept = {_folded(abstract) for abstract in dev}, {}
    for abstract in train:
        kept.setdefault(_folded(abstract), abstract)
    shared = held & kept.keys()
    print(f"abstracts: {len(train)} and {len(dev)}; repeated in the first {len(train) - len(kept)}, ", end="")
    print(f"in the second {len(dev) - len(held)}; in both files {len(shared)}")
    return [abstract for key, abstract in kept.items() if key not in shared]


def _folded(abstract: Abstract) -> str:
    return "".join(char for char in "".join(abstract.texts).casefold() if char.isalnum())


def vocabulary(abstracts: Sequence[Abstract]) -> dict[str, int]:
    """Number the word features that stand in enough sentences."""
    counts = Counter(word for a in abstracts for text in a.texts for word in word_features(text))
    return {w: i for i, w in enumerate(sorted(w for w, n in counts.items() if n >= MIN_SENTENCES))}


def word_rows(abstracts: Sequence[Abstract], known: dict[str, int]) -> csr_matrix:
    """Return a row of word features per sentence, scaled as in `RoleModel`."""
    data, columns, ends = [], [], [0]
    for text in (text for abstract in abstracts for text in abstract.texts):
        row = [known[word] for word in word_features(text) if word in known]
        columns += row
        data += [1 / np.sqrt(max(len(row), FEWEST))] * len(row)
        ends.append(len(columns))
    return csr_matrix((data, columns, ends), shape=(len(ends) - 1, len(known)))


def fit(abstracts: Sequence[Abstract], known: dict[str, int], vectors: bool) -> RoleWeights:
    """Fit a linear-chain conditional random field by penalised likelihood (L-BFGS)."""
    blocks = {
        "words": word_rows(abstracts, known),
        "places": np.vstack([places(len(abstract.texts)) for abstract in abstracts]),
        "vectors": np.vstack([a.vectors[:, : None if vectors else 0] for a in abstracts]).astype(float),
    }
    shapes = {name: (block.shape[1], K) for name, block in blocks.items()}
    shapes |= {"bias": (K,), "steps": (K, K), "start": (K,), "end": (K,)}
    truth = np.eye(K)[np.concatenate([abstract.roles for abstract in abstracts])]
    loss = partial(_loss, blocks=blocks, shapes=shapes, truth=truth, padded=Padded.of(abstracts))
    first = np.zeros(sum(int(np.prod(shape)) for shape in shapes.values()))
    found = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return RoleWeights(**_unpacked(found.x, shapes), choice=np.zeros(K))


def _unpacked(flat: Floats, shapes: dict[str, tuple[int, ...]]) -> dict[str, Floats]:
    sizes = [int(np.prod(shape)) for shape in shapes.values()]
    parts = np.split(flat, np.cumsum(sizes)[:-1])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def _loss(flat: Floats, blocks, shapes, truth: Floats, padded: Padded) -> tuple[float, Floats]:
    """Return the negative log likelihood with its penalty, and its gradient."""
    w = _unpacked(flat, shapes)
    scores = sum((block @ w[name] for name, block in blocks.items()), start=w["bias"])
    log_sum, expected, pairs = _expectations(scores, w, padded)
    grid, wanted = padded.spread(truth), padded.spread(expected)
    true_pairs = np.einsum("nti,ntj->ij", grid[:, :-1], grid[:, 1:])
    told = (scores * truth).sum() + (w["steps"] * true_pairs).sum()
    told += (w["start"] * grid[:, 0]).sum() + (w["end"] * grid[padded.last]).sum()
    slope = {name: block.T @ (expected - truth) for name, block in blocks.items()}
    slope |= {"bias": (expected - truth).sum(axis=0), "steps": pairs - true_pairs}
    slope |= {"start": (wanted - grid)[:, 0].sum(axis=0), "end": (wanted - grid)[padded.last].sum(axis=0)}
    loss = log_sum - told
    for name, penalty in _penalties(shapes):
        loss += penalty * (w[name] ** 2).sum()
        slope[name] = slope[name] + 2 * penalty * w[name]
    return loss, np.concatenate([slope[name].ravel() for name in shapes])


def _penalties(shapes: dict[str, tuple[int, ...]]) -> list[tuple[str, float]]:
    return [(name, PENALTY.get(name, PENALTY["chain"])) for name in shapes if name != "bias"]


def _expectations(scores: Floats, w: dict[str, Floats], padded: Padded) -> tuple[float, Floats, Floats]:
    """Return the log of the normaliser, each sentence's chances, and the expected number of each step."""
    grid, mask = padded.spread(scores), padded.mask
    grid[:, 0] += w["start"]
    grid[padded.last] += w["end"]
    top = grid.max(axis=2, keepdims=True)
    local, steps = np.exp(grid - top), np.exp(w["steps"])
    ahead, back, norm = local.copy(), np.ones_like(local), np.ones(mask.shape)
    for t in range(mask.shape[1]):
        if t:
            ahead[:, t] = np.where(mask[:, t, None], ahead[:, t - 1] @ steps * local[:, t], ahead[:, t - 1])
        norm[:, t] = ahead[:, t].sum(axis=1)
        ahead[:, t] /= norm[:, t, None]
    for t in range(mask.shape[1] - 2, -1, -1):
        reached = (local[:, t + 1] * back[:, t + 1]) @ steps.T / norm[:, t + 1, None]
        back[:, t] = np.where(mask[:, t + 1, None], reached, 1.0)
    after = np.where(mask[:, 1:, None], local[:, 1:] * back[:, 1:] / norm[:, 1:, None], 0.0)
    pairs = np.einsum("nti,ntj->ij", ahead[:, :-1], after) * steps
    return float(np.log(norm).sum() + top[mask].sum()), (ahead * back)[mask], pairs


def model(abstracts: Sequence[Abstract], embedder: MiniLM) -> RoleModel:
    """Fit both variants."""
    known = vocabulary(abstracts)
    return RoleModel(known, embedder.identity, fit(abstracts, known, True), fit(abstracts, known, False))


def told(fitted: RoleModel, abstracts: Sequence[Abstract], vectors: bool) -> Floats:
    """Return the chances of every sentence, abstract after abstract."""
    return np.vstack([fitted.chances(a.texts, a.vectors if vectors else None) for a in abstracts])


def cross_validated(abstracts: Sequence[Abstract], embedder: MiniLM) -> dict[bool, Floats]:
    """Return each sentence's chances by models that have not seen its abstract, with vectors and without."""
    fold = np.random.default_rng(SEED).permutation(len(abstracts)) % FOLDS
    rows: dict[bool, dict[int, Floats]] = {True: {}, False: {}}
    for k in range(FOLDS):
        fitted = model([a for a, f in zip(abstracts, fold, strict=True) if f != k], embedder)
        for index in np.flatnonzero(fold == k):
            for vectors in rows:
                rows[vectors][index] = told(fitted, [abstracts[index]], vectors)
    return {vectors: np.vstack([found[i] for i in range(len(abstracts))]) for vectors, found in rows.items()}


def best_choice(chances: Floats, roles: NDArray[np.int64]) -> Floats:
    """Return what to add to the log chances of each role for the best macro-F1, by coordinate ascent."""
    shift, logs = np.zeros(K), np.log(chances + 1e-12)
    for role in [*range(K)] * 3:
        tried = [(_macro(roles, logs + shift + by * np.eye(K)[role]), -abs(by), by) for by in SHIFTS]
        shift[role] += max(tried)[2]
    return shift - shift.mean()


def _macro(roles: NDArray[np.int64], scores: Floats) -> float:
    return float(f1_score(roles, scores.argmax(axis=1), average="macro"))


def row(name: str, roles: NDArray[np.int64], scores: Floats) -> str:
    """Return a line of numbers: macro-F1, accuracy, F1 of each role."""
    chosen = scores.argmax(axis=1)
    each = f1_score(roles, chosen, average=None, labels=range(K))
    numbers = [_macro(roles, scores), accuracy_score(roles, chosen), *each]
    return f"| {name} | " + " | ".join(f"{number:.3f}" for number in numbers) + " |"


def chosen_in_turn(chances: Floats, roles: NDArray[np.int64]) -> Floats:
    """Return log chances lifted by choices fitted on the other four fifths of the sentences."""
    part = np.arange(len(roles)) * FOLDS // len(roles)
    lifted = np.log(chances + 1e-12)
    for k in range(FOLDS):
        lifted[part == k] += best_choice(chances[part != k], roles[part != k])
    return lifted


def report(fitted: RoleModel, dev: Sequence[Abstract]) -> None:
    """Print the numbers of the weights as they are stored."""
    roles = np.concatenate([abstract.roles for abstract in dev])
    for vectors, weights in ((True, fitted.with_vectors), (False, fitted.without)):
        chances = told(fitted, dev, vectors)
        name = "with vectors" if vectors else "words and place only"
        print(row(f"dev, {name}, likeliest role", roles, chances))
        print(row(f"dev, {name}, chosen", roles, np.log(chances + 1e-12) + weights.choice))
    start = time.perf_counter()
    told(fitted, dev, True)
    print(f"{(time.perf_counter() - start) / len(dev) * 1000:.2f} ms an abstract")


def main() -> None:
    """Read the command line, fit, print the numbers and, if asked to, write the weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    args = parser.parse_args()
    embedder = MiniLM()
    dev = read(args.dev, embedder)
    train = without_copies(read(args.train, embedder), dev)
    roles = np.concatenate([abstract.roles for abstract in train])
    print("| | macro-F1 | accuracy | " + " | ".join(ROLES) + " |\n|---|" + "---:|" * (K + 2))
    choices = {}
    for vectors, chances in cross_validated(train, embedder).items():
        name = "with vectors" if vectors else "words and place only"
        print(row(f"cross-validated, {name}, likeliest role", roles, chances))
        print(row(f"cross-validated, {name}, chosen", roles, chosen_in_turn(chances, roles)))
        choices[vectors] = best_choice(chances, roles)
    fitted = model(train, embedder)
    fitted = replace(
        fitted,
        with_vectors=replace(fitted.with_vectors, choice=choices[True]),
        without=replace(fitted.without, choice=choices[False]),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = WEIGHTS if args.write else Path(folder) / WEIGHTS.name
        save_roles(fitted, path)
        report(load_roles(path), dev)
        print(f"{len(fitted.vocabulary)} word features, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
