from __future__ import annotations

import json

import pytest

from rag.domain import Answer
from rag.errors import UsageError
from rag.library import Library


def names(answer: Answer) -> set[str]:
    return {reference.paper.name for reference in answer.references}


@pytest.fixture(scope="module")
def federated(seed_library: Library) -> Answer:
    return seed_library.summarize("federated learning")


@pytest.fixture(scope="module")
def whole(seed_library: Library) -> Answer:
    return seed_library.summarize()


def test_the_papers_that_belong_are_all_cited(federated: Answer) -> None:
    assert federated.status == "answered" and names(federated) == {"ERIS", "typed tensor language"}
    assert federated.coverage is not None
    assert (federated.coverage.used, federated.coverage.belong) == (2, 2)


def test_the_lead_says_how_many_and_which(federated: Answer) -> None:
    lead = federated.sentences[0]
    assert lead.text.startswith("2 of the 38 papers here deal with federated learning: ")
    assert {c.verdict for c in lead.citations} == {"supported"} and len(lead.citations) == 2


@pytest.mark.parametrize(
    "topic",
    [
        "federated learning",
        "overview of agents",
        "test-time scaling, adaptation and evolution",
        "vision-language models",
        "neuroscience",
        "optimisation",
    ],
)
def test_no_paper_is_mentioned_without_a_citation(seed_library: Library, topic: str) -> None:
    answer = seed_library.summarize(topic)
    texts = {paper.id: paper.text for paper in seed_library.papers()}
    assert answer.sentences
    for sentence in answer.sentences:
        assert sentence.citations
        for citation in sentence.citations:
            assert texts[citation.paper_id][citation.start : citation.end] == citation.quote
            assert citation.verdict == "supported"
    for related in answer.also_related:
        assert texts[related.paper.id][related.start : related.end] == related.quote
        assert related.paper.name not in names(answer)


def test_a_wide_topic_is_put_under_headings(seed_library: Library) -> None:
    answer = seed_library.summarize("neural networks and learning")
    assert len(answer.sections) > 1
    places = [i for section in answer.sections for i in section.sentence_indexes]
    assert places == list(range(1, len(answer.sentences)))
    assert all(1 <= len(section.sentence_indexes) <= 3 for section in answer.sections)
    assert len({section.heading for section in answer.sections}) == len(answer.sections)
    assert answer.coverage is not None
    assert answer.coverage.used == len(answer.references) <= answer.coverage.belong


def test_what_the_library_has_nothing_on_is_not_found(seed_library: Library) -> None:
    answer = seed_library.summarize("medieval poetry")
    assert (answer.status, answer.sentences, answer.references) == ("not_found", (), ())
    assert answer.hits and answer.coverage is not None and answer.coverage.belong == 0


def test_only_limits_a_topic(seed_library: Library) -> None:
    ids = {seed_library.paper(name).id for name in ("ERIS", "EVA-0")}
    answer = seed_library.summarize("federated learning", only=ids)
    assert names(answer) == {"ERIS"} and "1 of the 2 papers here deals with" in answer.sentences[0].text


def test_without_a_topic_the_whole_library_is_summed_up(whole: Answer) -> None:
    assert whole.status == "answered" and len(whole.sections) > 2
    assert sum(section.papers for section in whole.sections) == 38
    assert whole.sentences[0].text.startswith("The 38 papers here fall into")
    assert all(c.verdict == "supported" for s in whole.sentences for c in s.citations)
    assert whole.coverage is not None and whole.coverage.belong == 38
    assert whole.coverage.used == len(whole.references)


def test_a_question_for_an_overview_is_answered_in_the_same_way(seed_library: Library) -> None:
    answer = seed_library.ask("Summarise what these papers contribute to federated learning.")
    assert names(answer) == {"ERIS", "typed tensor language"} and answer.sections


def test_the_json_holds_sections_and_coverage(federated: Answer) -> None:
    shown = json.loads(json.dumps(federated.to_dict()))
    assert shown["coverage"] == {"used": 2, "belong": 2}
    assert shown["sections"][0]["sentence_indexes"] == [1, 2]


def test_one_paper_makes_a_library(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("one")
    (folder / "one.txt").write_text(
        "A list\n\nAnts find food by smell. We introduce AntWalk, a model of how ants search. It is good.\n",
        "utf-8",
    )
    with Library.open(folder / "library", write=True) as library:
        library.ingest([folder / "one.txt"])
        whole = library.summarize()
        assert whole.status == "answered" and whole.sentences[0].text.startswith(
            "The 1 paper here is on 1 theme"
        )
        assert library.summarize("ants").status == "answered"


def test_an_abstract_is_no_topic(seed_library: Library) -> None:
    text = seed_library.paper("ERIS").text
    for sum_up in (seed_library.summarize, lambda topic: seed_library.compare(topic=topic)):
        with pytest.raises(UsageError, match="no topic"):
            sum_up(text)
