from __future__ import annotations

import pytest

from rag.library import Library
from rag.question import understand

SECOND = "003_3877a10d02584f83.txt"


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("eva0", f"{SECOND}#9"),
        ("EVA-0 speed", f"{SECOND}#9"),
        ("What is EVA?", f"{SECOND}#7"),
        ("eva cap training", f"{SECOND}#8"),
        ("A3Bench models", "000_4a7b9ac06c042d5b.txt#3"),
        ("A$^2$IQL lowest varience", "000_4a7b9ac06c042d5b.txt#4"),
        ("\\Engine V-cycle", f"{SECOND}#16"),
        ("Prefix-Guided Sampling", f"{SECOND}#3"),
    ],
)
def test_a_paper_is_found_by_its_name_in_any_spelling(
    seed_library: Library, question: str, source: str
) -> None:
    assert seed_library.search(question)[0].paper.source == source


def test_a_hit_says_why_it_was_found(seed_library: Library) -> None:
    hit = seed_library.search("How much faster than FOA is EVA-0?")[0]
    assert hit.ranks == {"vectors": 1, "words": 1, "sentence": 1, "name": 1}
    assert hit.signals["words"] > 0
    assert 0 < hit.signals["vectors"] < hit.signals["sentence"] <= 1


def test_misspelt_words_still_find_their_paper(seed_library: Library) -> None:
    hits = seed_library.search("disorderd crystall structur predicton")
    assert hits[0].paper.name == "EP-Flow"


def test_hits_are_best_first_and_each_once(seed_library: Library) -> None:
    hits = seed_library.search("reinforcement learning", k=38)
    scores = [h.score for h in hits]
    assert scores == sorted(scores, reverse=True)
    assert len({h.paper.id for h in hits}) == len(hits)


def test_alternatives_are_both_found(seed_library: Library) -> None:
    names = [
        h.paper.name for h in seed_library.search("Which papers are about federated learning or crystals?", 4)
    ]
    assert {"ERIS", "EP-Flow"} <= set(names)


def test_only_given_papers_are_looked_at(seed_library: Library) -> None:
    retriever, _ = seed_library.searching()
    only = [p.id for p in seed_library.papers()[:3]]
    hits = retriever.retrieve(understand("reinforcement learning"), only).hits
    assert {h.paper.id for h in hits} == set(only)


def test_each_ranking_can_be_asked_for_alone(seed_library: Library) -> None:
    rankings = seed_library.rankings("federated learning", 5)
    assert set(rankings) == {"vectors", "words", "fused"}
    assert all(0 < len(r) <= 5 for r in rankings.values())


def test_rare_terms_weigh_more(seed_library: Library) -> None:
    retriever, _ = seed_library.searching()
    rarity = retriever.rarity(["model", "crystal", "nosuchword"])
    assert rarity["nosuchword"] > rarity["crystal"] > rarity["model"] > 0


@pytest.mark.parametrize("question", ["", "???", "\ud800", "a" * 5000, "OR AND NOT (", "文"])
def test_any_question_can_be_searched_for(seed_library: Library, question: str) -> None:
    assert isinstance(seed_library.search(question), list)


def test_more_hits_than_are_usually_weighed_can_be_asked_for(seed_library: Library) -> None:
    retriever, _ = seed_library.searching()
    few = retriever.retrieve(understand("learning"), most=5).hits
    assert len(few) == 5
    assert len(retriever.retrieve(understand("learning"), most=1000).hits) == 38
