"""Sentence spans hold the whole text and survive the full stops of papers."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from rag.text.latex import readable
from rag.text.sentences import spans

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["We use approx. 5 items, e.g. cats vs. dogs (TPRs; Smolensky 1990).", "TPRs work."],
        ["See Fig. 3, Eq. (3) and No. 3 of J. Smith et al. 2020.", "It gains 4.6× (e.g. a. b)."],
        ["It is tested on ViT-B/16.", "The U.S. Army, i.e., users, agreed."],
        ["FedAvg drifts.", "pFedMe improves it.", "iCaRL does too."],
        ["We beat Smith et al.", "We win in the U.S.", "We go on."],
        ["“That is right. It is so.”", "He left (as he said. And more.) early."],
        ["See https://a.b/c.d?e=f.", "Then 3.14 is near."],
        ["No. 3 is better.", "Is it?", "No.", "We show it."],
        ["fatty acids rose .", "correlation coefficients were found .", "p < .05 ."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_chinese_sentences_need_no_spaces() -> None:
    assert sentences("这是第一句。这是第二句！好") == ["这是第一句。", "这是第二句！", "好"]


def test_spans_count_code_points() -> None:
    assert sentences("𝒟 is × big. We go.") == ["𝒟 is × big.", "We go."]


@pytest.mark.parametrize(
    ("path", "count"), list(zip(SEEDS, (145, 163), strict=True)), ids=lambda value: str(value)[-20:]
)
def test_seed_sentences_begin_and_end_like_sentences(path: Path, count: int) -> None:
    found = [
        s for raw in path.read_text(encoding="utf-8").split("\n\n")[1:] for s in sentences(readable(raw))
    ]
    assert len(found) == count
    assert all(sentence[0].isupper() for sentence in found)
    assert [s for s in found if s[-1] not in ".?"] == [
        s for s in found if s.startswith("Code") and s[-1] != "."
    ]


def test_spans_hold_every_visible_character_once_and_in_order() -> None:
    pieces = [
        " ",
        "\n\n",
        "\u2028",
        "\t",
        ". ",
        *"word Fig. e.g. ! ? ( ) “ ” 3.14 et al. U.S. 𝒟 é 。 中 We ... ).".split(),
    ]
    dice = random.Random(1)
    for _ in range(1500):
        text = "".join(dice.choice(pieces) for _ in range(dice.randint(0, 50)))
        at = 0
        for start, end in spans(text):
            assert at <= start < end and not text[at:start].strip()
            assert text[start:end] == text[start:end].strip()
            at = end
        assert not text[at:].strip()


@pytest.mark.parametrize("unit", ["a. ", "e.g. ", " . ", "“", "(", "。", "U.S. We "])
def test_long_text_is_cut_in_good_time(unit: str) -> None:
    start = time.process_time()
    spans((unit * 20_000)[:20_000])
    assert time.process_time() - start < 2
