from __future__ import annotations

import pytest

from rag.evidence.wants import holds, wanted


@pytest.mark.parametrize(
    ("question", "sort"),
    [
        ("How many benchmarks was it tried on?", "count"),
        ("What accuracy does it reach?", "measure"),
        ("By how much does it beat the baseline?", "measure"),
        ("How long does training take?", "span"),
        ("What does SLE stand for?", "expansion"),
        ("On which datasets is it evaluated?", "named"),
        ("Why does it fail?", "reason"),
        ("Which country is it from?", "place"),
    ],
)
def test_a_question_says_what_sort_of_thing_it_wants(question: str, sort: str) -> None:
    want = wanted(question)
    assert want is not None
    assert want.sort == sort


@pytest.mark.parametrize("question", ["How does it work?", "Does it need training?", "What is ERIS?"])
def test_explanations_want_nothing_in_particular(question: str) -> None:
    assert wanted(question) is None


def test_the_counted_thing_beside_its_number_is_the_best() -> None:
    want = wanted("How many benchmarks were used?")
    assert want is not None
    near = holds(want, "It was run on 10 benchmarks by us.")
    mentioned = holds(
        want, "These benchmarks are old, and their long descriptions ran to some 300 pages in print."
    )
    other = holds(want, "There were 32 models.")
    none = holds(want, "Many benchmarks are saturated.")
    assert near == 1.0
    assert near > mentioned > other > none == 0.0


def test_numbers_given_in_the_question_do_not_answer_it() -> None:
    want = wanted("How many models beat the 32 others?")
    assert want is not None
    assert holds(want, "All 32 models were tried.") == 0.0


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("How much memory does it need?", ("memori",)),
        ("How much power is drawn?", ("power",)),
        ("How much labelled data can it save?", ("label", "data")),
        ("How much faster than FOA is EVA-0?", ()),
        ("How much improvement does it bring?", ()),
        ("How much does it win by?", ()),
        ("How much better is it?", ()),
    ],
)
def test_a_figure_is_wanted_of_what_is_named(question: str, noun: tuple[str, ...]) -> None:
    want = wanted(question)
    assert want is not None and (want.sort, want.noun) == ("measure", noun)


def test_a_figure_of_something_else_is_not_the_one_wanted() -> None:
    want = wanted("How much memory does it need?")
    assert want is not None
    assert holds(want, "It needs 3 GB of memory.") > 2 * holds(want, "It is 14 times as fast.")


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        ("memory", "It needs 12 MB."),
        ("memory", "It runs in 900 KB."),
        ("energy", "It draws 5 kWh a day."),
        ("power", "It runs on 20 W."),
    ],
)
def test_a_unit_tells_what_a_figure_is_of(thing: str, sentence: str) -> None:
    want = wanted(f"How much {thing} does it need?")
    assert want is not None
    assert holds(want, sentence) > 2 * holds(want, "It is 14 times as fast.")
