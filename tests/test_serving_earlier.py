"""Earlier turns: what is remembered of a conversation, and when it no longer holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rag.domain import Answer
from rag.library import Library
from rag.serving.earlier import MOST_TURNS, Earlier, Scope
from tests.serving import serving

TINY = "We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory for ten tasks."
HUGE = "We present HugeNet, a large network that forgets. HugeNet needs 900 GB of memory for ten tasks."
MEMORY = {"question": "How much memory does it need?", "history": ["What is TinyNet?"]}
SCOPE = Scope((1, "a"))


class Asking:
    """Answers any question, and keeps what was asked after how many others."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def __call__(self, question: str, history: Sequence[Answer]) -> Answer:
        self.asked.append((question, len(history)))
        return Answer(question, "not_found", "extractive")


def test_in_a_long_conversation_no_question_is_asked_twice() -> None:
    earlier, asking = Earlier(), Asking()
    row = [f"question {n}" for n in range(3 * MOST_TURNS)]
    for place, question in enumerate(row):
        history = earlier.history(row[:place], asking, SCOPE)
        assert [answer.question for answer in history] == row[max(0, place - MOST_TURNS) : place]
        earlier.remember(row[: place + 1], asking(question, history), SCOPE)
    assert [question for question, _ in asking.asked] == row


def test_what_is_not_remembered_is_asked_with_what_came_before() -> None:
    asking = Asking()
    Earlier().history(["a", "b", "c"], asking, SCOPE)
    assert asking.asked == [("a", 0), ("b", 1), ("c", 2)]


@pytest.mark.parametrize("other", [Scope((2, "b")), Scope((1, "a"), ()), Scope((1, "a"), ("x",))])
def test_an_answer_holds_for_its_papers_only(other: Scope) -> None:
    earlier, asking = Earlier(), Asking()
    earlier.history(["a"], asking, SCOPE)
    earlier.history(["a"], asking, other)
    earlier.history(["a"], asking, SCOPE)
    assert len(asking.asked) == 2


def ingest(library: Library, folder: Path, text: str) -> None:
    file = folder / f"{len(text)}.txt"
    file.write_text(f"List\n\n{text}\n", "utf-8")
    library.ingest([file])


def test_a_paper_that_came_later_is_what_a_follow_up_means(tmp_path: Path) -> None:
    with Library.open(tmp_path / "lib", write=True) as library:
        ingest(library, tmp_path, HUGE)
        with serving(tmp_path / "lib", library) as client:
            before = client.post("/api/v1/ask", json={"question": "What is TinyNet?"}).json()
            ingest(library, tmp_path, TINY)
            after = client.post("/api/v1/ask", json=MEMORY).json()
    assert before["status"] == "not_found"
    assert "12 MB" in after["sentences"][0]["text"]


def test_a_question_among_no_papers_leaves_the_others_alone(
    seed_library: Library, seed_library_path: Path
) -> None:
    def steps(client: TestClient) -> str:
        asked = {"question": "How many forward passes does it need?", "history": ["What is EVA-0?"]}
        return str(client.post("/api/v1/ask", json=asked).json()["standalone_question"])

    with serving(seed_library_path, seed_library) as client:
        client.post("/api/v1/ask", json={"question": "What is EVA-0?", "only": []})
        assert "EVA-0" in steps(client)
