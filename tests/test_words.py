"""Index terms and folded names: different spellings of one thing meet."""

from __future__ import annotations

import pytest

from rag.text.words import content_terms, fold_name, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EVA-0", ["eva", "0", "eva0"]),
        ("A³Bench A^3Bench A$^3$Bench", ["a3bench", "a3bench", "a3bench"]),
        ("1,000 items at 78.27%", ["1000", "item", "at", "78.27"]),
        ("fine-tuning", ["fine", "tune", "finetun"]),
        ("finetuning", ["finetun"]),
        ("Schrödinger's equations", ["schroding", "equat"]),
        ("labor‑intensive", ["labor", "intens", "laborintens"]),
        ("图神经网络 EVA", ["图神", "神经", "经网", "网络", "eva"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("", []),
    ],
)
def test_terms_are_normalised_and_stemmed(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_content_terms_leave_out_stop_words() -> None:
    assert content_terms("What is the accuracy of EVA-0 with BERT?") == [
        "accuraci",
        "eva",
        "0",
        "eva0",
        "bert",
    ]


@pytest.mark.parametrize("spelling", ["A$^3$Bench", "A^3Bench", "A³Bench", "a3bench", "A3-Bench"])
def test_spellings_of_one_name_fold_together(spelling: str) -> None:
    assert fold_name(spelling) == "a3bench"


def test_names_that_differ_stay_apart() -> None:
    assert len({fold_name(name) for name in ("EVA", "EVA-Cap", "EVA-0")}) == 3
