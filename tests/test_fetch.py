"""Papers fetched from arXiv, OpenAlex and OpenReview, as they answer, and as networks fail."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rag.cli import main
from rag.domain import Record
from rag.errors import SourceError, UsageError
from rag.fetch import fetch, is_query
from rag.fetch.client import TRIES, Client
from rag.settings import Settings
from rag.sources import read
from tests.fetch_server import Answer, Asked, PaperServer, bad, cut, good

TEXT = "We propose Sys{0}, a method for the study of things in setting {0}, and say how it was measured."


def feed(start: int, count: int, total: int) -> Answer:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/2401.{n:05}v1</id><published>2024-01-02T00:00:00Z</published>"
        f"<title>Sys{n}</title><summary>{TEXT.format(n)}</summary><author><name>Ada Lee</name>"
        "</author></entry>"
        for n in range(start, min(start + count, total))
    )
    return good(
        "<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'"
        " xmlns:opensearch='http://a9.com/-/spec/opensearch/1.1/'>"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>{entries}</feed>"
    )


def settings(url: str) -> Settings:
    return Settings(
        arxiv_url=f"{url}/api/query", openalex_url=url, openreview_url=url, fetch_pause_s=0.0, timeout_s=5.0
    )


def titles(path: Path) -> list[str]:
    return [item.title for item in read(path) if isinstance(item, Record)]


def paged(total: int) -> PaperServer:
    return PaperServer(lambda asked: feed(int(asked["start"]), int(asked["max_results"]), total))


def test_a_query_is_told_from_a_path() -> None:
    assert is_query("arxiv:2401.01234") and is_query("OpenAlex:graph networks")
    assert not any(map(is_query, ("arxiv:", "C:\\papers", "papers.bib", "http://x.org", "-")))
    with pytest.raises(UsageError, match="is no query"):
        fetch("papers.bib", Path("."), Settings())


def test_a_query_of_arxiv_is_read_page_by_page(tmp_path: Path) -> None:
    with paged(250) as server:
        path, count, total = fetch("arxiv:cat:cs.LG AND diffusion", tmp_path, settings(server.url))
    assert (count, total) == (250, 250)
    assert titles(path) == [f"Sys{n}" for n in range(250)]
    assert [a["start"] for a in server.asked] == ["0", "100", "200"]
    assert server.asked[0]["search_query"] == "cat:cs.LG AND diffusion"
    record = next(item for item in read(path) if isinstance(item, Record))
    assert (record.authors, record.year, record.extra["arxiv"]) == (("Ada Lee",), 2024, "2401.00000")
    assert record.source.startswith("arxiv-cat-cs.LG-AND-diffusion-") and record.source.endswith(".jsonl#1")


def test_papers_of_arxiv_by_number(tmp_path: Path) -> None:
    with paged(2) as server:
        fetch("arxiv:2401.00000, hep-th/9901001v2", tmp_path, settings(server.url))
    assert server.asked[0]["id_list"] == "2401.00000,hep-th/9901001v2"


def test_no_more_are_fetched_than_allowed(tmp_path: Path) -> None:
    with paged(5000) as server:
        path, count, total = fetch("arxiv:all:x", tmp_path, settings(server.url), limit=130)
    assert (count, total, len(titles(path))) == (130, 5000, 130)
    assert [a["max_results"] for a in server.asked] == ["100", "30"]


def test_works_of_openalex_by_cursor(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Answer:
        first = asked["cursor"] == "*"
        index = {word: [at] for at, word in enumerate(TEXT.format(int(first)).split())}
        work = {
            "id": "https://openalex.org/W1",
            "display_name": f"T{first}",
            "abstract_inverted_index": index,
        }
        return good({"meta": {"count": 2, "next_cursor": "abc" if first else None}, "results": [work]})

    with PaperServer(answer) as server:
        path, count, _ = fetch("openalex:graph networks", tmp_path, settings(server.url))
    assert (count, titles(path)) == (2, ["TTrue", "TFalse"])
    assert (server.asked[0][""], server.asked[1]["cursor"]) == ("/works", "abc")


def test_notes_of_a_venue_of_openreview(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Answer:
        start, limit = int(asked["offset"]), int(asked["limit"])
        notes = [
            {"id": f"n{n}", "forum": f"n{n}", "content": {"title": {"value": f"T{n}"},
             "abstract": {"value": TEXT.format(n)}}}
            for n in range(start, min(start + limit, 1200))
        ]  # fmt: skip
        return good({"notes": notes, "count": 1200})

    with PaperServer(answer) as server:
        path, count, total = fetch(
            "openreview:ICLR.cc/2024/Conference", tmp_path, settings(server.url), limit=2000
        )
    assert (count, total, len(titles(path))) == (1200, 1200, 1200)
    assert server.asked[0]["content.venueid"] == "ICLR.cc/2024/Conference"


@pytest.mark.parametrize(
    "trouble",
    [
        bad(429, Retry_After="0"),
        bad(429, Retry_After="Wed, 01 Jan 2020 00:00:00 GMT"),
        bad(503),
        cut(feed(100, 100, 250)),
    ],
    ids=["429", "429 with a date", "503", "cut"],
)
def test_what_passes_is_waited_for(tmp_path: Path, trouble: Answer) -> None:
    troubles = [trouble, trouble]

    def answer(asked: Asked) -> Answer:
        if asked["start"] == "100" and troubles:
            return troubles.pop()
        return feed(int(asked["start"]), int(asked["max_results"]), 250)

    with PaperServer(answer) as server:
        path, count, _ = fetch("arxiv:all:x", tmp_path, settings(server.url))
    assert count == 250 and titles(path) == [f"Sys{n}" for n in range(250)]
    assert len(server.asked) == 5


def test_an_empty_page_among_full_ones_is_asked_for_again(tmp_path: Path) -> None:
    empty = [True]

    def answer(asked: Asked) -> Answer:
        start = int(asked["start"])
        return feed(start, 0 if start == 100 and empty and empty.pop() else int(asked["max_results"]), 250)

    with PaperServer(answer) as server:
        assert fetch("arxiv:all:x", tmp_path, settings(server.url))[1] == 250


def test_what_was_cut_off_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def failing(asked: Asked) -> Answer:
        return (
            bad(503) if asked["start"] == "200" else feed(int(asked["start"]), int(asked["max_results"]), 250)
        )

    with PaperServer(failing) as server, pytest.raises(SourceError, match="503 no") as caught:
        fetch("arxiv:all:x", tmp_path, settings(server.url))
    assert "goes on from there" in caught.value.hint
    assert len(server.asked) == 2 + TRIES
    (part,) = tmp_path.glob("*.part")
    with part.open("a") as file:
        file.write('{"half a line')
    with paged(250) as server:
        path, count, _ = fetch("arxiv:all:x", tmp_path, settings(server.url))
    assert [a["start"] for a in server.asked] == ["200"]
    assert count == 250 and titles(path) == [f"Sys{n}" for n in range(250)]
    assert [p.suffix for p in tmp_path.iterdir()] == [".jsonl"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (bad(400, "bad query"), "400 bad query"),
        (bad(429, Retry_After="9000"), "it asks to wait 9000 s"),
        (good("<html>maintenance</html>"), "nothing was found"),
        (good("maintenance"), "not what was asked for: maintenance"),
        (feed(0, 0, 0), "nothing was found"),
    ],
    ids=["400", "long wait", "page", "text", "none"],
)
def test_an_answer_that_is_none_is_told_in_words(tmp_path: Path, answer: Answer, said: str) -> None:
    with PaperServer(lambda _: answer) as server, pytest.raises(SourceError) as caught:
        fetch("arxiv:all:x", tmp_path, settings(server.url))
    assert said in str(caught.value) and caught.value.hint
    assert len(server.asked) == 1


def test_what_openreview_refuses_is_told(tmp_path: Path) -> None:
    with PaperServer(lambda _: good({"name": "Error", "message": "no such venue"})) as server:
        with pytest.raises(SourceError, match="openreview: it answers: no such venue"):
            fetch("openreview:Nowhere", tmp_path, settings(server.url))


def test_a_service_that_is_not_there_is_told(tmp_path: Path) -> None:
    with paged(1) as server:
        pass
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:\d+ gives no answer"):
        fetch("arxiv:all:x", tmp_path, settings(server.url))


def test_fetched_papers_come_into_the_library(
    clean_place: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_FETCH_PAUSE_S", "0")
    with paged(40) as server:
        monkeypatch.setenv("RAG_ARXIV_URL", server.url)
        assert main(["ingest", "arxiv:all:x", "--limit", "3"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("3 papers added")
    assert err == "arxiv:all:x: 3 papers fetched of 40; --limit N fetches more\n"
    assert main(["papers", "list", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert (first["title"], first["year"], first["url"]) == (
        "Sys0",
        2024,
        "https://arxiv.org/abs/2401.00000v1",
    )


def test_a_query_longer_than_a_name_can_be_is_fetched(clean_place: None, monkeypatch) -> None:
    numbers = ",".join(f"2401.{n:05}" for n in range(60))
    with paged(3) as server:
        monkeypatch.setenv("RAG_ARXIV_URL", f"{server.url}/api/query")
        assert main(["ingest", f"arxiv:{numbers}", "--quiet"]) == 0
        assert server.asked[0]["id_list"] == numbers


class Trickling(BaseHTTPRequestHandler):
    """Goes on sending an answer without end, a blank at a time."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.ended.wait(0.02):  # type: ignore[attr-defined]
                self.wfile.write(b" ")

    def log_message(self, format: str, *args: object) -> None:
        """Be silent."""


def test_an_answer_that_trickles_without_end_is_given_up() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Trickling)
    server.ended = threading.Event()  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        with Client("arxiv", 0.0, 5.0, longest_s=0.2) as client:
            with pytest.raises(SourceError, match="has not ended its answer"):
                client.get(f"http://127.0.0.1:{server.server_address[1]}/", {})
    finally:
        server.ended.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
        server.server_close()
