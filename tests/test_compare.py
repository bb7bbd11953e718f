from __future__ import annotations

import json
import re

import pytest

from rag.domain import Answer, Cell
from rag.errors import UnknownPaper, UsageError
from rag.evidence.aspects import USUAL
from rag.library import Library


def cell(answer: Answer, name: str, aspect: str) -> Cell:
    assert answer.table is not None
    (paper,) = [r.paper for r in answer.references if r.paper.name == name]
    return answer.table.cells[paper.id][aspect]


@pytest.fixture(scope="module")
def three(seed_library: Library) -> Answer:
    return seed_library.compare(["EVA-0", "ESSAM", "ENGINE"])


def test_every_paper_has_a_row_and_every_aspect_a_cell(three: Answer) -> None:
    assert three.table is not None and three.status == "answered" and three.engine == "extractive"
    assert [r.paper.name for r in three.references] == ["EVA-0", "ESSAM", "ENGINE"]
    assert three.table.papers == tuple(r.paper.id for r in three.references)
    assert three.table.aspects == USUAL
    assert all(set(three.table.cells[p]) == set(USUAL) for p in three.table.papers)


@pytest.mark.parametrize(
    ("name", "aspect", "words"),
    [
        ("EVA-0", "approach", "zeroth-order adaptation framework"),
        ("EVA-0", "data", "ImageNet-C"),
        ("EVA-0", "results", "14×"),
        ("EVA-0", "limits", "two forward passes"),
        ("ESSAM", "problem", "high GPU memory usage"),
        ("ESSAM", "approach", "Sharpness-Aware Maximization"),
        ("ENGINE", "problem", "exploding gradient variance"),
        ("ENGINE", "results", "2.61×"),
    ],
)
def test_a_cell_says_what_the_abstract_says(three: Answer, name: str, aspect: str, words: str) -> None:
    assert words in (cell(three, name, aspect).text or "")


def test_a_cell_cites_its_own_paper_with_its_own_words(seed_library: Library) -> None:
    papers = seed_library.papers()
    for start in range(0, len(papers), 5):
        names = [paper.id for paper in papers[start : start + 5]]
        if len(names) < 2:
            continue
        answer = seed_library.compare(names)
        assert answer.table is not None
        texts = {paper.id: paper.text for paper in papers}
        for paper_id, row in answer.table.cells.items():
            for found in row.values():
                assert bool(found.text) == bool(found.citations)
                assert {c.paper_id for c in found.citations} <= {paper_id}
                assert all(texts[paper_id][c.start : c.end] == c.quote for c in found.citations)
                assert all(c.verdict == "supported" for c in found.citations)
                pieces = (found.text or "").split("; ")
                assert all(any(piece in c.quote for c in found.citations) for piece in pieces if found.text)


def test_the_sentences_compare_and_are_supported(three: Answer) -> None:
    assert 3 <= len(three.sentences) <= 6
    for sentence in three.sentences:
        assert len({c.paper_id for c in sentence.citations}) > 1
        assert {c.verdict for c in sentence.citations} == {"supported"}
        for words in re.findall("“(.+?)”", sentence.text):
            assert any(words.casefold() in c.quote.casefold() for c in sentence.citations)


def test_what_all_share_is_said_first(three: Answer) -> None:
    assert three.sentences[0].text == "All three speak of “zeroth-order”."


def test_figures_on_different_data_are_not_set_side_by_side(three: Answer) -> None:
    (figures,) = [s.text for s in three.sentences if "figures" in s.text]
    assert figures.startswith("Their figures are not to be set side by side")


def test_the_asker_s_own_aspects_are_found_or_not_stated(seed_library: Library) -> None:
    answer = seed_library.compare(["ERIS", "EMO"], aspects=["privacy", " experts ", "privacy", ""])
    assert answer.table is not None and answer.table.aspects == ("privacy", "experts")
    assert "privacy" in (cell(answer, "ERIS", "privacy").text or "")
    assert cell(answer, "EMO", "privacy") == Cell(None)
    assert "expert" in (cell(answer, "EMO", "experts").text or "")
    assert cell(answer, "ERIS", "experts").text is None


def test_aspects_no_abstract_speaks_of_give_a_table_of_nothing(seed_library: Library) -> None:
    answer = seed_library.compare(["ERIS", "EMO"], aspects=["price of milk"])
    assert answer.status == "not_found" and answer.table is not None and answer.warnings
    assert all(found.text is None for row in answer.table.cells.values() for found in row.values())


def test_a_topic_brings_its_papers(seed_library: Library) -> None:
    answer = seed_library.compare(topic="zeroth-order optimisation")
    assert {r.paper.name for r in answer.references} == {"EVA-0", "ESSAM", "ENGINE"}


def test_a_topic_of_no_papers_is_not_found(seed_library: Library) -> None:
    answer = seed_library.compare(topic="medieval poetry")
    assert (answer.status, answer.table, answer.sentences) == ("not_found", None, ())
    assert answer.hits


def test_only_limits_a_topic(seed_library: Library) -> None:
    ids = {seed_library.paper(name).id for name in ("EVA-0", "ENGINE", "ERIS")}
    answer = seed_library.compare(topic="zeroth-order optimisation", only=ids)
    assert {r.paper.name for r in answer.references} == {"EVA-0", "ENGINE"}


def test_a_table_has_room_for_only_so_much(seed_library: Library) -> None:
    for aspects in (["x" * 100], [f"aspect {n}" for n in range(40)]):
        with pytest.raises(UsageError, match="too much"):
            seed_library.compare(["ERIS", "EMO"], aspects=aspects)


def test_one_paper_cannot_be_compared(seed_library: Library) -> None:
    for names in ([], ["EVA-0"], ["EVA-0", "eva0"]):
        with pytest.raises(UsageError, match="cannot be compared"):
            seed_library.compare(names)


def test_papers_and_a_topic_at_once_are_refused(seed_library: Library) -> None:
    with pytest.raises(UsageError, match="cannot both"):
        seed_library.compare(["EVA-0", "ENGINE"], topic="agents")


def test_an_unclear_paper_lists_the_candidates(seed_library: Library) -> None:
    with pytest.raises(UnknownPaper, match="EVA-Cap") as error:
        seed_library.compare(["EVA-0", "EVA-C"])
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How do ENGINE and ESSAM differ in how they explore parameter space?", "parameter space"),
        ("Compare EO-WM with GazeWorld: what does each treat as the world?", "world"),
    ],
)
def test_a_question_that_compares_is_answered_in_the_same_way(
    seed_library: Library, question: str, words: str
) -> None:
    answer = seed_library.ask(question)
    assert answer.table is not None and answer.status == "answered"
    asked = [s.text for s in answer.sentences if s.text.startswith("As to the question")]
    assert asked and words in asked[0]


def test_the_json_holds_the_table(three: Answer) -> None:
    shown = json.loads(json.dumps(three.to_dict()))["table"]
    assert shown["aspects"] == list(USUAL) and len(shown["papers"]) == 3
    first = shown["cells"][shown["papers"][0]]["results"]
    assert set(first) == {"text", "citations"} and first["citations"][0]["quote"]
