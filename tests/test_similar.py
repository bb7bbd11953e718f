from __future__ import annotations

import random

import pytest
from rapidfuzz import fuzz, process

from rag.retrieve.similar import SimilarNames
from rag.text.words import fold_name


def names(count: int) -> list[str]:
    chance = random.Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789é中λ"
    return ["".join(chance.choices(letters, k=chance.randint(5, 24))) for _ in range(count)]


def test_what_is_found_is_what_comparing_all_would_find():
    known = names(3000)
    similar = SimilarNames(known)
    chance = random.Random(4)
    for name in known[:300]:
        typed = list(name)
        for _ in range(chance.randint(0, 3)):
            typed[chance.randrange(len(typed))] = chance.choice("aeiou1")
        word = "".join(typed)
        wanted = process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=85.0)
        found = similar.best(word, 85.0)
        assert found == (wanted[:2] if wanted else None), word


@pytest.mark.parametrize("known", [[], ["a"], ["federated", "learning"]])
def test_nothing_alike_is_nothing_found(known):
    assert SimilarNames(known).best("zzzzzz", 85.0) is None


def test_one_letter_may_be_wrong():
    assert SimilarNames(["federated", "diffusion"]).best("difusion", 85.0)[0] == "diffusion"


@pytest.mark.parametrize(
    ("name", "folded"), [("EVA-0", "eva0"), ("a_b c", "abc"), ("A³Bench", "a3bench"), ("Größe", "grosse")]
)
def test_names_fold_the_same_in_ascii_and_beyond(name, folded):
    assert fold_name(name) == folded
