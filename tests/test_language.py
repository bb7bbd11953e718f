from __future__ import annotations

import pytest

from rag.text.language import language_of


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Which papers are about agents?", "en"),
        ("papers on Twitter", "en"),
        ("em nesy differentiable symbolic part requierd?", "en"),
        ("EO-WM 如何表示天气强迫？", "zh"),
        ("Wie schnell ist EVA-0 im Vergleich zu FOA?", "de"),
        ("Quels articles parlent de l'apprentissage fédéré ?", "fr"),
        ("Какие статьи о графах?", "ru"),
        ("", "en"),
        ("42", "en"),
    ],
)
def test_the_language_of_a_question_is_told(text: str, code: str) -> None:
    assert language_of(text) == code
