from __future__ import annotations

import pytest

from rag.question import is_courtesy, understand


@pytest.mark.parametrize(
    ("text", "kind", "topic"),
    [
        ("Which papers are about agents?", "find", "agents"),
        ("papers on medical images", "find", "medical images"),
        ("anything here on graph learning?", "find", "graph learning"),
        ("Is there any work on 3D reconstruction in this library?", "find", "3D reconstruction"),
        ("Where do support vector machines come up?", "find", "support vector machines"),
        ("I have little memory. Which papers save memory?", "find", "save memory"),
        ("Do any of these papers discuss quantum error correction?", "find", "quantum error correction"),
        ("Summarise what these papers contribute to federated learning.", "topic", "federated learning"),
        ("Give me an overview of the work on test-time scaling.", "topic", "test-time scaling"),
        ("What do these papers say about robots?", "topic", "robots"),
    ],
)
def test_the_frame_is_taken_off_the_topic(text: str, kind: str, topic: str) -> None:
    question = understand(text)
    assert (question.kind, question.topic) == (kind, topic)


@pytest.mark.parametrize(
    "text",
    [
        "How much faster than FOA is EVA-0?",
        "What does the paper on extending use cases do?",
        "Which continuous-time tool motivates the new variant?",
        "Who won the cup?",
        "",
        "?",
    ],
)
def test_other_questions_ask_for_a_fact(text: str) -> None:
    assert understand(text).kind == "fact"


@pytest.mark.parametrize(
    "text", ["Compare A and B.", "A versus B: which is faster?", "How do A and B differ?", "a vs b"]
)
def test_comparisons_are_seen(text: str) -> None:
    assert understand(text).kind == "compare"


def test_alternatives_are_topics_of_their_own() -> None:
    assert understand("Which papers are about neuroscience or animal behaviour?").alternatives == (
        "neuroscience",
        "animal behaviour",
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Which methods use zeroth-order optimization?", "find"),
        ("Which algorithms reduce GPU memory?", "find"),
        ("Which methods are used in EVA?", "fact"),
        ("Which methods?", "fact"),
    ],
)
def test_which_methods_asks_for_their_papers(text: str, kind: str) -> None:
    assert understand(text).kind == kind


def test_an_endless_question_is_read_at_its_beginning() -> None:
    assert len(understand("agents " * 100_000).text) <= 2000


@pytest.mark.parametrize(
    "text",
    ["thanks", "Thank you!", "ok great", "Cool, thanks a lot :)", "Hi!", "that's very nice", "  Okay. "],
)
def test_courtesies_ask_for_nothing(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text", ["ok, how fast?", "Hi-C data", "thanks to what is it fast?", "nice try at X", "", "great apes"]
)
def test_what_asks_for_something_is_no_courtesy(text: str) -> None:
    assert not is_courtesy(text)


def test_a_long_text_of_courtesies_is_told_from_one_in_no_time() -> None:
    assert not is_courtesy("ok " * 200_000 + "?")
