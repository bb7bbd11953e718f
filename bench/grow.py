"""Measure how the program grows: one table of what each size costs, beside two simpler ways to do the same.

    .venv/bin/python bench/grow.py --texts corpus.jsonl ... [--sizes 38,5000,100000] [--json FILE]

Abstracts are made of sentences of the given texts (JSON lines with "text"), and embedded by the fast static
embedder. Libraries of up to --ingest-up-to papers are filled by `rag ingest`; larger ones straight through
the ledger, with vectors made of their sentences' vectors, and `rag ingest` then adds 100 papers more.
Beside it stand the script that tutorials show (LangChain and Chroma, up to --plain-up-to papers, where
langchain-chroma is installed) and the floor: exact search in numpy, without text. What searches is a process
of its own, which holds nothing but its questions.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from rag.chunks import split
from rag.domain import Paper, Sentence
from rag.embedders import Embedder, Vectors, open_local, unit_rows
from rag.indexes.healing import open_indexes
from rag.ledger import Ledger, PreparedPaper
from rag.library import Library
from rag.settings import Settings
from rag.text.sentences import spans

Row = dict[str, Any]

SENTENCES = 7
# So many topics, each the sentences nearest to one of them.
TOPICS, WIDTH = 4000, 80
MORE = 100
TOP = 20
QUESTIONS, ASKED = 300, 40
AIMS = {
    "search, p50": ("ms", 25.0),
    "search, p95": ("ms", 60.0),
    "search in 3% of the papers, p50": ("ms", 40.0),
    "search in 50% of the papers, p50": ("ms", 40.0),
    "recall@20 of the vectors": ("", 0.99),
    "open, to the first hits": ("s", 1.5),
    "resident": ("MB", 700.0),
    "disk a paper, beside its text": ("KB", 6.0),
}
AT_LEAST = frozenset({"recall@20 of the vectors"})


# -- the papers -----------------------------------------------------------------------------------------


class Pool:
    """Sentences to make abstracts of, each of sentences on one topic; the same `seed` makes the same ones."""

    def __init__(self, files: Iterable[Path], embedder: Embedder) -> None:
        texts = [json.loads(line)["text"] for file in files for line in file.open(encoding="utf-8")]
        found = (" ".join(text[a:b].split()) for text in texts for a, b in spans(text))
        self.sentences = list(dict.fromkeys(s for s in found if 40 < len(s) < 300))
        self.rows = embedder.embed_documents(self.sentences)

    @cached_property
    def _topics(self) -> list[list[int]]:
        """The numbers of the sentences on each topic: those nearest to one sentence."""
        count = min(TOPICS, len(self.rows))
        centres = np.random.default_rng(0).choice(len(self.rows), count, replace=False)
        return [np.argpartition(-(self.rows @ self.rows[n]), WIDTH)[:WIDTH].tolist() for n in centres]

    def abstracts(self, count: int, seed: int = 0) -> Iterator[tuple[str, list[int]]]:
        """Yield abstracts with the numbers of the sentences they are made of."""
        chance = random.Random(seed)
        for _ in range(count):
            chosen = chance.sample(chance.choice(self._topics), SENTENCES)
            first = f"We present {_name(chance)}, which is measured on {chance.randint(10, 9999)} cases."
            yield " ".join([first, *(self.sentences[n] for n in chosen)]), chosen

    def questions(self, count: int) -> list[str]:
        """Return questions in words of single sentences."""
        chance = random.Random(1)
        words = (self.sentences[n].split() for n in chance.sample(range(len(self.sentences)), count))
        return [f"How is it measured that {' '.join(some[2:9])}?" for some in words]


def _name(chance: random.Random) -> str:
    syllables = ("".join((chance.choice("bdfgklmnprstvz"), chance.choice("aeiou"))) for _ in range(3))
    return f"{''.join(syllables).title()}-{chance.randint(2, 99)}"


def ingest(place: Path, pool: Pool, settings: Settings, count: int, seed: int) -> Row:
    """Add papers by `rag ingest`; return its rate, and what it took beside the model."""
    file = place.with_name(f"list-{seed}.txt")
    texts = "\n\n".join(text for text, _ in pool.abstracts(count, seed))
    file.write_text(f"Abstracts\n\n{texts}\n", encoding="utf-8")
    with Library.open(place, settings, write=True) as library:
        began, worked = time.perf_counter(), time.process_time()
        report = library.ingest([file])
        worked, took = time.process_time() - worked, time.perf_counter() - began
    if report.added != count:
        raise SystemExit(f"{report.added} of {count} papers were added")
    return {
        "ingest, papers/s": count / took,
        "ingest beside the model, processor ms a paper": (worked - report.embedding_seconds) / count * 1e3,
    }


def fill(place: Path, pool: Pool, embedder: Embedder, count: int, slice_size: int = 1000) -> Row:
    """Store papers straight in the ledger, and have the indexes made; return how long both took."""
    began = time.perf_counter()
    with Ledger.open(place, "write") as ledger:
        ledger.set_identity(embedder.identity)
        batch: list[PreparedPaper] = []
        for number, (text, chosen) in enumerate(pool.abstracts(count)):
            batch.append(_made(number, text, pool.rows[chosen]))
            if len(batch) == slice_size or number == count - 1:
                ledger.add(batch)
                batch.clear()
        stored = time.perf_counter()
        indexes = open_indexes(ledger)
        indexes.update()
        indexes.close()
    return {"store, s": stored - began, "make the indexes, s": time.perf_counter() - stored}


def _made(number: int, text: str, rows: Vectors) -> PreparedPaper:
    name = text.split()[2].rstrip(",")
    paper = Paper(
        f"{number:020x}", f"{name} {number}", text, original=text, sources=(f"made.txt#{number + 1}",)
    )
    found = tuple(Sentence(paper.id, n, a, b) for n, (a, b) in enumerate(spans(text)))
    lines = np.resize(rows, (len(found), rows.shape[1]))
    pieces = split(text, found)
    return PreparedPaper(
        paper, found, pieces, np.repeat(unit_rows(rows.mean(axis=0))[None], len(pieces), axis=0), lines
    )


# -- searching, in a process of its own -----------------------------------------------------------------


def probe(place: Path, settings: Settings, questions: Sequence[str]) -> Row:
    """Return how a library opens, searches and answers, and what memory that takes."""
    began = time.perf_counter()
    with Library.open(place, settings) as library:
        library.search(questions[0])
        opened = time.perf_counter() - began
        found = {"open, to the first hits": opened}
        found |= _spread("search", [lambda q=q: library.search(q) for q in questions[1:]])
        found |= _spread("ask", [lambda q=q: library.ask(q) for q in questions[:ASKED]])
        found["resident"] = resident_mb()
        with Ledger.open(place) as ledger:
            ids = ledger.ids()
        for share in (3, 50):
            some = frozenset(random.Random(share).sample(ids, max(len(ids) * share // 100, 1)))
            library.search(questions[0], only=some)
            within = [lambda q=q, some=some: library.search(q, only=some) for q in questions[1:]]
            found |= _spread(f"search in {share}% of the papers", within)
        found["resident, after filters"] = resident_mb()
        if library.warnings():
            raise SystemExit("\n".join(library.warnings()))
    return found | {"recall@20 of the vectors": recall(place, settings, questions)}


def recall(place: Path, settings: Settings, questions: Sequence[str]) -> float:
    """Return the share of the 20 nearest papers that the vector index finds."""
    embedder = open_local(settings.embedder)
    with Ledger.open(place) as ledger, contextlib.closing(open_indexes(ledger)) as indexes:
        vectors = [embedder.embed_query(question) for question in questions]
        return _recall(
            [[i for i, _ in indexes.vectors.query(vector, TOP)] for vector in vectors],
            [[i for i, _ in indexes.exact.query(vector, TOP)] for vector in vectors],
        )


def _recall(found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> float:
    shares = [len({*some} & {*right}) / len(right) for some, right in zip(found, wanted, strict=True)]
    return float(np.mean(shares))


def _spread(name: str, calls: Iterable[Callable[[], object]]) -> Row:
    times = []
    for call in calls:
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1e3)
    p50, p95 = np.percentile(times, (50, 95))
    return {f"{name}, p50": float(p50), f"{name}, p95": float(p95)}


def resident_mb() -> float:
    """Return the memory this process holds now, in MB; Linux only, else 0."""
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


# -- the same work by simpler means ---------------------------------------------------------------------


def fill_plain(place: Path, settings: Settings, questions: Sequence[str], texts: Sequence[str]) -> Row:
    """Fill LangChain's store as tutorials do; return its rate, and which papers come nearest to questions."""
    embedder = open_local(settings.embedder)
    began = time.perf_counter()
    store = _plain_store(place, embedder)
    for start in range(0, len(texts), 5000):
        some = list(texts[start : start + 5000])
        # One paper in 33 and every other one: what the filters are to leave.
        groups = [{"part": n % 33, "half": n % 2} for n in range(start, start + len(some))]
        store.add_texts(some, metadatas=groups, ids=[str(n) for n in range(start, start + len(some))])
    found: Row = {"ingest, papers/s": len(texts) / (time.perf_counter() - began)}
    rows = embedder.embed_documents(texts)
    nearest = [np.argsort(-(rows @ embedder.embed_query(q)))[:TOP] for q in questions]
    return found | _disk(place, texts) | {"nearest": [[str(n) for n in some] for some in nearest]}


def probe_plain(
    place: Path, settings: Settings, questions: Sequence[str], nearest: Sequence[Sequence[str]]
) -> Row:
    """Return how LangChain's store opens and searches, and what memory that takes."""
    began = time.perf_counter()
    store = _plain_store(place, open_local(settings.embedder))
    store.similarity_search(questions[0], k=10)
    found: Row = {"open, to the first hits": time.perf_counter() - began}
    found |= _spread("search", [lambda q=q: store.similarity_search(q, k=10) for q in questions[1:]])
    found["resident"] = resident_mb()
    for share, where in ((3, {"part": 0}), (50, {"half": 0})):
        within = [lambda q=q, w=where: store.similarity_search(q, k=10, filter=w) for q in questions[:20]]
        found |= _spread(f"search in {share}% of the papers", within)
    found["resident, after filters"] = resident_mb()
    got = [[d.id or "" for d in store.similarity_search(q, k=TOP)] for q in questions]
    return found | {"recall@20 of the vectors": _recall(got, nearest)}


def _plain_store(place: Path, embedder: Embedder) -> Any:
    from langchain_chroma import Chroma

    embedding = _ForLangChain(embedder)
    return Chroma(collection_name="papers", embedding_function=embedding, persist_directory=str(place))


class _ForLangChain:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._embedder.embed_documents(texts).tolist()

    def embed_query(self, text: str) -> list[float]:
        return self._embedder.embed_query(text).tolist()


def floor(settings: Settings, questions: Sequence[str], count: int) -> Row:
    """Return the time of comparing every vector, and of nothing else."""
    embedder = open_local(settings.embedder)
    rows = np.random.default_rng(0).standard_normal((count, embedder.identity.dimension), dtype=np.float32)

    def nearest(question: str) -> None:
        scores = rows @ embedder.embed_query(question)
        best = np.argpartition(-scores, min(10, count - 1))[:10]
        best[np.argsort(-scores[best])]

    found = _spread("search", [lambda q=q: nearest(q) for q in questions])
    return found | {"recall@20 of the vectors": 1.0, "resident": resident_mb()}


def _disk(place: Path, texts: Iterable[str]) -> Row:
    sizes = [len(text.encode()) for text in texts]
    held = sum(file.stat().st_blocks * 512 for file in place.rglob("*") if file.is_file())
    return {"disk a paper, beside its text": (held - sum(sizes)) / len(sizes) / 1e3}


# -- the whole -------------------------------------------------------------------------------------------


def measure(size: int, place: Path, pool: Pool, settings: Settings, options: argparse.Namespace) -> Row:
    """Return all that is measured at one size: of us, of the plain script, and of the floor."""
    library = place / f"library-{size}"
    ours: Row = {}
    if not library.exists():
        ours = (
            ingest(library, pool, settings, size, 0)
            if size <= options.ingest_up_to
            else fill(library, pool, open_local(settings.embedder), size)
        )
    questions = pool.questions(QUESTIONS)
    ours |= _child(options, "probe", library, size, questions)
    ours |= {"rag search, a new process": cold(library, settings, questions[0])}
    # More than its size says, when it was measured before: each time adds some.
    with Ledger.open(library) as ledger:
        held = [paper.original or paper.text for paper in ledger.papers()]
    ours |= {"papers held": len(held), **_disk(library, held)}
    more = ingest(library, pool, settings, MORE, len(held))
    ours |= {f"{MORE} more by {name}": value for name, value in more.items()}
    both = {"askpapers": ours, "numpy": _child(options, "floor", library, size, questions)}
    if size <= options.plain_up_to and find_spec("langchain_chroma"):
        store = place / f"plain-{size}"
        filled = fill_plain(store, settings, questions, [text for text, _ in pool.abstracts(size)])
        probed = _child(options, "probe_plain", store, size, questions, filled.pop("nearest"))
        both["LangChain + Chroma"] = filled | probed
    return both


def cold(place: Path, settings: Settings, question: str) -> float:
    """Return the median time in seconds of `rag search` as a command, of three."""
    command = [sys.executable, "-m", "rag", "--library", str(place), "search", question]
    environment = {**os.environ, "RAG_EMBEDDER": settings.embedder}
    times = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - began)
    return float(np.median(times))


def _child(options: argparse.Namespace, part: str, place: Path, size: int, *given: object) -> Row:
    """Run one part in a process of its own, which is given questions and what else it needs as JSON."""
    command = [sys.executable, __file__, "--texts", *map(str, options.texts), "--sizes", str(size)]
    done = subprocess.run(
        [*command, "--part", part, "--place", str(place)],
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run_part(options: argparse.Namespace, settings: Settings) -> Row:
    """Do one part, as a child."""
    questions, *more = json.load(sys.stdin)
    if options.part == "probe":
        return probe(options.place, settings, questions)
    if options.part == "floor":
        return floor(settings, questions, *options.sizes)
    return probe_plain(options.place, settings, questions, *more)


def model_rate(pool: Pool) -> float:
    """Return how many ms the usual model takes for a paper, sentences included: ingest is held against it."""
    model = open_local("minilm")
    papers = [[text, *(text[a:b] for a, b in spans(text))] for text, _ in pool.abstracts(10, 7)]
    began = time.perf_counter()
    for texts in papers:
        model.embed_documents(texts)
    return (time.perf_counter() - began) / len(papers) * 1e3


def show(results: dict[str, Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    for size, kinds in results.items():
        yield f"\n{size} papers"
        names = dict.fromkeys(name for row in kinds.values() for name in row)
        yield f"{'':<50}" + "".join(f"{kind:>20}" for kind in kinds) + "   aim"
        for name in names:
            unit, aim = AIMS.get(name, ("", 0.0))
            cells = (f"{row[name]:.4g}" if name in row else "–" for row in kinds.values())
            sign = "at least" if name in AT_LEAST else "at most"
            wanted = f"   {sign} {aim:g} {unit}" if aim else ""
            yield f"{name:<50}" + "".join(f"{cell:>20}" for cell in cells) + wanted.rstrip()


def main() -> None:
    """Measure every size and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=Path, nargs="+", required=True, help="JSON lines with a text each")
    parser.add_argument("--sizes", type=lambda s: [int(n) for n in s.split(",")], default=[38, 5000, 100_000])
    parser.add_argument("--ingest-up-to", type=int, default=5000)
    parser.add_argument("--plain-up-to", type=int, default=100_000)
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--place", type=Path, help="keep the libraries here; those it holds are used again")
    parser.add_argument("--part", choices=("probe", "floor", "probe_plain"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    settings = Settings(embedder="wordllama")
    if options.part:
        sys.stdout.write(json.dumps(run_part(options, settings)) + "\n")
        return
    pool = Pool(options.texts, open_local(settings.embedder))
    with contextlib.ExitStack() as stack:
        place = options.place or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place.mkdir(parents=True, exist_ok=True)
        results: dict[str, Any] = {"model": model_rate(pool)}
        sys.stdout.write(f"minilm takes {results['model']:.0f} ms a paper\n")
        for size in options.sizes:
            results[str(size)] = measure(size, place, pool, settings, options)
            sys.stdout.write("\n".join(show({str(size): results[str(size)]})) + "\n")
            sys.stdout.flush()
            if options.json:
                options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
