from __future__ import annotations

import pytest

from rag.text.quantities import quantities


def read(text: str) -> list[tuple[str, float, str]]:
    return [(text[q.start : q.end], q.value, q.unit) for q in quantities(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("by 85%, at 4.6× the speed", [("85%", 85.0, "%"), ("4.6×", 4.6, "×")]),
        ("over 4,100 instances across five tasks", [("4,100", 4100.0, ""), ("five", 5.0, "")]),
        ("up to 13 percentage points", [("13 percentage points", 13.0, "pp")]),
        ("nearly a twofold speedup", [("twofold", 2.0, "×")]),
        ("a 1B-active, 14B-total model on 1T tokens", [("1B", 1e9, ""), ("14B", 14e9, ""), ("1T", 1e12, "")]),
        ("twenty-one models and two million users", [("twenty-one", 21.0, ""), ("two million", 2e6, "")]),
        ("a +5.3% gain, a -10.8% drop", [("+5.3%", 5.3, "%"), ("-10.8%", -10.8, "%")]),
        ("takes 16 ms and 2 hours", [("16 ms", 16.0, "ms"), ("2 hours", 2.0, "h")]),
        ("1.5 × 10⁻³ per step", [("1.5 × 10⁻³", 0.0015, "")]),
        ("in 2022", [("2022", 2022.0, "")]),
    ],
)
def test_numbers_are_read_with_value_and_unit(text: str, expected: list[tuple[str, float, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", ["EVA-0", "GPT-4.1-mini", "A3Bench", "Qwen3-8B", "p53 programme", "H2O"])
def test_digits_in_names_are_not_quantities(text: str) -> None:
    assert read(text) == []


def test_the_word_after_a_number_is_kept() -> None:
    (found,) = quantities("32 models were tried")
    assert found.noun == "models"


def test_an_absurd_exponent_does_not_overflow() -> None:
    (found, *_) = quantities("1 × 10^999999999")
    assert found.value == 1e300
