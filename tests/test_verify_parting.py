from __future__ import annotations

import pytest

from rag.domain import Paper
from rag.generate import DraftSentence, Span
from rag.verify.citations import check
from rag.verify.parting import parted

TINY = Paper(
    "a" * 20, "TinyNet", "TinyNet is a small network. TinyNet loses 3% of its accuracy after ten tasks."
)
ANT = Paper("b" * 20, "AntWalk", "AntWalk is a model of ants. AntWalk explains 85% of the paths of 40 ants.")
PAPERS = {paper.id: paper for paper in (TINY, ANT)}


def verdicts(text: str) -> list[str]:
    spans = tuple(Span(paper.id, 0, len(paper.text)) for paper in PAPERS.values())
    (sentence,), _ = check([DraftSentence(text, spans)], PAPERS)
    return [citation.verdict for citation in sentence.citations]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("TinyNet loses 3%, and AntWalk explains 85%.", "TinyNet loses 3%, and ", "AntWalk explains 85%."),
        ("AntWalk explains 85% while TinyNet loses 3%.", "TinyNet loses 3%.", "AntWalk explains 85% while "),
        ("TinyNet is small; AntWalk is a model.", "TinyNet is small; ", "AntWalk is a model."),
    ],
)
def test_a_sentence_is_cut_between_the_papers_it_names(text: str, first: str, second: str) -> None:
    assert parted(text, PAPERS.values()) == {TINY.id: first, ANT.id: second}


@pytest.mark.parametrize(
    "text",
    ["TinyNet and AntWalk both learn from few tasks.", "TinyNet loses 3% of it.", "Both are small.", ""],
)
def test_what_is_said_of_both_is_not_cut(text: str) -> None:
    assert parted(text, PAPERS.values()) == {}


def test_each_part_is_judged_against_its_own_paper() -> None:
    assert (
        verdicts("TinyNet loses 3% of its accuracy, and AntWalk explains 85% of the paths.")
        == ["supported"] * 2
    )


def test_figures_that_are_exchanged_are_not_supported() -> None:
    swapped = verdicts("TinyNet explains 85% of the paths, and AntWalk loses 3% of its accuracy.")
    assert "supported" not in swapped
