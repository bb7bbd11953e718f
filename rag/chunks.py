"""Cut a paper into chunks the embedder can take whole: sentences → runs of sentences, by tokens."""

from __future__ import annotations

from collections.abc import Sequence

from rag import tokens
from rag.domain import Chunk, Sentence

# The packaged model reads 512 word pieces; the longest seed abstract has 440 tokens and 488 pieces.
# Whole abstracts retrieve better than parts, so a chunk takes as much as the model does.
LIMIT = 450


def split(text: str, sentences: Sequence[Sentence], limit: int = LIMIT) -> tuple[Chunk, ...]:
    """Return chunks of whole sentences of at most `limit` tokens each, in order, without gaps.

    A single sentence longer than the limit is a chunk of its own (the embedder reads its beginning).
    """
    if not sentences:
        return ()
    whole = tokens.count(text[sentences[0].start : sentences[-1].end])
    if whole <= limit:
        return (_chunk(sentences, 0, whole),)
    counted = [(s, tokens.count(text[s.start : s.end])) for s in sentences]
    # Even parts: two halves say more than a full chunk and a lone last sentence.
    parts = -(-whole // limit)
    target = -(-sum(n for _, n in counted) // parts)
    runs = _runs(counted, min(limit, int(target * 1.15)))
    return tuple(_chunk([s for s, _ in run], i, sum(n for _, n in run)) for i, run in enumerate(runs))


def _runs(counted: Sequence[tuple[Sentence, int]], limit: int) -> list[list[tuple[Sentence, int]]]:
    runs: list[list[tuple[Sentence, int]]] = [[]]
    used = 0
    for sentence, size in counted:
        if runs[-1] and used + size > limit:
            runs.append([])
            used = 0
        runs[-1].append((sentence, size))
        used += size
    return runs


def _chunk(sentences: Sequence[Sentence], ordinal: int, size: int) -> Chunk:
    first, last = sentences[0], sentences[-1]
    return Chunk(first.paper_id, ordinal, first.start, last.end, size)
