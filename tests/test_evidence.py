from __future__ import annotations

import numpy as np
import pytest

from rag.domain import Paper, Sentence
from rag.evidence.answerable import (
    FACT_FEATURES,
    LIST_FEATURES,
    asks_what_it_is,
    fact_features,
    list_features,
)
from rag.evidence.candidates import Candidate, candidate
from rag.evidence.features import PAPER_FEATURES, SENTENCE_FEATURES, paper_features, sentence_features
from rag.evidence.linear import LinearModel, chance
from rag.evidence.reading import Reading, read
from rag.question import understand
from rag.text.sentences import spans

TEXT = (
    "Test-time scaling (TTS) is costly. We propose PreG, which ranks short prefixes. "
    "PreG was tried on 12 benchmarks. TTS gets 3 times cheaper."
)


def made(text: str = TEXT, name: str = "PreG") -> Candidate:
    sentences = [Sentence("p", i, a, b) for i, (a, b) in enumerate(spans(text))]
    rows = np.eye(len(sentences), 8, dtype=np.float32)
    return candidate(Paper("p", name, text), sentences, rows, rows[:1])


def reading_of(question: str, paper: Candidate, named: frozenset[str] = frozenset()) -> Reading:
    def embed(_text: str) -> np.ndarray:
        return np.array([0, 1, 0, 0, 0, 0, 0, 0], dtype=np.float32)

    return read(
        understand(question),
        embed,
        lambda terms: dict.fromkeys(terms, 1.0),
        [paper],
        {"p": named} if named else {},
    )


def test_abbreviations_are_spelt_both_ways() -> None:
    words = made().words
    assert "tts" in words[0]
    assert {"test", "time", "scale"} <= words[3]


def test_features_have_the_names_and_shapes_promised() -> None:
    paper = made()
    reading = reading_of("How many benchmarks was PreG tried on?", paper)
    rows = sentence_features(reading, paper)
    assert rows.shape == (4, len(SENTENCE_FEATURES))
    assert fact_features(reading, paper, rows[:, 0], 2.0).shape == (len(FACT_FEATURES),)
    belongs = paper_features(reading, paper, 1.0, 0.5, [(0.1, 0.1)])
    assert belongs.shape == (len(PAPER_FEATURES),)
    assert list_features(reading, [paper], np.array([1.0])).shape == (len(LIST_FEATURES),)


def test_the_sentence_with_the_counted_thing_holds_it() -> None:
    paper = made()
    holds = sentence_features(reading_of("How many benchmarks was PreG tried on?", paper), paper)
    assert holds[:, SENTENCE_FEATURES.index("holds")].argmax() == 2


def test_terms_that_every_sentence_holds_tell_nothing() -> None:
    paper = made("Alpha beta. Alpha gamma. Alpha delta.")
    telling = sentence_features(reading_of("alpha gamma", paper), paper)[
        :, SENTENCE_FEATURES.index("telling")
    ]
    assert telling.argmax() == 1
    assert telling[0] < 0.3 < telling[1]


def test_unknown_names_are_counted() -> None:
    paper = made()
    features = fact_features(
        reading_of("What does PreG reach on ImageNet-C?", paper), paper, np.zeros(4), 1.0
    )
    assert features[FACT_FEATURES.index("unknown_names")] == 1


def test_the_name_of_the_paper_is_not_held_unknown() -> None:
    paper = made()
    named = reading_of("what is pre g tried on", paper, frozenset({"pre", "g"}))
    assert fact_features(named, paper, np.zeros(4), 1.0)[FACT_FEATURES.index("unknown")] == 0


@pytest.mark.parametrize(
    ("question", "whole"), [("What is PreG?", True), ("Tell me about PreG", True), ("Who made PreG?", False)]
)
def test_a_question_may_ask_what_a_paper_is(question: str, whole: bool) -> None:
    paper = made()
    reading = reading_of(question, paper, frozenset({"preg"}))
    assert asks_what_it_is(reading, paper) is whole


def test_a_model_scores_standardised_features() -> None:
    model = LinearModel.of([("a", 1.0, 2.0, 3.0), ("b", 0.0, 1.0, -1.0)], 0.5)
    assert model.score(np.array([[3.0, 1.0]])).tolist() == [1.0 * 3.0 - 1.0 + 0.5]


def test_chances_lie_between_nothing_and_certainty() -> None:
    assert chance(np.array([-1e9, 0.0, 1e9])).round(3).tolist() == [0.0, 0.5, 1.0]
