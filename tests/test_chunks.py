from __future__ import annotations

from rag import chunks, tokens
from rag.domain import Sentence
from rag.text.sentences import spans

TEXT = " ".join(f"Sentence number {i} says something about method {i} and its result." for i in range(60))


def sentences(text: str) -> list[Sentence]:
    return [Sentence("p", i, a, b) for i, (a, b) in enumerate(spans(text))]


def test_a_short_abstract_is_one_chunk() -> None:
    text = "One sentence. Another one."
    (chunk,) = chunks.split(text, sentences(text))
    assert text[chunk.start : chunk.end] == text


def test_chunks_fit_the_limit_and_cover_every_sentence_once() -> None:
    found = chunks.split(TEXT, sentences(TEXT), limit=100)
    assert len(found) > 3
    assert all(tokens.count(TEXT[c.start : c.end]) <= 100 for c in found)
    covered = [s for c in found for s in sentences(TEXT) if c.start <= s.start and s.end <= c.end]
    assert covered == sentences(TEXT)


def test_chunk_ids_are_their_paper_and_place() -> None:
    assert [c.id for c in chunks.split(TEXT, sentences(TEXT), limit=400)] == ["p:0", "p:1", "p:2"]


def test_an_endless_sentence_is_a_chunk_of_its_own() -> None:
    text = "word " * 500 + "end. Short one."
    found = chunks.split(text, sentences(text), limit=50)
    assert [text[c.start : c.end][-4:] for c in found] == ["end.", "one."]


def test_no_sentences_no_chunks() -> None:
    assert chunks.split("", []) == ()
