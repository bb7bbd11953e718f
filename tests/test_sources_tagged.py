"""RIS, MEDLINE, EndNote and Web of Science: files whose lines begin with a tag."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.domain import Record
from tests.reading import ALPHA, BETA, items, records, told

RIS = f"""TY  - JOUR
AU  - Lovelace, Ada
AU  - Turing, Alan M.
TI  - Alpha: a method
T2  - Journal of Methods
PY  - 2021/05/01
AB  - {ALPHA[:40]}
{ALPHA[40:]}
DO  - 10.1234/ABC
UR  - https://example.org/a
KW  - methods
KW  - firsts
ER  -

TY  - CONF
A1  - King, Martin, Jr.
T1  - Beta
N2  - {BETA}
Y1  - 2019
JO  - Proc. Beta
ER  -
"""
MEDLINE = f"""PMID- 12345678
OWN - NLM
DP  - 2020 Jan-Feb
TI  - Alpha: a method that is
      told on two lines.
LID - 10.1234/abc [doi]
LID - S0000-0000(20)30001-1 [pii]
AB  - BACKGROUND: {ALPHA[:50]}
      {ALPHA[50:]}
FAU - Lovelace, Ada
AU  - Lovelace A
FAU - Turing, Alan M
AU  - Turing AM
JT  - Journal of methods
OT  - method

PMID- 12345679
TI  - A title alone.
DP  - 2019

"""
ENDNOTE = f"""%0 Journal Article
%T Alpha: a method
%A Ada Lovelace
%A Turing, Alan
%J Journal of Methods
%D 2021
%X {ALPHA}
%U https://example.org/a
%K methods, firsts

%0 Conference Proceedings
%T Beta
%X {BETA}
"""
WEB_OF_SCIENCE = f"""FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Lovelace, A
   Turing, A
AF Lovelace, Ada
   Turing, Alan
TI Alpha: a
   method
SO JOURNAL OF METHODS
DE methods; firsts
AB {ALPHA[:40]}
   {ALPHA[40:]}
PY 2021
DI 10.1234/ABC
UT WOS:000001
ER

EF
"""


def test_a_ris_export(tmp_path: Path) -> None:
    alpha, beta = records(tmp_path, RIS, "export.ris")
    assert (alpha.title, alpha.venue, alpha.year) == ("Alpha: a method", "Journal of Methods", 2021)
    assert " ".join(alpha.text.split()) == f"{ALPHA[:40].strip()} {ALPHA[40:].strip()}"
    assert alpha.authors == ("Ada Lovelace", "Alan M. Turing")
    assert (alpha.doi, alpha.url) == ("10.1234/abc", "https://example.org/a")
    assert alpha.extra == {"keywords": ["methods", "firsts"]}
    assert (beta.title, beta.text, beta.year, beta.venue) == ("Beta", BETA, 2019, "Proc. Beta")
    assert (beta.authors, beta.source, beta.line) == (("Martin King Jr.",), "export.ris#2", 15)


def test_a_reference_that_breaks_off_and_odd_spacing(tmp_path: Path) -> None:
    text = f"TY - JOUR\nTI - Alpha\nAB - {ALPHA}\nER -\nTY  - JOUR\nTI  - Beta\nAB  - {BETA}\nAU  - Lov"
    found = items(tmp_path, text, "x.ris")
    papers = [(item.title, item.text) for item in found if isinstance(item, Record)]
    assert papers == [("Alpha", ALPHA), ("Beta", BETA)]
    assert told(found) == [("broken off", 8, "x.ris")]


def test_a_file_of_pubmed(tmp_path: Path) -> None:
    found = items(tmp_path, MEDLINE, "export.nbib")
    (record,) = (item for item in found if isinstance(item, Record))
    assert record.title == "Alpha: a method that is told on two lines."
    assert record.text.startswith("BACKGROUND: We propose Alpha")
    assert record.authors == ("Ada Lovelace", "Alan M Turing")
    assert (record.year, record.venue, record.doi) == (2020, "Journal of methods", "10.1234/abc")
    assert record.url == "https://pubmed.ncbi.nlm.nih.gov/12345678/"
    assert told(found) == [("no abstract", 17, "export.nbib#2")]


def test_a_file_of_endnote(tmp_path: Path) -> None:
    alpha, beta = records(tmp_path, ENDNOTE, "export.enw")
    assert (alpha.title, alpha.authors, alpha.year) == (
        "Alpha: a method",
        ("Ada Lovelace", "Alan Turing"),
        2021,
    )
    assert (alpha.url, alpha.extra) == ("https://example.org/a", {"keywords": ["methods", "firsts"]})
    assert (beta.text, beta.line) == (BETA, 11)


def test_a_file_of_web_of_science(tmp_path: Path) -> None:
    (record,) = records(tmp_path, WEB_OF_SCIENCE, "savedrecs.txt")
    assert (record.title, record.authors) == ("Alpha: a method", ("Ada Lovelace", "Alan Turing"))
    assert (record.year, record.doi, record.venue) == (2021, "10.1234/abc", "JOURNAL OF METHODS")
    assert record.extra["keywords"] == ["methods", "firsts"]


@pytest.mark.parametrize("text", [RIS, MEDLINE, ENDNOTE, WEB_OF_SCIENCE])
@pytest.mark.parametrize("name", ["papers.txt", "papers.json", "papers.bib"])
def test_they_are_known_by_their_content_and_with_any_line_ends(tmp_path: Path, text: str, name: str) -> None:
    assert [item for item in items(tmp_path, text.replace("\n", "\r\n"), name) if isinstance(item, Record)]
