from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from rag.cli import main
from rag.domain import Paper, Record
from rag.ledger import Ledger
from rag.ledger.store import Store
from rag.papers import make_paper
from rag.papers.duplicates import arxiv_number, bare_doi, compare
from rag.twins import duplicates
from tests.fakes import Shelf

EVA = (
    "We present EVA-0, a zeroth-order adaptation framework for use at test time. It needs two forward "
    "passes per sample and is 14 times faster than the state of the art. Experiments on ImageNet-C show an "
    "accuracy of 54.3 percent, and no memory beyond that of inference is needed. The loss stays the same."
)
OTHER = (
    "Octopuses remember the places where they hid food for several weeks. In a field study of forty animals "
    "we follow what each of them returns to, and find that shells are carried along when a den is left. A "
    "model of attention explains the pattern better than one of smell, which earlier work had assumed."
)
COLLECTIONS = Path(__file__).parent.parent.parent / "shared" / "data"


def record(text: str = EVA, **more) -> Record:
    return Record(text, "list.txt#1", **more)


def paper(text: str = EVA, **more) -> Paper:
    return make_paper(record(text, **more))


@pytest.fixture
def shelf(tmp_path):
    shelf = Shelf(tmp_path / "lib")
    yield shelf
    shelf.close()


@pytest.mark.parametrize(
    "variant",
    [
        EVA.upper(),
        EVA.replace("14", "$14$").replace("EVA-0", r"\textbf{EVA-0}"),
        f"<jats:p>{EVA.replace('54.3 percent', '<i>54.3</i> percent')}</jats:p>",
        f"{EVA} © 2019 Elsevier B.V. All rights reserved.",
        f"Abstract: {EVA}",
        f"{EVA[:200]}…",
        EVA.replace("adaptation", "adaptatoin").replace("memory", "memmory"),
        EVA.replace("zeroth-order", "zeroth order").replace(", and", " and"),
        f"{EVA} Code and models are available online.",
    ],
    ids=["case", "latex", "tags", "licence", "label", "cut", "typos", "marks", "longer"],
)
def test_another_spelling_of_an_abstract_is_the_same_paper(variant):
    assert compare(paper(), paper(variant)).same


@pytest.mark.parametrize(
    ("variant", "why"),
    [
        (EVA.replace("54.3", "57.9"), "54.3 / 57.9"),
        (EVA.replace("two forward", "three forward"), "2 / 3"),
        (EVA.replace("ImageNet-C", "CIFAR-C"), "net / cifar"),
        (EVA.replace("EVA-0", "EVA-Cap"), "0 / cap"),
        (EVA.replace("EVA-0", "EVA"), "0 / nothing"),
        (EVA.replace("no memory", "memory"), "no / nothing"),
        (f"{EVA[:180]} {OTHER}", "alike only in part"),
        (OTHER, "alike only in part"),
    ],
)
def test_a_paper_that_only_looks_alike_is_another(variant, why):
    comparison = compare(paper(), paper(variant))
    assert not comparison.same
    assert why in comparison.why


def test_a_doi_or_an_arxiv_number_makes_two_versions_one_paper():
    later = EVA.replace("54.3", "61.0").replace("14 times", "16 times")
    assert compare(paper(doi="10.1000/x"), paper(later, doi="10.1000/x")).why == "same DOI 10.1000/x"
    first = paper(extra={"arxiv": "2401.01234v1"})
    for form in ({"extra": {"arxiv": "2401.01234v3"}}, {"url": "https://arxiv.org/abs/2401.01234"},
                 {"doi": "10.48550/arxiv.2401.01234"}):  # fmt: skip
        assert compare(first, paper(later, **form)).same, form


def test_a_title_makes_one_paper_of_close_abstracts_only():
    title = "Adapting models at test time without gradients"
    later = f"{EVA.replace('54.3', '61.0')} We also report results on speech."
    assert compare(paper(title=title), paper(later, title=f"{title.upper()}.")).same
    assert not compare(paper(title=title), paper(OTHER, title=title)).same


def test_the_same_words_under_two_titles_are_two_papers_only_when_few():
    short = (
        "No abstract is available for this entry; please see the article itself or the page of its publisher."
    )
    assert not compare(
        paper(short, title="Octopus memory"), paper(short, title="Tram scheduling in winter")
    ).same
    assert compare(paper(title="Octopus memory"), paper(title="Tram scheduling in winter")).same


def test_a_doi_on_an_unlike_abstract_is_a_doubt():
    comparison = compare(paper(doi="10.1000/x"), paper(OTHER, doi="10.1000/x"))
    assert (comparison.same, comparison.doubt) == (False, True)


@pytest.mark.parametrize(
    ("more", "number"),
    [
        ({"extra": {"arxiv": "2401.01234"}}, "2401.01234"),
        ({"extra": {"arxiv": "arXiv:2401.01234v2"}}, "2401.01234"),
        ({"extra": {"arxiv": "cs.CL/0501001v1"}}, "cs.cl/0501001"),
        ({"url": "http://arxiv.org/pdf/2401.01234v2.pdf"}, "2401.01234"),
        ({"doi": "10.48550/ARXIV.2401.01234"}, "2401.01234"),
        ({"url": "https://example.org/2401.01234"}, ""),
        ({"doi": "10.1000/2401.01234"}, ""),
    ],
)
def test_arxiv_numbers_are_read_wherever_they_stand(more, number):
    assert arxiv_number(paper(**more)) == number


def test_a_doi_is_compared_without_its_address():
    assert bare_doi(paper(doi="https://doi.org/10.1000/ABC")) == "10.1000/abc"


def test_a_duplicate_gives_its_source_and_what_it_knows_more(shelf):
    shelf.read("a.txt", record(), record(OTHER))
    intake = shelf.read(
        "b.bib",
        record(
            f"{EVA} © 2019 IEEE.",
            title="EVA-0: adaptation without gradients",
            authors=("Ada Lovelace", "Kurt Gödel"),
            year=2019,
            venue="NeurIPS",
            doi="10.1000/x",
            extra={"keywords": ["adaptation"]},
        ),
    )
    assert (intake.counts.added, intake.counts.merged) == (0, 1)
    first, second = shelf.papers()
    assert first.sources == ("a.txt#1", "b.bib#1")
    assert first.text == EVA
    assert (first.title, first.year, first.venue) == ("EVA-0: adaptation without gradients", 2019, "NeurIPS")
    assert first.authors == ("Ada Lovelace", "Kurt Gödel")
    assert first.extra["keywords"] == ["adaptation"]
    assert first.extra["also"]["text"] == [f"{EVA} © 2019 IEEE."]
    assert second.sources == ("a.txt#2",)
    shelf.check()


def test_what_gives_way_to_a_richer_value_is_kept(shelf):
    preprint = record(authors=("A. Lovelace",), venue="arXiv", doi="10.48550/arxiv.2401.01234", year=2023)
    published = record(
        f"{EVA} Code is available.", authors=("Ada Lovelace",), venue="NeurIPS", doi="10.1109/x", year=2024
    )
    shelf.read("a.bib", preprint)
    shelf.read("b.bib", published)
    (only,) = shelf.papers()
    assert (only.authors, only.venue, only.doi, only.year) == (
        ("Ada Lovelace",),
        "NeurIPS",
        "10.1109/x",
        2023,
    )
    also = only.extra["also"]
    assert (also["venue"], also["doi"], also["year"]) == (["arXiv"], ["10.48550/arxiv.2401.01234"], [2024])
    assert also["authors"] == [["A. Lovelace"]]
    # The DOI that gave way still finds it.
    later = record(EVA.replace("54.3", "61.0").replace("two", "three"), doi="10.48550/arxiv.2401.01234")
    assert shelf.read("c.bib", later).counts.merged == 1


def test_a_title_that_a_paper_gains_is_searched(shelf):
    shelf.read("a.txt", record(), record(OTHER))
    shelf.read("b.bib", record(f"{EVA} Code is available.", title="Quasar zoology"))
    wanted = shelf.papers()[0]
    assert [hit[0] for hit in shelf.indexes.words.query(["quasar"], 3)] == [wanted.id]
    titled = shelf.embedder.embed_query(f"Quasar zoology\n{EVA}")
    (chunk, score), *_ = shelf.indexes.vectors.query(titled, 1)
    assert (chunk, round(score, 3)) == (f"{wanted.id}:0", 1.0)


def test_duplicates_are_found_within_one_batch_and_one_file(shelf):
    intake = shelf.read("a.txt", record(), record(f"{EVA} © 2019 IEEE."), record(OTHER), record(EVA))
    counts = intake.counts
    assert (counts.added, counts.merged, counts.unchanged) == (2, 1, 1)
    assert shelf.papers()[0].sources == ("a.txt#1", "a.txt#2", "a.txt#4")
    shelf.check()


@pytest.mark.parametrize("batch", [1, 2, 16])
def test_reading_duplicates_again_changes_nothing(shelf, batch):
    records = (
        record(),
        record(f"{EVA} © 2019 IEEE.", doi="10.1/x"),
        record(OTHER, title="A title of octopuses"),
    )
    shelf.read("a.txt", *records, batch=batch)
    before, generation = shelf.papers(), shelf.ledger.generation
    shelf.embedder.embedded.clear()
    counts = shelf.read("a.txt", *records, batch=batch).counts
    assert (counts.added, counts.merged, counts.updated, counts.unchanged) == (0, 0, 0, 3)
    assert (shelf.papers(), shelf.ledger.generation) == (before, generation)
    assert shelf.embedder.embedded == []


def test_a_wrong_doi_is_remarked_and_the_papers_stay_apart(shelf):
    shelf.read("a.bib", record(doi="10.1000/x"))
    intake = shelf.read("b.bib", record(OTHER, doi="10.1000/x"))
    assert intake.counts.added == 1
    (notice,) = intake.notices
    assert "same DOI 10.1000/x" in notice.reason
    assert not notice.skipped


def test_papers_of_a_volume_that_bear_its_doi_stay_apart(shelf):
    texts = (EVA, OTHER, EVA.replace("54.3", "57.9").replace("sample", "frame"))
    titles = ("Adapting models at test time", "Octopus memory in the wild", "Faster frames for video models")
    intake = shelf.read(
        "v.bib", *(record(t, title=n, doi="10.1000/v") for t, n in zip(texts, titles, strict=True))
    )
    assert intake.counts.added + intake.counts.merged == 3
    assert intake.counts.added >= 2
    assert len(intake.notices) == intake.counts.added - 1


def test_no_text_is_read_but_of_papers_that_come_near(shelf, monkeypatch):
    shelf.read(
        "a.txt", *(record(f"{OTHER} This is trial {n} of the {n}th kind.") for n in range(3)), record()
    )
    asked: list[str] = []
    real = type(shelf.ledger).papers
    monkeypatch.setattr(
        type(shelf.ledger), "papers", lambda self, ids=None: asked.extend(ids or []) or real(self, ids)
    )
    shelf.read("b.txt", record(f"{EVA} © 2019 IEEE."))
    assert len(set(asked)) == 1


def test_duplicates_tell_what_was_merged_and_what_only_looks_alike(shelf):
    shelf.read("a.txt", record(), record(EVA.replace("54.3", "57.9")), record(OTHER))
    shelf.read("b.txt", record(f"{EVA} Code and models are available online."))
    merged, near = duplicates(shelf.ledger)
    assert (merged.kind, merged.source, merged.why) == ("merged", "b.txt#1", "nearly the same text")
    assert 0.9 < merged.score < 1
    assert (near.kind, [p.source for p in near.papers]) == ("near", ["a.txt#1", "a.txt#2"])
    assert near.why == "nearly the same text, but for 54.3 / 57.9"


def test_a_crowd_of_papers_that_look_alike_is_told(shelf):
    shelf.read("a.txt", *(record(EVA.replace("54.3", f"{n}.3")) for n in range(10, 50)))
    *near, crowd = duplicates(shelf.ledger)
    assert {d.kind for d in near} == {"near"} and len(near) < 40 * 20
    assert (crowd.kind, len(crowd.papers)) == ("crowd", 2)
    assert crowd.why.startswith("40 papers look so alike")


class Emptied(Store):
    """A library that another process removes a paper from between two readings."""

    def ids(self):
        with Ledger.open(self.folder, "write") as other:
            other.remove(other.ids()[:1])
        return super().ids()


def test_a_paper_that_is_removed_while_duplicates_are_looked_for_is_none(shelf):
    shelf.read("a.txt", record(), record(EVA.replace("54.3", "57.9")), record(OTHER))
    shelf.read("b.txt", record(f"{EVA} Code and models are available online."))
    shelf.close()
    with Emptied(shelf.folder) as ledger:
        assert duplicates(ledger) == []


def test_the_seed_abstracts_are_38_papers_none_of_them_alike(seed_library):
    assert len(seed_library.papers()) == 38
    assert seed_library.duplicates() == []


def test_the_command_shows_pairs_scores_and_reasons(clean_place, tmp_path, capsys):
    texts = [EVA, EVA.replace("54.3", "57.9"), f"{EVA} © 2019 IEEE."]
    (tmp_path / "a.txt").write_text("Papers\n\n" + "\n\n".join(texts) + "\n", encoding="utf-8")
    assert main(["ingest", "a.txt"]) == 0
    assert "2 papers added, 0 already there, 1 merged" in capsys.readouterr().out
    assert main(["papers", "duplicates"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [row[:3] for row in rows] == [
        ["merged", "1.00", "the same text"],
        ["near", "0.98", "nearly the same text, but for 54.3 / 57.9"],
    ]
    assert main(["papers", "duplicates", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown[0]["source"] == "a.txt#3"
    assert [p["source"] for p in shown[1]["papers"]] == ["a.txt#1", "a.txt#2"]


@pytest.mark.slow
@pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="the collections of abstracts are not here")
def test_precision_and_recall_on_made_pairs():
    path = Path(__file__).parent.parent / "bench" / "duplicates.py"
    spec = importlib.util.spec_from_file_location("bench_duplicates", path)
    bench = importlib.util.module_from_spec(spec)
    # Its dataclasses look for their module by name.
    import sys

    sys.modules[spec.name] = bench
    spec.loader.exec_module(bench)
    names = ("csabstruct/dev.jsonl", "beir/cran/corpus.jsonl")
    texts = [text for name in names for text in bench.read(COLLECTIONS / name)]
    results = list(bench.judged(bench.made(texts, 12)))
    merged = [(pair, taken) for pair, taken, _ in results if taken]
    hits = sum(pair.same and taken == pair.one.id for pair, taken in merged)
    assert len(results) > 200
    assert hits / len(merged) >= 0.98
    assert hits / sum(pair.same for pair, _, _ in results) >= 0.98
