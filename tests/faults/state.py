"""Is a library whole: ledger and indexes compared one to one, and questions asked of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from rag.indexes.healing import open_indexes
from rag.ledger import Ledger
from rag.ledger.packing import Matrix
from tests.fakes import HashEmbedder
from tests.faults.work import opened
from tests.test_ingest import abstract, write

PER_FILE = 20
FILES = 4
ALL = range(PER_FILE * FILES)


def lists(folder: Path) -> list[Path]:
    """Write the files that libraries in these tests are made of."""
    return [write(folder / f"list-{n}.txt", range(n * PER_FILE, (n + 1) * PER_FILE)) for n in range(FILES)]


def compare(folder: Path) -> list[str]:
    """Assert that the ledger is sound and each index holds what it holds; return the texts of the papers."""
    with Ledger.open(folder) as ledger:
        indexes = open_indexes(ledger)
        papers = ledger.papers()
        ids = [paper.id for paper in papers]
        chunks = {chunk.id for some in ledger.chunks(ids).values() for chunk in some}
        assert ledger.check() == []
        assert len(set(ids)) == len(ids) == len({paper.text for paper in papers})
        assert len(chunks) == ledger.chunk_count() == len(ledger.chunk_vectors()[0])
        assert indexes.words.ids() == set(ids)
        assert indexes.words.count() == len(ids)
        assert indexes.vectors.ids() == chunks
        assert indexes.vectors.count() == len(chunks)
        assert indexes.problems() == []
        indexes.close()
        return [paper.text for paper in papers]


def ask(folder: Path, texts: Collection[str], embedder: str = "hash") -> None:
    """Ask ten questions: the paper meant is found first, and every quotation stands in its paper."""
    with opened(folder, embedder=embedder) as library:
        held = {paper.id: paper.text for paper in library.papers()}
        for number in [n for n in ALL if abstract(n) in set(texts)][:: max(len(texts) // 10, 1)][:10]:
            answer = library.ask(f"How many samples does Sys{number}Net need?")
            assert held[answer.hits[0].paper.id] == abstract(number)
            for sentence in answer.sentences:
                for citation in sentence.citations:
                    assert held[citation.paper_id][citation.start : citation.end] == citation.quote


def ingest_again(folder: Path) -> int:
    """Read all files again; return how many papers came new, and assert that now all are there once."""
    with opened(folder, write=True) as library:
        added = library.ingest(sorted(folder.parent.glob("list-*.txt"))).added
    assert sorted(compare(folder)) == sorted(map(abstract, ALL))
    return added


def vectors_of(texts: Collection[str], embedder: str) -> Matrix:
    """Return the vectors that an embedder makes of texts."""
    return HashEmbedder(name=embedder).embed_documents(list(texts))
