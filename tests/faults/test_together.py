"""Several processes at once: one writer, any number of readers."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.errors import LibraryError, LibraryLocked
from tests.faults import state
from tests.faults.processes import begin
from tests.faults.work import opened
from tests.test_ingest import abstract

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked as on Linux"),
]
READERS = 8


def test_a_second_writer_is_turned_away_and_the_first_goes_on(tmp_path):
    state.lists(tmp_path)
    first = begin("ingest", tmp_path / "lib")
    assert first.hear()
    for _ in range(5):
        with pytest.raises(LibraryLocked, match=f"process {first.process.pid} on"):
            opened(tmp_path / "lib", write=True)
    assert first.finish() == 0
    assert state.compare(tmp_path / "lib") == list(map(abstract, state.ALL))


def test_of_two_writers_that_begin_together_none_spoils_anything(tmp_path):
    for number in range(4):
        place = tmp_path / str(number)
        state.lists(place)
        writers = [begin("ingest", place / "lib") for _ in range(2)]
        codes = sorted(writer.finish() for writer in writers)
        assert codes[0] == 0
        assert state.compare(place / "lib") == list(map(abstract, state.ALL))


def test_readers_stay_open_while_another_writes_and_see_it_all(tmp_path):
    files = state.lists(tmp_path)
    with opened(tmp_path / "lib", write=True) as library:
        library.ingest(files[:1])
    readers = [begin("read", tmp_path / "lib") for _ in range(READERS)]
    for file in files[1:]:
        with opened(tmp_path / "lib", write=True) as library:
            assert library.ingest([file]).added == state.PER_FILE
    (tmp_path / "stop").touch()
    for reader in readers:
        assert reader.finish() == 0
        ((_, counted, found),) = reader.told
        assert found == len(state.ALL)
        assert counted <= len(state.ALL)
    state.compare(tmp_path / "lib")


def test_a_reader_sees_each_of_many_ingests(tmp_path):
    files = state.lists(tmp_path)
    with opened(tmp_path / "lib", write=True) as library:
        library.ingest(files[:1])
    with opened(tmp_path / "lib") as reader:
        for number, file in enumerate(files[1:], 1):
            with opened(tmp_path / "lib", write=True) as library:
                library.ingest([file])
            newest = number * state.PER_FILE + 3
            hits = reader.search(f"How many samples does Sys{newest}Net need?")
            assert hits[0].paper.text == abstract(newest)
        assert reader.count() == len(state.ALL)
        assert reader.warnings() == ()


def test_a_reader_of_a_library_that_is_removed_says_so(tmp_path):
    state.lists(tmp_path)
    begin("ingest", tmp_path / "lib").finish()
    with opened(tmp_path / "lib") as reader, ThreadPoolExecutor(1) as other:
        reader.search("octopus memory")
        shutil.rmtree(tmp_path / "lib")
        # Whoever has the file open says so, and so does whoever must open it anew.
        for asked in (reader.search, lambda question: other.submit(reader.search, question).result()):
            with pytest.raises(LibraryError, match="no longer there|cannot be opened") as caught:
                asked("What is Sys9Net?")
            assert caught.value.hint
    with pytest.raises(LibraryError, match="lib"):
        opened(tmp_path / "lib")
    assert not (tmp_path / "lib").exists(), "reading has made a library"
