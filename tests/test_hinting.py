"""Questions that found nothing but name an author or a year of the library."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from rag.library import Library
from tests.fakes import HashEmbedder

RECORDS = (
    ("CoralNet finds bleached coral in drone images of forty reefs.", ["Ada Lovelace", "Kai Chen"], 2020),
    ("HiveTalk hears what bees dance from the hum of the hive.", ["Chen, K.", "Jan van der Berg"], 2021),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("hinting")
    rows = [
        {
            "title": text[:8],
            "abstract": f"{text} It does so on 300 days of the year.",
            "authors": who,
            "year": year,
        }
        for text, who, year in RECORDS
    ]
    (folder / "papers.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with Library.open(folder / "lib", write=True, embedder=HashEmbedder()) as library:
        library.ingest([folder / "papers.jsonl"])
        yield library


@pytest.mark.parametrize(
    ("question", "hints"),
    [
        ("papers by Lovelace", ["1 paper of an author Lovelace"]),
        ("What did Chen find in 2020?", ["2 papers of an author Chen", "1 paper of 2020"]),
        ("Which quasars did van der Berg see?", []),
        ("Which quasars were seen by Jan van der Berg?", ["1 paper of an author Jan van der Berg"]),
        ("Which quasars were seen by Nobody in 1999?", []),
        ("Which quasars are seen by Hubble?", []),
    ],
)
def test_a_question_that_finds_nothing_is_told_which_filter_may_help(
    library: Library, question: str, hints: list[str]
) -> None:
    answer = library.ask(question)
    assert answer.status == "not_found"
    found = [warning for warning in answer.warnings if "--author" in warning or "--year" in warning]
    assert [warning.partition(":")[0] for warning in found] == hints


def test_a_question_held_to_papers_is_not_told_to_hold_it_to_some(library: Library) -> None:
    ids = [paper.id for paper in library.papers()]
    assert library.ask("What did Chen find on quasars?", only=ids).warnings == ()
