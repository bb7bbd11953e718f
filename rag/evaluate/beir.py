"""Retrieval collections: a folder in BEIR format comes in, scores of each ranking go out.

The format is that of Thakur et al., NeurIPS 2021: `corpus.jsonl`, `queries.jsonl`, and `qrels.tsv` (or
`qrels/test.tsv`) with query, document and grade.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag.chunks import split
from rag.domain import Chunk, Paper, Record, Sentence
from rag.embedders import Embedder, open_embedder
from rag.errors import UsageError
from rag.evaluate.metrics import mean, ndcg, recall, reciprocal_rank
from rag.papers import make_paper
from rag.settings import Settings
from rag.text.sentences import spans
from rag.text.words import fold_name

BATCH = 64
DEPTH = 20
CORPUS = "corpus.jsonl"
MEASURES: Mapping[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "ndcg@10": lambda ranking, relevance: ndcg(ranking, relevance, 10),
    "recall@5": lambda ranking, relevance: recall(ranking, relevance, 5),
    "recall@20": lambda ranking, relevance: recall(ranking, relevance, 20),
    "mrr@10": lambda ranking, relevance: reciprocal_rank(ranking, relevance, 10),
}
Rankings = Callable[[str, int], Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Collection:
    """A retrieval collection: documents as records, query texts by id, graded relevance by query.

    `documents` maps a record's source to its document id. Only queries with at least one relevant document
    are kept; `without_text` counts documents left out.
    """

    records: tuple[Record, ...]
    documents: Mapping[str, str]
    queries: Mapping[str, str]
    relevance: Mapping[str, Mapping[str, int]]
    without_text: int = 0


def read_collection(folder: Path) -> Collection:
    """Read a BEIR folder; raise UsageError naming the file and line that cannot be used."""
    documents = tuple(_json_lines(folder / CORPUS))
    records = tuple(
        _record(value, n) for n, (value, _) in enumerate(documents, 1) if str(value.get("text") or "").strip()
    )
    ids = {_source(n): _id(value, where) for n, (value, where) in enumerate(documents, 1)}
    texts = {
        _id(value, where): str(value.get("text", ""))
        for value, where in _json_lines(folder / "queries.jsonl")
    }
    judged = _judgements(_qrels_path(folder))
    kept = {q: grades for q, grades in judged.items() if q in texts and any(g > 0 for g in grades.values())}
    if not kept:
        raise UsageError(f"{folder}: no query has a relevant document")
    return Collection(records, ids, {q: texts[q] for q in kept}, kept, len(documents) - len(records))


def run(
    folder: Path,
    settings: Settings,
    *,
    embedded: Callable[[int, int], None] | None = None,
    asked: Callable[[int, int], None] | None = None,
) -> dict[str, dict[str, float | None]]:
    """Score vectors, words and the fused ranking on a collection, in a library that is thrown away.

    `embedded` is told documents done and documents in all, `asked` the same of queries.
    """
    from rag.library import Library

    collection = read_collection(folder)
    with tempfile.TemporaryDirectory(prefix="rag-eval-", ignore_cleanup_errors=True) as place:
        path = Path(place) / "library"
        embedder = open_embedder(settings.embedder, settings)
        fill(path, collection.records, embedder, embedded)
        own = replace(settings, library=path, chroma_url="")
        with Library.open(path, settings=own, embedder=embedder) as library:
            return score(collection, library.rankings, documents_of(library.papers(), collection), asked)


def fill(
    path: Path,
    records: Sequence[Record],
    embedder: Embedder,
    embedded: Callable[[int, int], None] | None = None,
) -> None:
    """Make a library of the records at `path`; its indexes are made when it is first opened."""
    from rag.ledger import Ledger
    from rag.preparing import prepare

    taken: set[str] = set()
    held: set[str] = set()
    with Ledger.open(path, "write") as ledger:
        ledger.set_identity(embedder.identity)
        for start in range(0, len(records), BATCH):
            papers = [_take(record, held, taken) for record in records[start : start + BATCH]]
            ledger.add(prepare([_parts(paper) for paper, is_new in papers if is_new], embedder))
            ledger.add_sources((paper.id, paper.source) for paper, _ in papers)
            if embedded is not None:
                embedded(min(start + BATCH, len(records)), len(records))


def score(
    collection: Collection,
    rankings: Rankings,
    documents: Mapping[str, Sequence[str]],
    asked: Callable[[int, int], None] | None = None,
) -> dict[str, dict[str, float | None]]:
    """Return the mean of each measure for each ranking; `documents` lists a paper's document ids."""
    values: dict[str, dict[str, list[float]]] = {}
    for done, (query, text) in enumerate(collection.queries.items(), 1):
        for name, papers in rankings(text, DEPTH).items():
            ranking = [document for paper in papers for document in documents[paper]]
            for measure, compute in MEASURES.items():
                per_query = values.setdefault(name, {}).setdefault(measure, [])
                per_query.append(compute(ranking, collection.relevance[query]))
        if asked is not None:
            asked(done, len(collection.queries))
    return {name: {m: mean(v) for m, v in measures.items()} for name, measures in values.items()}


def documents_of(papers: Iterable[Paper], collection: Collection) -> dict[str, tuple[str, ...]]:
    """Return each paper's document ids: documents with the same text are one paper, and all count."""
    known = collection.documents
    return {paper.id: tuple(known[s] for s in paper.sources if s in known) for paper in papers}


def _take(record: Record, held: set[str], taken: set[str]) -> tuple[Paper, bool]:
    """Return the paper of `record` and whether it is new; put a new one's id and name into the sets."""
    paper = make_paper(record, taken)
    is_new = paper.id not in held
    if is_new:
        held.add(paper.id)
        taken.add(fold_name(paper.name))
    return paper, is_new


def _parts(paper: Paper) -> tuple[Paper, tuple[Sentence, ...], tuple[Chunk, ...]]:
    sentences = tuple(Sentence(paper.id, n, start, end) for n, (start, end) in enumerate(spans(paper.text)))
    return paper, sentences, split(paper.text, sentences)


def _source(number: int) -> str:
    return f"{CORPUS}#{number}"


def _record(value: Mapping[str, Any], number: int) -> Record:
    extra = value.get("metadata") or {}
    return Record(
        str(value["text"]), _source(number), line=number, title=str(value.get("title") or ""), extra=extra
    )


def _id(value: Mapping[str, Any], where: str) -> str:
    if "_id" not in value:
        raise UsageError(f"{where}: no `_id`")
    return str(value["_id"])


def _json_lines(path: Path) -> Iterator[tuple[Mapping[str, Any], str]]:
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        try:
            value = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{where}: not JSON: {error}") from error
        if not isinstance(value, dict):
            raise UsageError(f"{where}: not a JSON object")
        yield value, where


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        cells = line.rstrip("\n").split("\t")
        if number == 1 and cells[-1].strip() == "score":
            continue
        try:
            query, document, grade = cells
            judged.setdefault(query, {})[document] = int(grade)
        except ValueError as error:
            raise UsageError(
                f"{path}, line {number}: not query, document and grade, tab-separated"
            ) from error
    return judged


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as stream:
            yield from ((number, line) for number, line in enumerate(stream, 1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}",
            hint="A BEIR folder holds corpus.jsonl, queries.jsonl and qrels.tsv.",
        ) from error


def _qrels_path(folder: Path) -> Path:
    split = folder / "qrels" / "test.tsv"
    return split if split.is_file() else folder / "qrels.tsv"
