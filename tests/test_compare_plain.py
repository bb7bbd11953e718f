"""Comparisons of abstracts that are short, plain, or of other fields."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.domain import Answer
from rag.library import Library

LIST = """Plain abstracts

Detecting small objects in aerial images is difficult. We present RhoNet, a detector with a high-resolution \
branch. RhoNet attains 48.2 mAP on COCO. It needs 24 GB of memory.

Detecting small objects in aerial images remains hard. We present SigmaNet, a detector with deformable \
attention. SigmaNet obtains 51.0 mAP on COCO. Training takes 8 GPUs.

Speech recognition is costly. We present SpeeA, a small recogniser of speech. SpeeA reaches 5.1% word error \
rate on TED-LIUM, and not on COCO.

Massive corals grow slowly, which limits their use. We cut Orbicella faveolata into fragments and \
planted 480 of them on eight dead coral heads in the Florida Keys. Fish bites killed 27% of them in a week.

Surveying bleaching by divers is slow. We present ReefNet, a network that segments bleached coral. Trained \
on 12,400 labelled tiles from Okinawa, ReefNet reaches an F1 of 0.87. It fails where waves are high.

Cats are hard to draw. We present CatF, a tool that draws. Unlike DogG, which requires 8 GPUs, CatF runs \
on a phone. It draws 40 cats in a minute.
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    made = tmp_path_factory.mktemp("plain")
    (made / "list.txt").write_text(LIST, "utf-8")
    with Library.open(made / "library", write=True) as library:
        library.ingest([made / "list.txt"])
        yield library


def cell(answer: Answer, place: int, aspect: str) -> str | None:
    assert answer.table is not None
    return answer.table.cells[answer.table.papers[place]][aspect].text


def figures(answer: Answer) -> str:
    return next((s.text for s in answer.sentences if "figure" in s.text), "")


def test_plain_sentences_fill_the_cells_they_belong_to(library: Library) -> None:
    answer = library.compare(["RhoNet", "SigmaNet"])
    assert "48.2 mAP" in str(cell(answer, 0, "results")) and "COCO" in str(cell(answer, 0, "data"))
    assert "24 GB" in str(cell(answer, 0, "limits")) and "8 GPUs" in str(cell(answer, 1, "limits"))
    assert "51.0 mAP" in str(cell(answer, 1, "results"))
    assert figures(answer).startswith(
        "Their figures can be set side by side as far as the settings agree, for both"
    )


def test_a_paper_of_another_field_has_its_approach_and_results(library: Library) -> None:
    answer = library.compare(["list.txt#4", "ReefNet"])
    assert str(cell(answer, 0, "approach")).startswith("We cut")
    assert "27%" in str(cell(answer, 0, "results")) and "grow slowly" in str(cell(answer, 0, "problem"))
    assert "12,400" in str(cell(answer, 1, "data")) and "fails where" in str(cell(answer, 1, "limits"))


def test_data_that_is_denied_is_no_data_in_common(library: Library) -> None:
    assert "no two of the abstracts name the same data" in figures(library.compare(["RhoNet", "SpeeA"]))


def test_two_of_three_that_name_the_same_data_are_told(library: Library) -> None:
    told = figures(library.compare(["RhoNet", "SpeeA", "SigmaNet"]))
    assert told.startswith("Of their figures, those of RhoNet and SigmaNet, which both name COCO, can")


def test_another_paper_s_needs_are_not_this_one_s(library: Library) -> None:
    assert cell(library.compare(["CatF", "ReefNet"]), 0, "limits") is None


def test_a_topic_that_no_paper_is_on_is_not_said_to_be_dealt_with(seed_library: Library) -> None:
    answer = seed_library.summarize("video segmentation")
    assert answer.sentences[0].text.startswith("None of the 38 papers here is on all of video segmentation")


def test_words_that_no_paper_holds_are_named(seed_library: Library) -> None:
    for answer in (
        seed_library.summarize("quantum federated learning"),
        seed_library.compare(topic="quantum federated learning"),
    ):
        assert answer.status == "partial" and "“quantum”" in answer.warnings[0]
    lead = seed_library.summarize("quantum federated learning").sentences[0].text
    assert lead.startswith("2 of the 38 papers here deal with federated learning")
