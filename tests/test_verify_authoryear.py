"""Citations by author and year: how they are written, and which papers they fit."""

from __future__ import annotations

import time

import pytest

from rag.domain import Paper
from rag.verify.authoryear import Authors, marks, read_citation
from rag.verify.drafts import Statement, read_draft

PAPERS = (
    Paper("lee", "ReefNet", "t", authors=("Min-Ho Lee", "Ada Okafor"), year=2023),
    Paper("smith", "Sound", "t", authors=("Smith, Jane", "García, Luis"), year=2021),
    Paper("berg", "Fish", "t", authors=("J. van der Berg", "A. Two", "B. Three"), year=2020),
    Paper("kim1", "One", "t", authors=("Kim J",), year=2019),
    Paper("kim2", "Two", "t", authors=("Kim, J.",), year=2019),
    Paper("old", "Old", "t", authors=("Ann Nobody",)),
)
AUTHORS = Authors.of(PAPERS)
HUGHES = ["Hughes et al. 2017", "IPCC 2021"]


def found(text: str) -> list[tuple[str, list[str]]]:
    return [(text[m.start : m.end], [str(c) for c in m.cited]) for m in marks(text, AUTHORS.fits)]


@pytest.mark.parametrize(
    ("text", "written", "keys"),
    [
        ("Fast (Lee & Okafor, 2023).", "(Lee & Okafor, 2023)", ["Lee & Okafor 2023"]),
        ("Fast (Ortiz & Chen 2019).", "(Ortiz & Chen 2019)", ["Ortiz & Chen 2019"]),
        ("However, Ortiz and Chen (2019) say", "Ortiz and Chen (2019)", ["Ortiz & Chen 2019"]),
        ("However, Nobody (2020) says", "Nobody (2020)", ["Nobody 2020"]),
        ("As Lee et al., 2023, say", "Lee et al., 2023", ["Lee et al. 2023"]),
        ("Fast (Lee *et al.* 2023)", "(Lee *et al.* 2023)", ["Lee et al. 2023"]),
        ("Smith 2021a says", "Smith 2021a", ["Smith 2021a"]),
        ("as in Smith 2021 too", "Smith 2021", ["Smith 2021"]),
        ("Smith's (2021) method", "Smith's (2021)", ["Smith 2021"]),
        ("Fast [Lee et al., 2023]", "[Lee et al., 2023]", ["Lee et al. 2023"]),
        ("x (Smith 2021a,b)", "(Smith 2021a,b)", ["Smith 2021a", "Smith 2021b"]),
        (
            "x (e.g., Lee et al., 2023; see also Smith 2021a, 2022; Ortiz & Chen, 2019, p. 3) y",
            "(e.g., Lee et al., 2023; see also Smith 2021a, 2022; Ortiz & Chen, 2019, p. 3)",
            ["Lee et al. 2023", "Smith 2021a", "Smith 2022", "Ortiz & Chen 2019"],
        ),
        ("Fast [Lee, 2023](https://a.example/x)", "[Lee, 2023](https://a.example/x)", ["Lee 2023"]),
        ("x (Smith 2021, Lee 2023)", "(Smith 2021, Lee 2023)", ["Smith 2021", "Lee 2023"]),
        ("x (World Health Organization, 2020)", "(World Health Organization, 2020)", None),
        ("x (Hughes et al., 2017; IPCC 2021) y", "(Hughes et al., 2017; IPCC 2021)", HUGHES),
        ("GPT-4 (OpenAI, 2023) is", "(OpenAI, 2023)", ["OpenAI 2023"]),
        (
            "However, Lee, Okafor, and Kim (2023) say",
            "Lee, Okafor, and Kim (2023)",
            ["Lee, Okafor & Kim 2023"],
        ),
        ("Van der Berg et al. (2020) say", "Van der Berg et al. (2020)", ["Van der Berg et al. 2020"]),
    ],
)
def test_authors_with_a_year_are_a_citation(text: str, written: str, keys: list[str] | None) -> None:
    assert found(text) == [(written, keys or [written.strip("()").replace(",", "")])]


@pytest.mark.parametrize(
    "text",
    [
        "It was done in May 2021 (June 2021), by NeurIPS 2023 (ICML 2024), as ImageNet (2012) was.",
        "The survey (Okinawa, Japan, 2015) had sites (May, 2021) on maps (Sentinel-2, 2019).",
        "Florida between 2011 and 2015, and in Florida 2015",
        "In 2021, Smith found 2021 fish (n = 2021) until (Smith 2021–2023).",
        "See [the list of 2021](x.html) and (since 2019).",
    ],
)
def test_a_year_without_authors_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("Lee & Okafor 2023", ("lee",)),
        ("Lee et al. 2023", ("lee",)),
        ("Lee 2023", ("lee",)),
        ("Garcia 2021", ()),
        ("SMITH & Garcia 2021", ("smith",)),
        ("Berg et al. 2020", ("berg",)),
        ("van der Berg, Two & Three 2020", ("berg",)),
        ("Lee & Okafor 2022", ()),
        ("Kim 2019", ("kim1", "kim2")),
        ("Erg et al. 2020", ()),
        ("Nobody 2020", ()),
    ],
)
def test_a_citation_fits_papers_by_family_names_and_year(written: str, ids: tuple[str, ...]) -> None:
    cited = read_citation(written)
    assert cited is not None
    assert AUTHORS.fitting(cited) == ids


def test_what_is_no_citation_is_not_read_as_one() -> None:
    assert [read_citation(key) for key in ("lee2023", "7", "EVA-0", "", "two.txt#1")] == [None] * 5


@pytest.mark.parametrize(
    ("raw", "statement"),
    [
        ("It is fast (Lee & Okafor, 2023).", Statement("It is fast.", 1, ("Lee & Okafor 2023",))),
        (
            "All is well. Ortiz and Chen (2019) found 3 fish.",
            Statement("Ortiz and Chen (2019) found 3 fish.", 1, ("Ortiz & Chen 2019",), "found 3 fish."),
        ),
        ("It has 3 (n = 4; Smith 2021).", Statement("It has 3 (n = 4).", 1, ("Smith 2021",))),
        ("It is fast. (Smith 2021)", Statement("It is fast.", 1, ("Smith 2021",))),
        (
            "| A | B |\n|--|--|\n| Fast | yes (Lee et al., 2023) |",
            Statement("Fast, yes", 3, ("Lee et al. 2023",)),
        ),
        (r"It is fast (Smith \& Garc{\'\i}a, 2021).", Statement("It is fast.", 1, ("Smith & García 2021",))),
    ],
)
def test_citations_are_taken_out_of_the_sentence(raw: str, statement: Statement) -> None:
    assert read_draft(raw, AUTHORS.fits).statements[-1] == statement


HEAVY = {
    "names": "Aa, " * 30_000,
    "brackets": "(Aa " * 20_000,
    "initials": "A. " * 30_000,
    "particles": "De de de " * 10_000,
    "words": ("(" + "Aa " * 190 + ")") * 50,
    "parts": ("(Aa 2019, " + "Aa 2019, " * 60 + "x)") * 50,
    "leads": ("(" + "see " * 145 + ")") * 100,
    "years": "Aa 2021" + ", 2021" * 20_000,
}


@pytest.mark.parametrize("name", HEAVY)
def test_a_large_text_is_read_in_little_time(name: str) -> None:
    begun = time.process_time()
    marks(HEAVY[name], AUTHORS.fits)
    assert time.process_time() - begun < 2
