from __future__ import annotations

import pytest

from rag.text.abbreviations import abbreviations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Parallel test-time scaling (TTS) is useful.", {"TTS": "test-time scaling"}),
        ("Vision-language models (VLMs) are used.", {"VLM": "Vision-language models"}),
        (
            "We propose ENGINE (Endogenous Variational MultiScale).",
            {"ENGINE": "Endogenous Variational MultiScale"},
        ),
        (
            "using Tensor Product Representations (TPRs; Smolensky 1990)",
            {"TPR": "Tensor Product Representations"},
        ),
        ("called Prefix-Guided Sampling (PreG), which", {"PreG": "Prefix-Guided Sampling"}),
    ],
)
def test_definitions_are_found(text: str, expected: dict[str, str]) -> None:
    assert abbreviations(text) == expected


@pytest.mark.parametrize(
    "text", ["a drop of 1% (3%) only", "see (Smith 2020)", "it works (see Figure)", "((((", ""]
)
def test_other_brackets_are_not_definitions(text: str) -> None:
    assert abbreviations(text) == {}
