from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rag import Library
from rag.evidence.fencing import as_data
from rag.evidence.gather import Evidence
from rag.evidence.packing import Packed, pack
from rag.generate import Span
from rag.generate.citing import resolve
from rag.generate.replies import Written
from rag.jobs.ask import find
from rag.jobs.followup import Standalone
from rag.tokens import count
from tests.fakes import HashEmbedder

LIST = """List

Deep networks forget a lot. We present TinyNet, a small network for continual learning (CL). It needs 12 MB \
of memory. CL with TinyNet loses 3% of its accuracy after ten tasks.

Ants find food by smell. We introduce AntWalk, a model of how ants search. AntWalk explains 85% of the paths \
of 40 ants in the field.

Bees dance to tell of flowers. We introduce BeeTalk, a robot that reads the dance. It understands 7 of 9 \
signals. Bees forget little.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("made")
    (folder / "list.txt").write_text(LIST, "utf-8")
    with Library.open(folder / "library", write=True, embedder=HashEmbedder()) as library:
        library.ingest([folder / "list.txt"])
        yield library


def evidence(library: Library, question: str) -> Evidence:
    retriever, gatherer = library.searching()
    return gatherer.gather(find(Standalone(question), retriever))


def shown(packed: Packed) -> dict[str, list[int]]:
    return {p.paper.name: [i + 1 for i in p.shown] for p in packed.papers}


@pytest.mark.parametrize(
    "question",
    [
        "How much memory does TinyNet need?",
        "Which papers are about animals?",
        "Compare AntWalk and BeeTalk.",
        "Give an overview of animals.",
        "xyzzy?",
    ],
)
def test_every_number_means_the_sentence_that_stands_beside_it(library: Library, question: str) -> None:
    packed = pack(evidence(library, question), 900)
    lines = dict(line.split(" ", 1) for line in packed.text.splitlines() if line[:1].isdigit())
    assert lines and packed.tokens <= 900
    for paper in packed.papers:
        for place in paper.shown:
            sentence = paper.sentence(place + 1)
            assert sentence is not None
            quote = paper.paper.text[sentence.start : sentence.end]
            assert lines.pop(f"{paper.number}.{place + 1}") == quote
    assert not lines


@pytest.mark.parametrize("limit", [1, 60, 100, 200, 900])
def test_it_keeps_to_the_budget_but_for_one_sentence(library: Library, limit: int) -> None:
    packed = pack(evidence(library, "Which papers are about animals or networks?"), limit)
    sentences = sum(len(p.shown) for p in packed.papers)
    assert packed.tokens <= limit or sentences <= 2
    assert sentences >= 1 and abs(packed.tokens - count(packed.text)) <= sentences + 12


def test_what_did_not_fit_is_counted(library: Library) -> None:
    found = evidence(library, "Which papers are about animals or networks?")
    every = len(pack(found, 900).papers)
    few = pack(found, 40)
    assert few.left_out == every - len(few.papers) > 0


def test_a_sentence_that_leans_on_the_one_before_brings_it_along(library: Library) -> None:
    packed = pack(evidence(library, "How much memory does TinyNet need?"), 1)
    assert shown(packed) == {"TinyNet": [2, 3]}


def test_an_abbreviation_explained_elsewhere_is_spelt_out(library: Library) -> None:
    found = evidence(library, "What accuracy does TinyNet lose?")
    only_last = replace(found, sentences=tuple([*s[:-1] * 0, s[-1]] for s in found.sentences))  # type: ignore[misc]
    packed = pack(only_last, 45)
    assert "(CL: continual learning)" in packed.text and "small network" not in packed.text


def test_a_named_paper_is_shown_alone(library: Library) -> None:
    assert set(shown(pack(evidence(library, "How much memory does TinyNet need?"), 900))) == {"TinyNet"}


def test_compared_papers_share_the_budget(library: Library) -> None:
    packed = pack(evidence(library, "Compare AntWalk and BeeTalk."), 140)
    sizes = [len(p.shown) for p in packed.papers]
    assert {p.paper.name for p in packed.papers} == {"AntWalk", "BeeTalk"} and min(sizes) >= 1


def test_the_same_evidence_packs_the_same(library: Library) -> None:
    first, second = (pack(evidence(library, "Which papers are about animals?"), 300) for _ in range(2))
    assert (first.text, first.fence) == (second.text, second.fence)


@pytest.mark.parametrize("cite", ["1.2", "Paper 1.2", "S1.2", "1:2"])
def test_ways_to_write_a_number(library: Library, cite: str) -> None:
    packed = pack(evidence(library, "How much memory does TinyNet need?"), 900)
    (span,) = resolve(Written("It is.", (cite,)), packed).draft.spans
    assert packed.papers[0].paper.text[span.start : span.end].startswith("We present TinyNet")


def test_a_sentence_that_is_not_shown_cannot_be_cited(library: Library) -> None:
    packed = pack(evidence(library, "How much memory does TinyNet need?"), 60)
    cited = resolve(Written("It is.", ("1.1", "1.2")), packed)
    assert cited.unknown == ("1.1",) and isinstance(cited.draft.spans[0], Span)


def test_brackets_made_to_be_slow_are_not() -> None:
    started = time.process_time()
    as_data("[" + "1" * 5000 + "x" + "[1, " * 5000)
    assert time.process_time() - started < 1
