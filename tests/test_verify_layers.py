"""Each layer alone, on a claim and an abstract of a sentence or two."""

from __future__ import annotations

import pytest

from rag.domain import Paper
from rag.verify.alignment import kinship
from rag.verify.comparing import outdone
from rag.verify.findings import Case
from rag.verify.judge import Words, prepare
from rag.verify.names import check_names, missing_phrase, names
from rag.verify.negation import signs
from rag.verify.numbers import check_numbers
from rag.verify.order import check_order
from rag.verify.polarity import check_polarity
from rag.verify.quantifiers import check_quantifiers
from rag.verify.reading import read, stem


def case(claim: str, abstract: str, name: str = "Sys") -> Case:
    return prepare(claim, Words.of(Paper("0" * 20, name, abstract)), None)[0]


COSTS = "Sys compresses suites by 85%, reduces costs by 77%, and runs 4.6 times faster on 32 models."
SCORES = "Sys outperforms Base by over 16% in ScanMatch and 22% in SED, on 1,200 scans of 40 people."


@pytest.mark.parametrize(
    "claim",
    [
        "Sys cuts costs by 77%.",
        "Sys cuts costs by about 77 percent.",
        "Sys compresses the suites by 85%.",
        "Sys was run on thirty-two models.",
        "Sys is over 4 times faster.",
    ],
)
def test_numbers_of_the_abstract_pass(claim: str) -> None:
    assert not check_numbers(case(claim, COSTS))


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("Sys cuts costs by 71%.", "the abstract says 77%, not 71%"),
        ("Sys cuts costs by 85%.", "the abstract says 77% here, not 85%"),
        ("Sys was run on 23 models.", "the abstract says 32 models, not 23 models"),
        ("Sys costs 400 dollars.", "the abstract says 32 models, not 400 dollars"),
    ],
)
def test_a_number_that_differs_or_belongs_to_something_else_is_found(claim: str, reason: str) -> None:
    assert [f.reason for f in check_numbers(case(claim, COSTS))] == [reason]


GRIPS = "Sys cuts power by 40% compared to Lodge and by 15% compared to Barn, an old tool."
RATES = "Sys raises purity to 0.71, and keeps a high depth (0.93), which is rare in high-depth work."
KEPT = "Keeping only 60% (20%) of the rooms costs just 2% (9%) of the rent."
LISTED = "The width of Ash and Oak boards is 4 mm and 7 mm, respectively."
DROPS = "It lowers the rent from 90% to 12% in Rome, and from 80% to 31% in Oslo."
FOOLED = "Sys fools Base with a 97% success rate, while changing on average 4% of the pixels of an image."
SEVERAL = "Sys gets 86% accuracy, 85% precision and 67% recall in cats and 98% accuracy in dogs."


@pytest.mark.parametrize("than", ["against", "over", "versus", "relative to", "than", "vs.", "compared with"])
def test_whatever_compares_a_figure_stays_with_what_it_is_compared_with(than: str) -> None:
    assert not check_numbers(case(f"Sys needs 40% less power {than} Lodge.", GRIPS))
    assert not check_numbers(case(f"Sys needs 15% less power {than} Barn.", GRIPS))
    assert check_numbers(case(f"Sys needs 40% less power {than} Barn.", GRIPS))
    assert check_numbers(case(f"Sys needs 15% less power {than} Lodge.", GRIPS))


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("Sys improves purity to 0.71.", RATES),
        ("Sys keeps the depth at 0.93.", RATES),
        ("Sys has 0.93 depth and 0.71 purity.", RATES),
        ("Sys costs 2% of the rent when 60% of the rooms are kept.", KEPT),
        ("With 20% of the rooms, Sys loses 9%.", KEPT),
        ("Sys loses 2% and 9% with 60% and 20% of the rooms.", KEPT),
        ("Oak boards are 7 mm wide.", LISTED),
        ("In Oslo, the rent falls from 80% to 31%.", DROPS),
        ("Sys gets 86% accuracy in cats.", SEVERAL),
        ("Changing 4% of the pixels on average fools Base 97% of the time.", FOOLED),
    ],
)
def test_a_figure_with_its_own_thing_passes(claim: str, abstract: str) -> None:
    assert not check_numbers(case(claim, abstract))


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("Sys improves purity to 0.93.", RATES),
        ("Sys keeps the depth at 0.71.", RATES),
        ("Sys has 0.71 depth and 0.93 purity.", RATES),
        ("Sys costs 9% of the rent when 60% of the rooms are kept.", KEPT),
        ("With 20% of the rooms, Sys loses 2%.", KEPT),
        ("Oak boards are 4 mm wide.", LISTED),
        ("In Oslo, the rent falls from 90% to 12%.", DROPS),
    ],
)
def test_a_figure_with_the_thing_of_another_is_found(claim: str, abstract: str) -> None:
    assert check_numbers(case(claim, abstract))


SET_AGAINST = "While the cost of Hare grows exponentially with the number of cities, Sys scales linearly."
MOTIVES = "The findings show that joy and custom affect addiction to phones, whereas duty has no effect."


@pytest.mark.parametrize(
    ("claim", "abstract", "found"),
    [
        ("Sys scales linearly with the number of cities.", SET_AGAINST, False),
        ("The cost of Hare is exponential in the number of cities.", SET_AGAINST, False),
        ("Sys scales exponentially with the number of cities.", SET_AGAINST, True),
        ("The cost of Hare grows linearly.", SET_AGAINST, True),
        ("Joy affects addiction to phones.", MOTIVES, False),
        ("Duty affects addiction to phones.", MOTIVES, True),
    ],
)
def test_what_is_said_of_the_other_subject_is_found(claim: str, abstract: str, found: bool) -> None:
    assert bool(check_order(case(claim, abstract))) == found


def test_exchanged_numbers_are_found() -> None:
    assert not check_numbers(case("Sys beats Base by 16% in ScanMatch and 22% in SED.", SCORES))
    assert check_numbers(case("Sys beats Base by 22% in ScanMatch and 16% in SED.", SCORES))


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("It takes under four minutes.", "It takes 224 seconds."),
        ("It is a hundred times faster.", "It is two orders of magnitude faster."),
        ("It is a hundred to a thousand times faster.", "It is two to three orders of magnitude faster."),
        ("It cuts memory by a factor of ten.", "It cuts memory by 10×."),
        ("It handles five to ten frames a second.", "It handles 5 to 10 fps."),
        ("It holds from 1 to 5 bits.", "It holds at any rate between 1 and 5 bits."),
        ("It drops by 10.8%.", "The largest drop is -10.8%."),
        ("It rose by 3.2 points.", "It rose from 114.7 to 117.9 points."),
        ("Sales grow for four years.", "Sales grow until 2002, from 1998."),
        ("Dropping three quarters of them costs 1%.", "Keeping only 25% of them costs 1%."),
        ("There are three challenges.", "There are challenges, namely: fusion, alignment, and co-learning."),
        ("Between roughly 82% and 93% are read.", "It reads 81.53%, 86.75% and 92.88% of them."),
        ("Tongues gave 98% accuracy, eyes 86%.", "It has 86% accuracy on eyes and 98% accuracy on tongues."),
        ("A dozen agents work.", "We use 12 agents."),
    ],
)
def test_numbers_that_follow_from_the_abstract_pass(claim: str, abstract: str) -> None:
    assert not check_numbers(case(claim, abstract))


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("It takes under three minutes.", "It takes 224 seconds."),
        ("It is a thousand times faster.", "It is two orders of magnitude faster."),
        ("It lasts 2-10 days, 30 at most.", "It lasts 8-10 days, 30 at most, and 2 at least."),
        ("It rose by 4.2 points.", "It rose from 114.7 to 117.9 points."),
        ("Keeping three quarters of them costs 1%.", "Keeping only 25% of them costs 1%."),
        ("There are four challenges.", "There are challenges, namely: fusion, alignment, and co-learning."),
        ("A dozen agents work.", "We use 20 agents."),
    ],
)
def test_numbers_that_do_not_follow_are_found(claim: str, abstract: str) -> None:
    assert check_numbers(case(claim, abstract))


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Sys is less accurate than Rival.", True),
        ("Sys is worse than Rival.", True),
        ("Sys is more accurate than Rival.", False),
        ("Rival is less accurate than Sys.", False),
        ("Sys is less expensive than Rival.", False),
    ],
)
def test_a_rank_against_that_of_the_abstract_is_found(claim: str, found: bool) -> None:
    assert bool(outdone(case(claim, "Sys attains 78%, outperforming Rival."))) is found


def test_a_number_given_to_another_name_is_found() -> None:
    abstract = "Sys beats Alpha and Beta, with a 14x gain over Beta."
    assert not check_numbers(case("Sys has a 14x gain over Beta.", abstract))
    assert check_numbers(case("Sys has a 14x gain over Alpha.", abstract))


def test_one_and_two_need_not_be_spelt_out() -> None:
    assert not check_numbers(case("Two agents, one curator each.", "Both agents have a curator."))


def test_names_are_those_spelt_as_names() -> None:
    text = "Results on ImageNet-C, CIFAR-10 and in Malaysia beat GPT-4, e.g. by F-score."
    assert list(names(read(text))) == ["ImageNet-C", "CIFAR-10", "Malaysia", "GPT-4"]


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Sys was tried on ImageNet-C.", ["nothing in this abstract speaks of ImageNet-C"]),
        ("Sys was tried on RefCOCO+.", []),
        ("Sys trains LLMs.", []),
        ("Sys trains GANs.", ["nothing in this abstract speaks of GANs"]),
    ],
)
def test_names_must_be_in_the_abstract(claim: str, found: list[str]) -> None:
    abstract = "We try it on RefCOCO, RefCOCO+ and with large language models."
    assert [f.reason for f in check_names(case(claim, abstract))] == found


def test_the_longest_missing_phrase_is_named() -> None:
    assert (
        missing_phrase(case("Sys runs on quadruped robots.", "Sys runs on a rat model."))
        == "quadruped robots"
    )


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It works without requiring real data.", ["requiring", "real", "data"]),
        ("A training-free method.", ["training"]),
        ("It needs no actuators, but props.", ["needs", "actuators"]),
        ("It is not only fast.", []),
        ("Tables rather than plots help.", ["plots", "help"]),
        ("Gradients are unavailable.", ["gradients", "are"]),
        ("It works with and without labels.", []),
        ("It handles failed disks and failure cases.", []),
        ("It fails to converge.", ["to", "converge"]),
        ("It keeps tissue from being amplified.", ["being", "amplified"]),
        ("Errors cannot be removed.", ["be", "removed"]),
        ("It needs no extra memory.", ["needs", "extra"]),
        ("It is not so strong as that of trust.", ["so", "strong"]),
    ],
)
def test_a_negation_reaches_what_it_is_about(text: str, negated: list[str]) -> None:
    reading = read(text)
    found = [w.lower for w, s in zip(reading.words, signs(reading).sign, strict=True) if s < 0]
    assert found == negated


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("Sys needs gaze data.", "Sys predicts patches without requiring gaze data."),
        ("The error depends on size.", "The error is independent of size."),
        ("Accuracy correlates with rank.", "Accuracy is uncorrelated with rank."),
        ("Sys trains its encoder from scratch.", "Sys uses a frozen pre-trained encoder."),
        ("Sys increases memory use.", "Sys reduces memory use."),
        (
            "The kernel requires a metric.",
            "Kernels require a metric. Our kernel eliminates this requirement.",
        ),
        ("Variants improve on the baseline.", "None of the variants improve on the baseline."),
        ("Sys has higher error than Base.", "Sys has lower error and higher speed than Base."),
        ("Sys changes the critic.", "Sys leaves the critic unchanged."),
        ("Sys needs gradients.", "Sys requires no gradients and works within two passes."),
        ("Sys relies on rules.", "Unlike rules, which others need, Sys does not rely on rules."),
        ("Sys generalizes poorly to maps.", "Sys generalizes well to maps."),
        ("Pastime is a driver of use.", "Pastime has no effect on use."),
    ],
)
def test_the_opposite_is_found(claim: str, abstract: str) -> None:
    assert check_polarity(case(claim, abstract))


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("Sys needs no gaze data.", "Sys predicts patches without requiring gaze data."),
        ("The size does not depend on the clients.", "The size is independent of the number of clients."),
        ("Sys needs no training.", "We propose a training-free framework, Sys."),
        ("Sys does not increase memory use.", "Sys keeps memory use low."),
        ("No variant improves on the baseline.", "None of the variants can improve on the baseline."),
        ("The new solvers cut cost.", "The new solvers reduce cost by more than 10%."),
        # What a verb is denied of must be what the claim says it of.
        ("Sys needs two passes.", "Sys requires no gradients and works within two passes."),
        ("Sys needs no extra memory.", "Sys keeps the same memory as Base."),
        # Said of others, denied of this paper's thing.
        ("Sys learns instead of relying on rules.", "Previous approaches rely on rules. Sys learns."),
        # Both have the verb that does away with something.
        ("Substituting means for the usual step helps.", "Sys replaces the usual step with means."),
        # Two opposites that stand before other nouns, or that turn one another back.
        ("Sys finds many faces with one model.", "Sys finds faces of any kind with a single model."),
        ("Sys shrinks the error of rate detection.", "Sys improves the accuracy of rate detection."),
        ("Base lost to Alpha.", "Base was outperformed by Alpha."),
        # The counterpart of one word is not the opposite of another.
        ("Sys loses 1% when few experts are kept.", "Sys drops 1% when retaining few experts."),
        ("Blocks are found without supervision, then supervised.", "Blocks are found, then supervised."),
        # Words that only look alike.
        ("Sys filters without multipliers.", "Sys is used for multi-dimensional filtering."),
        ("The effect is fairly small.", "We reduce bias, and the effect is small."),
        ("Sys learns from unlabeled queries.", "Sys is semi-supervised and learns from queries."),
    ],
)
def test_the_same_in_other_words_is_not_the_opposite(claim: str, abstract: str) -> None:
    assert not check_polarity(case(claim, abstract))


def test_words_that_begin_alike_are_no_forms_of_one() -> None:
    assert kinship(stem("party"), stem("partition")) is None
    assert kinship(stem("multi"), stem("multiplier")) is None
    assert kinship(stem("predict"), stem("predictor")) == ("form", 1)


@pytest.mark.parametrize(
    ("claim", "abstract", "found"),
    [
        ("It works on all functions.", "It works only on scaled functions.", True),
        ("It works on all functions.", "It works on all smooth functions.", False),
        ("Most centers are effective.", "Only a few centers are effective.", True),
        ("It takes two passes for each sample.", "It takes only two passes per sample.", False),
        ("It works without any backward pass.", "It works with only two passes.", False),
    ],
)
def test_all_is_not_some(claim: str, abstract: str, found: bool) -> None:
    assert bool(check_quantifiers(case(claim, abstract))) is found


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("Grid cells precede place cells.", "In order, place cells precede grid cells."),
        ("Gamma outperforms Alpha.", "Alpha outperforms Gamma on two tasks."),
        ("Gamma is faster than Alpha.", "Alpha is much faster than Gamma."),
        ("Plots instead of tables help.", "Presenting data as tables rather than plots helps."),
        ("Alpha was replaced by Beta.", "We use Alpha, replacing Beta everywhere."),
        (
            "Alpha sends notes from weak agents to strong ones.",
            "It sends notes from strong agents to weak ones.",
        ),
        ("Ankles save twice as much as hips.", "For hips savings can be twice as high as for ankles."),
        (
            "Alpha always converges, while Beta fails to converge.",
            "Alpha fails to converge whereas Beta always converges.",
        ),
        (
            "Exact search grows linearly, while hashing grows exponentially.",
            "While exact search grows exponentially, hashing grows linearly with size.",
        ),
    ],
)
def test_what_is_exchanged_is_found(claim: str, abstract: str) -> None:
    found = case(claim, abstract, name="Other")
    assert check_order(found) or check_polarity(found)


@pytest.mark.parametrize(
    ("claim", "abstract"),
    [
        ("Place cells precede grid cells.", "In order, place cells precede grid cells."),
        ("Base is outperformed by Alpha.", "Alpha outperforms Base on two tasks."),
        ("Base is slower than Alpha.", "Alpha is much faster than Base."),
        ("Mesitylene was found by design.", "By means of design, mesitylene has been identified."),
        ("Grid cells follow place cells.", "In order, place cells precede grid cells."),
        # The sides and the comparative are both exchanged.
        ("Moderate ratings help more than extreme ones.", "Extreme ratings help less than moderate ones."),
        # The second verb has the first one's subject.
        (
            "Alpha makes tables with plots, and beats Base.",
            "Making plots and tables, Alpha outperforms Base.",
        ),
        # "Was compared with" ranks nothing.
        ("Beta is better than Alpha.", "Alpha was compared with Beta, and Beta won."),
        # "Lower" is no verb here.
        ("Using mesityl lowers the demand of a plant.", "The demand of a plant is lower when using mesityl."),
        # The verb stands elsewhere the same way round.
        ("Beta converges, whereas Alpha does not.", "Alpha fails to converge whereas Beta converges."),
    ],
)
def test_the_same_in_another_order_is_not_exchanged(claim: str, abstract: str) -> None:
    assert not check_order(case(claim, abstract, name="Other"))


def test_a_part_of_a_compound_is_no_name_and_the_title_counts_as_said() -> None:
    text = "Marine heatwaves kill corals. Hardened colonies kept 78% of their symbionts. The effect faded."
    claim = "Heat-hardening lasts for decades, as Nursery work at Lizard shows."
    titled = Paper("0" * 20, "Hardening", text, title="Heat-hardening of nursery corals at Lizard Island")
    assert missing_phrase(case("Heat-hardening lasts for decades.", text)) == "decades"
    assert missing_phrase(prepare("Heat-hardening lasts.", Words.of(titled), None)[0]) == ""
    assert not check_names(prepare(claim, Words.of(titled), None)[0])
    assert [f.reason for f in check_names(case(claim, text))][
        -1
    ] == "nothing in this abstract speaks of Lizard"
