"""Names of untitled papers: the system an abstract introduces, else a phrase of its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.papers.names import MAX_LENGTH, aliases, candidates, choose
from rag.text.latex import readable
from rag.text.words import fold_name

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))
NAMES = (
    [
        "A2I", "A2Eval", "A³Bench", "AIQL", "PLSA", "typed tensor language", "AstroVLBench",
        "recurrent network model: grid and place cells", "prediction with expert advice",
        "biologically plausible model of cortical computation",
        "unique Riemannian representational geometry",
        "transitive inference with exceptions", "predicted-NN-distance", "SCAMPER", "SLE",
        "closed-form ODEs for the learning dynamics", "GazeWorld",
        "Anchored fixed point and monotone equation methods", "TPRs",
    ],
    [
        "Echo Learning", "EasyLens", "PreG", "zero-shot referring image segmentation", "PLVM", "EVOCHAMBER",
        "EVA",
        "EVA-Cap", "EVA-0", "ESSAM", "ESS-Flow", "ESENSC", "ERIS", "EP-Flow", "EO-WM", "ENGINE", "EMO",
        "EMA-Nesterov", "EM-NeSy",
    ],
)  # fmt: skip


def abstracts(path: Path) -> list[str]:
    return [block for block in path.read_text(encoding="utf-8").split("\n\n")[1:] if block.strip()]


def name(raw: str, title: str = "") -> str:
    return choose(candidates(readable(raw), title, raw), frozenset())


@pytest.mark.parametrize(("path", "expected"), list(zip(SEEDS, NAMES, strict=True)), ids=["000", "003"])
def test_seed_papers_have_the_names_their_readers_use(path: Path, expected: list[str]) -> None:
    assert [name(raw) for raw in abstracts(path)] == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("LLMs forget. We propose a memory system, dubbed MemTree, which stores facts.", "MemTree"),
        ("Reinforcement learning (RL) is hard. We introduce FooBench, a benchmark, and BarNet.", "FooBench"),
        ("In this paper we present a sparse attention method termed Longcat that scales.", "Longcat"),
        ("We study a new optimiser named Sophia-2. Sophia-2 is fast.", "Sophia-2"),
        ("Graph neural networks (GNNs) oversmooth. We call our method DropMessage.", "DropMessage"),
        ("Diffusion models are slow. Our method, FastDPM, needs ten steps.", "FastDPM"),
        ("pFedMe is a personalised federated learning algorithm. pFedMe improves over FedAvg.", "pFedMe"),
        ("We present the Vision Transformer Adapter (ViT-Adapter), an adapter.", "ViT-Adapter"),
        ("Robots must see. We present π0, a flow model. π0 folds laundry.", "π0"),
        ("We introduce **GPT-4V-Bench**, a benchmark. GPT-4 scores 40%.", "GPT-4V-Bench"),
        ("We present Swapnet, a framework to transfer garments across images.", "Swapnet"),
        ("We present a speech system. Our system, called Deep Speech, is best.", "Deep Speech"),
        ("In this work, we release OpenMathInstruct-2, a dataset of 14M pairs, and train Llama3.1-8B on it.",
         "OpenMathInstruct-2"),
    ],
)  # fmt: skip
def test_the_system_an_abstract_introduces_is_its_name(raw: str, expected: str) -> None:
    assert name(raw) == expected


def test_background_abbreviations_are_not_names() -> None:
    raw = "We propose a reinforcement learning (RL) approach for chip placement. RL agents place chips."
    assert name(raw) == "reinforcement learning approach for chip placement"


def test_without_a_system_the_name_is_a_phrase_of_the_abstract() -> None:
    raw = "This paper studies the effect of dropout on convergence of stochastic gradient descent in nets."
    assert name(raw) == "dropout on convergence of stochastic gradient descent"


def test_a_title_gives_the_name() -> None:
    assert name("We do X.", "EVA: Evidence for all") == "EVA"
    assert name("We do X.", "Attention Is All You Need") == "Attention Is All You Need"
    long_title = "A very long title about the many ways in which a title can be far too long"
    assert name("We do X.", long_title) == "A very long title about the many ways in which a title"


def test_names_are_unique_and_short() -> None:
    taken: set[str] = set()
    for _ in range(4):
        chosen = choose(["EVA", "Evidence Agent"], taken)
        assert fold_name(chosen) not in taken and len(chosen) <= MAX_LENGTH
        taken.add(fold_name(chosen))
    assert choose([], frozenset()) == "untitled paper"
    assert choose(["x" * 200], {"x" * 60}) == "x" * 56 + " (2)"


def test_aliases_are_the_other_names_the_paper_introduces() -> None:
    eva, eva_cap, eris = (abstracts(SEEDS[1])[i] for i in (6, 7, 12))
    assert "Evidence-seeking Visual Agent" in aliases(readable(eva), "", eva)
    assert "EVA-Data" in aliases(readable(eva_cap), "", eva_cap)
    assert "Federated Shard Aggregation" in aliases(readable(eris), "", eris)


@pytest.mark.parametrize(
    "text", ["", ".", "Short.", "We propose.", "(((", "1 2 3", "这是。", "A" * 5000, "a " * 5000]
)
def test_any_text_gets_some_name(text: str) -> None:
    assert 0 < len(choose(candidates(text), frozenset())) <= MAX_LENGTH
