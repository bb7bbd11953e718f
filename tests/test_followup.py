from __future__ import annotations

import time

import pytest

from rag.domain import Answer, Hit, Paper, Reference
from rag.jobs.followup import Standalone, standalone
from rag.retrieve.naming import Names

NAMES = ("Alpha-1", "BetaNet", "GammaDB", "soil moisture index", "Delta")
NAMED = Names.of((name, name) for name in NAMES)


def answer(question: str, *papers: str, standalone_question: str = "") -> Answer:
    references = tuple(
        Reference(marker, Paper(name, name, f"We present {name}.")) for marker, name in enumerate(papers, 1)
    )
    return Answer(
        question, "answered" if papers else "not_found", "extractive", standalone_question, (), references
    )


LISTED = (answer("Which papers are about crops?", "Alpha-1", "BetaNet", "GammaDB"),)
ONE_OF_THEM = (*LISTED, answer("Tell me about the first one", "Alpha-1"))
ONE = (answer("How fast is BetaNet?", "BetaNet"),)
COMPARED = (answer("Compare Alpha-1 and BetaNet", "Alpha-1", "BetaNet"),)


def bound(question: str, history: tuple[Answer, ...]) -> Standalone:
    return standalone(question, history, NAMED.mentions)


@pytest.mark.parametrize(
    ("question", "papers"),
    [
        ("What does the second one measure?", ["BetaNet"]),
        ("what about the 3rd?", ["GammaDB"]),
        ("the last paper", ["GammaDB"]),
        ("How large is paper 2?", ["BetaNet"]),
        ("How large is number three?", ["GammaDB"]),
        ("How large is [2]?", ["BetaNet"]),
        ("How large is #3?", ["GammaDB"]),
        ("Do the first two need labels?", ["Alpha-1", "BetaNet"]),
        ("Do the last two need labels?", ["BetaNet", "GammaDB"]),
        ("Do the first and the third need labels?", ["Alpha-1", "GammaDB"]),
        ("How does the former work?", ["Alpha-1"]),
        ("How does the latter work?", ["BetaNet"]),
        ("Which of them is fastest?", ["Alpha-1", "BetaNet", "GammaDB"]),
        ("which is fastest?", ["Alpha-1", "BetaNet", "GammaDB"]),
        ("Do they all need labels in the field?", ["Alpha-1", "BetaNet", "GammaDB"]),
        ("Were those tried on real farms in Spain?", ["Alpha-1", "BetaNet", "GammaDB"]),
        ("Do these papers come with code for phones?", ["Alpha-1", "BetaNet", "GammaDB"]),
        ("第二篇论文用什么方法？", ["BetaNet"]),
        ("它们用什么数据集进行训练和测试？", ["Alpha-1", "BetaNet", "GammaDB"]),
    ],
)
def test_what_points_into_a_list_is_bound_to_its_papers(question: str, papers: list[str]) -> None:
    assert list(bound(question, LISTED).only) == papers


@pytest.mark.parametrize(
    ("question", "papers"),
    [
        ("and the second?", ["BetaNet"]),
        ("What about the third one?", ["GammaDB"]),
        ("What about the others?", ["BetaNet", "GammaDB"]),
        ("Which of them is fastest?", ["Alpha-1", "BetaNet", "GammaDB"]),
        ("Does it need labels from people?", ["Alpha-1"]),
        ("How does it compare with the second one?", ["Alpha-1", "BetaNet"]),
    ],
)
def test_a_list_can_still_be_pointed_into_after_one_of_it_was_spoken_of(
    question: str, papers: list[str]
) -> None:
    assert list(bound(question, ONE_OF_THEM).only) == papers


def test_the_other_one_is_that_which_was_not_spoken_of() -> None:
    history = (*COMPARED, answer("How fast is Alpha-1?", "Alpha-1"))
    assert bound("And the other one?", history).only == ("BetaNet",)
    assert bound("And the other one?", COMPARED).only == ("BetaNet",)


def test_a_place_that_the_list_does_not_have_is_bound_to_nothing() -> None:
    assert bound("What about the fifth?", LISTED) == Standalone("What about the fifth?")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Does it need labels from people?", "Does BetaNet need labels from people?"),
        ("What are its limits in practice?", "What are BetaNet's limits in practice?"),
        ("how does it work", "how does BetaNet work"),
        ("On which data?", "On which data (BetaNet)?"),
        ("What about the authors?", "What about the authors (BetaNet)?"),
    ],
)
def test_what_points_at_one_paper_gets_its_name(question: str, text: str) -> None:
    assert bound(question, ONE) == Standalone(text, ("BetaNet",))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("and GammaDB?", "How fast is GammaDB?"),
        ("What about Alpha-1?", "How fast is Alpha-1?"),
        ("how about alpha 1", "How fast is alpha 1?"),
        ("Same for the soil moisture index?", "How fast is the soil moisture index?"),
        ("And for Delta?", "How fast is Delta?"),
    ],
)
def test_and_a_paper_asks_the_same_of_it(question: str, text: str) -> None:
    assert bound(question, ONE).text == text


def test_and_a_paper_asks_the_same_also_when_the_question_before_found_nothing() -> None:
    assert bound("and Delta?", (answer("How fast is BetaNet?"),)) == Standalone(
        "How fast is Delta?", ("Delta",)
    )


def test_it_is_the_paper_asked_about_also_when_nothing_was_found_of_it() -> None:
    delta = Hit(Paper("Delta", "Delta", "We present Delta."), 1.0)
    history = (*ONE, Answer("and Delta?", "not_found", "extractive", "How fast is Delta?", hits=(delta,)))
    assert bound("Does it need labels from people?", history).only == ("Delta",)


def test_and_a_paper_after_a_comparison_is_compared_too() -> None:
    assert bound("and GammaDB?", COMPARED).text == "Compare Alpha-1 and BetaNet and GammaDB"


def test_and_a_topic_after_a_list_asks_for_another_list() -> None:
    assert bound("and drought?", LISTED) == Standalone("Which papers are about drought?")
    assert bound("what about soil erosion?", LISTED) == Standalone("Which papers are about soil erosion?")
    assert bound("and drought?", ONE).only == ("BetaNet",)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is it faster than Delta?", "Is BetaNet faster than Delta?"),
        ("Compare its memory with that of Delta", "Compare BetaNet's memory with that of Delta"),
    ],
)
def test_a_pronoun_before_a_name_means_the_paper_before(question: str, text: str) -> None:
    assert bound(question, ONE) == Standalone(text, ("BetaNet", "Delta"))


def test_a_pronoun_behind_a_name_means_what_is_named() -> None:
    assert bound("Does Delta need its own labels?", ONE) == Standalone("Does Delta need its own labels?")


def test_a_place_beside_a_name_is_filled_in() -> None:
    assert bound("Compare Delta with the second one", LISTED).text == "Compare Delta with BetaNet"


@pytest.mark.parametrize("question", ["Compare them.", "How do they differ?", "Compare the two papers"])
def test_two_papers_are_compared_by_name(question: str) -> None:
    found = bound(question, COMPARED)
    assert found.text.startswith("Compare Alpha-1 and BetaNet") and found.only == ("Alpha-1", "BetaNet")


@pytest.mark.parametrize(
    "question",
    [
        "Which papers use transformers?",
        "What is dropout?",
        "Is it possible to train without labels?",
        "Which papers make it easier to train models?",
        "How does PreG handle the first step of planning?",
        "On the other hand, which papers need labels?",
        "How many papers appeared these days on crops?",
        "哪篇论文研究网格细胞和位置细胞？",
        "How is the weather forecast by neural networks trained on satellites?",
    ],
)
def test_a_new_question_is_bound_to_nothing(question: str) -> None:
    assert bound(question, ONE) == Standalone(question)


def test_looking_for_papers_like_one_is_not_bound_to_it() -> None:
    assert bound("Which papers are similar to it?", ONE) == Standalone("Which papers are similar to BetaNet?")


def test_without_history_nothing_changes() -> None:
    assert bound("Does it $x$ need labels?", ()) == Standalone("Does it $x$ need labels?")


@pytest.mark.parametrize(
    "text", ["the first " * 3000, "and " * 4000, "it " * 5000, "[1]" * 3000, "the other " * 2000]
)
def test_a_follow_up_made_to_be_slow_is_not(text: str) -> None:
    started = time.process_time()
    bound(text, LISTED)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("Is it better than Alpha-1?", "Is BetaNet better than Alpha-1?"),
        ("Is that faster than Alpha-1?", "Is BetaNet faster than Alpha-1?"),
        ("Is it more accurate than Alpha-1?", "Is BetaNet more accurate than Alpha-1?"),
    ],
)
def test_it_beside_a_name_in_a_comparison_is_the_paper_before(question: str, alone: str) -> None:
    assert bound(question, ONE) == Standalone(alone, ("BetaNet", "Alpha-1"))


@pytest.mark.parametrize("question", ["Which of them is faster?", "which one needs less memory?"])
def test_which_of_a_few_is_better_asks_what_each_of_them_says(question: str) -> None:
    alone = f"Compare Alpha-1 and BetaNet: {question}"
    assert bound(question, COMPARED) == Standalone(alone, ("Alpha-1", "BetaNet"))


def test_which_of_a_few_does_something_still_means_one() -> None:
    question = "Which of them measures soil?"
    assert bound(question, COMPARED) == Standalone(question, ("Alpha-1", "BetaNet"))
