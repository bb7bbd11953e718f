from __future__ import annotations

import pytest

from rag.verify.alignment import align, kinship
from rag.verify.figures import Figure, figures
from rag.verify.lexicon import related, spelling, turns_round
from rag.verify.reading import WEIGHTS, read, stem


def figure(text: str) -> Figure:
    (found,) = figures(text)
    return found


def test_words_know_where_they_stand_and_what_they_weigh() -> None:
    words = {w.lower: w for w in read("ImageNet accuracy is clearly improved by the new method.").words}
    assert words["imagenet"].weight == WEIGHTS["name"]
    assert words["accuracy"].weight == WEIGHTS["noun"]
    assert words["clearly"].weight == WEIGHTS["adverb"]
    assert words["improved"].weight == WEIGHTS["verb"]
    assert words["method"].weight == WEIGHTS["generic"]
    assert words["is"].weight == words["the"].weight == 0


def test_marks_and_joining_words_put_distance_between_words() -> None:
    near, far = read("fast exact").words, read("fast, and then exact").words
    assert far[-1].place - far[0].place > near[-1].place - near[0].place + 2


def test_a_bound_on_a_number_is_not_a_rise() -> None:
    assert "more" not in [w.lower for w in read("It grew by more than 27%.").words]
    assert "more" in [w.lower for w in read("It needs more data than theirs.").words]


def test_non_stays_with_its_word() -> None:
    assert [w.lower for w in read("non-criminal faces").words] == ["noncriminal", "faces"]


@pytest.mark.parametrize(
    ("british", "american"),
    [("optimised", "optimized"), ("neighbour", "neighbor"), ("centre", "center"), ("behaviour", "behavior")],
)
def test_british_spelling_meets_american(british: str, american: str) -> None:
    assert stem(british) == stem(american)
    assert spelling(american) == american


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("reduces", "lowers", 1),
        ("increases", "decreases", -1),
        ("simple", "difficult", -1),
        ("worse", "better", -1),
        ("quadratic", "exponential", 0),
        ("banana", "reduces", 0),
    ],
)
def test_words_mean_the_same_or_the_opposite(left: str, right: str, expected: int) -> None:
    assert related(stem(left), stem(right)) == expected


def test_before_turns_round_into_after() -> None:
    assert turns_round(stem("precede"), stem("follow"))
    assert not turns_round(stem("frozen"), stem("scratch"))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("correlates", "uncorrelated", ("negated", -1)),
        ("dependent", "independent", ("negated", -1)),
        ("reduces", "reduction", ("form", 1)),
        ("proves", "improves", None),
        ("detection", "detection", ("same", 1)),
    ],
)
def test_kinship_of_words(left: str, right: str, expected: tuple[str, int] | None) -> None:
    assert kinship(stem(left), stem(right)) == expected


def test_an_abbreviation_stands_for_its_words() -> None:
    abstract = read("Graph neural networks are hard to train.")
    links = align(read("GNNs are hard to train."), abstract, {})
    assert [link.at for link in links[0]] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("over 4,100 instances", 4100, ""),
        ("half of the users", 50, "%"),
        ("less than 1/4 of them", 25, "%"),
        ("13.2fps", 13.2, "fps"),
        ("30 frames per second", 30, "fps"),
        ("the third largest union", 3, "#"),
        ("more than 4, 000 identities", 4000, ""),
        ("14 times faster", 14, "×"),
        ("in 1938 they met", 1938, "date"),
    ],
)
def test_figures_of_a_text(text: str, value: float, unit: str) -> None:
    found = figure(text)
    assert (found.value, found.unit) == (pytest.approx(value), unit)


def test_a_range_is_one_figure() -> None:
    found = figure("a 27-44% gain")
    assert (found.value, found.high, found.unit) == (27, 44, "%")


@pytest.mark.parametrize(
    ("claimed", "said", "agrees"),
    [
        ("85%", "85 percent", True),
        ("about 20%", "20.4%", True),
        ("over 4,000", "4,100", True),
        ("over 4,000", "3,900", False),
        ("under 5 hours", "4.5 hours", True),
        ("78%", "78.27%", True),
        ("77%", "78.27%", False),
        ("six", "sixteen", False),
        ("ten times", "10×", True),
        ("5 hours", "5 days", False),
        ("more than 20%", "less than 20%", False),
        ("30%", "27-44%", False),
        ("44%", "27-44%", True),
    ],
)
def test_a_figure_of_a_claim_agrees_with_one_of_the_abstract(claimed: str, said: str, agrees: bool) -> None:
    assert figure(claimed).agrees(figure(said)) is agrees


def test_the_numbers_of_a_list_are_not_figures() -> None:
    assert figures("It (1) maps and (2) draws; 3) it ends") == ()
