from __future__ import annotations

import re
import time

import pytest

from rag.domain import Answer
from rag.library import Library

FIRST, SECOND = "000_4a7b9ac06c042d5b.txt", "003_3877a10d02584f83.txt"


def sources(answer: Answer) -> list[str]:
    return [r.paper.source for r in answer.references]


def said(answer: Answer) -> str:
    return " ".join(s.text for s in answer.sentences)


@pytest.mark.parametrize(
    ("question", "source", "words"),
    [
        ("How much faster than FOA is EVA-0?", f"{SECOND}#9", "14× speed-up over FOA"),
        ("On which datasets is zero-shot referring segmentation evaluated?", f"{SECOND}#4", "RefCOCO"),
        ("What does ODM stand for in EP-Flow?", f"{SECOND}#14", "Occupancy Distribution Matrix"),
        ("whats esensc vs shap comlexity", f"{SECOND}#12", "linear"),
        ("A$^3$Bench number of models benchmarked", f"{FIRST}#3", "15 recent MLLMs"),
    ],
)
def test_a_fact_is_answered_by_the_sentence_that_holds_it(
    seed_library: Library, question: str, source: str, words: str
) -> None:
    answer = seed_library.ask(question)
    assert answer.status == "answered"
    assert sources(answer) == [source]
    assert answer.hits[0].paper.source == source
    assert words in said(answer)
    assert len(answer.sentences) <= 4


def test_which_papers_gets_one_sentence_and_one_reference_each(seed_library: Library) -> None:
    answer = seed_library.ask("Which papers study flow matching or flow-based generative models?")
    assert set(sources(answer)) == {f"{SECOND}#11", f"{SECOND}#14"}
    assert [len(s.citations) for s in answer.sentences] == [1, 1]
    assert all(
        s.text.startswith(r.paper.name) for s, r in zip(answer.sentences, answer.references, strict=True)
    )


@pytest.mark.parametrize(
    "question",
    [
        "Compare EVA-0 and ENGINE.",
        "EVA-0 versus ENGINE",
        "Difference between the two-forward test-time adaptation and the V-cycle optimiser for LLMs?",
    ],
)
def test_a_comparison_shows_both_sides(seed_library: Library, question: str) -> None:
    answer = seed_library.ask(question)
    assert set(sources(answer)) == {f"{SECOND}#9", f"{SECOND}#16"}


@pytest.mark.parametrize(
    "question",
    [
        "Who won the 2022 football world cup?",
        "What batch size was used to train EMO?",
        "Do any of these papers discuss quantum error correction?",
        "asdf qwer zxcv",
        "?",
        "'; DROP TABLE papers; --",
    ],
)
def test_what_the_papers_do_not_say_is_not_found(seed_library: Library, question: str) -> None:
    answer = seed_library.ask(question)
    assert answer.status == "not_found"
    assert answer.sentences == ()
    assert answer.references == ()
    assert answer.hits


def test_every_quote_stands_in_its_paper(seed_library: Library) -> None:
    texts = {p.id: p.text for p in seed_library.papers()}
    for question in (
        "What is ERIS?",
        "Which papers are about agents?",
        "Compare EVA and EVA-Cap",
        "overview of video",
    ):
        answer = seed_library.ask(question)
        # The lead of an overview speaks of its papers in words of its own.
        for sentence in answer.sentences[1 if answer.coverage else 0 :]:
            assert sentence.citations
            for c in sentence.citations:
                assert texts[c.paper_id][c.start : c.end] == c.quote
                # A comparison quotes a part of the sentence it cites, in quotation marks.
                woven = re.findall("“(.+?)”", sentence.text)
                assert c.quote in sentence.text or any(words in c.quote for words in woven)
                assert c.verdict == "supported"


@pytest.mark.parametrize(
    ("turns", "source"),
    [
        (["What is ERIS?", "Does it use heavy cryptography?"], f"{SECOND}#13"),
        (["Compare EVA-0 and ENGINE.", "Which one reports a speed-up in forward passes?"], f"{SECOND}#16"),
        (["Which papers are on federated learning?", "What can the second one add to send less data?"], None),
    ],
)
def test_a_follow_up_is_about_the_papers_of_the_last_answer(
    seed_library: Library, turns: list[str], source: str | None
) -> None:
    first = seed_library.ask(turns[0])
    second = seed_library.ask(turns[1], history=(first,))
    assert sources(second)[0] == (source or first.references[1].paper.source)
    assert second.standalone_question or source


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("EO-WM 如何表示天气强迫？", f"{SECOND}#15"),
        ("哪篇论文研究网格细胞和位置细胞？", f"{FIRST}#8"),
        ("哪些論文使用強化學習？", None),
    ],
)
def test_a_chinese_question_is_read_word_by_word(
    seed_library: Library, question: str, source: str | None
) -> None:
    answer = seed_library.ask(question)
    assert answer.status == "answered"
    assert source is None or sources(answer)[0] == source
    assert "word by word" in answer.warnings[0]


def test_another_language_finds_the_paper_by_name_and_says_what_it_cannot_do(seed_library: Library) -> None:
    answer = seed_library.ask("Wie wird das Modell EVA-Cap im Vergleich zu anderen Verfahren trainiert?")
    assert sources(answer) == [f"{SECOND}#8"]
    assert any("German" in w for w in answer.warnings)


def test_without_a_name_another_language_is_why_nothing_was_found(seed_library: Library) -> None:
    answer = seed_library.ask("Welche Arbeiten befassen sich mit dem Wetter und seiner Vorhersage?")
    assert answer.status == "not_found"
    assert any("German" in w and "RAG_MODEL" in w for w in answer.warnings)


def test_an_endless_question_is_answered_or_refused_but_ends(seed_library: Library) -> None:
    assert seed_library.ask("agents " * 20_000).status in ("answered", "not_found")


@pytest.mark.parametrize("question", ["Compare EMO and FooNet", "How do EMO and BERT differ?"])
def test_a_side_the_library_does_not_have_is_named_and_not_replaced(
    seed_library: Library, question: str
) -> None:
    answer = seed_library.ask(question)
    assert answer.status == "partial"
    assert sources(answer) == [f"{SECOND}#17"]
    assert any("FooNet" in w or "BERT" in w for w in answer.warnings)


def test_what_a_follow_up_asks_of_a_given_paper_may_still_be_unanswered(seed_library: Library) -> None:
    first = seed_library.ask("What is EMO?")
    assert seed_library.ask("Which batch size and learning rate did it use?", (first,)).status == "not_found"


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ("What about the second?", 2),
        ("How does the second one work?", 2),
        ("How does PreG handle the first step?", None),
    ],
)
def test_only_an_ordinal_that_means_a_paper_chooses_one(
    seed_library: Library, question: str, about: int | None
) -> None:
    first = seed_library.ask("Which papers are on federated learning?")
    second = seed_library.ask(question, (first,))
    expected = first.references[about - 1].paper.name if about else "PreG"
    assert second.references[0].paper.name == expected


def test_a_paper_of_an_earlier_answer_can_be_described(seed_library: Library) -> None:
    history = (seed_library.ask("Tell me about AstroVLBench."),)
    history += (seed_library.ask("And how about A3Bench?", history),)
    answer = seed_library.ask("How many instances does the astronomy one have?", history)
    assert "4,100" in said(answer)


@pytest.mark.parametrize("text", ["how do a differ in " * 1000, "how do a and " * 1500, "compare " * 3000])
def test_a_question_made_to_be_slow_is_not(seed_library: Library, text: str) -> None:
    started = time.perf_counter()
    seed_library.ask(text)
    assert time.perf_counter() - started < 5


def test_a_version_the_library_does_not_have_is_not_the_one_it_has(seed_library: Library) -> None:
    assert seed_library.ask("What is the speed-up of EVA-1 over FOA?").status == "not_found"


def test_a_question_about_what_papers_leave_out_is_answered_with_a_caution(seed_library: Library) -> None:
    answer = seed_library.ask("Which papers do not use federated learning?")
    assert any("what they do not do" in w for w in answer.warnings)
    assert answer.status in ("partial", "not_found")


@pytest.mark.parametrize("question", ["[1]", "What is 2+2?", "42", "1, 2, 3"])
def test_numbers_alone_ask_nothing(seed_library: Library, question: str) -> None:
    assert seed_library.ask(question).status == "not_found"


def test_a_courtesy_is_no_question_and_what_follows_it_still_means_the_paper(seed_library: Library):
    first = seed_library.ask("What is EVA-0?")
    thanked = seed_library.ask("thanks, great!", [first])
    assert (thanked.status, thanked.hits) == ("not_found", ())
    assert "asks for nothing" in thanked.warnings[0]
    again = seed_library.ask("and ESSAM?", [first, thanked])
    assert again.standalone_question == "What is ESSAM?"


@pytest.mark.parametrize(
    "question", ["How much memory does EVA-0 need?", "How much energy does EMO consume?"]
)
def test_a_figure_that_no_paper_gives_is_not_answered_with_another(seed_library: Library, question: str):
    assert seed_library.ask(question).status == "not_found"
