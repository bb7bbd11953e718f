from __future__ import annotations

import pytest

from rag.domain import Hit
from rag.evidence.shared import Shared, shared
from rag.library import Library


def phrases(library: Library, *names: str, most: int = 6) -> tuple[Shared, ...]:
    retriever, gatherer = library.searching()
    candidates = gatherer.candidates([Hit(library.paper(name), 0.0) for name in names])
    found = shared(candidates, retriever.rarity, most)
    for phrase in found:
        for row, place in phrase.places.items():
            assert 0 <= place.start < place.end <= len(candidates[row].text(place.sentence))
    return found


@pytest.mark.parametrize(
    ("names", "phrase"),
    [
        (("EVA-0", "ENGINE"), "zeroth-order"),
        (("EVA-0", "ENGINE"), "forward passes"),
        (("EO-WM", "GazeWorld"), "world modeling"),
        (("AIQL", "SCAMPER"), "reinforcement learning"),
        (("AstroVLBench", "EasyLens"), "Vision-language models"),
    ],
)
def test_a_phrase_of_both_papers_is_found_as_written(
    seed_library: Library, names: tuple[str, ...], phrase: str
) -> None:
    assert phrase in [found.text for found in phrases(seed_library, *names)]


def test_papers_of_different_fields_share_nothing(seed_library: Library) -> None:
    assert phrases(seed_library, "PLSA", "GazeWorld") == ()


def test_what_all_share_comes_first(seed_library: Library) -> None:
    found = phrases(seed_library, "EVA-0", "ESSAM", "ENGINE")
    assert len(found[0].places) == 3 and all(len(phrase.places) > 1 for phrase in found)


def test_phrases_do_not_repeat_each_other_s_words_and_are_few(seed_library: Library) -> None:
    found = phrases(seed_library, "EVA-0", "ENGINE", most=2)
    assert len(found) == 2
    assert not set(found[0].text.split()) & set(found[1].text.split())
