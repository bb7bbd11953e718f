"""One paper by what is typed for it: id, source, name, alias or title, and which texts that reads."""

from __future__ import annotations

import pytest

from rag.domain import Record
from rag.ledger.store import Store
from rag.retrieve.lookup import lookup
from tests.fakes import Shelf
from tests.test_updates import KITE, KRAKEN, TRAM


class Sparing(Store):
    """A library that refuses to give the texts of all papers at once."""

    def papers(self, ids=None):
        assert ids is not None, "all texts were read"
        return super().papers(ids)


@pytest.fixture
def place(tmp_path):
    shelf = Shelf(tmp_path / "lib")
    shelf.read(
        "a.txt",
        Record(KRAKEN, "x#1", title="Kraken: A Compiler for Memory Models"),
        Record(TRAM, "x#1", title="On the Points"),
        Record(KITE, "x#1", title="On the points"),
    )
    yield shelf
    shelf.close()


def typed(place: Shelf) -> list[str]:
    kraken = place.papers()[0]
    return [kraken.id, kraken.id[:8].upper(), "a.txt#1", "kraken", " Kraken ", kraken.title.lower()]


def test_a_paper_is_found_without_reading_the_texts_of_others(place):
    with Sparing(place.folder) as store:
        for words in typed(place):
            assert [paper.source for paper in lookup(words, store).found] == ["a.txt#1"], words
        assert len(lookup("on the points", store).found) in (1, 2)


def test_words_that_name_no_paper_bring_those_that_hold_them(place):
    with Store(place.folder) as store:
        answer = lookup("vortex", store)
    assert answer.found == () and [paper.source for paper in answer.near] == ["a.txt#3"]


def test_a_place_that_held_a_paper_still_means_it(place):
    place.read("a.txt", Record(TRAM, "x#1"))
    with Store(place.folder) as store:
        assert [paper.text for paper in lookup("a.txt#3", store).found] == [KITE]
