"""Fit the weights of rag/evidence/weights.py: question sets on abstract lists → four linear models.

    python bench/fit_evidence.py seeds/=bench/questions/seeds.jsonl LIST=QUESTIONS … [--write]

Each LIST is a file or folder of abstracts, each QUESTIONS a file for `rag eval`. Every set is also scored
by a model fitted on the other lists, which is what the models do on abstracts they have not seen.
Needs scikit-learn. The lists behind bench/questions/cs_*.jsonl are made by bench/make_lists.py.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from rag.domain import Hit
from rag.evidence.answerable import FACT_FEATURES, LIST_FEATURES, fact_features, list_features
from rag.evidence.candidates import Candidate
from rag.evidence.features import PAPER_FEATURES, SENTENCE_FEATURES, sentence_features
from rag.evidence.gather import Gatherer, belonging_features, naming_terms
from rag.evidence.linear import Floats, LinearModel, chance
from rag.evidence.reading import read
from rag.library import Library
from rag.question import understand
from rag.retrieve import Retrieval, Retriever

Models = dict[str, LinearModel]
LISTS = ("find", "topic")
FEATURES = {
    "SENTENCE": SENTENCE_FEATURES,
    "PAPER": PAPER_FEATURES,
    "FACT": FACT_FEATURES,
    "LIST": LIST_FEATURES,
}
OUT = Path(__file__).parent.parent / "rag" / "evidence" / "weights.py"


@dataclass(frozen=True)
class Example:
    """Rows of features with 0/1 labels, from one question."""

    rows: Floats
    labels: Floats
    must: tuple[tuple[str, ...], ...] = ()
    texts: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True)
class Examples:
    """The examples of one question set, by what they teach.

    Whether there is an answer depends on the other models, hence functions that make the row of features.
    """

    name: str
    sentences: list[Example]
    papers: list[Example]
    facts: list[tuple[Callable[[Models], Floats], int]]
    lists: list[tuple[Callable[[Models], Floats], int]]


def collect(source: Path, questions: Path) -> Examples:
    """Ingest the list into a throw-away library and read the features of every question off it."""
    out = Examples(questions.stem, [], [], [], [])
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "lib", write=True) as library:
        library.ingest([source])
        retriever, gatherer = library.searching()
        for line in questions.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if case["type"] in ("fact", "noisy", "find", "topic", "none"):
                _add(case, out, retriever, gatherer)
    return out


def _add(case: dict, out: Examples, retriever: Retriever, gatherer: Gatherer) -> None:
    retrieval = retriever.retrieve(understand(case["question"]))
    wide = retrieval.question.kind in LISTS
    hits = retrieval.hits
    candidates = gatherer.candidates(hits)
    reading = read(
        retrieval.question,
        retriever.embedder.embed_query,
        retriever.rarity,
        candidates if wide else candidates[:6],
        naming_terms(retrieval),
    )
    label = int(case["type"] != "none")
    if case["type"] in ("fact", "noisy"):
        gold = [c for c in candidates if c.paper.source == case["gold"][0]]
        out.sentences.extend(_sentences(case, c, reading) for c in gold)
    if wide and case["type"] not in ("fact", "noisy"):
        _add_list(case, label, out, retrieval, reading, candidates)
    elif not wide and case["type"] in ("fact", "noisy", "none"):
        features = sentence_features(reading, candidates[0])
        out.facts.append((partial(_fact_row, reading, candidates[0], features, hits[0]), label))


def _add_list(case: dict, label: int, out: Examples, retrieval: Retrieval, reading, candidates) -> None:
    hits = retrieval.hits
    rows = belonging_features(reading, hits, candidates, retrieval.usual)
    if label:
        labels = np.array([float(h.paper.source in case["gold"]) for h in hits])
        out.papers.append(Example(rows, labels, id=case["id"]))
    out.lists.append((partial(_list_row, reading, candidates, rows), label))


def _fact_row(reading, candidate: Candidate, features: Floats, hit: Hit, models: Models) -> Floats:
    chances = chance(models["SENTENCE"].score(features))
    return fact_features(reading, candidate, chances, hit.signals["words"])


def _list_row(reading, candidates: Sequence[Candidate], rows: Floats, models: Models) -> Floats:
    return list_features(reading, candidates, models["PAPER"].score(rows))


def _sentences(case: dict, candidate: Candidate, reading) -> Example:
    texts = tuple(candidate.text(i) for i in range(len(candidate.sentences)))
    must = tuple(tuple(s.lower() for s in group) for group in case["must"])
    labels = [float(any(any(s in t.lower() for s in group) for group in must)) for t in texts]
    return Example(sentence_features(reading, candidate), np.array(labels), must, texts, case["id"])


def fit(rows: Floats, labels: Floats, c: float = 0.3) -> LinearModel:
    """Fit a logistic regression on standardised features."""
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    model = LogisticRegression(C=c, max_iter=5000).fit((rows - mean) / scale, labels)
    return LinearModel(tuple(mean), tuple(scale), tuple(model.coef_[0]), float(model.intercept_[0]))


def fit_all(sets: Sequence[Examples]) -> Models:
    """Fit the four models."""
    models: Models = {}
    for name, parts in (("SENTENCE", "sentences"), ("PAPER", "papers")):
        examples = [e for s in sets for e in getattr(s, parts)]
        models[name] = fit(
            np.concatenate([e.rows for e in examples]), np.concatenate([e.labels for e in examples])
        )
    for name, parts in (("FACT", "facts"), ("LIST", "lists")):
        rows = [row for s in sets for row in getattr(s, parts)]
        models[name] = fit(np.stack([f(models) for f, _ in rows]), np.array([y for _, y in rows]))
    return models


def report(held: Examples, models: Models) -> None:
    """Print what the models do on a set they were not fitted on."""
    print(f"\n{held.name}")
    answered = []
    for e in held.sentences:
        order = np.argsort(-models["SENTENCE"].score(e.rows))
        found = [" ".join(e.texts[i].lower() for i in order[:k]) for k in (1, 2, 3, 4)]
        answered.append([all(any(s in text for s in g) for g in e.must) for text in found])
    if answered:
        print("  must in the first 1-4 sentences:", np.mean(answered, axis=0).round(3))
    for low in (0.2, 0.25, 0.3, 0.35, 0.4):
        scores = []
        for e in held.papers:
            p = 1 / (1 + np.exp(-models["PAPER"].score(e.rows)))
            chosen = p >= low if (p >= low).any() else p >= p.max()
            scores.append(2 * (chosen & (e.labels > 0)).sum() / (chosen.sum() + e.labels.sum()))
        if scores:
            print(f"  list F1 at {low}: {np.mean(scores):.3f}")
    for name, part in (("FACT", held.facts), ("LIST", held.lists)):
        if len({y for _, y in part}) < 2:
            continue
        y = np.array([y for _, y in part])
        p = chance(models[name].score(np.stack([f(models) for f, _ in part])))
        rates = {
            low: (
                round(float(((p < low) & (y == 0)).sum() / max((p < low).sum(), 1)), 2),
                round(float(((p < low) & (y == 0)).sum() / (y == 0).sum()), 2),
            )
            for low in (0.3, 0.4, 0.5, 0.6, 0.7)
        }
        print(f"  {name}: AUC {roc_auc_score(y, p):.3f}, not-found precision/recall {rates}")


def write(models: Models) -> None:
    """Write rag/evidence/weights.py."""
    lines = [
        '"""The fitted weights of `rag.evidence`; written by `bench/fit_evidence.py`, not by hand."""',
        "",
        "from __future__ import annotations",
        "",
        "from rag.evidence.linear import LinearModel",
        "",
    ]
    for name, model in models.items():
        rows = zip(FEATURES[name], model.mean, model.scale, model.weight, strict=True)
        lines += [f"# {name.lower()}: feature, mean, scale, weight"]
        lines += [f"_{name} = ("]
        lines += [f'    ("{f}", {m:.4f}, {s:.4f}, {w:.4f}),' for f, m, s, w in rows]
        lines += [")", f"{name} = LinearModel.of(_{name}, {model.bias:.4f})", ""]
    OUT.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Read the command line, fit, report, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="+", metavar="LIST=QUESTIONS")
    parser.add_argument("--test", action="append", default=[], metavar="LIST=QUESTIONS", help="only scored")
    parser.add_argument("--write", action="store_true", help="write rag/evidence/weights.py")
    args = parser.parse_args()
    sets = {pair: collect(*map(Path, pair.split("="))) for pair in args.sets}
    for pair, held in sets.items():
        source = pair.split("=")[0]
        report(held, fit_all([s for p, s in sets.items() if p.split("=")[0] != source]))
    models = fit_all(list(sets.values()))
    for pair in args.test:
        report(collect(*map(Path, pair.split("="))), fit_all([s for p, s in sets.items()]))
    for name, model in models.items():
        print(name, {f: round(w, 2) for f, w in zip(FEATURES[name], model.weight, strict=True)})
    if args.write:
        write(models)


if __name__ == "__main__":
    main()
