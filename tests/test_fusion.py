from __future__ import annotations

from rag.retrieve.fusion import convex, ranks, reciprocal_rank


def test_reciprocal_ranks_are_summed() -> None:
    assert reciprocal_rank([["a", "b"], ["b"]]) == {"a": 1 / 61, "b": 1 / 62 + 1 / 61}


def test_a_paper_in_both_rankings_beats_one_at_the_top_of_either() -> None:
    fused = reciprocal_rank([["a", "c"], ["b", "c"]])
    assert max(fused, key=lambda k: fused[k]) == "c"


def test_words_count_as_a_share_of_the_best() -> None:
    assert convex(0.5, 0.4, 10.0, 20.0) == 0.5 + 0.4 + 0.25
    assert convex(0.5, 0.4, 0.0, 0.0) == 0.9


def test_ranks_start_at_one() -> None:
    assert ranks({"a": 0.1, "b": 0.9}) == {"b": 1, "a": 2}
