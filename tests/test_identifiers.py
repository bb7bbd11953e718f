from __future__ import annotations

import pytest

from rag.domain import Paper
from rag.papers.duplicates import compare, fingerprint
from rag.text.identifiers import are_arxiv_numbers, arxiv_in, doi_in, whole_doi


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/ABC", "10.1000/abc"),
        ("https://doi.org/10.1000/abc.", "10.1000/abc"),
        ("(doi:10.1000/abc),", "10.1000/abc"),
        ("see 10.1000/abc; and 10.1000/d", "10.1000/abc"),
        ("10.1016/S0140-6736(05)", "10.1016/s0140-6736(05)"),
        ("10.1000/", ""),
        ("10.1000/.,", ""),
        ("v10.1/x", ""),
        ("", ""),
    ],
)
def test_a_doi_has_one_form_however_it_is_written(text: str, doi: str) -> None:
    assert doi_in(text) == doi


@pytest.mark.parametrize("text", ["10.1000/AbC", "doi: 10.1000/AbC", " https://dx.doi.org/10.1000/AbC "])
def test_a_text_that_is_a_doi(text: str) -> None:
    assert whole_doi(text) == "10.1000/AbC"
    assert whole_doi(f"see {text}") == ""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2401.01234v2", "2401.01234"),
        ("arXiv:2401.01234", "2401.01234"),
        ("arXiv 2401.01234.", "2401.01234"),
        ("https://arxiv.org/pdf/2401.01234v2.pdf", "2401.01234"),
        ("https://doi.org/10.48550/ARXIV.2401.01234", "2401.01234"),
        ("cs.CL/0501001v1", "cs.CL/0501001"),
        ("hep-th/9901001", "hep-th/9901001"),
        ("https://example.org/2401.01234", ""),
        ("10.1000/2401.01234", ""),
        ("2401.012345678", ""),
        ("", ""),
    ],
)
def test_an_arxiv_number_has_one_form_however_it_is_written(text: str, number: str) -> None:
    assert arxiv_in(text) == number


def test_numbers_of_arxiv_are_told_from_a_query() -> None:
    assert are_arxiv_numbers("2401.00000, hep-th/9901001v2")
    assert not are_arxiv_numbers("cat:cs.LG") and not are_arxiv_numbers("2401.00000,")


def test_one_doi_is_one_key_whatever_follows_it() -> None:
    one, two = (
        Paper(name, name, "Ants find food by smell and we show how they do it.", doi=doi)
        for name, doi in (("a", "10.1000/abc"), ("b", "https://doi.org/10.1000/ABC)."))
    )
    assert set(fingerprint(one).keys) & set(fingerprint(two).keys) >= {"doi:10.1000/abc"}
    assert compare(one, two).why == "same DOI 10.1000/abc"
