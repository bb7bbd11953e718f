"""REST: what each route gives, and how errors come out."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import anyio
import anyio.to_thread
import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from rag.library import Library
from rag.serving.answer_shapes import AnswerShape
from rag.serving.answering import Answers, Halt, Stopped, Voice
from rag.serving.problems import problem_of, safe_for_clients
from rag.serving.shapes import MOST_DRAFT
from rag.serving.state import State
from rag.serving.tools import TOOLS
from rag.settings import Settings
from tests.serving import FACT, events, serving


@pytest.fixture(scope="module")
def client(seed_library: Library, seed_library_path: Path) -> Iterator[TestClient]:
    with serving(seed_library_path, seed_library, rate_per_minute=0) as client:
        yield client


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[TestClient]:
    with serving(tmp_path / "none") as client:
        yield client


def test_an_answer_is_what_the_library_gives(client: TestClient, seed_library: Library) -> None:
    response = client.post("/api/v1/ask", json={"question": FACT})
    assert response.status_code == 200
    given, expected = response.json(), seed_library.ask(FACT).to_dict()
    assert {k: v for k, v in given.items() if k != "timings_ms"} == {
        k: v for k, v in expected.items() if k != "timings_ms"
    }
    citation = given["sentences"][0]["citations"][0]
    text = client.get(f"/api/v1/papers/{citation['paper_id']}").json()["text"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]


@pytest.mark.parametrize(
    "body, headers",
    [({"question": FACT, "stream": True}, {}), ({"question": FACT}, {"Accept": "text/event-stream"})],
)
def test_an_answer_comes_as_events(
    client: TestClient, body: dict[str, object], headers: dict[str, str]
) -> None:
    response = client.post("/api/v1/ask", json=body, headers=headers)
    assert response.headers["content-type"].startswith("text/event-stream")
    told = events(response.text)
    assert [data["stage"] for name, data in told if name == "stage"] == [
        "searching",
        "reading",
        "writing",
        "checking",
    ]
    assert told[1][1]["papers"] >= 1
    assert told[-1][0] == "answer" and "14×" in told[-1][1]["sentences"][0]["text"]


def test_a_follow_up_is_told_by_the_questions_before(client: TestClient) -> None:
    body = {"question": "How many forward passes does it need?", "history": ["What is EVA-0?"]}
    answer = client.post("/api/v1/ask", json=body).json()
    assert answer["standalone_question"] == "How many forward passes does EVA-0 need?"


def test_an_answer_may_come_from_some_papers_only(client: TestClient) -> None:
    (paper,) = client.get("/api/v1/papers", params={"q": "A³Bench"}).json()["papers"]
    answer = client.post("/api/v1/ask", json={"question": "What is proposed?", "only": [paper["id"]]}).json()
    assert {hit["paper_id"] for hit in answer["hits"]} == {paper["id"]}


def test_papers_are_compared(client: TestClient) -> None:
    answer = client.post(
        "/api/v1/compare", json={"papers": ["EVA-0", "ENGINE"], "aspects": ["results"]}
    ).json()
    assert answer["table"]["aspects"] == ["results"] and len(answer["table"]["papers"]) == 2


def test_a_topic_is_summed_up(client: TestClient) -> None:
    answer = client.post("/api/v1/summarize", json={"topic": "zeroth-order optimization"}).json()
    assert answer["status"] == "answered" and answer["coverage"]["used"] >= 1


def test_a_claim_is_checked(client: TestClient) -> None:
    body = {"text": "EVA-0 is 20 times faster than FOA.", "find": True}
    checked = client.post("/api/v1/check", json=body).json()
    assert checked["counts"] == {"supported": 0, "partial": 0, "unsupported": 1}


def test_papers_are_searched(client: TestClient) -> None:
    hits = client.get("/api/v1/search", params={"q": "federated learning", "k": 3}).json()["hits"]
    assert len(hits) == 3 and hits[0]["score"] >= hits[1]["score"]


def test_papers_come_in_pages(client: TestClient) -> None:
    first = client.get("/api/v1/papers", params={"limit": 20, "sort": "name"}).json()
    second = client.get("/api/v1/papers", params={"limit": 20, "offset": 20, "sort": "name"}).json()
    assert first["total"] == second["total"] == 38
    names = [paper["name"].casefold() for paper in first["papers"] + second["papers"]]
    assert len(names) == 38 and names == sorted(names)


def test_papers_are_filtered(client: TestClient) -> None:
    first = client.get("/api/v1/papers", params={"file": "000_4a7b9ac06c042d5b.txt"}).json()
    second = client.get("/api/v1/papers", params={"file": "003_3877a10d02584f83.txt"}).json()
    assert 0 < first["total"] < 38 and first["total"] + second["total"] == 38
    # None of the seeds has a year.
    none = client.get("/api/v1/papers", params={"year": "2000.."}).json()
    assert none["total"] == 0 and "2000.." in none["remark"]
    assert client.get("/api/v1/papers", params={"year": "soon"}).status_code == 400


def test_an_answer_may_be_held_to_papers_by_filters(client: TestClient) -> None:
    body = {"question": "What is proposed?", "filters": {"papers": ["EVA-0", "ENGINE"]}}
    hits = client.post("/api/v1/ask", json=body).json()["hits"]
    assert {hit["name"] for hit in hits} <= {"EVA-0", "ENGINE"} and hits
    nothing = client.post("/api/v1/ask", json={"question": "x", "filters": {"year": "1999"}})
    assert nothing.status_code == 404 and "1999" in nothing.json()["detail"]


@pytest.mark.parametrize("name", ["EVA-0", "003_3877a10d02584f83.txt%239"])
def test_a_paper_is_shown_by_name_or_source(client: TestClient, name: str) -> None:
    paper = client.get(f"/api/v1/papers/{name}").json()
    assert paper["name"] == "EVA-0" and "FOA" in paper["text"]


def test_topics_have_papers_and_places(client: TestClient) -> None:
    themes = client.get("/api/v1/topics", params={"most": 3, "placed": True}).json()["themes"]
    assert len(themes) <= 3 and 0 <= themes[0]["papers"][0]["x"] <= 1


def test_health_and_readiness(client: TestClient, empty: TestClient) -> None:
    assert client.get("/api/v1/health").json() == {"status": "up"}
    assert client.get("/api/v1/ready").json() == {"status": "ready", "papers": 38, "warnings": 0}
    assert empty.get("/api/v1/health").status_code == 200
    not_ready = empty.get("/api/v1/ready")
    assert not_ready.status_code == 503 and "no papers" in not_ready.json()["reason"]


@pytest.mark.parametrize(
    "path, body",
    [
        ("ask", {"question": ""}),
        ("ask", {"question": "  "}),
        ("ask", {"question": "x" * 4001}),
        ("ask", {"question": "x", "histroy": []}),
        ("ask", {"question": "x", "history": ["y"] * 51}),
        ("check", {"text": "x", "kind": "other"}),
        ("compare", {"papers": ["x"] * 31}),
    ],
)
def test_a_request_out_of_bounds_is_a_problem(client: TestClient, path: str, body: dict[str, object]) -> None:
    response = client.post(f"/api/v1/{path}", json=body)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["errors"]


def test_an_unknown_paper_is_not_found_and_near_ones_are_named(client: TestClient) -> None:
    response = client.get("/api/v1/papers/EVA-O")
    assert response.status_code == 404
    problem = response.json()
    assert problem["kind"] == "UnknownPaper" and "EVA-0" in problem["detail"] and problem["hint"]


def test_fewer_than_two_papers_cannot_be_compared(client: TestClient) -> None:
    response = client.post("/api/v1/compare", json={"papers": ["EVA-0"]})
    assert response.status_code == 400 and response.json()["status"] == 400


@pytest.mark.parametrize("path", ["/nowhere", "/api/v1/nowhere", "/api/v1/jobs/none"])
def test_an_unknown_address_is_a_problem(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"


def test_an_unknown_method_is_a_problem(client: TestClient) -> None:
    response = client.put("/api/v1/ask", json={})
    assert response.status_code == 405 and response.json()["title"] == "Method Not Allowed"
    assert response.headers["allow"] == "POST"


def test_a_question_to_an_empty_library_says_how_to_fill_it(empty: TestClient, tmp_path: Path) -> None:
    response = empty.post("/api/v1/ask", json={"question": FACT})
    assert response.status_code == 409
    assert "ingest" in response.json()["hint"] and str(tmp_path) not in response.text
    assert empty.get("/api/v1/papers").json()["total"] == 0
    streamed = events(empty.post("/api/v1/ask", json={"question": FACT, "stream": True}).text)
    assert [(name, data["status"]) for name, data in streamed] == [("error", 409)]


def test_a_bug_tells_nothing_of_itself(
    client: TestClient, seed_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("/home/somebody/secret.py")

    monkeypatch.setattr(type(seed_library), "search", broken)
    response = client.get("/api/v1/search", params={"q": "x"})
    assert response.status_code == 500
    assert response.json()["kind"] == "bug" and "secret" not in response.text


def test_more_answers_than_can_be_made_are_turned_away(
    seed_library: Library, seed_library_path: Path
) -> None:
    with serving(seed_library_path, seed_library, at_once=1, waiting=0) as client:
        answers = client.app.state.rag.answers  # type: ignore[attr-defined]
        with answers.place():
            response = client.post("/api/v1/ask", json={"question": FACT})
            streamed = client.post("/api/v1/ask", json={"question": FACT, "stream": True})
            assert client.get("/api/v1/ready").status_code == 200
        assert response.status_code == streamed.status_code == 503
        assert int(response.headers["retry-after"]) >= 1
        assert client.post("/api/v1/ask", json={"question": FACT}).status_code == 200


async def ended_while_working(answers: Answers) -> None:
    stops = threading.Event()

    def work(voice: Voice) -> None:
        stops.set()
        while True:
            voice.check()

    async with anyio.create_task_group() as group:
        group.start_soon(answers.run, None, work)
        await anyio.to_thread.run_sync(stops.wait, 20)
        answers.stop()


def test_a_client_who_waits_when_the_server_ends_is_told_so() -> None:
    with pytest.raises(ExceptionGroup) as told:
        anyio.run(ended_while_working, Answers(1, 0))
    assert "is being stopped" in str(told.value.exceptions[0])


def test_a_text_too_long_to_check_is_turned_away(client: TestClient) -> None:
    response = client.post("/api/v1/check", json={"text": "x" * (MOST_DRAFT + 1)})
    assert response.status_code == 422


def test_what_clients_are_told_has_no_paths_and_no_secrets(tmp_path: Path) -> None:
    settings = Settings(
        library=tmp_path / "lib", openai_api_key="sk-abcdefghijklmnop", token="tok-abcdefghijklmnop"
    )
    told = safe_for_clients(
        f"{tmp_path}/lib/ledger.sqlite at /etc/passwd, C:\\Users\\me, key sk-abcdefghijklmnop,"
        " token tok-abcdefghijklmnop, http://user:word@host/v1; see /api/v1/ingest",
        settings,
    )
    for secret in (str(tmp_path), "/etc", "Users", "sk-abc", "tok-abc", "word"):
        assert secret not in told
    assert "/api/v1/ingest" in told


@pytest.mark.parametrize("path, body", [("ask", {"question": FACT}), ("summarize", {"topic": "agents"})])
def test_answers_are_as_the_description_says(client: TestClient, path: str, body: dict[str, str]) -> None:
    answer = client.post(f"/api/v1/{path}", json=body).json()
    shape = AnswerShape.model_validate(answer)
    assert shape.model_dump(exclude_unset=True) == answer


def test_the_description_is_whole_and_its_page_needs_nothing_else(client: TestClient) -> None:
    description = client.get("/api/openapi.json").json()
    assert {"/api/v1/ask", "/api/v1/papers/{paper}", "/v1/chat/completions"} <= set(description["paths"])
    page = client.get("/api/docs").text
    assert "/api/v1/summarize" in page and "question" in page
    assert "<script" not in page and "http://" not in page and "https://" not in page


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_neither_the_clients_fault_nor_a_bug(number: int) -> None:
    error = RuntimeError("the form cannot be read")
    error.__cause__ = OSError(number, os.strerror(number))
    assert problem_of(error, Settings()).status == 507
    assert problem_of(OSError(errno.EACCES, "no"), Settings()).status == 500


def test_no_place_of_the_library_is_told_and_hints_stay_whole() -> None:
    settings = Settings(library=Path("lib"))
    assert safe_for_clients("lib/ledger.sqlite cannot be opened; a library is.", settings) == (
        "the folder/ledger.sqlite cannot be opened; a library is."
    )
    assert (
        safe_for_clients("Run `rag restore /home/me/b.zip`; then ask.", settings)
        == "Run `rag restore …`; then ask."
    )


@pytest.mark.parametrize("path", ["/api/v1/check", "/check"])
def test_a_client_that_goes_away_stops_a_check(
    path: str, seed_library_path: Path, seed_library: Library
) -> None:
    draft = "EVA-0 adapts models without any backward pass at test time on small devices. " * 300
    body = (
        json.dumps({"text": draft, "find": True}) if "api" in path else urlencode({"draft": draft, "find": 1})
    )
    kind = "application/json" if "api" in path else "application/x-www-form-urlencoded"
    with serving(seed_library_path, seed_library) as client:
        assert status_when_gone(client, path, body.encode(), kind) == 499


def status_when_gone(client: TestClient, path: str, body: bytes, kind: str) -> int:
    """Send a request and hang up; return the status that nobody reads any more."""
    headers = {"host": "127.0.0.1", "content-type": kind, "content-length": str(len(body))}
    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8100), "scheme": "http", "http_version": "1.1",
    }  # fmt: skip
    coming: list[Message] = [{"type": "http.request", "body": body}, {"type": "http.disconnect"}]
    sent: list[Message] = []

    async def receive() -> Message:
        return coming.pop(0) if len(coming) > 1 else coming[0]

    async def send(message: Message) -> None:
        sent.append(message)

    assert client.portal is not None
    client.portal.call(client.app, scope, receive, send)
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("compare", {"topic": "agents"}),
        ("summarize", {"topic": "agents"}),
        ("summarize", {}),
        ("check_claim", {"claim": "EVA-0 needs no backward pass."}),
        ("check_claim", {"claim": "EVA-0 needs no backward pass.", "paper": "EVA-0"}),
    ],
)
def test_a_tool_that_nobody_waits_for_stops(
    name: str, arguments: dict[str, str], seed_library_path: Path, seed_library: Library
) -> None:
    state = State(seed_library, Settings(library=seed_library_path))
    halt = Halt()
    halt.stop()
    tool = TOOLS[name]
    with pytest.raises(Stopped):
        tool.run(state, tool.arguments.model_validate(arguments), Voice(halt))
    state.close()
