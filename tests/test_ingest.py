from __future__ import annotations

import hashlib
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from rag import sources
from rag.errors import EmbedderError, EmbedderMismatch, LibraryError, SourceError, UsageError
from rag.indexes.healing import Indexes, open_indexes
from rag.ingest import IngestReport, Progress, ingest, reembed
from rag.ledger import Ledger
from rag.text.words import terms
from tests.fakes import HashEmbedder, run_python

SUBJECTS = (
    "octopus memory",
    "glacier melting",
    "violin acoustics",
    "beehive ventilation",
    "tram scheduling",
    "lichen growth",
    "kite aerodynamics",
    "salt crystals",
    "tidal power",
    "paper folding",
)


def abstract(number: int) -> str:
    subject = SUBJECTS[number % len(SUBJECTS)]
    return (
        f"We present Sys{number}Net, a method for the study of {subject} in setting {number}. "
        f"It needs {number + 3} samples where earlier work on {subject} needed thousands. "
        f"Experiments on {number + 2} data sets show that it is accurate and quick."
    )


def write(path: Path, numbers) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("Abstracts\n\n" + "\n\n".join(abstract(n) for n in numbers) + "\n", encoding="utf-8")
    return path


class Bench:
    """An open library and the embedder that feeds it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.embedder = HashEmbedder()
        self.ledger = Ledger.open(folder, "write")
        self.indexes: Indexes = open_indexes(self.ledger)

    def ingest(self, *paths: Path, **options) -> IngestReport:
        return ingest(paths, self.ledger, self.indexes, self.embedder, **options)

    def sources(self) -> list[tuple[str, ...]]:
        return [paper.sources for paper in self.ledger.papers()]

    def check(self) -> None:
        ids = self.ledger.ids()
        assert self.ledger.check() == []
        assert self.indexes.problems() == []
        assert self.indexes.vectors.count() == self.ledger.chunk_count()
        assert self.indexes.words.ids() == set(ids)

    def close(self) -> None:
        self.indexes.close()
        self.ledger.close()


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path / "lib")
    yield bench
    bench.close()


def test_a_list_of_abstracts_becomes_papers_with_sources(bench, tmp_path):
    report = bench.ingest(write(tmp_path / "a.txt", range(5)))
    assert (report.files, report.added, report.unchanged) == (1, 5, 0)
    assert report.complete
    assert bench.sources() == [(f"a.txt#{n}",) for n in range(1, 6)]
    bench.check()


def test_sentences_and_chunks_point_into_the_text(bench, tmp_path):
    bench.ingest(write(tmp_path / "a.txt", range(3)))
    for paper in bench.ledger.papers():
        sentences = bench.ledger.sentences([paper.id])[paper.id]
        assert [s.ordinal for s in sentences] == [0, 1, 2]
        assert paper.text[sentences[0].start : sentences[0].end].startswith("We present")
        (chunk,) = bench.ledger.chunks([paper.id])[paper.id]
        assert (chunk.start, chunk.end) == (0, len(paper.text))


def test_papers_are_found_after_ingest(bench, tmp_path):
    bench.ingest(write(tmp_path / "a.txt", range(8)))
    wanted = bench.ledger.papers()[3]
    assert bench.indexes.words.query(terms("beehive ventilation"), 1)[0][0] == wanted.id
    nearest = bench.indexes.vectors.query(bench.embedder.embed_query(abstract(3)), 1)
    assert nearest[0][0] == f"{wanted.id}:0"


def test_ingesting_again_adds_nothing_and_embeds_nothing(bench, tmp_path):
    path = write(tmp_path / "a.txt", range(5))
    bench.ingest(path)
    bench.embedder.embedded.clear()
    generation = bench.ledger.generation
    report = bench.ingest(path)
    assert (report.added, report.unchanged) == (0, 5)
    assert bench.embedder.embedded == []
    assert bench.ledger.generation == generation


def test_a_touched_file_is_still_unchanged(bench, tmp_path):
    path = write(tmp_path / "a.txt", range(3))
    bench.ingest(path)
    os.utime(path, (1, 1))
    bench.embedder.embedded.clear()
    assert bench.ingest(path).unchanged == 3
    assert bench.embedder.embedded == []


def test_the_same_abstract_in_two_files_is_one_paper_with_two_sources(bench, tmp_path):
    report = bench.ingest(write(tmp_path / "a.txt", [1, 2]), write(tmp_path / "b.txt", [2, 3]))
    assert (report.added, report.unchanged) == (3, 1)
    assert bench.sources() == [("a.txt#1",), ("a.txt#2", "b.txt#1"), ("b.txt#2",)]


def test_an_abstract_twice_in_one_batch_is_one_paper(bench, tmp_path):
    report = bench.ingest(write(tmp_path / "a.txt", [1, 2, 1]))
    assert (report.added, report.unchanged) == (2, 1)
    assert bench.sources() == [("a.txt#1", "a.txt#3"), ("a.txt#2",)]
    assert bench.ingest(tmp_path / "a.txt").unchanged == 3


def test_files_of_the_same_name_keep_their_sources_apart(bench, tmp_path):
    bench.ingest(write(tmp_path / "x" / "a.txt", [1]), write(tmp_path / "y" / "a.txt", [2]))
    assert bench.sources() == [("a.txt#1",), ("y/a.txt#1",)]
    assert bench.ingest(tmp_path / "x", tmp_path / "y").unchanged == 2


def test_a_moved_file_keeps_its_name(bench, tmp_path):
    path = write(tmp_path / "x" / "a.txt", [1, 2])
    bench.ingest(path)
    (tmp_path / "y").mkdir()
    moved = path.rename(tmp_path / "y" / "a.txt")
    report = bench.ingest(moved)
    assert (report.added, report.unchanged, report.gone) == (0, 2, ())
    assert [entry.path for entry in bench.ledger.files()] == [str(moved.resolve())]


def test_a_changed_file_adds_what_is_new_and_reports_what_is_gone(bench, tmp_path):
    path = write(tmp_path / "a.txt", [1, 2, 3])
    bench.ingest(path)
    first = bench.ledger.ids()[0]
    write(path, [4, 2, 3, 5])
    report = bench.ingest(path)
    assert (report.added, report.unchanged, report.gone, report.removed) == (2, 2, (first,), ())
    assert bench.ledger.count() == 5
    assert bench.ingest(path).gone == (first,)


def test_sync_removes_what_is_gone(bench, tmp_path):
    path = write(tmp_path / "a.txt", [1, 2, 3])
    bench.ingest(path)
    first = bench.ledger.ids()[0]
    write(path, [2, 3])
    bench.ingest(path)
    report = bench.ingest(path, sync=True)
    assert report.removed == (first,)
    assert bench.sources() == [("a.txt#1",), ("a.txt#2",)]
    assert bench.indexes.words.query(terms("glacier"), 3) == []
    bench.check()


def test_sync_keeps_a_paper_that_another_file_holds(bench, tmp_path):
    path = write(tmp_path / "a.txt", [1, 2])
    bench.ingest(path, write(tmp_path / "b.txt", [1]))
    write(path, [2])
    report = bench.ingest(path, sync=True)
    assert len(report.gone) == 1
    assert report.removed == ()
    assert bench.sources() == [("b.txt#1",), ("a.txt#1",)]


def test_a_file_deleted_from_a_folder_is_gone(bench, tmp_path):
    write(tmp_path / "in" / "a.txt", [1])
    second = write(tmp_path / "in" / "b.txt", [2])
    bench.ingest(tmp_path / "in")
    second.unlink()
    assert len(bench.ingest(tmp_path / "in").gone) == 1
    assert len(bench.ingest(tmp_path / "in", sync=True).removed) == 1
    assert bench.ledger.count() == 1


def test_a_removed_paper_comes_back_when_its_file_is_ingested_again(bench, tmp_path):
    path = write(tmp_path / "a.txt", [1, 2])
    bench.ingest(path)
    bench.ledger.remove(bench.ledger.ids()[:1])
    assert bench.ingest(path).added == 1
    bench.check()


def test_files_that_cannot_be_read_are_reported_and_the_rest_goes_on(bench, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.txt").write_bytes(b"")
    write(tmp_path / "in" / "c.txt", [1, 2])
    report = bench.ingest(tmp_path / "in", tmp_path / "nowhere")
    assert report.added == 2
    assert [(f.file, f.reason) for f in report.failures] == [
        (str(tmp_path / "nowhere"), "no such file or folder."),
        ("b.txt", "the file is empty."),
    ]
    assert all(failure.hint for failure in report.failures)
    assert not report.complete


@pytest.mark.skipif(os.name != "posix", reason="named pipes need POSIX")
def test_a_pipe_and_a_file_too_large_are_refused_without_being_read(bench, tmp_path, monkeypatch):
    folder = tmp_path / "in"
    write(folder / "c.txt", [1, 2])
    write(folder / "huge.txt", range(300))
    for name in ("huge.txt", "huge.log"):
        with (folder / name).open("ab") as file:
            file.truncate(sources.MAX_BYTES + 1)
    os.mkfifo(tmp_path / "pipe.txt")
    hashed = []
    real = hashlib.file_digest

    def noting(file, name):
        hashed.append(Path(file.name).name)
        return real(file, name)

    monkeypatch.setattr(hashlib, "file_digest", noting)
    report = bench.ingest(folder, tmp_path / "pipe.txt")
    assert report.added == 2
    assert [name for name in hashed if name.endswith((".txt", ".log"))] == ["c.txt"]
    assert [(f.file, f.reason) for f in report.failures] == [
        ("huge.txt", "210 MB is more than the 210 MB a file may have."),
        ("pipe.txt", "not a file."),
    ]
    assert [f.file for f in report.left_out] == ["huge.log"]


def test_files_of_other_kinds_are_left_out_of_a_folder_but_fail_when_named(bench, tmp_path):
    folder = tmp_path / "in"
    write(folder / "c.txt", [1, 2])
    (folder / "scores.csv").write_text("a,b\n1,2\n")
    (folder / "plot.png").write_bytes(b"\x89PNG\r\n" + bytes(50))
    report = bench.ingest(folder)
    assert [(f.file, f.reason) for f in report.left_out] == [
        ("plot.png", "not text but a PNG image."),
        ("scores.csv", "a table without a column of abstracts."),
    ]
    assert (report.added, report.files, report.failures, report.complete) == (2, 1, (), True)
    report = bench.ingest(folder / "scores.csv", folder)
    assert [f.file for f in report.failures] == ["scores.csv"]
    assert [f.file for f in report.left_out] == ["plot.png"]
    assert not report.complete


def test_a_list_that_turned_into_something_else_is_a_failure(bench, tmp_path):
    path = write(tmp_path / "in" / "a.txt", [1, 2])
    bench.ingest(tmp_path / "in")
    path.write_bytes(b"\x89PNG\r\n" + bytes(50))
    report = bench.ingest(tmp_path / "in")
    assert [f.file for f in report.failures] == ["a.txt"]
    assert (report.left_out, report.gone) == ((), ())


def test_files_that_fail_are_told_apart(bench, tmp_path):
    for part in ("x", "y"):
        (tmp_path / "in" / part).mkdir(parents=True)
        (tmp_path / "in" / part / "a.txt").write_bytes(b"")
    report = bench.ingest(tmp_path / "in")
    assert [failure.file for failure in report.failures] == ["a.txt", "y/a.txt"]


def test_a_folder_with_nothing_to_read_is_remarked(bench, tmp_path):
    (tmp_path / "in").mkdir()
    report = bench.ingest(tmp_path / "in")
    assert [n.reason for n in report.notices] == ["there is nothing to read in it"]
    assert not report.complete
    (tmp_path / "in" / "scores.csv").write_text("a,b\n")
    assert not bench.ingest(tmp_path / "in").complete
    path = write(tmp_path / "in" / "a.txt", [1])
    assert bench.ingest(tmp_path / "in").complete
    path.unlink()
    report = bench.ingest(tmp_path / "in", sync=True)
    assert (len(report.removed), report.notices) == (1, ())


def test_a_file_with_notices_gives_them_again(bench, tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(write(path, [1, 2]).read_bytes().replace(b"samples", b"sam\xffples"))
    first = bench.ingest(path)
    assert first.added == 2
    assert first.notices
    again = bench.ingest(path)
    assert (again.added, again.unchanged) == (0, 2)
    assert again.notices == first.notices


def test_another_embedder_is_refused_and_named(bench, tmp_path):
    bench.ingest(write(tmp_path / "a.txt", [1]))
    bench.embedder = HashEmbedder(dimension=8, name="other")
    with pytest.raises(EmbedderMismatch) as caught:
        bench.ingest(write(tmp_path / "b.txt", [2]))
    assert "hash" in str(caught.value)
    assert "RAG_EMBEDDER" in caught.value.hint
    assert bench.ledger.count() == 1


def test_embedding_again_moves_the_library_to_another_embedder(bench, tmp_path):
    bench.ingest(write(tmp_path / "a.txt", range(5)))
    other = HashEmbedder(dimension=32, name="other")
    told = []
    assert reembed(bench.ledger, bench.indexes, other, batch=2, progress=lambda *n: told.append(n)) == 5
    assert told == [(2, 5), (4, 5), (5, 5)]
    assert bench.ledger.identity == other.identity
    assert bench.indexes.vectors.query(other.embed_query(abstract(2)), 1)[0][0].startswith(
        bench.ledger.ids()[2]
    )
    bench.check()
    bench.embedder = other
    assert bench.ingest(write(tmp_path / "b.txt", [7])).added == 1


class FailingEmbedder(HashEmbedder):
    """Fails once it has embedded some papers."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = calls

    def embed_documents(self, texts):
        self.calls -= 1
        if self.calls < 0:
            raise EmbedderError("no more")
        return super().embed_documents(texts)


def test_a_failing_embedder_keeps_the_batches_before_it(bench, tmp_path):
    path = write(tmp_path / "a.txt", range(10))
    bench.embedder = FailingEmbedder(2)
    with pytest.raises(EmbedderError):
        bench.ingest(path, batch=3)
    assert bench.ledger.count() == 6
    bench.embedder = HashEmbedder()
    bench.embedder.identity = FailingEmbedder(0).identity
    report = bench.ingest(path, batch=3)
    assert (report.added, report.unchanged) == (4, 6)
    bench.check()


def test_a_failing_embedding_again_keeps_the_old_vectors(bench, tmp_path):
    bench.ingest(write(tmp_path / "a.txt", range(6)))
    with pytest.raises(EmbedderError):
        reembed(bench.ledger, bench.indexes, FailingEmbedder(1), batch=2)
    assert bench.ledger.check() == []
    bench.check()


def test_each_distinct_text_is_embedded_once(bench, tmp_path):
    path = tmp_path / "a.txt"
    line = "Sys9Net is a single sentence about the folding of very large paper maps in the strong wind."
    path.write_text(f"Abstracts\n\n{line}\n\n{abstract(1)}\n", encoding="utf-8")
    bench.ingest(path)
    assert bench.ledger.count() == 2
    assert len(bench.embedder.embedded) == len(set(bench.embedder.embedded))


def test_progress_counts_up(bench, tmp_path):
    told: list[Progress] = []
    bench.ingest(write(tmp_path / "a.txt", range(5)), batch=2, progress=told.append)
    assert [p.added for p in told] == [2, 4, 5]
    assert {(p.file, p.position, p.files) for p in told} == {("a.txt", 1, 1)}


def test_an_odd_file_name_is_no_obstacle(bench, tmp_path):
    folder = tmp_path / "in"
    write(folder / "a b#7 'ü%.txt", [1])
    if os.name == "posix":
        write(folder / os.fsdecode(b"bad\xff.txt"), [2])
    report = bench.ingest(folder)
    assert report.failures == ()
    assert bench.ingest(folder).unchanged == report.added
    assert "a b#7 'ü%.txt#1" in {s for sources in bench.sources() for s in sources}


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from rag.indexes.healing import open_indexes
    from rag.ingest import ingest
    from rag.ledger import Ledger
    from tests.fakes import HashEmbedder

    library, papers, moment, step = sys.argv[1:]
    seen = 0

    class Killer(HashEmbedder):
        def embed_documents(self, texts):
            strike("embed")
            return super().embed_documents(texts)

    def strike(where):
        global seen
        seen += where == moment
        if seen == int(step):
            os.kill(os.getpid(), signal.SIGKILL)

    with Ledger.open(library, "write") as ledger:
        indexes = open_indexes(ledger)
        ingest([papers], ledger, indexes, Killer(), batch=3, progress=lambda p: strike("stored"))
"""


@pytest.mark.parametrize(
    ("moment", "step", "kept"), [("embed", 1, 0), ("embed", 3, 6), ("stored", 2, 6), ("stored", 4, 10)]
)
def test_a_killed_ingest_loses_at_most_the_batch_in_flight(tmp_path, moment, step, kept):
    path = write(tmp_path / "a.txt", range(10))
    folder = tmp_path / "lib"
    assert run_python(KILLED, str(folder), str(path), moment, str(step)).returncode < 0
    bench = Bench(folder)
    assert bench.ledger.count() == kept
    if kept:
        bench.check()
    report = bench.ingest(path)
    assert (report.added, report.unchanged) == (10 - kept, kept)
    assert bench.sources() == [(f"a.txt#{n}",) for n in range(1, 11)]
    bench.check()
    bench.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_library_removed_while_it_is_written_is_an_error(bench, tmp_path, replaced):
    def remove(progress: Progress) -> None:
        shutil.rmtree(bench.folder, ignore_errors=True)
        if replaced:
            Ledger.open(bench.folder, "write").close()

    paths = [write(tmp_path / f"{n}.txt", range(n * 40, n * 40 + 40)) for n in range(2)]
    with pytest.raises(LibraryError, match="was removed or replaced while it was written"):
        bench.ingest(*paths, progress=remove)


def papers_json(*numbers: int) -> str:
    return json.dumps([{"title": f"Title {n}", "abstract": abstract(n)} for n in numbers])


def zip_file(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{name}.json", content)
    return path


def test_the_files_of_an_archive_are_read_once_and_followed_when_they_change(bench, tmp_path):
    path = zip_file(tmp_path / "all.zip", a=papers_json(1, 2), b=papers_json(3))
    assert bench.ingest(path).added == 3
    assert bench.sources() == [("all.zip/a.json#1",), ("all.zip/a.json#2",), ("all.zip/b.json#1",)]
    generation = bench.ledger.generation
    assert (bench.ingest(path).unchanged, bench.ledger.generation) == (3, generation)
    zip_file(path, a=papers_json(1), c=papers_json(4))
    report = bench.ingest(path, sync=True)
    assert (report.added, report.unchanged, len(report.removed)) == (1, 1, 2)
    assert bench.sources() == [("all.zip/a.json#1",), ("all.zip/c.json#1",)]
    bench.check()


def test_a_paper_removed_from_the_library_comes_back_from_its_archive(bench, tmp_path):
    path = zip_file(tmp_path / "all.zip", a=papers_json(1, 2))
    bench.ingest(path)
    bench.ledger.remove(bench.ledger.ids()[:1])
    assert bench.ingest(path).added == 1
    assert bench.ingest(path).unchanged == 2


def test_an_archive_deleted_from_a_folder_is_gone_with_all_in_it(bench, tmp_path):
    (tmp_path / "in").mkdir()
    path = zip_file(tmp_path / "in" / "all.zip", a=papers_json(1), b=papers_json(2))
    bench.ingest(tmp_path / "in")
    path.unlink()
    assert len(bench.ingest(tmp_path / "in", sync=True).removed) == 2


def test_a_strict_ingest_stops_before_a_file_that_is_not_whole(bench, tmp_path):
    good = write(tmp_path / "a.txt", [1, 2])
    bad = tmp_path / "b.json"
    bad.write_text(json.dumps([{"title": "A", "abstract": abstract(3)}, {"title": "B", "abstract": ""}]))
    with pytest.raises(SourceError, match=r"b\.json: #2, line 1: no abstract: “B”"):
        bench.ingest(good, bad, write(tmp_path / "c.txt", [4]), strict=True)
    assert bench.sources() == [("a.txt#1",), ("a.txt#2",)]
    assert bench.ingest(good, strict=True).complete
    with pytest.raises(SourceError, match="no such file or folder"):
        bench.ingest(tmp_path / "nowhere", strict=True)


def test_a_format_can_be_forced_and_must_be_one(bench, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(papers_json(1))
    assert bench.ingest(path, form="list").added == 1
    assert bench.ledger.papers()[0].text.startswith("[{")
    # Another reading of the same entry is a new state of it.
    assert bench.ingest(path, form="json").updated == 1
    with pytest.raises(UsageError, match="there is no format 'word'"):
        bench.ingest(path, form="word")


def test_a_pattern_is_read_like_the_files_it_fits(bench, tmp_path):
    write(tmp_path / "a.txt", [1])
    write(tmp_path / "b.txt", [2])
    assert bench.ingest(tmp_path / "*.txt").added == 2
    report = bench.ingest(tmp_path / "*.bib")
    assert [f.reason for f in report.failures] == ["no file fits this pattern."]


def in_json(numbers) -> str:
    return json.dumps([{"title": f"Sys {n}", "abstract": abstract(n)} for n in numbers], indent=1)


def in_bibtex(numbers) -> str:
    return "\n".join(
        f"@article{{k{n},\n  abstract = {{{abstract(n)}}},\n  year = {{2020}}\n}}\n" for n in numbers
    )


def in_ris(numbers) -> str:
    return "".join(f"TY  - JOUR\nTI  - Sys {n}\nAB  - {abstract(n)}\nER  - \n\n" for n in numbers)


def in_csv(numbers) -> str:
    return "title,abstract\n" + "".join(f'Sys {n},"{abstract(n)}"\n' for n in numbers)


def in_lines(numbers) -> str:
    return "".join(json.dumps({"title": f"Sys {n}", "abstract": abstract(n)}) + "\n" for n in numbers)


def in_medline(numbers) -> str:
    return "\n".join(f"PMID- {n}\nTI  - Sys {n}\nAU  - Lee A\nAB  - {abstract(n)}\n" for n in numbers)


def in_list(numbers) -> str:
    return "Abstracts\n\n" + "\n\n".join(map(abstract, numbers)) + "\n"


def in_feed(numbers) -> str:
    entries = "".join(
        f"<entry><title>Sys {n}</title><summary>{abstract(n)}</summary></entry>\n" for n in numbers
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom">\n{entries}</feed>\n'


WRITTEN = {
    "a.json": in_json,
    "a.bib": in_bibtex,
    "a.ris": in_ris,
    "a.csv": in_csv,
    "a.jsonl": in_lines,
    "a.nbib": in_medline,
    "a.txt": in_list,
    "a.atom": in_feed,
}


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("name", WRITTEN)
def test_of_a_file_that_is_cut_off_nothing_is_removed_or_replaced(bench, tmp_path, name, sync):
    path = tmp_path / name
    whole = WRITTEN[name](range(6))
    path.write_text(whole, encoding="utf-8")
    assert bench.ingest(path).added == 6
    before = {paper.text for paper in bench.ledger.papers()}
    path.write_text(whole[:760], encoding="utf-8")
    report = bench.ingest(path, sync=sync)
    assert (report.gone, report.removed) == ((), ())
    assert before <= {paper.text for paper in bench.ledger.papers()}
    assert any("not read whole" in notice.reason for notice in report.notices)
    assert not any(paper.gone for paper in bench.ledger.papers())
    # Whole again, it is followed again.
    path.write_text(WRITTEN[name](range(1, 6)), encoding="utf-8")
    report = bench.ingest(path, sync=True)
    assert {paper.text for paper in bench.ledger.papers()} == {abstract(n) for n in range(1, 6)}
    bench.check()


def test_a_whole_entry_of_a_file_that_breaks_off_is_replaced_where_its_doi_says_what_it_is(bench, tmp_path):
    path = tmp_path / "refs.bib"
    entry = "@article{{a, title = {{Reefs}}, doi = {{10.1000/reef}}, abstract = {{{}}}}}\n"
    broken = "@article{b, title = {Bees}, abstract = {We timed 31 bees on four"
    path.write_text(entry.format(abstract(1)) + broken, encoding="utf-8")
    assert bench.ingest(path).added == 1
    edited = abstract(1).replace("samples", "specimens")
    path.write_text(entry.format(edited) + broken, encoding="utf-8")
    report = bench.ingest(path)
    assert (report.updated, report.gone) == (1, ())
    assert [paper.text for paper in bench.ledger.papers()] == [edited]
    assert not any("nothing of it was removed" in notice.reason for notice in report.notices)
    bench.check()


def test_of_a_damaged_archive_nothing_is_removed(bench, tmp_path):
    import gzip

    path = tmp_path / "a.txt.gz"
    packed = gzip.compress(in_list(range(9)).encode(), mtime=0)
    path.write_bytes(packed)
    bench.ingest(path)
    path.write_bytes(packed[: len(packed) * 2 // 3])
    report = bench.ingest(path, sync=True)
    assert (report.gone, report.removed) == ((), ())
    assert {abstract(n) for n in range(9)} <= {paper.text for paper in bench.ledger.papers()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("thousands. Experiments on 3 data sets show that it is accurate and quick.}", "thousands."),
        ("abstract = {We present Sys1Net", "abstract = We present Sys1Net"),
        ("@article{k1", "@article k1"),
        ("year = {2020}\n}\n\n@article{k2", "year = {2020}\n\n@article{k2"),
    ],
    ids=["closing", "opening", "first", "last"],
)
def test_an_entry_that_lost_a_brace_keeps_its_paper_and_is_told(bench, tmp_path, old, new):
    path = tmp_path / "a.bib"
    path.write_text(in_bibtex(range(4)), encoding="utf-8")
    bench.ingest(path)
    assert old in path.read_text(encoding="utf-8")
    path.write_text(in_bibtex(range(4)).replace(old, new), encoding="utf-8")
    report = bench.ingest(path, sync=True)
    assert (report.gone, report.removed) == ((), ())
    assert {abstract(n) for n in range(4)} <= {paper.text for paper in bench.ledger.papers()}
    assert any(notice.is_damage for notice in report.notices)


@pytest.mark.parametrize("now", ["", "Withdrawn by the authors.", "Too short."])
def test_an_entry_without_an_abstract_is_read_whole_and_its_paper_is_gone(bench, tmp_path, now):
    path = tmp_path / "a.json"
    path.write_text(in_json(range(3)), encoding="utf-8")
    bench.ingest(path)
    path.write_text(in_json(range(3)).replace(json.dumps(abstract(1)), json.dumps(now)), encoding="utf-8")
    report = bench.ingest(path, sync=True)
    assert len(report.removed) == 1
    assert not any("not read whole" in notice.reason for notice in report.notices)
    assert [paper.text for paper in bench.ledger.papers()] == [abstract(0), abstract(2)]
