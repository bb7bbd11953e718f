from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from rag.errors import LibraryDamaged, LibraryError, LibraryLocked
from rag.ledger import FileEntry, Ledger, WriterLock
from tests.fakes import HashEmbedder, fill, prepared, run_python, run_readonly


@pytest.fixture
def embedder() -> HashEmbedder:
    return HashEmbedder()


@pytest.fixture
def ledger(tmp_path, embedder):
    with Ledger.open(tmp_path / "lib", "write") as ledger:
        ledger.set_identity(embedder.identity)
        yield ledger


def test_a_paper_comes_back_as_it_was_stored(ledger, embedder):
    item = prepared(
        7,
        embedder,
        original=r"\textbf{x}",
        title="A Title",
        authors=("Ann", "Bo Å"),
        venue="V",
        url="http://x",
        doi="10.1/x",
        extra={"aliases": ["x"], "n": 1},
    )
    ledger.add([item])
    assert ledger.papers([item.paper.id]) == [item.paper]
    assert ledger.sentences([item.paper.id]) == {item.paper.id: item.sentences}
    assert ledger.chunks([item.paper.id]) == {item.paper.id: item.chunks}


def test_papers_come_in_the_order_they_were_stored(ledger, embedder):
    ids = fill(ledger, [5, 3, 9, 1], embedder)
    assert [paper.id for paper in ledger.papers()] == ids
    assert [paper.id for paper in ledger.papers(sorted(ids))] == ids


def test_chunk_vectors_are_exact_and_sentence_vectors_close(ledger, embedder):
    item = prepared(1, embedder)
    ledger.add([item])
    names, rows = ledger.chunk_vectors()
    assert names == [item.chunks[0].id]
    np.testing.assert_array_equal(rows, item.chunk_vectors)
    restored = ledger.sentence_vectors([item.paper.id])[item.paper.id]
    assert restored.dtype == np.float32
    assert (np.sum(restored * item.sentence_vectors, axis=1) > 0.999).all()


def test_storing_the_same_paper_twice_adds_only_its_source(ledger, embedder):
    first = prepared(1, embedder)
    second = prepared(1, embedder)
    assert ledger.add([first, first]) == 1
    generation = ledger.generation
    assert ledger.add([second]) == 0
    ledger.add_sources([(first.paper.id, "other.txt#4")])
    assert ledger.count() == 1
    assert ledger.generation == generation
    assert ledger.papers()[0].sources == ("list.txt#1", "other.txt#4")


def test_a_failing_batch_stores_nothing(ledger, embedder):
    clash = prepared(2, embedder, name="system 1")
    with pytest.raises(LibraryError):
        ledger.add([prepared(1, embedder), clash])
    assert ledger.count() == 0
    assert ledger.check() == []


def test_changes_since_tell_what_was_added_and_removed(ledger, embedder):
    old = fill(ledger, [1, 2], embedder)
    before = ledger.generation
    new = fill(ledger, [3], embedder)
    ledger.remove([old[0]])
    assert ledger.changes_since(before) == (new, [old[0]])
    assert ledger.removed_chunks(before) == [f"{old[0]}:0"]
    fill(ledger, [1], embedder)
    assert ledger.changes_since(before) == ([new[0], old[0]], [old[0]])


def test_removing_leaves_nothing_behind(ledger, embedder):
    ids = fill(ledger, range(4), embedder)
    assert ledger.remove([ids[0], "unknown"]) == 1
    assert ledger.known(ids) == set(ids[1:])
    assert ledger.chunk_count() == 3
    assert ledger.check() == []


def test_more_ids_than_sqlite_takes_variables(ledger, embedder):
    ids = fill(ledger, range(3), embedder)
    assert ledger.known([*ids, *(f"no{n}" for n in range(40_000))]) == set(ids)


def test_lone_surrogates_are_replaced_one_for_one(ledger, embedder):
    text = "System1 solves \ud800topic1\udfff. It was \ud83d tried."
    ledger.add([prepared(1, embedder, text=text, original=text, extra={"k": "\ud800"})])
    stored = ledger.papers()[0]
    assert len(stored.text) == len(text)
    assert stored.text == "System1 solves \N{REPLACEMENT CHARACTER}topic1\N{REPLACEMENT CHARACTER}." + (
        " It was \N{REPLACEMENT CHARACTER} tried."
    )
    assert stored.extra == {"k": "\N{REPLACEMENT CHARACTER}"}


def test_names_are_found_by_their_folded_form(ledger, embedder):
    item = prepared(1, embedder, name="EVA-0")
    ledger.add([item])
    assert ledger.folded_names() == {"eva0": item.paper.id}


def test_settled_sources_mark_what_left_the_file_and_drop_what_moved(ledger, embedder):
    ids = fill(ledger, [1, 2, 3], embedder)
    ledger.add_sources([(ids[1], "list.txt#1")])
    gone = ledger.settle_sources("list.txt", {(ids[1], 1), (ids[2], 3)})
    assert gone == [ids[0]]
    assert [(e.paper_id, e.ordinal, e.gone) for e in ledger.sources_of("list.txt")] == [
        (ids[0], 1, True),
        (ids[1], 1, False),
        (ids[2], 3, False),
    ]


def test_pruning_keeps_papers_another_file_holds(ledger, embedder):
    ids = fill(ledger, [1, 2], embedder)
    ledger.add_sources([(ids[0], "other.txt#9")])
    ledger.settle_sources("list.txt", set())
    assert ledger.prune(["list.txt"]) == [ids[1]]
    assert ledger.papers([ids[0]])[0].sources == ("other.txt#9",)


def test_replacing_vectors_is_all_or_nothing(ledger, embedder):
    ids = fill(ledger, [1, 2], embedder)
    before = ledger.chunk_vectors()[1]
    other = HashEmbedder(dimension=8, name="other")
    item = prepared(1, other)

    def failing():
        yield ids[0], item.chunk_vectors, item.sentence_vectors
        raise RuntimeError("cut off")

    with pytest.raises(RuntimeError):
        ledger.replace_vectors(other.identity, failing())
    assert ledger.identity == embedder.identity
    np.testing.assert_array_equal(ledger.chunk_vectors()[1], before)


def test_check_finds_vectors_that_do_not_fit(ledger, embedder):
    ids = fill(ledger, [1, 2], embedder)
    with sqlite3.connect(ledger.path) as db:
        db.execute("UPDATE chunk_vectors SET vectors = x'00000000' WHERE seq = 1")
    db.close()
    assert ledger.check() == [f"the vectors of paper {ids[0]} do not fit its chunks and sentences"]


def test_a_reader_sees_what_a_writer_adds(ledger, embedder):
    with Ledger.open(ledger.folder) as reader:
        assert reader.count() == 0
        fill(ledger, [1, 2], embedder)
        assert reader.count() == 2


def test_many_threads_read_while_one_writes(ledger, embedder):
    failures: list[Exception] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                papers = reader.papers()
                assert len(reader.sentences(p.id for p in papers)) == len(papers)
        except Exception as error:
            failures.append(error)

    with Ledger.open(ledger.folder) as reader:
        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for start in range(0, 60, 10):
            fill(ledger, range(start, start + 10), embedder)
        done.set()
        for thread in threads:
            thread.join()
        assert failures == []
        assert reader.count() == 60


def test_a_reader_cannot_write(ledger, embedder):
    with Ledger.open(ledger.folder) as reader, pytest.raises(LibraryError, match="reading only"):
        fill(reader, [1], embedder)


def test_a_second_writer_is_told_who_holds_the_lock(ledger):
    with pytest.raises(LibraryLocked, match=rf"process {os.getpid()} on "):
        Ledger.open(ledger.folder, "write")
    code = "import sys; from rag.ledger import Ledger; Ledger.open(sys.argv[1], 'write')"
    other = run_python(code, str(ledger.folder))
    assert "LibraryLocked" in other.stderr
    assert f"process {os.getpid()}" in other.stderr


def test_the_lock_is_free_after_its_holder_was_killed(tmp_path):
    code = """
        import os, signal, sys
        from rag.ledger import Ledger
        ledger = Ledger.open(sys.argv[1], "write")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert run_python(code, str(tmp_path)).returncode < 0
    with Ledger.open(tmp_path, "write") as ledger:
        assert ledger.count() == 0


def test_the_lock_can_be_taken_again_after_closing(tmp_path):
    with WriterLock(tmp_path):
        pass
    with WriterLock(tmp_path):
        assert (tmp_path / "writer.json").exists()
    assert not (tmp_path / "writer.json").exists()


def test_a_missing_library_names_ingest(tmp_path):
    with pytest.raises(LibraryError) as caught:
        Ledger.open(tmp_path / "none")
    assert "rag ingest PATH" in caught.value.hint
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("content", [b"", b"not a database at all, just words" * 50, b"\x00" * 8192])
def test_a_file_that_is_no_ledger_is_damage(tmp_path, content):
    (tmp_path / "ledger.sqlite").write_bytes(content)
    for mode in ("read", "write"):
        with pytest.raises(LibraryDamaged) as caught:
            Ledger.open(tmp_path, mode)
        assert "backup" in caught.value.hint


def test_a_ledger_cut_short_is_damage(tmp_path, embedder):
    with Ledger.open(tmp_path, "write") as ledger:
        fill(ledger, range(50), embedder)
    path = tmp_path / "ledger.sqlite"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(LibraryDamaged, match="cut short"):
        Ledger.open(tmp_path)


def test_noise_in_the_middle_is_found_by_the_check(tmp_path, embedder):
    with Ledger.open(tmp_path, "write") as ledger:
        fill(ledger, range(50), embedder)
    path = tmp_path / "ledger.sqlite"
    data = bytearray(path.read_bytes())
    data[8192 : len(data) - 4096] = b"\xa5" * (len(data) - 4096 - 8192)
    path.write_bytes(data)
    with pytest.raises(LibraryDamaged), Ledger.open(tmp_path) as ledger:
        assert ledger.check()
        ledger.papers()


def test_a_newer_library_is_refused(tmp_path):
    Ledger.open(tmp_path, "write").close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    db.execute("PRAGMA user_version = 999")
    db.close()
    for mode in ("read", "write"):
        with pytest.raises(LibraryError, match="newer than this program"):
            Ledger.open(tmp_path, mode)
    with WriterLock(tmp_path):
        pass  # the refused writer gave its lock back


def test_a_database_of_another_program_is_left_alone(tmp_path):
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    db.execute("CREATE TABLE mine (x)")
    db.commit()
    db.close()
    with pytest.raises(LibraryError, match="another program"):
        Ledger.open(tmp_path, "write")


def test_a_full_disk_is_a_library_error(ledger, embedder):
    pages = ledger._connections.get().execute("PRAGMA page_count").fetchone()[0]
    ledger._connections.get().execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(LibraryError, match="disk is full"):
        fill(ledger, range(100), embedder)
    assert ledger.count() == 0


def test_files_keep_their_latest_state(ledger):
    ledger.put_file(FileEntry("a.txt", "/x/a.txt", "d"))
    ledger.put_file(FileEntry("a.txt", "/y/a.txt", "e"))
    assert ledger.files() == [FileEntry("a.txt", "/y/a.txt", "e")]


@pytest.mark.parametrize("count", [3, 8, 9, 15, 16, 17, 50])
def test_sampled_vectors_are_evenly_spaced(ledger, embedder, count):
    fill(ledger, range(count + 5), embedder)
    ledger.remove(ledger.ids()[2:7])
    rows = ledger.chunk_vectors()[1]
    sample = ledger.sample_vectors(8)
    places = [int(np.argmax(rows @ row)) for row in sample]
    assert len(places) == min(8, count)
    steps = np.diff([*places, count])
    assert places[0] == 0 and (steps >= 1).all() and steps.max() - steps.min() <= 1


def test_a_library_of_before_the_first_release_is_told_apart(tmp_path):
    Ledger.open(tmp_path, "write").close()
    db = sqlite3.connect(tmp_path / "ledger.sqlite")
    db.execute(f"PRAGMA application_id = {0x41736B50}")
    db.close()
    for mode in ("read", "write"):
        with pytest.raises(LibraryError, match="before the first release") as caught:
            Ledger.open(tmp_path, mode)
        assert "--library" in caught.value.hint


@pytest.mark.skipif(os.name != "posix", reason="permissions of another user need POSIX")
def test_a_read_only_folder_can_be_read(tmp_path, embedder):
    folder = tmp_path / "lib"
    with Ledger.open(folder, "write") as ledger:
        fill(ledger, range(3), embedder)
    code = """
        import sys
        from rag.ledger import Ledger
        with Ledger.open(sys.argv[1]) as ledger:
            print(ledger.count(), ledger.check())
    """
    assert run_readonly(folder, code).stdout == "3 []\n"


def test_paths_are_taken_as_text_too(tmp_path):
    Ledger.open(str(tmp_path / "lib"), "write").close()
    assert Path(tmp_path / "lib" / "ledger.sqlite").exists()


@pytest.mark.skipif(os.name != "posix", reason="permissions of another user need POSIX")
def test_a_reader_who_may_not_write_sees_what_another_user_adds(tmp_path, embedder):
    folder = tmp_path / "lib"
    with Ledger.open(folder, "write") as ledger:
        fill(ledger, range(3), embedder)
    code = """
        import sys
        from pathlib import Path
        from rag.ledger import Ledger
        from tests.fakes import HashEmbedder, fill

        folder = Path(sys.argv[1])

        def let(folder_mode, file_mode):
            folder.chmod(folder_mode)
            for path in folder.iterdir():
                path.chmod(file_mode)

        with Ledger.open(folder) as reader:
            print(reader.count())
            let(0o755, 0o644)
            with Ledger.open(folder, "write") as other:
                fill(other, [7], HashEmbedder())
            let(0o555, 0o444)
            print(reader.count(), len(reader.papers()))
    """
    done = run_readonly(folder, code)
    assert done.stdout == "3\n4 4\n", done.stderr


@pytest.mark.parametrize("words", ["x#" + "9" * 30, "x#" + "9" * 5000, "x#١", "#", "x#-1", "x#1.0"])
def test_a_number_no_place_can_have_finds_nothing(ledger: Ledger, words: str) -> None:
    assert ledger.exactly(words) == ""
