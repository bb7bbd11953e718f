from __future__ import annotations

import pytest

from rag.citing import family_name
from rag.domain import Paper, Reference


def paper(**more) -> Paper:
    return Paper("0" * 20, "EVA-0", "We present EVA-0.", sources=("refs.bib#3",), **more)


THREE = ("Ada Lovelace", "Gödel, Kurt", "J. van der Berg")


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "EVA-0 · refs.bib#3"),
        ({"gone": ("refs.bib#3",)}, "EVA-0 · refs.bib#3 (gone)"),
        (
            {"authors": THREE, "year": 2026, "venue": "NeurIPS", "doi": "10.1000/x"},
            "Lovelace et al. 2026, NeurIPS, doi:10.1000/x",
        ),
        ({"authors": THREE[1:], "year": 2026, "venue": "NeurIPS 2026"}, "Gödel & van der Berg 2026, NeurIPS"),
        ({"authors": THREE[:1], "extra": {"arxiv": "2401.00001"}}, "Lovelace, arXiv:2401.00001"),
        ({"year": 2026, "venue": "ICML"}, "EVA-0 · 2026, ICML"),
        ({"title": "A title"}, "EVA-0 · refs.bib#3"),
        ({"authors": ("A. Chen", "others"), "year": 2020}, "Chen et al. 2020"),
        ({"authors": ("A. Chen", "et al."), "year": 2020}, "Chen et al. 2020"),
    ],
)
def test_a_paper_is_cited_as_people_write_it(more, text):
    assert paper(**more).cited_as == text
    assert Reference(1, paper(**more)).to_dict()["paper"]["cited_as"] == text


@pytest.mark.parametrize(
    ("author", "family"),
    [
        ("Ada Lovelace", "Lovelace"),
        ("Gödel, Kurt", "Gödel"),
        ("J. van der Berg", "van der Berg"),
        ("Martin Luther King Jr.", "King"),
        ("King, Jr., Martin Luther", "King"),
        ("Doe, Jane, III", "Doe"),
        ("Plato", "Plato"),
        ("World Health Organization", "World Health Organization"),
        ("", ""),
    ],
)
def test_the_family_name_of_an_author(author, family):
    assert family_name(author) == family
