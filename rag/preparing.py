"""Papers with their sentences and chunks in, papers with vectors out, ready for the ledger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rag.domain import Chunk, Paper, Sentence
from rag.embedders import Embedder
from rag.ledger import PreparedPaper
from rag.ledger.packing import Matrix

Parts = tuple[Paper, Sequence[Sentence], Sequence[Chunk]]


def prepare(papers: Sequence[Parts], embedder: Embedder) -> list[PreparedPaper]:
    """Embed the chunks and sentences of papers, each distinct text once."""
    wanted = [(_chunk_texts(paper, parts), _sentence_texts(paper, ss)) for paper, ss, parts in papers]
    texts = list(dict.fromkeys(text for pair in wanted for texts in pair for text in texts))
    rows = np.asarray(embedder.embed_documents(texts), dtype=np.float32) if texts else _no_rows(embedder)
    place = {text: n for n, text in enumerate(texts)}
    return [
        PreparedPaper(
            paper, tuple(ss), tuple(parts), rows[[place[t] for t in chunk]], rows[[place[t] for t in single]]
        )
        for (paper, ss, parts), (chunk, single) in zip(papers, wanted, strict=True)
    ]


def _chunk_texts(paper: Paper, parts: Sequence[Chunk]) -> list[str]:
    head = f"{paper.title}\n" if paper.title else ""
    return [head + paper.text[part.start : part.end] for part in parts]


def _sentence_texts(paper: Paper, sentences: Sequence[Sentence]) -> list[str]:
    return [paper.text[sentence.start : sentence.end] for sentence in sentences]


def _no_rows(embedder: Embedder) -> Matrix:
    return np.zeros((0, embedder.identity.dimension), dtype=np.float32)
