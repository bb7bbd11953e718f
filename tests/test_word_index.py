from __future__ import annotations

import pytest

from rag.errors import IndexFault
from rag.indexes.words import WordIndex
from rag.text.words import terms
from tests.fakes import HashEmbedder, prepared

EMBEDDER = HashEmbedder(dimension=4)


def paper(number, **changes):
    return prepared(number, EMBEDDER, **changes).paper


@pytest.fixture(params=["disk", "memory"])
def index(request, tmp_path):
    return WordIndex(tmp_path / "words" if request.param == "disk" else None)


def found(index, question, k=10):
    return [paper_id for paper_id, _ in index.query(terms(question), k)]


def test_papers_with_more_and_rarer_terms_come_first(index):
    papers = [paper(n) for n in range(5)]
    index.upsert(papers)
    hits = index.query(terms("which system solves topic3 with data3"), 5)
    assert hits[0][0] == papers[3].id
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)


def test_title_name_aliases_and_keywords_are_found(index):
    extra = {"aliases": ["LongForm"], "keywords": ["tidal power"]}
    wanted = paper(1, name="A³Bench", title="Quasar zoology", extra=extra)
    index.upsert([wanted, paper(2)])
    for question in ("a3bench", "A^3Bench", "zoology", "longform", "tidal"):
        assert found(index, question) == [wanted.id], question


@pytest.mark.parametrize(
    "question", ['"', "a:b", "(", "+-!{}[]^~*?\\/", "AND OR NOT", "", "   ", "\x00", "body:x TO"]
)
def test_what_people_type_is_never_parsed(index, question):
    index.upsert([paper(1)])
    assert isinstance(index.query(terms(question), 5), list)
    assert isinstance(index.query([question], 5), list)


def test_upserting_again_never_doubles(index):
    index.upsert([paper(1), paper(2)])
    index.upsert([paper(1)])
    assert index.count() == 2


def test_removed_papers_are_not_found(index):
    index.upsert([paper(1), paper(2)])
    index.remove([paper(1).id, "unknown"])
    assert index.ids() == {paper(2).id}
    assert found(index, "topic1") == []


def test_an_empty_index_finds_nothing(index):
    assert found(index, "anything") == []
    assert index.count() == 0
    assert index.ids() == set()


def test_lone_surrogates_and_endless_words_do_no_harm(index):
    index.upsert([paper(1, text="x" * 100_000 + " \ud800 alpha. beta")])
    assert found(index, "beta") == [paper(1).id]
    assert index.query(["\ud800"], 3) == []


def test_a_failing_upsert_adds_nothing(index):
    def papers():
        yield paper(1)
        raise RuntimeError("cut off")

    with pytest.raises(IndexFault, match="cut off"):
        index.upsert(papers())
    assert index.count() == 0


def test_what_one_wrote_another_opens(tmp_path):
    WordIndex(tmp_path / "words").upsert([paper(1)])
    assert found(WordIndex.open(tmp_path / "words"), "topic1") == [paper(1).id]


def test_opening_what_is_not_there_is_a_fault(tmp_path):
    with pytest.raises(IndexFault):
        WordIndex.open(tmp_path / "none")


def test_a_search_can_be_held_to_given_papers(index):
    papers = [paper(n) for n in range(30)]
    index.upsert(papers)
    only = {p.id for p in papers[::7]}
    whole = index.query(terms("system solves data"), 30)
    assert index.query(terms("system solves data"), 30, only) == [hit for hit in whole if hit[0] in only]
    assert index.query(terms("system"), 5, set()) == []


def test_among_many_given_papers_none_is_missed(index):
    papers = [paper(n) for n in range(30)]
    index.upsert(papers)
    whole = index.query(terms("system solves data"), 30)
    last = {paper_id for paper_id, _ in whole[14:]}
    for only in ({p.id for p in papers[::2]}, last, {papers[17].id}, {"0" * 20}):
        for k in (1, 3, 30):
            wanted = [hit for hit in whole if hit[0] in only][:k]
            assert index.query(terms("system solves data"), k, only) == wanted


def test_a_removed_paper_no_longer_counts(index):
    index.upsert([paper(n) for n in range(4)])
    index.remove([paper(2).id])
    assert index.frequencies(terms("topic2 topic3")) == {"topic2": 0, "topic3": 1}
