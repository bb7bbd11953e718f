"""BibTeX: strings, accents, braces, references between entries, and what is broken."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rag.domain import Notice, Record
from rag.papers import make_paper
from tests.reading import ALPHA, BETA, items, records, told

LIBRARY = r"""
% Exported by hand
@string{jm = "Journal of {M}ethods"}
@string(conf = {Proc. of the } # "Conf")

@Article{goedel31,
  author    = {G{\"o}del, Kurt and Erd\H{o}s, P\'al and {The {ACME} Group}},
  title     = {{Alpha}: a {M}ethod \& more},
  journal   = jm # { B},
  year      = 1931,
  month     = jan,
  doi       = {https://doi.org/10.1234/ABC.5},
  url       = "https://example.org/a",
  keywords  = {logic, proofs},
  abstract  = {We propose {\em Alpha}, a method that gains 85\% and does the first thing well.},
}

@inproceedings{beta, crossref = {proc}, title = "Beta", abstract = "BETA", eprint = {2401.01234v2},
  archivePrefix = {arXiv}}

@proceedings{proc, title = conf, year = {2024}}
@comment{ignored, title = {x}}
""".replace("BETA", BETA)


def test_a_library_with_strings_accents_and_a_reference(tmp_path: Path) -> None:
    found = items(tmp_path, LIBRARY, "lib.bib")
    alpha, beta = (item for item in found if isinstance(item, Record))
    assert alpha.authors == ("Kurt Gödel", "Pál Erdős", "The ACME Group")
    assert (alpha.title, alpha.venue, alpha.year) == ("Alpha: a Method & more", "Journal of Methods B", 1931)
    assert (alpha.doi, alpha.url) == ("10.1234/abc.5", "https://example.org/a")
    assert alpha.extra == {"source_id": "goedel31", "keywords": ["logic", "proofs"]}
    assert (alpha.source, alpha.line) == ("lib.bib#1", 6)
    assert (
        make_paper(alpha).text == "We propose Alpha, a method that gains 85% and does the first thing well."
    )
    assert (beta.venue, beta.year, beta.extra["arxiv"]) == ("Proc. of the Conf", 2024, "2401.01234")
    assert told(found) == [("no abstract", 21, "lib.bib#3")]


def test_a_missing_comma_loses_no_field(tmp_path: Path) -> None:
    fields = f"title = {{Alpha}}\n  year = 2020\n  abstract = {{{ALPHA}}}\n  doi = {{10.1234/x}}"
    text = f"@article{{a,\n  {fields}\n}}\n"
    (record,) = records(tmp_path, text, "lib.bib")
    assert (record.title, record.year, record.text, record.doi) == ("Alpha", 2020, ALPHA, "10.1234/x")


def test_an_entry_that_does_not_end_is_told_and_those_around_it_are_read(tmp_path: Path) -> None:
    text = (
        f"@article{{a, title={{A}}, abstract={{{ALPHA}}}}}\n\n@article{{c, title={{never, closed\n\n"
        f"@article{{b, title={{B}}, abstract={{{BETA}}}}}\n"
    )
    found = items(tmp_path, text, "lib.bib")
    assert [item.text for item in found if isinstance(item, Record)] == [ALPHA, BETA]
    (notice,) = (item for item in found if isinstance(item, Notice))
    assert (notice.kind, notice.line, notice.source) == ("unreadable", 3, "lib.bib#2")
    assert notice.reason == "an entry that does not end: @article{c, title={never, closed"


def test_an_entry_that_lacks_only_its_last_brace_is_read(tmp_path: Path) -> None:
    second = f"@article{{b, title={{B}}, abstract={{{BETA}}}}}"
    text = f"@article{{a, title={{A}}, abstract={{{ALPHA}}},\n\n{second}\n"
    found = items(tmp_path, text, "lib.bib")
    assert [item.text for item in found if isinstance(item, Record)] == [ALPHA, BETA]
    assert told(found) == [("broken off", 1, "lib.bib")]


def test_two_entries_with_one_key_are_both_read(tmp_path: Path) -> None:
    second = f"@misc{{a, title={{B}}, title={{C}}, abstract={{{BETA}}}}}"
    text = f"@misc{{a, title={{A}}, abstract={{{ALPHA}}}}}\n{second}\n"
    assert [record.title for record in records(tmp_path, text, "lib.bib")] == ["A", "B"]


def test_faults_are_told_once_and_not_in_a_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    items(
        tmp_path,
        f"@article{{a, abstract={{{ALPHA}}}}}\n@article{{c, title={{never\n@article{{d, title={{\n",
        "l.bib",
    )
    assert capfd.readouterr().err == ""


def test_it_is_known_by_its_content(tmp_path: Path) -> None:
    for name in ("library.txt", "library.json", "library"):
        assert len(records(tmp_path, f"@misc{{a, title={{A}}, abstract={{{ALPHA}}}}}", name)) == 1


@pytest.mark.parametrize("blanks", [" " * 50_000, "\n" * 50_000, "# " * 25_000])
def test_long_runs_of_blanks_are_read_in_one_go(tmp_path: Path, blanks: str) -> None:
    text = f"@article{{a,\n title = {{x}} {blanks}! ,\n abstract = {{{ALPHA}}}\n}}\n"
    began = time.process_time()
    items(tmp_path, text, "lib.bib")
    # Gone through again from each blank it takes half a minute.
    assert time.process_time() - began < 5
