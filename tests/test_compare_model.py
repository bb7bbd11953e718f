from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from rag import Library, Settings
from rag.domain import Answer
from rag.errors import BudgetError, ModelError
from tests.fakes import HashEmbedder
from tests.stub_server import Answering, Asked, Handler, Stub, fails, numbered_sentences, says

LIST = """Some abstracts

Deep networks forget, and that is a problem. We present TinyNet, a small network that remembers old tasks. \
TinyNet needs 12 MB of memory and loses 3% of its accuracy after ten tasks.

Ants find food by smell, but how is unclear. We introduce AntWalk, a model of how ants search. AntWalk \
explains 85% of the paths of 40 ants in the field.

Bees dance to tell of flowers. We introduce BeeTalk, a robot that reads the dance. It understands 7 of 9 \
signals.

Wasps build nests of paper. We introduce WaspNest, a simulation of how wasps build. It builds 5 of 6 nests \
as wasps do.
"""
EMBEDDER = HashEmbedder()
Cells = Mapping[tuple[int, str], tuple[str | None, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    (made / "list.txt").write_text(LIST, "utf-8")
    with Library.open(made / "library", write=True, embedder=EMBEDDER) as library:
        library.ingest([made / "list.txt"])
    return made / "library"


def compare(folder: Path, settings: Settings, aspects: tuple[str, ...] = ("approach", "results")) -> Answer:
    with Library.open(folder, settings, embedder=EMBEDDER) as library:
        return library.compare(["TinyNet", "AntWalk"], aspects=aspects)


def summarize(folder: Path, settings: Settings, topic: str = "ants, bees and wasps") -> Answer:
    with Library.open(folder, settings, embedder=EMBEDDER) as library:
        return library.summarize(topic)


def number_of(asked: Asked, words: str) -> str:
    return next((number for number, text in numbered_sentences(asked.prompt) if words in text), "")


def cells(wanted: Cells) -> Answering:
    """Fill cells by paper number and aspect: the text, and words of the sentence it cites."""

    def answer(handler: Handler, asked: Asked) -> None:
        items = [
            {"paper": n, "aspect": a, "text": text, "cites": [number_of(asked, words)] if words else []}
            for (n, a), (text, words) in wanted.items()
        ]
        says(json.dumps({"cells": items}))(handler, asked)

    return answer


def writes(*pairs: tuple[str, tuple[str, ...]]) -> Answering:
    """Write sentences, each citing the sentences that hold the words."""

    def answer(handler: Handler, asked: Asked) -> None:
        items = [{"text": text, "cites": [number_of(asked, w) for w in words]} for text, words in pairs]
        says(json.dumps({"answerable": True, "sentences": items}))(handler, asked)

    return answer


GOOD: Cells = {
    (1, "approach"): ("a small network that remembers old tasks", "present TinyNet"),
    (1, "results"): ("loses 3% of its accuracy after ten tasks", "12 MB"),
    (2, "approach"): ("a model of how ants search", "introduce AntWalk"),
    (2, "results"): ("explains 85% of the paths of 40 ants in the field", "85%"),
}
SUMMARY = writes(
    ("TinyNet loses 3% of its accuracy, and AntWalk explains 85% of the paths.", ("12 MB", "85%"))
)


def text_of(answer: Answer, name: str, aspect: str) -> str | None:
    assert answer.table is not None
    (paper_id,) = [r.paper.id for r in answer.references if r.paper.name == name]
    return answer.table.cells[paper_id][aspect].text


def test_the_model_fills_the_table_and_the_program_checks(
    stub: Stub, folder: Path, settings: Settings
) -> None:
    stub.answers = [cells(GOOD), SUMMARY]
    answer = compare(folder, settings)
    assert (answer.engine, answer.status, answer.warnings) == ("openai:stub-model", "answered", ())
    assert text_of(answer, "AntWalk", "approach") == "a model of how ants search"
    assert [s.text for s in answer.sentences] == [
        "TinyNet loses 3% of its accuracy, and AntWalk explains 85% of the paths."
    ]
    assert answer.usage.calls == len(stub.chats) == 2
    markers = {r.paper.id: r.marker for r in answer.references}
    assert all(c.marker == markers[c.paper_id] for c in answer.citations())


def test_what_a_paper_does_not_say_stays_unsaid(stub: Stub, folder: Path, settings: Settings) -> None:
    stub.answers = [cells({**GOOD, (1, "results"): (None, "")}), SUMMARY]
    answer = compare(folder, settings)
    assert text_of(answer, "TinyNet", "results") is None


def test_a_cell_that_is_not_in_the_abstract_is_quoted_instead(
    stub: Stub, folder: Path, settings: Settings
) -> None:
    stub.answers = [cells({**GOOD, (1, "results"): ("loses 30% of its accuracy", "12 MB")}), SUMMARY]
    answer = compare(folder, settings)
    assert "3%" in (text_of(answer, "TinyNet", "results") or "")
    assert any("TinyNet, results" in w and "30%" in w for w in answer.warnings)


def test_a_cell_cannot_cite_another_paper(stub: Stub, folder: Path, settings: Settings) -> None:
    swapped = ("explains 85% of the paths of 40 ants in the field", "85%")
    stub.answers = [cells({**GOOD, (1, "results"): swapped}), SUMMARY]
    answer = compare(folder, settings)
    assert answer.table is not None
    for paper_id, row in answer.table.cells.items():
        assert {c.paper_id for found in row.values() for c in found.citations} <= {paper_id}
    assert "85%" not in (text_of(answer, "TinyNet", "results") or "")


def test_cells_nobody_asked_for_are_left_out(stub: Stub, folder: Path, settings: Settings) -> None:
    stub.answers = [cells({**GOOD, (7, "results"): ("x", ""), (1, "colour"): ("blue", "12 MB")}), SUMMARY]
    answer = compare(folder, settings)
    assert answer.table is not None and answer.table.aspects == ("approach", "results")
    assert len(answer.table.papers) == 2


def test_sentences_that_fail_are_sent_back_once(stub: Stub, folder: Path, settings: Settings) -> None:
    fixed = json.dumps({"sentences": [{"number": 1, "text": "", "cites": []}]})
    stub.answers = [cells(GOOD), writes(("Both lose 99% of everything.", ("12 MB", "85%"))), says(fixed)]
    answer = compare(folder, settings)
    assert "99%" not in " ".join(s.text for s in answer.sentences)
    assert any("withdrew" in w for w in answer.warnings)


def test_without_a_summary_the_sentences_are_quotations(stub: Stub, folder: Path, settings: Settings) -> None:
    stub.answers = [cells(GOOD), *[says("nonsense") for _ in range(6)]]
    answer = compare(folder, settings)
    assert answer.sentences and any("cites nothing" in w for w in answer.warnings)
    assert text_of(answer, "AntWalk", "approach") == "a model of how ants search"


def test_a_model_that_fails_is_done_without_if_allowed(stub: Stub, folder: Path, settings: Settings) -> None:
    stub.answers = [fails(401, "no")] * 3
    with pytest.raises(ModelError):
        compare(folder, replace(settings, fallback="none"))
    stub.answers = [fails(401, "no")] * 3
    answer = compare(folder, replace(settings, fallback="extractive"))
    assert answer.engine == "extractive" and answer.table is not None
    assert any("quoted instead" in w for w in answer.warnings)


def test_a_limit_is_kept_before_the_first_call(folder: Path) -> None:
    openai = Settings(model="openai:gpt-4.1-mini", openai_api_key="sk-x", max_cost_usd=0.0001)
    with Library.open(folder, openai, embedder=EMBEDDER) as library:
        with pytest.raises(BudgetError):
            library.compare(["TinyNet", "AntWalk"])
        with pytest.raises(BudgetError):
            library.summarize()


def test_an_overview_is_grouped_and_written_by_the_model(
    stub: Stub, folder: Path, settings: Settings
) -> None:
    outline = says(json.dumps({"sections": [{"heading": "Insects that walk", "papers": [1, 2, 3, 4, 9]}]}))
    stub.answers = [
        outline,
        writes(("AntWalk is a model of how ants search.", ("introduce AntWalk",))),
    ]
    answer = summarize(folder, settings)
    assert answer.engine in ("openai:stub-model", "extractive")
    assert all(s.citations for s in answer.sentences)
    assert answer.coverage is not None and answer.coverage.used <= answer.coverage.belong


def test_a_section_that_fails_is_quoted(stub: Stub, folder: Path, settings: Settings) -> None:
    with Library.open(folder, settings, embedder=EMBEDDER) as library:
        stub.answers = [writes(("AntWalk explains 85% of the paths of 40 ants.", ("85%",)))] + [
            says("nonsense") for _ in range(12)
        ]
        answer = library.summarize()
    assert answer.sentences and all(s.citations for s in answer.sentences)
    assert len(answer.references) >= 2


def test_a_question_that_compares_gets_the_table_beside_the_model_s_words(
    stub: Stub, folder: Path, settings: Settings
) -> None:
    stub.answers = [SUMMARY]
    with Library.open(folder, settings, embedder=EMBEDDER) as library:
        answer = library.ask("Compare TinyNet and AntWalk")
    assert answer.table is not None and answer.usage.calls == 1 and len(answer.sentences) == 1
    markers = {r.paper.id: r.marker for r in answer.references}
    assert set(answer.table.papers) == set(markers)
    assert all(c.marker == markers[c.paper_id] for c in answer.citations())
