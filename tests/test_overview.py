from __future__ import annotations

import pytest

from rag.generate.overview import Topic
from rag.text.words import content_terms


def topic(words: str) -> Topic:
    return Topic(words, dict.fromkeys(content_terms(words), 1.0))


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        ("federated learning", "We study Federated Learning here.", "Federated Learning"),
        ("federated learning", "A federated approach to it.", "federated"),
        ("zeroth-order optimisation", "A zeroth-order method.", "zeroth-order"),
        ("learning of large language models", "Prompts for large language models.", "large language models"),
        ("graph neural networks", "Neural graphs are networks.", ""),
        ("graphs", "No word of it.", ""),
    ],
)
def test_the_longest_row_of_the_topic_s_words_is_found_as_written(words: str, text: str, found: str) -> None:
    assert topic(words).written_in(text) == found


def test_a_long_topic_takes_no_time() -> None:
    words = " ".join(f"word{n}" for n in range(300))
    assert topic(words).written_in("some text " * 3000) == ""
