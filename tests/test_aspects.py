from __future__ import annotations

import pytest

from rag.domain import Hit
from rag.evidence.aspects import USUAL, aspect, stated, view
from rag.evidence.roles import load_roles
from rag.library import Library


def clauses(library: Library, name: str, words: str) -> list[str]:
    retriever, gatherer = library.searching()
    (candidate,) = gatherer.candidates([Hit(library.paper(name), 0.0)])
    texts = [candidate.text(i) for i in range(len(candidate.sentences))]
    seen = view(candidate, load_roles().chances(texts, candidate.vectors))
    found = stated(seen, aspect(words, retriever.embedder.embed_query))
    return [texts[c.sentence][c.start : c.end] for c in found]


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("A2Eval", "problem", "redundancy and coverage imbalance"),
        ("A2I", "approach", "structural encoding framework"),
        ("ERIS", "data", "image and text tasks"),
        ("zero-shot referring image segmentation", "benchmarks", "RefCOCO"),
        ("EO-WM", "results", "5.63%"),
        ("ESS-Flow", "limits", "forward passes"),
        ("GazeWorld", "limitations", "without requiring real gaze data"),
        ("EMA-Nesterov", "Method", "exponential moving average"),
    ],
)
def test_the_usual_aspects_are_found(seed_library: Library, name: str, words: str, said: str) -> None:
    assert said in " ".join(clauses(seed_library, name, words))


def test_the_approach_is_never_given_as_the_problem(seed_library: Library) -> None:
    for paper in seed_library.papers():
        approach, problem = (clauses(seed_library, paper.id, words) for words in ("approach", "problem"))
        assert not set(approach[:1]) & set(problem)


def test_a_bare_name_is_explained(seed_library: Library) -> None:
    assert len(clauses(seed_library, "ENGINE", "approach")) == 2


def test_own_words_must_be_held_or_come_close(seed_library: Library) -> None:
    assert "cryptograph" in " ".join(clauses(seed_library, "ERIS", "cryptography"))
    assert clauses(seed_library, "ERIS", "astronomy") == []


def test_nearly_every_abstract_has_an_approach(seed_library: Library) -> None:
    told = [bool(clauses(seed_library, paper.id, "approach")) for paper in seed_library.papers()]
    assert sum(told) >= 36


@pytest.mark.parametrize("words", USUAL)
def test_clauses_are_stretches_of_one_sentence(seed_library: Library, words: str) -> None:
    for paper in seed_library.papers()[:10]:
        for clause in clauses(seed_library, paper.id, words):
            assert clause and clause in paper.text
