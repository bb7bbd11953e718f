from __future__ import annotations

import numpy as np
import pytest

from rag.evidence.matching import coverage, matched, variants


@pytest.mark.parametrize(
    ("term", "word", "sure"),
    [
        ("agent", "agent", 1.0),
        ("vlms", "vlm", 1.0),
        ("evaluted", "evaluated", 0.7),
        ("variation", "variational", 0.8),
    ],
)
def test_near_words_stand_for_a_term(term: str, word: str, sure: float) -> None:
    assert variants([term], [word])[term] == {word: sure}


@pytest.mark.parametrize(("term", "word"), [("train", "brain"), ("map", "gap"), ("noise", "robot")])
def test_other_words_do_not(term: str, word: str) -> None:
    assert variants([term], [word])[term] == {}


def test_coverage_is_the_weighted_share() -> None:
    sentences = [frozenset({"a"}), frozenset({"a", "b"})]
    table = matched(sentences, ["a", "b"], variants(["a", "b"], ["a", "b"]))
    assert np.allclose(coverage(table, np.array([1.0, 3.0])), [0.25, 1.0])


def test_nothing_asked_covers_nothing() -> None:
    assert coverage(np.zeros((2, 0)), np.zeros(0)).tolist() == [0.0, 0.0]
