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
        ("Bees find their way home over 2 km; the system, BeeTrack, is open source.", "BeeTrack"),
        ("An interface to many simulators would help. PyNN is such an interface. PyNN runs.", "PyNN"),
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


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("We introduce and motivate radio systems with learned parts.", "radio systems with learned parts"),
        ("We investigate in this paper the role of trust in teams.", "trust in teams"),
        ("For each, we describe the sensor fusion schemes suggested by others.", "sensor fusion schemes"),
        ("We look at practices of photo filtering and gain insights.", "photo filtering"),
        ("The field of quantum computing strives to exploit physics.", "quantum computing"),
        ("This paper investigates the level of rigor in case research.", "rigor in case research"),
        ("We compare the beliefs with the results of a case study.",
         "beliefs with the results of a case study"),
        ("Gate current in metal–oxide devices is studied here.", "Gate current in metal-oxide devices"),
        ("We study mixtures of arbitrary (normal) mutation distributions.",
         "mixtures of arbitrary mutation distributions"),
    ],
)  # fmt: skip
def test_phrases_begin_and_end_where_a_reader_would(raw: str, expected: str) -> None:
    assert name(raw) == expected


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("the production of malignant tumours by nickel in the rat .",
         "production of malignant tumours by nickel in the rat"),
        ("free fatty acid concentration in maternal plasma and fetal body fat content .",
         "free fatty acid concentration in maternal plasma"),
        ("the concentration of non-esterified fatty acids in maternal and fetal plasma .",
         "concentration of non-esterified fatty acids"),
        ("toxicity of sulfur-35, selenium, and tellurium to avian embryos .",
         "toxicity of sulfur-35, selenium, and tellurium"),
        ("hypothermia.. physiologic effects and clinical application .",
         "hypothermia: physiologic effects and clinical application"),
        ("the localizing significance of limited simultaneous visual form perception .",
         "localizing significance of limited simultaneous visual form"),
    ],
)  # fmt: skip
def test_a_lower_case_heading_gives_a_whole_phrase(heading: str, expected: str) -> None:
    assert name(f"{heading} rats were fed and then examined .") == expected


def test_a_vague_phrase_gets_its_topic_and_two_people_are_no_name() -> None:
    raw = (
        "Natural language entailment is hard. In this paper, we propose a neural model that reads two"
        " sentences. Pfeifer and Bongard differ. Natural language entailment helps Pfeifer and Bongard."
    )
    assert name(raw) == "neural model: natural language entailment".replace("natural", "Natural")


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


def test_long_names_that_are_numbered_stay_apart() -> None:
    alike = "the occurrence of the fibrinolytic enzyme system in blood and"
    taken: set[str] = set()
    for last in "abcdefghijkl":
        taken.add(fold_name(choose([f"{alike} {last}"], taken)))
    assert len(taken) == 12


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
