from __future__ import annotations

import numpy as np
import pytest

from rag.papers.sketches import PLACES, SketchIndex, scheme, share, sketch

RNG = np.random.default_rng(3)
WORDS = [f"w{n}" for n in range(120)]


def random(count: int) -> np.ndarray:
    return RNG.integers(0, 65536, (count, PLACES), dtype=np.uint16)


def test_the_share_of_equal_places_estimates_the_share_of_pairs():
    half = WORDS[:60] + [f"x{n}" for n in range(60)]
    true = 59 / (119 + 119 - 59)
    found = share(sketch(WORDS), np.stack([sketch(WORDS), sketch(half), sketch(half[60:])]))
    assert found[0] == 1.0
    assert found[1] == pytest.approx(true, abs=0.15)
    assert found[2] < 0.05


def test_a_sketch_of_few_words_or_none_is_made():
    assert sketch(["one"]).shape == sketch([]).shape == (PLACES,)


def test_the_scheme_is_the_same_each_time():
    assert scheme() == scheme() == "pairs/2:" + scheme().partition(":")[2]


@pytest.mark.parametrize("held", [0, 1, 50])
def test_near_sketches_are_found_among_those_held_and_those_added(held):
    rows = random(held)
    index = SketchIndex(rows)
    wanted = sketch(WORDS)
    close = sketch(WORDS[:110] + ["other"])
    position = index.add(close)
    for row in random(30):
        index.add(row)
    assert position == held
    assert index.near(wanted) == [held]
    np.testing.assert_array_equal(index.rows([position])[0], close)
    # Many more are sorted in with the rest.
    for row in random(1100):
        index.add(row)
    assert index.near(wanted) == [held]
    assert index.pairs() == (set(), set())
    index.add(wanted)
    assert index.pairs() == ({(held, held + 1131)}, set())


def test_an_index_of_nothing_finds_nothing():
    index = SketchIndex(random(0))
    assert index.near(sketch(WORDS)) == []
    assert index.pairs() == (set(), set())


def test_in_a_crowd_each_is_paired_with_a_few():
    alike = np.stack([sketch([*WORDS[:110], f"number{n}"]) for n in range(60)])
    pairs, crowded = SketchIndex(alike).pairs()
    assert crowded == set(range(60))
    assert {(n, n + 1) for n in range(59)} <= pairs and len(pairs) < 60 * 20
