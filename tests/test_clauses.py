from __future__ import annotations

import pytest

from rag.text.clauses import clause

LONG = "so that every one of the many parts of the whole can be seen in the light of what was found before"


def cut(text: str, *keep: str, words: int = 26) -> str:
    spans = [(text.index(part), text.index(part) + len(part)) for part in keep]
    start, end = clause(text, spans, words)
    return text[start:end]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("However, these methods are slow.", "these methods are slow"),
        ("In this paper, we propose EVA-0, a small framework.", "we propose EVA-0, a small framework"),
        ("To address this, we present ERIS for learning.", "we present ERIS for learning"),
        ("The results show that ESSAM is 18× smaller.", "ESSAM is 18× smaller"),
        ("We further demonstrate that the bound is tight.", "the bound is tight"),
        ("Yet prior methods forget what they learn.", "prior methods forget what they learn"),
    ],
)
def test_a_lead_in_is_left_out(text: str, left: str) -> None:
    assert cut(text) == left


def test_a_lead_in_with_something_to_keep_stays() -> None:
    text = "Despite 40% fewer labels, we reach the same accuracy as before."
    assert cut(text, "40%").startswith("Despite 40%")


def test_a_lead_in_stays_where_little_else_would_be_left() -> None:
    assert cut("However, it fails.") == "However, it fails"


def test_a_long_sentence_ends_where_an_aside_begins() -> None:
    text = (
        f"The two regions are connected with each other in both directions, which is told at length {LONG}."
    )
    assert cut(text) == "The two regions are connected with each other in both directions"


def test_what_is_kept_is_never_cut_off() -> None:
    text = f"It reduces the cost of every single one of all the runs, which come to 85% of the sum {LONG}."
    assert "85%" in cut(text, "85%")


def test_the_main_clause_is_not_lost_for_an_opening() -> None:
    text = f"In PowerWash Simulator, a dataset of real play, PLVM predicts what players do next {LONG}."
    assert "PLVM predicts" in cut(text)


def test_no_bracket_is_left_open() -> None:
    text = (
        f"It helps in evaluation (e.g., by 5% on one, which is hard, and by 3% on another; both new) {LONG}."
    )
    assert cut(text).count("(") == cut(text).count(")")


@pytest.mark.parametrize("text", ["", " ", ".", "However,", "(((", "a" * 500, "一个方法。", "to " * 60])
def test_any_text_gives_a_stretch_of_itself(text: str) -> None:
    start, end = clause(text)
    assert 0 <= start <= end <= len(text)


def test_a_hostile_sentence_takes_no_time() -> None:
    for text in ("to " + "a" * 20_000 + ",", "we " * 20_000, ", which " * 5_000, "(" * 20_000):
        start, end = clause(text)
        assert end <= len(text)
