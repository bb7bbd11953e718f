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
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from rag.evidence.candidates import Candidate
from rag.evidence.gather import Gatherer
from rag.evidence.scoring import (
    ANSWER_FEATURES,
    PAPER_FEATURES,
    SENTENCE_FEATURES,
    Floats,
    LinearModel,
    answer_features,
    paper_features,
    read,
    sentence_features,
)
from rag.library import Library
from rag.question import understand

LISTS = ("find", "topic")
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
    """The examples of one question set, by what they teach."""

    name: str
    sentences: list[Example]
    papers: list[Example]
    facts: list[tuple[Callable[[LinearModel], Floats], int, str]]
    lists: list[tuple[Callable[[LinearModel], Floats], int, str]]


def collect(source: Path, questions: Path) -> Examples:
    """Ingest the list into a throw-away library and read the features of every question off it."""
    out = Examples(questions.stem, [], [], [], [])
    with tempfile.TemporaryDirectory() as folder, Library.open(Path(folder) / "lib", write=True) as library:
        library.ingest([source])
        retriever, gatherer = library._searching()
        for line in questions.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            _add(case, out, retriever, gatherer)
    return out


def _add(case: dict, out: Examples, retriever, gatherer: Gatherer) -> None:
    if case["type"] in ("compare", "followup", "lang"):
        return
    question = understand(case["question"])
    retrieval = retriever.retrieve(question)
    wide = question.kind in LISTS
    hits = retrieval.hits if wide or case["gold"] else retrieval.hits[:6]
    candidates = gatherer._candidates(hits)
    reading = read(question, retriever._embedder.embed_query, retriever.rarity, candidates)
    by_source = {h.paper.source: c for h, c in zip(hits, candidates, strict=True)}
    if case["type"] in ("fact", "noisy") and case["gold"][0] in by_source:
        out.sentences.append(_sentences(case, by_source[case["gold"][0]], reading))
    if wide and case["type"] in ("find", "topic", "none"):
        top = max(h.signals["words"] for h in hits) or 1.0
        rows = [
            paper_features(reading, c, h.signals["words"] / top, retrieval.usual)
            for h, c in zip(hits, candidates, strict=True)
        ]
        labels = np.array([float(h.paper.source in case["gold"]) for h in hits])
        if case["type"] != "none":
            out.papers.append(Example(np.stack(rows), labels, id=case["id"]))
    if wide != (case["type"] in ("find", "topic")) and case["type"] != "none":
        return
    few = read(
        question, retriever._embedder.embed_query, retriever.rarity, candidates if wide else candidates[:6]
    )
    features = sentence_features(few, candidates[0])

    def row(model: LinearModel) -> Floats:
        return answer_features(few, candidates[0], model.score(features), hits[0].signals["words"])

    (out.lists if wide else out.facts).append((row, int(case["type"] != "none"), case["id"]))


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


def fit_all(sets: Sequence[Examples]) -> dict[str, LinearModel]:
    """Fit the four models."""
    sentences = [e for s in sets for e in s.sentences]
    papers = [e for s in sets for e in s.papers]
    sentence = fit(np.concatenate([e.rows for e in sentences]), np.concatenate([e.labels for e in sentences]))
    facts = [f for s in sets for f in s.facts]
    lists = [f for s in sets for f in s.lists]
    return {
        "SENTENCE": sentence,
        "PAPER": fit(np.concatenate([e.rows for e in papers]), np.concatenate([e.labels for e in papers])),
        "ANSWER_FACT": fit(np.stack([f(sentence) for f, _, _ in facts]), np.array([y for _, y, _ in facts])),
        "ANSWER_LIST": fit(np.stack([f(sentence) for f, _, _ in lists]), np.array([y for _, y, _ in lists])),
    }


def report(held: Examples, models: dict[str, LinearModel]) -> None:
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
    for name, part in (("ANSWER_FACT", held.facts), ("ANSWER_LIST", held.lists)):
        if not part or len({y for _, y, _ in part}) < 2:
            continue
        y = np.array([y for _, y, _ in part])
        p = models[name].score(np.stack([f(models["SENTENCE"]) for f, _, _ in part]))
        p = 1 / (1 + np.exp(-p))
        rates = {
            low: (
                round(float(((p < low) & (y == 0)).sum() / max((p < low).sum(), 1)), 2),
                round(float(((p < low) & (y == 0)).sum() / (y == 0).sum()), 2),
            )
            for low in (0.3, 0.4, 0.5, 0.6, 0.7)
        }
        print(f"  {name}: AUC {roc_auc_score(y, p):.3f}, not-found precision/recall {rates}")


def write(models: dict[str, LinearModel]) -> None:
    """Write rag/evidence/weights.py."""
    features = {
        "SENTENCE": SENTENCE_FEATURES,
        "PAPER": PAPER_FEATURES,
        "ANSWER_FACT": ANSWER_FEATURES,
        "ANSWER_LIST": ANSWER_FEATURES,
    }
    lines = [
        '"""The fitted weights of `rag.evidence.scoring`; written by `bench/fit_evidence.py`, not by hand."""',
        "",
        "from __future__ import annotations",
        "",
        "from rag.evidence.scoring import LinearModel",
        "",
    ]
    for name, model in models.items():
        rows = zip(features[name], model.mean, model.scale, model.weight, strict=True)
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
        print(
            name,
            dict(
                zip(
                    {"SENTENCE": SENTENCE_FEATURES, "PAPER": PAPER_FEATURES}.get(name, ANSWER_FEATURES),
                    np.round(model.weight, 2),
                    strict=True,
                )
            ),
        )
    if args.write:
        write(models)


if __name__ == "__main__":
    main()
