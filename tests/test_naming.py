from __future__ import annotations

import pytest

from rag.retrieve.naming import Names

NAMES = Names.of(
    [
        ("EVA", "1"), ("EVA-Cap", "2"), ("EVA-0", "3"), ("A³Bench", "4"), ("ENGINE", "5"), ("AIQL", "6"),
        ("A²IQL", "6"), ("GazeWorld", "7"), ("EMA-Nesterov", "8"), ("DoctorAI", "9"),
    ]
)  # fmt: skip


def meant(text: str) -> tuple[str, ...]:
    return tuple(i for m in NAMES.mentions(text, fuzzy=True) for i in m.paper_ids)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("How fast is EVA-0?", ("3",)),
        ("eva0 speed", ("3",)),
        ("EVA-0's speed", ("3",)),
        ("What is EVA?", ("1",)),
        ("how is eva cap trained", ("2",)),
        ("A$^3$Bench number of models", ("4",)),
        ("A^3Bench, A3Bench", ("4", "4")),
        ("What is A^2IQL?", ("6",)),
        ("gaze world improvement", ("7",)),
        ("ema nestrov rate", ("8",)),
        ("docter ai patients", ("9",)),
        ("Compare EVA-0 and ENGINE.", ("3", "5")),
        ("Who won?", ()),
        ("", ()),
    ],
)
def test_names_are_found_however_they_are_typed(text: str, ids: tuple[str, ...]) -> None:
    assert meant(text) == ids


def test_a_near_miss_is_looked_for_only_when_asked() -> None:
    assert NAMES.mentions("ema nestrov rate") == ()
    assert [m.paper_ids for m in NAMES.mentions("ema nestrov rate", fuzzy=True)] == [("8",)]
    assert [m.paper_ids for m in NAMES.mentions("EVA-0 beats gazeworlt")] == [("3",)]


def test_an_ordinary_word_may_be_a_name_but_is_not_certain() -> None:
    (mention,) = NAMES.mentions("a search engine for papers")
    assert not mention.certain
    (mention,) = NAMES.mentions("what does ENGINE do")
    assert mention.certain


def test_a_phrase_of_ordinary_words_may_be_a_name_but_is_not_certain() -> None:
    names = Names.of([("digital computers", "1"), ("Deep Speech", "2"), ("transfer to layer 3", "3")])
    certain = {
        i: m.certain
        for m in names.mentions("digital computers for deep speech, transfer to layer 3")
        for i in m.paper_ids
    }
    assert certain == {"1": False, "2": True, "3": True}


TITLED = Names.of(
    [("EVA-0", "1"), ("Deep Learning", "2")],
    [
        ("EVA-0: Adapting vision models at test time without any gradients at all", "1"),
        ("Deep Learning", "2"),
        ("Attention Is All You Need", "3"),
    ],
)


@pytest.mark.parametrize(
    ("text", "ids", "certain"),
    [
        ("What does attention is all you need say?", ("3",), True),
        ("eva-0: adapting vision models at test time, without any gradients at all", ("1",), True),
        ("What is deep learning?", ("2",), False),
        ("Adapting vision models at test time", (), None),
    ],
)
def test_titles_are_found_and_plain_words_of_a_short_one_are_not_sure(text, ids, certain):
    mentions = TITLED.mentions(text)
    assert tuple(i for m in mentions for i in m.paper_ids) == ids
    assert all(m.certain is certain for m in mentions)
