"""`rag serve` as a process: it starts, says where it is, stops, and lets go of what nobody waits for."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rag.library import Library
from rag.serving.running import address_of, serve
from rag.serving.state import Options, State
from rag.settings import Settings
from tests.server_process import free_port
from tests.serving import FACT, Served, clean_environment
from tests.stub_server import Answering, Asked, Handler, Stub, chunk, hangs, numbered_sentences

ABSTRACT = "We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory for ten tasks."
OTHER = "We present HugeNet, a large network that forgets. HugeNet needs 900 GB of memory for two tasks."
QUESTION = "How much memory does TinyNet need?"
SAID = "TinyNet needs 12 MB of memory."


def run_serve(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rag", "serve", *options],
        capture_output=True,
        text=True,
        timeout=60,
        env=clean_environment(environment),
        check=False,
    )


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(f"List\n\n{ABSTRACT}\n", "utf-8")
    with Library.open(tmp_path / "library", write=True) as library:
        library.ingest(tmp_path / "a.txt")
    return tmp_path / "library"


@contextmanager
def streaming(port: int, question: str = QUESTION) -> Iterator[http.client.HTTPResponse]:
    """Ask for a stream; at the end of the block the client is gone."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = json.dumps({"question": question, "stream": True})
    with closing(connection):
        connection.request("POST", "/api/v1/ask", body, {"Content-Type": "application/json"})
        with connection.getresponse() as response:
            yield response


def goes_on_and_on(stub: Stub, hung_up: threading.Event, sentence: str = SAID) -> Answering:
    """Answer with a sentence, if there is one, and the beginning of another that never ends."""

    def answer(handler: Handler, asked: Asked) -> None:
        number = next(n for n, text in numbered_sentences(asked.prompt) if "12 MB" in text)
        handler.begin_stream()
        first = f'{{"text": "{sentence}", "cites": ["{number}"]}}, ' if sentence else ""
        handler.event(chunk('{"answerable": true, "sentences": [' + first + '{"text": "'))
        try:
            while not stub.over.wait(0.02):
                handler.event(chunk("and "))
        except OSError:
            hung_up.set()
            raise

    return answer


def until(response: http.client.HTTPResponse, words: str) -> None:
    """Read lines of a stream until one holds the words."""
    line = "\n"
    while words not in line:
        assert line, "the stream ended"
        line = response.readline().decode()


def model_at(stub: Stub) -> dict[str, str]:
    return {"OPENAI_BASE_URL": stub.url, "RAG_MODEL": "openai:stub", "RAG_CACHE": "off"}


@pytest.mark.slow
def test_it_is_ready_soon_says_where_it_is_and_ends_well(seed_library_path: Path) -> None:
    began = time.monotonic()
    with Served(seed_library_path) as served:
        # Four seconds are the aim on an idle machine; the tests share theirs.
        assert time.monotonic() - began < 20
        with urllib.request.urlopen(f"{served.url}/api/v1/ready", timeout=30) as ready:
            assert json.load(ready)["papers"] == 38
        code, said = served.end(signal.SIGTERM)
    assert code == 0
    first, *lines = said.splitlines()
    assert first == f"Serving on {served.url}  (Ctrl-C stops it)"
    assert all(set(json.loads(line)) >= {"time", "route", "status", "ms"} for line in lines) and lines


@pytest.mark.slow
def test_ctrl_c_ends_it_well(tmp_path: Path) -> None:
    with Served(tmp_path / "none") as served:
        assert served.end(signal.SIGINT)[0] == 0


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", free_port()))
        holder.listen()
        port = holder.getsockname()[1]
        done = run_serve("--port", str(port))
    assert done.returncode == 2
    assert (
        f"port {port} is taken" in done.stderr and "--port" in done.stderr and "Traceback" not in done.stderr
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_others_are_not_served_without_a_token(host: str) -> None:
    done = run_serve("--host", host)
    assert done.returncode == 2 and "RAG_TOKEN" in done.stderr


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("0.0.0.0", socket.gethostname()),
        ("::", socket.gethostname()),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "[::1]"),
        ("localhost", "localhost"),
        ("papers.example", "papers.example"),
    ],
)
def test_the_address_that_is_told_can_be_typed(host: str, shown: str) -> None:
    assert address_of(Options(host, 8100)) == f"http://{shown}:8100"


def test_a_short_token_is_none() -> None:
    done = run_serve("--host", "0.0.0.0", RAG_TOKEN="short")
    assert done.returncode == 2 and "at least 16" in done.stderr and "short" not in done.stderr


def test_an_address_of_another_machine_is_told(tmp_path: Path) -> None:
    state = State(None, Settings(library=tmp_path, token="x" * 20), Options("192.0.2.1", free_port()))
    with pytest.raises(Exception, match="192.0.2.1 is not an address of this machine"):
        serve(state, print)


@pytest.mark.slow
@pytest.mark.parametrize("sentence", [SAID, ""], ids=["after a sentence", "before the first sentence"])
def test_a_chat_model_is_cut_off_when_the_client_goes_away(stub: Stub, tiny: Path, sentence: str) -> None:
    hung_up = threading.Event()
    stub.answers = [goes_on_and_on(stub, hung_up, sentence)]
    with Served(tiny, **model_at(stub)) as served:
        with streaming(served.port) as response:
            until(response, SAID if sentence else '"writing"')
            assert not hung_up.is_set()
        assert hung_up.wait(20)
        # Its place is free again.
        assert served.end()[0] == 0


@pytest.mark.slow
def test_a_json_client_that_goes_away_stops_its_answer_too(stub: Stub, tiny: Path) -> None:
    hung_up = threading.Event()
    stub.answers = [goes_on_and_on(stub, hung_up)]
    with Served(tiny, **model_at(stub)) as served:
        with socket.create_connection(("127.0.0.1", served.port)) as client:
            body = json.dumps({"question": QUESTION})
            client.sendall(
                f"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            while not stub.chats:
                assert not hung_up.wait(0.02)
        assert hung_up.wait(20)
        assert '"status": 499' in served.end()[1]


JSON, FORM = "application/json", "application/x-www-form-urlencoded"


@pytest.mark.slow
@pytest.mark.parametrize(
    "path, body, kind",
    [
        ("/api/v1/compare", '{"papers": ["TinyNet", "HugeNet"]}', JSON),
        ("/api/v1/summarize", "{}", JSON),
        ("/compare", "paper=TinyNet&paper=HugeNet", FORM),
        ("/summarize", "topic=", FORM),
    ],
)
def test_comparing_and_summing_up_stop_when_the_client_goes_away(
    stub: Stub, tiny: Path, tmp_path: Path, path: str, body: str, kind: str
) -> None:
    (tmp_path / "b.txt").write_text(f"List\n\n{OTHER}\n", "utf-8")
    with Library.open(tiny, write=True) as library:
        library.ingest(tmp_path / "b.txt")
        assert library.count() == 2
    hung_up = threading.Event()
    stub.answers = [goes_on_and_on(stub, hung_up)]
    with Served(tiny, **model_at(stub)) as served:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
        with closing(connection):
            connection.request("POST", path, body, {"Content-Type": kind})
            while not stub.chats:
                assert not hung_up.wait(0.02)
        assert hung_up.wait(20)
        assert '"status": 499' in served.end()[1]


@pytest.mark.slow
@pytest.mark.parametrize("silent", [False, True], ids=["a model that writes", "a model that is silent"])
def test_answers_under_way_do_not_hold_the_end_up(stub: Stub, tiny: Path, silent: bool) -> None:
    hung_up = threading.Event()
    stub.answers = [hangs(stub) if silent else goes_on_and_on(stub, hung_up)]
    with Served(tiny, **model_at(stub)) as served:
        with streaming(served.port) as response:
            until(response, '"writing"')
            while not stub.chats:
                assert not stub.over.wait(0.02)
            began = time.monotonic()
            code, _ = served.end()
            assert code == 0 and time.monotonic() - began < 10


@pytest.mark.slow
def test_an_answer_that_is_streamed_can_be_read_as_it_comes(seed_library_path: Path) -> None:
    with Served(seed_library_path) as served:
        with streaming(served.port, FACT) as response:
            until(response, "event: answer")


@pytest.mark.slow
def test_files_being_read_do_not_hold_the_end_up_nor_leave_an_empty_library(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        embedder = {
            "OPENAI_BASE_URL": f"http://127.0.0.1:{silent.getsockname()[1]}/v1",
            "OPENAI_API_KEY": "sk-x",
            "RAG_EMBEDDER": "openai:m",
        }
        with Served(tmp_path / "library", **embedder) as served:
            begun = urllib.request.Request(f"{served.url}/api/v1/ingest/samples", method="POST")
            with urllib.request.urlopen(begun) as response:
                assert response.status == 202
            silent.settimeout(20)
            waiting, _ = silent.accept()
            began = time.monotonic()
            code, said = served.end()
            waiting.close()
    assert (code, "Traceback" in said) == (0, False)
    assert time.monotonic() - began < 10
    assert not (tmp_path / "library" / "ledger.sqlite").exists()


@pytest.mark.slow
def test_heads_leave_the_connection_whole_and_large_ones_are_refused(seed_library_path: Path) -> None:
    with Served(seed_library_path) as served:
        with closing(http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)) as connection:
            for method in ("HEAD", "GET", "HEAD", "GET"):
                connection.request(method, "/api/v1/health")
                with connection.getresponse() as response:
                    assert response.status == 200
                    assert bool(response.read()) == (method == "GET")
        with socket.create_connection(("127.0.0.1", served.port), timeout=20) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000)
            assert client.recv(12).split()[1] in (b"400", b"431")
        code, said = served.end()
    assert code == 0 and "Traceback" not in said
