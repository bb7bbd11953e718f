from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import chromadb
import pytest
from chromadb.api.models.Collection import Collection

from rag import doctor
from rag.errors import IndexFault, IndexUnreachable
from rag.indexes.chroma_server import HINT, Patience, ServerCollection
from rag.indexes.exact import ExactVectors
from rag.indexes.healing import Guard, open_indexes
from rag.indexes.shelves import server_shelf
from rag.ledger import Ledger
from rag.library import Library
from rag.settings import Settings
from tests.chroma_process import ChromaProcess
from tests.fakes import HashEmbedder, fill
from tests.server_process import free_port

EMBEDDER = HashEmbedder()
COUNT = 12
DEADLINE_S = 30.0


def make(folder: Path, url: str, numbers=range(COUNT)) -> Path:
    """Make a library whose vectors are on the server."""
    with Ledger.open(folder, "write") as ledger:
        indexes = open_indexes(ledger, chroma_url=url)
        fill(ledger, numbers, EMBEDDER)
        indexes.update()
        assert indexes.warnings == []
        indexes.close()
    return folder


def check(folder: Path, url: str, mode="read", numbers=range(COUNT)) -> list[str]:
    """Open the library, compare ledger and server one to one, query each paper; return the warnings."""
    with Ledger.open(folder, mode) as ledger:
        indexes = open_indexes(ledger, exact_up_to=1000, chroma_url=url)
        ids = ledger.ids()
        assert len(ids) == len(numbers)
        assert indexes.vectors.ids() == {f"{i}:0" for i in ids}
        for number, paper_id in zip(numbers, ids, strict=True):
            assert indexes.nearest(question(number), 3)[0][0] == f"{paper_id}:0"
        assert not indexes.guards[0].provisional
        indexes.close()
        return indexes.warnings


def question(number: int):
    return EMBEDDER.embed_query(f"system{number} topic{number} data{number}")


@pytest.fixture
def seen(chroma_url) -> Iterator[Callable[[Path], Collection]]:
    """Return a function that gives a library's collection as another program sees it."""
    port = int(chroma_url.rpartition(":")[2])
    client = chromadb.HttpClient(host="127.0.0.1", port=port)

    def collection(folder: Path) -> Collection:
        with Ledger.open(folder) as ledger:
            return client.get_collection(f"askpapers-{ledger.token(0)}", embedding_function=None)

    yield collection
    client._server._session.close()
    client._admin_client._server._session.close()
    client.close()


@pytest.fixture
def library(tmp_path, chroma_url) -> Path:
    """A closed library of twelve papers with its vectors on the server."""
    return make(tmp_path / "lib", chroma_url)


@pytest.fixture
def server(tmp_path) -> Iterator[ChromaProcess]:
    """A Chroma server that a test may kill."""
    server = ChromaProcess(tmp_path / "server").start()
    yield server
    server.kill()


# -- a server that does what it should --------------------------------------------------------------


@pytest.mark.slow
def test_a_healthy_library_opens_without_a_word(library, chroma_url):
    assert check(library, chroma_url) == []
    assert check(library, chroma_url, "write") == []
    assert not (library / "vectors").exists()


@pytest.mark.slow
def test_other_programs_can_read_text_and_metadata(library, chroma_url, seen):
    collection = seen(library)
    found = collection.get(ids=[f"{5:020x}:0"])
    assert found["documents"] == ["System5 solves topic5. It was tried on data5 with success."]
    assert found["metadatas"] == [{"paper": f"{5:020x}", "ordinal": 0, "year": 2005}]
    nearest = collection.query(query_embeddings=[question(5)], n_results=1, include=["distances"])
    assert nearest["ids"] == [[f"{5:020x}:0"]]
    assert 0 < nearest["distances"][0][0] < 1


@pytest.mark.slow
def test_two_libraries_on_one_server_stay_apart(library, chroma_url, tmp_path):
    other = make(tmp_path / "other", chroma_url, range(5))
    assert check(other, chroma_url, numbers=range(5)) == []
    assert check(library, chroma_url) == []


@pytest.mark.slow
def test_a_library_taken_to_another_machine_finds_its_vectors(library, chroma_url, tmp_path):
    (tmp_path / "there").mkdir()
    shutil.copy(library / "ledger.sqlite", tmp_path / "there")
    warnings = check(tmp_path / "there", chroma_url)
    assert not [warning for warning in warnings if "vector" in warning]


@pytest.mark.slow
def test_an_open_reader_sees_every_later_ingest(library, chroma_url):
    with Ledger.open(library) as reading:
        reader = open_indexes(reading, chroma_url=chroma_url)
        assert reader.vectors.count() == COUNT
        for number in range(100, 103):
            with Ledger.open(library, "write") as ledger:
                writer = open_indexes(ledger, chroma_url=chroma_url)
                (paper_id,) = fill(ledger, [number], EMBEDDER)
                ledger.remove(ledger.ids()[:1])
                writer.update()
                writer.close()
            assert reader.vectors.query(question(number), 1)[0][0] == f"{paper_id}:0"
            assert reader.vectors.count() == COUNT
        reader.close()
        assert reader.warnings == []


@pytest.mark.slow
def test_the_seed_library_ranks_as_without_a_server(own_seed_library, chroma_url):
    asked = "Which paper proposes a benchmark?"
    with Library.open(own_seed_library) as library:
        expected = [hit.paper.id for hit in library.search(asked)]
    settings = Settings(library=own_seed_library, chroma_url=chroma_url)
    with Library.open(own_seed_library, settings) as library:
        assert [hit.paper.id for hit in library.search(asked)] == expected
    with Library.open(own_seed_library, settings) as library:
        assert library.ask(asked).warnings == ()


# -- a collection that is not what it should be -----------------------------------------------------


def _delete(collection) -> None:
    collection._client.delete_collection(collection.name)


def _lose(collection) -> None:
    collection.delete(ids=[f"{3:020x}:0"])


def _intrude(collection) -> None:
    collection.upsert(ids=["stranger"], embeddings=[[1.0] * 64])


def _interrupt(collection) -> None:
    collection.modify(metadata={**collection.metadata, "state": "writing"})


def _forget(collection) -> None:
    collection.modify(metadata={"state": "whole"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_delete, "the server does not hold it"),
        (_lose, "it holds 11 of 12 entries"),
        (_intrude, "it holds 13 of 12 entries"),
        (_interrupt, "a write to it was interrupted"),
        (_forget, "its watermark cannot be read"),
    ],
)
def test_a_damaged_collection_is_made_again(library, chroma_url, damage, reason, seen):
    damage(seen(library))
    assert check(library, chroma_url) == [f"The vector index was made again from the ledger: {reason}."]
    assert check(library, chroma_url) == []


@pytest.mark.slow
def test_a_collection_deleted_under_an_open_library_is_made_again(library, chroma_url, seen):
    with Ledger.open(library) as ledger:
        indexes = open_indexes(ledger, chroma_url=chroma_url)
        assert indexes.vectors.count() == COUNT
        _delete(seen(library))
        assert indexes.vectors.query(question(7), 1)[0][0] == f"{7:020x}:0"
        assert [w for w in indexes.warnings if "the server does not hold it" in w] == indexes.warnings
        indexes.close()
    assert check(library, chroma_url) == []


@pytest.mark.slow
def test_a_collection_behind_the_ledger_catches_up(library, chroma_url):
    with Ledger.open(library, "write") as ledger:
        fill(ledger, range(COUNT, COUNT + 3), EMBEDDER)
        open_indexes(ledger).close()  # The word index is up to date, the server is not.
    warnings = check(library, chroma_url, numbers=range(COUNT + 3))
    assert warnings == ["The vector index was behind the library by 3 papers; brought up to date."]


@pytest.mark.slow
def test_an_older_copy_of_the_library_is_not_mixed_with_newer_vectors(library, chroma_url, tmp_path):
    (tmp_path / "old").mkdir()
    shutil.copy(library / "ledger.sqlite", tmp_path / "old")
    make(library, chroma_url, [50])
    warnings = check(tmp_path / "old", chroma_url)
    assert "The vector index was made again from the ledger: it belongs to another copy of the library." in (
        warnings
    )


@pytest.mark.slow
def test_new_vectors_replace_the_old(library, chroma_url):
    with Ledger.open(library, "write") as ledger:
        indexes = open_indexes(ledger, chroma_url=chroma_url)
        other = HashEmbedder(dimension=48, name="other")
        rows = [
            (p.id, other.embed_documents([p.text]), other.embed_documents(["a", "b"]))
            for p in ledger.papers()
        ]
        ledger.replace_vectors(other.identity, rows)
        indexes.update()
        asked = other.embed_query("system3 topic3 data3")
        assert indexes.vectors.query(asked, 1)[0][0] == f"{3:020x}:0"
        assert not indexes.guards[0].provisional
        indexes.close()


# -- a server that is not there ---------------------------------------------------------------------


def patient_guard(ledger: Ledger, url: str, warnings: list[str]) -> Guard:
    """Return a guard that gives up, and tries again, sooner than people need."""
    server = ServerCollection(url, ledger.token(0), Patience(0.5, 0.5, 5.0))
    shelf = server_shelf(ledger, server, ExactVectors(ledger))
    return Guard(replace(shelf, retry_s=0.05), ledger, warnings)


def test_without_its_server_a_library_answers_exactly_and_says_so(tmp_path):
    url = f"http://127.0.0.1:{free_port()}"
    with Ledger.open(tmp_path, "write") as ledger:
        indexes = open_indexes(ledger, chroma_url=url)
        fill(ledger, range(COUNT), EMBEDDER)
        indexes.update()
        assert indexes.vectors.query(question(4), 1)[0][0] == f"{4:020x}:0"
        reason = f"The Chroma server at {url} (RAG_CHROMA_URL) cannot be reached"
        assert indexes.warnings
        assert all(reason in warning for warning in indexes.warnings)
        with pytest.raises(IndexUnreachable):
            indexes.rebuild()
        indexes.close()


@pytest.mark.slow
def test_a_server_restarted_in_the_middle_is_used_again(tmp_path, server):
    library = make(tmp_path / "lib", server.url)
    with Ledger.open(library) as ledger:
        indexes = open_indexes(ledger, chroma_url=server.url)
        assert indexes.vectors.count() == COUNT
        server.kill()
        server.start()
        assert indexes.vectors.query(question(4), 1)[0][0] == f"{4:020x}:0"
        assert not indexes.guards[0].provisional
        assert indexes.warnings == []
        indexes.close()


@pytest.mark.slow
def test_a_server_that_goes_and_comes_back_is_used_again_by_itself(tmp_path, server):
    library = make(tmp_path / "lib", server.url)
    with Ledger.open(library, "write") as ledger:
        warnings: list[str] = []
        guard = patient_guard(ledger, server.url, warnings)
        assert guard.run(lambda index: index.count()) == COUNT
        server.kill()
        fill(ledger, [50], EMBEDDER)
        guard.update()
        assert guard.run(lambda index: index.query(question(50), 1))[0][0] == f"{50:020x}:0"
        assert guard.provisional
        assert any("is searched directly" in warning for warning in warnings)
        server.start()
        deadline = time.monotonic() + DEADLINE_S
        while guard.provisional:
            assert time.monotonic() < deadline
            assert guard.run(lambda index: index.query(question(50), 1))[0][0] == f"{50:020x}:0"
        assert not any("is searched directly" in warning for warning in warnings)
        assert "The vector index was behind the library by 1 paper; brought up to date." in warnings
        guard.close()


def test_a_server_that_never_answers_is_not_waited_for(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent, Ledger.open(tmp_path, "write") as ledger:
        fill(ledger, range(COUNT), EMBEDDER)
        warnings: list[str] = []
        guard = patient_guard(ledger, f"http://127.0.0.1:{silent.getsockname()[1]}", warnings)
        began = time.monotonic()
        guard.prepare()
        for number in range(COUNT):
            asked = question(number)
            found = guard.run(lambda index, asked=asked: index.query(asked, 1))
            assert found[0][0] == f"{number:020x}:0"
        assert time.monotonic() - began < 3.0
        assert "timed out" in warnings[0]
        guard.close()


@pytest.mark.parametrize("piece", [b" ", b" " * 1_000_000], ids=["drips", "floods"])
def test_an_answer_that_never_ends_is_not_waited_for(tmp_path, piece):
    over = threading.Event()

    class Endless(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(10**12))
            self.end_headers()
            while not over.wait(0.05 if len(piece) == 1 else 0):
                try:
                    self.wfile.write(piece)
                except OSError:
                    return

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    try:
        began = time.monotonic()
        with pytest.raises(IndexUnreachable, match="cannot be reached"):
            ServerCollection(
                f"http://127.0.0.1:{server.server_address[1]}", "x", Patience(1.0, 1.0, 1.0)
            ).read()
        assert time.monotonic() - began < 10
    finally:
        over.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def answering() -> Iterator[object]:
    """Return a function that starts a web server with one answer to everything and returns its address."""
    servers = []

    def start(body: str, status: int = 200) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        ("<!DOCTYPE html>\n<p>Hello", 200, "is not a Chroma server"),
        ("<!DOCTYPE html>\n<p>Not here", 404, "is not a Chroma server: <!DOCTYPE html>"),
        ("", 302, "is not a Chroma server"),
        (json.dumps({"detail": "Not Found"}), 404, "is not a Chroma server"),
        (json.dumps("0.5.23"), 200, "has version 0.5.23; this program speaks with 1.x"),
        (json.dumps("Bad gateway"), 502, "is not a Chroma server"),
    ],
)
def test_another_program_at_the_address_is_named_with_the_setting(answering, body, status, problem):
    url = answering(body, status)
    for _ in range(2):
        with pytest.raises(IndexUnreachable) as caught:
            ServerCollection(url, "x").read()
        assert problem in caught.value.message
        assert f"{url} (RAG_CHROMA_URL)" in caught.value.message
        assert "RAG_CHROMA_URL" in caught.value.hint


def test_a_password_in_the_address_is_not_shown():
    url = f"http://me:hush@127.0.0.1:{free_port()}"
    with pytest.raises(IndexFault) as caught:
        ServerCollection(url, "x").read()
    assert "hush" not in str(caught.value)


# -- the doctor -------------------------------------------------------------------------------------


def finding(settings: Settings) -> doctor.Check:
    with Ledger.open(settings.library) as ledger:
        try:
            return doctor.check_indexes(ledger, settings)
        except IndexUnreachable as error:
            return doctor.Check("indexes", "fail", error.message, error.hint)


@pytest.mark.slow
def test_the_doctor_tells_how_the_server_stands_and_repairs_it(library, chroma_url, seen):
    settings = Settings(library=library, chroma_url=chroma_url)
    assert finding(settings).message == f"agree with the ledger; vectors on {chroma_url}"
    _delete(seen(library))
    assert "the server does not hold it" in finding(settings).message
    _delete(seen(library))
    doctor.repair(settings)
    assert finding(settings).severity == "ok"


def test_the_doctor_fails_without_the_server(tmp_path):
    with Ledger.open(tmp_path, "write") as ledger:
        fill(ledger, range(2), EMBEDDER)
    settings = Settings(library=tmp_path, chroma_url=f"http://127.0.0.1:{free_port()}")
    found = {check.name: check for check in doctor.examine(settings)}["indexes"]
    assert (found.severity, found.remedy) == ("fail", HINT)
    assert "cannot be reached" in found.message
