from __future__ import annotations

from rag.domain import Paper
from rag.generate import DraftSentence, Span
from rag.verify.citations import check

FIRST = Paper("a" * 20, "Alpha", "Alpha cuts memory by 40%. It was tried on ImageNet.")
SECOND = Paper("b" * 20, "Beta", "Beta cuts latency by half. It needs no labels.")
PAPERS = {p.id: p for p in (FIRST, SECOND)}


def test_a_quotation_is_supported_word_for_word() -> None:
    draft = [DraftSentence("Alpha cuts memory by 40%.", (Span(FIRST.id, 0, 25),))]
    (sentence,), (reference,) = check(draft, PAPERS)
    (citation,) = sentence.citations
    assert (citation.verdict, citation.reason) == ("supported", "quoted word for word")
    assert (reference.marker, reference.paper) == (1, FIRST)


def test_other_words_are_judged() -> None:
    draft = [
        DraftSentence("Alpha reduces memory by 40 percent.", (Span(FIRST.id, 0, 25),)),
        DraftSentence("Alpha reduces memory by 60 percent.", (Span(FIRST.id, 0, 25),)),
    ]
    sentences, _ = check(draft, PAPERS)
    assert [s.citations[0].verdict for s in sentences] == ["supported", "unsupported"]
    assert sentences[1].citations[0].reason == "the abstract says 40%, not 60 percent"


def test_a_citation_is_moved_to_the_sentence_that_says_it() -> None:
    draft = [DraftSentence("Alpha was evaluated on ImageNet.", (Span(FIRST.id, 0, 25),))]
    (sentence,), _ = check(draft, PAPERS)
    (citation,) = sentence.citations
    assert citation.verdict == "supported"
    assert citation.quote == "It was tried on ImageNet."
    assert FIRST.text[citation.start : citation.end] == citation.quote


def test_papers_that_each_say_a_part_are_partial_at_worst() -> None:
    text = "Alpha reduces memory by 40%."
    draft = [DraftSentence(text, (Span(FIRST.id, 0, 25), Span(SECOND.id, 0, 26)))]
    (sentence,), references = check(draft, PAPERS)
    assert [c.marker for c in sentence.citations] == [1, 2]
    assert len(references) == 2
    assert sentence.citations[0].verdict == "supported"


def test_a_sentence_without_citations_stays_as_it_is() -> None:
    assert check([DraftSentence("Nothing.", ())], PAPERS)[0][0].citations == ()


def test_words_around_a_quotation_are_judged_too() -> None:
    around = (
        "It is a retracted claim that Alpha cuts memory by 40%.",
        "Alpha cuts memory by 40%. It took 512 GPUs.",
    )
    drafts = [DraftSentence(text, (Span(FIRST.id, 0, 25),)) for text in around]
    sentences, _ = check(drafts, PAPERS)
    assert all(s.citations[0].reason != "quoted word for word" for s in sentences)
    assert sentences[1].citations[0].verdict == "unsupported"


def test_a_quotation_behind_the_name_of_its_paper_is_one() -> None:
    draft = [DraftSentence("Alpha: It was tried on ImageNet.", (Span(FIRST.id, 26, 52),))]
    (sentence,), _ = check(draft, PAPERS)
    assert sentence.citations[0].reason == "quoted word for word"
