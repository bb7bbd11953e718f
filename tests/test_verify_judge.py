"""Claims about the seed abstracts, judged by words alone and with vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rag.domain import Paper, Record, Sentence
from rag.papers import make_paper
from rag.sources import read
from rag.verify.judge import Judgeable, Judgement, Words, judge
from tests.fakes import HashEmbedder

SEEDS = Path(__file__).parent.parent / "seeds" / "003_3877a10d02584f83.txt"


@cache
def seeds() -> dict[int, Paper]:
    taken: set[str] = set()
    records = [r for r in read(SEEDS, SEEDS.name) if isinstance(r, Record)]
    return {i: make_paper(record, taken) for i, record in enumerate(records, 1)}


def verdict(claim: str, number: int) -> Judgement:
    return judge(claim, Words.of(seeds()[number]))


@pytest.mark.parametrize(
    ("number", "claim"),
    [
        (9, "EVA-0 uses just two forward passes per sample and no backpropagation."),
        (9, "EVA-0 is 14 times faster than FOA."),
        (10, "ESSAM averages 78.27% accuracy, against 77.72% for PPO."),
        (8, "EVA-Cap gains 5.3% on ChronusAV and 3.3% on WorldSense."),
        (3, "Confidence matters most for questions near the decision boundary."),
        (4, "The framework needs no training and segments with a single denoising step."),
    ],
)
def test_what_the_abstract_says_is_supported(number: int, claim: str) -> None:
    judgement = verdict(claim, number)
    assert judgement.verdict == "supported", judgement.reason
    assert judgement.spans


@pytest.mark.parametrize(
    ("number", "claim", "layer"),
    [
        (9, "EVA-0 needs three forward passes per sample.", "number"),
        (9, "EVA-0 depends on backpropagation for adaptation.", "direction"),
        (9, "FOA is 14 times faster than EVA-0.", "order"),
        (9, "EVA-0 was tested on KITTI.", "name"),
        (10, "ESSAM reduces GPU memory usage by 10× compared to PPO.", "number"),
        (10, "ESSAM cuts GPU memory by 18x against GRPO.", "number"),
        (10, "ESSAM surpasses PPO with an accuracy of 78.34%.", "number"),
        (12, "ESENSC scales exponentially with the number of features.", "order"),
        (15, "EO-WM improves directional hit rate by 5.63%.", "number"),
        (17, "EMO loses 3% when retaining 25% of experts.", "number"),
        (8, "EVA-Cap gains 3.3% on ChronusAV and 5.3% on WorldSense.", "number"),
        (11, "ESS-Flow was validated in a wet-lab experiment on antibodies.", "support"),
        (3, "A NormalHedge variant enjoys a quantile regret bound.", "name"),
    ],
)
def test_what_it_does_not_say_is_unsupported_and_the_layer_tells_why(
    number: int, claim: str, layer: str
) -> None:
    judgement = verdict(claim, number)
    assert (judgement.verdict, judgement.layer) == ("unsupported", layer), judgement.reason


def test_reasons_are_for_people() -> None:
    assert verdict("EVA-0 was tested on KITTI.", 9).reason == "nothing in this abstract speaks of KITTI"
    reason = verdict("EVA-0 needs three forward passes per sample.", 9).reason
    assert reason == "the abstract says two forward passes here, not three forward passes"


def test_the_spans_are_those_of_the_sentences_it_rests_on() -> None:
    judgement = verdict("EVA-0 is 14 times faster than FOA.", 9)
    text = seeds()[9].text
    start, end = judgement.quoted
    assert "14× speed-up over FOA" in text[start:end]
    assert text[start:end].startswith("Results on")


def test_a_claim_that_joins_two_sentences_rests_on_both() -> None:
    paper = Paper("1" * 20, "Sys", "Sys encodes graphs as images. It was tried on six data sets of proteins.")
    judgement = judge("Sys encodes graphs as images and was tried on proteins.", Words.of(paper))
    assert judgement.verdict == "supported"
    assert judgement.spans == ((0, 29), (30, len(paper.text)))
    assert judgement.quoted == (0, len(paper.text))


def test_vectors_are_used_where_there_are_some() -> None:
    embedder = HashEmbedder()
    text = "Sys maps sounds to colors. Nothing else is known."
    sentences = (Sentence("2" * 20, 0, 0, 26), Sentence("2" * 20, 1, 27, len(text)))
    vectors = embedder.embed_documents([text[s.start : s.end] for s in sentences])
    paper = Words(Paper("2" * 20, "Sys", text), sentences, vectors)
    judgement = judge("Sys maps sounds to colors.", paper, embedder.embed_query("Sys maps sounds to colors."))
    assert (judgement.verdict, judgement.spans) == ("supported", ((0, 26),))


@pytest.mark.parametrize("claim", ["", "   ", "!!!", "a" * 5000, "\x00", "12 34 56", "not not not no"])
def test_odd_claims_are_judged_without_failing(claim: str) -> None:
    assert judge(claim, Words.of(seeds()[9])).verdict in ("supported", "partial", "unsupported")


def test_a_paper_without_sentences_supports_nothing() -> None:
    assert judge("A claim.", Words.of(Paper("3" * 20, "Empty", ""))).verdict == "unsupported"


def test_a_second_judge_is_asked_only_where_nothing_contradicts() -> None:
    asked: list[str] = []

    def doubting(claim: str, paper: Judgeable, judgement: Judgement) -> Judgement:
        asked.append(claim)
        return Judgement("partial", "I doubt it", judgement.spans, 0.5, "model")

    second: Callable[[str, Judgeable, Judgement], Judgement] = doubting
    paper = Words.of(seeds()[9])
    assert judge("EVA-0 is 14 times faster than FOA.", paper, None, second).reason == "I doubt it"
    assert judge("EVA-0 was tested on KITTI.", paper, None, second).layer == "name"
    assert asked == ["EVA-0 is 14 times faster than FOA."]


def test_the_zero_vector_does_no_harm() -> None:
    paper = Words.of(seeds()[9])
    assert judge("EVA-0 is fast.", paper, np.zeros(4, dtype=np.float32)).verdict


def test_whole_sentences_are_quotations_but_parts_of_one_are_not() -> None:
    paper = Words.of(Paper("4" * 20, "Sys", "It is false that Sys is slow. Sys maps sounds to colors."))
    assert judge("Sys maps sounds to colors.", paper).reason == "quoted word for word"
    assert judge("Sys is slow.", paper).reason != "quoted word for word"
