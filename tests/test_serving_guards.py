"""What stands before every route: names, origins, the token, limits, headers, the log."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rag.library import Library
from rag.serving.guards.headers import HEADERS
from rag.serving.guards.hosts import Hosts, is_loopback
from rag.serving.guards.rates import Buckets, client_of
from rag.serving.sessions import COOKIE, LASTS_S, is_session, new_session
from tests.serving import ADDRESS, FACT, TOKEN, serving

ASK = "/api/v1/ask"


@pytest.fixture(scope="module")
def client(seed_library: Library, seed_library_path: Path) -> Iterator[TestClient]:
    with serving(seed_library_path, seed_library, rate_per_minute=0) as client:
        yield client


@pytest.fixture
def locked(seed_library: Library, seed_library_path: Path) -> Iterator[TestClient]:
    with serving(seed_library_path, seed_library, token=TOKEN, host="0.0.0.0") as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/api/v1/health", "/nowhere", "/api/docs", "/api/openapi.json", "/login", "/v1/models"]
)
def test_every_response_has_the_safety_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    for name in (*HEADERS, "Referrer-Policy"):
        assert name in headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8100", "127.0.0.1.evil.example", "", "10.1.2.3"]
)
def test_another_name_is_not_served(client: TestClient, host: str) -> None:
    response = client.get("/api/v1/health", headers={"Host": host})
    assert response.status_code == 421
    assert "content-security-policy" in response.headers


@pytest.mark.parametrize("host", ["127.0.0.1:8100", "localhost:1234", "LOCALHOST", "[::1]:8100", "127.0.0.1"])
def test_a_name_of_this_machine_is_served(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/health", headers={"Host": host}).status_code == 200


def test_a_name_that_was_allowed_is_served(seed_library: Library, seed_library_path: Path) -> None:
    with serving(seed_library_path, seed_library, hosts=("Papers.Example",)) as client:
        assert client.get("/api/v1/health", headers={"Host": "papers.example"}).status_code == 200


def test_a_server_for_others_is_known_by_any_address_and_no_foreign_name(locked: TestClient) -> None:
    assert locked.get("/api/v1/health", headers={"Host": "192.168.1.2:8100"}).status_code == 200
    assert locked.get("/api/v1/health", headers={"Host": "evil.example"}).status_code == 421


def test_two_host_names_are_none() -> None:
    assert not Hosts(lambda *_: None, "127.0.0.1")._knows(["localhost", "evil.example"])  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("host, expected", [("127.0.0.1", True), ("::1", True), ("localhost", True)])
def test_loopback_is_known(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "example.org")))


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": ADDRESS},
    ],
)
def test_what_a_page_of_another_site_sends_is_refused(client: TestClient, headers: dict[str, str]) -> None:
    response = client.post(ASK, json={"question": FACT}, headers=headers)
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers
    assert client.delete("/api/v1/papers/EVA-0", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": ADDRESS},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_our_own_pages_and_programs_may_ask(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post(ASK, json={"question": FACT}, headers=headers).status_code == 200


@pytest.mark.parametrize("given", ["", "Bearer wrong", "Bearer", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
def test_without_the_token_nothing_is_told(locked: TestClient, given: str) -> None:
    for path in ("/api/v1/papers", "/v1/models", "/api/openapi.json", "/nowhere", "/mcp"):
        response = locked.get(path, headers={"Authorization": given} if given else {})
        assert response.status_code == 401 and response.headers["www-authenticate"] == "Bearer"


def test_with_the_token_everything_is(locked: TestClient) -> None:
    response = locked.get("/api/v1/papers", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.json()["total"] == 38


def test_health_needs_no_token(locked: TestClient) -> None:
    assert locked.get("/api/v1/health").status_code == locked.get("/api/v1/ready").status_code == 200


def test_a_person_is_led_to_the_login_and_back(locked: TestClient) -> None:
    asked = locked.get("/papers", headers={"Accept": "text/html"})
    assert asked.status_code == 303 and asked.headers["location"] == "/login?next=/papers"
    page = locked.get(asked.headers["location"])
    assert 'value="/papers"' in page.text and "<script" not in page.text
    wrong = locked.post("/login", data={"token": "wrong", "next": "/papers"})
    assert wrong.status_code == 403 and "set-cookie" not in wrong.headers
    entered = locked.post("/login", data={"token": TOKEN, "next": "/papers"})
    assert entered.status_code == 303 and entered.headers["location"] == "/papers"
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and TOKEN not in cookie
    assert locked.get("/api/v1/papers").status_code == 200


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "\t//x", ""])
def test_the_way_back_leads_nowhere_else(locked: TestClient, back: str) -> None:
    entered = locked.post("/login", data={"token": TOKEN, "next": back})
    assert entered.headers["location"] == "/"


def test_the_token_cannot_be_guessed_on(locked: TestClient) -> None:
    codes = [locked.post("/login", data={"token": f"guess-{n}"}).status_code for n in range(12)]
    assert codes[:10] == [403] * 10 and codes[-1] == 429
    assert locked.post("/login", data={"token": TOKEN}).status_code == 429


def test_a_browser_comes_back_to_the_question_it_asked(locked: TestClient) -> None:
    for method in ("GET", "HEAD"):
        response = locked.request(method, "/?q=a%20b&x=1", headers={"Accept": "text/html"})
        assert (response.status_code, response.headers["location"]) == (
            303,
            "/login?next=/%3Fq%3Da%2520b%26x%3D1",
        )
    back = locked.post("/login", data={"token": TOKEN, "next": "/?q=a%20b&x=1"})
    assert (back.status_code, back.headers["location"]) == (303, "/?q=a%20b&x=1")


def test_a_body_without_end_behind_a_question_in_the_address_is_no_mistake_of_the_server(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    pieces = (b"x" * 100_000 for _ in range(40))
    response = client.request("GET", "/api/v1/search?q=x", content=pieces)
    assert response.status_code in (200, 413, 499)
    assert not any(record.exc_info for record in caplog.records)


def test_a_cookie_holds_for_its_time_and_its_secret() -> None:
    value = new_session(TOKEN, now=1000.0)
    assert is_session(value, TOKEN, now=1000.0 + LASTS_S - 1)
    assert not is_session(value, TOKEN, now=1001.0 + LASTS_S)
    assert not is_session(value, TOKEN + "x", now=1000.0)
    ends, _, signature = value.partition(".")
    for forged in (
        f"{int(ends) + 1}.{signature}",
        f"{ends}.",
        "",
        ".",
        "x.y",
        f"٣.{signature}",
        f"{'9' * 99}.x",
    ):
        assert not is_session(forged, TOKEN, now=1000.0)


def test_a_forged_cookie_lets_nobody_in(locked: TestClient) -> None:
    locked.cookies.set(COOKIE, "9999999999.00")
    assert locked.get("/api/v1/papers").status_code == 401


def test_a_body_too_large_is_refused(seed_library: Library, seed_library_path: Path) -> None:
    with serving(seed_library_path, seed_library, body_bytes=1000, upload_bytes=5000) as client:
        large = client.post(ASK, json={"question": "x" * 2000})
        assert large.status_code == 413
        assert large.headers["content-type"] == "application/problem+json"

        def pieces() -> Iterator[bytes]:
            yield b'{"question": "'
            for _ in range(50):
                yield b"x" * 100

        headers = {"Content-Type": "application/json"}
        assert client.post(ASK, content=pieces(), headers=headers).status_code == 413
        files = {"files": ("a.txt", b"x" * 6000)}
        assert client.post("/api/v1/ingest", files=files).status_code == 413


def test_who_asks_without_end_is_told_to_wait(seed_library: Library, seed_library_path: Path) -> None:
    with serving(seed_library_path, seed_library, rate_per_minute=60) as client:
        codes = [client.get("/api/v1/health").status_code for _ in range(10)]
        assert codes == [200] * 10
        late = client.get("/api/v1/health")
        assert late.status_code == 429 and int(late.headers["retry-after"]) == 1


def test_a_bucket_fills_with_time() -> None:
    now = [0.0]
    buckets = Buckets(per_minute=60, burst=2, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1.0]
    assert buckets.take("b") == 0
    now[0] = 1.0
    assert buckets.take("a") == 0 and buckets.take("a") > 0


@pytest.mark.parametrize(
    "host, expected",
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("testclient", "testclient"),
    ],
)
def test_a_client_is_its_address_or_its_network(host: str, expected: str) -> None:
    assert client_of({"client": (host, 1)}) == expected


def test_the_log_has_a_line_a_request_and_no_question(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "rag.serving.requests"):
        client.post(ASK, json={"question": FACT})
        client.get("/api/v1/papers/EVA-0?secret=1")
        client.get("/secret-nowhere")
    lines = [json.loads(record.getMessage()) for record in caplog.records if record.name.endswith("requests")]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/api/v1/ask", 200),
        ("GET", "/api/v1/papers/{paper}", 200),
        ("GET", "-", 404),
    ]
    assert set(lines[0]) == {"time", "method", "route", "status", "ms", "client"}
    assert "FOA" not in caplog.text and "secret" not in caplog.text


def test_questions_are_logged_where_that_was_wanted(
    seed_library: Library, seed_library_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(seed_library_path, seed_library, log_questions=True) as client:
        with caplog.at_level(logging.INFO, "rag.serving.requests"):
            client.post(ASK, json={"question": FACT})
    assert json.loads(caplog.records[-1].getMessage())["question"] == FACT


PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/papers", {"Host": "evil.example"}, 421),
        ("POST", "/papers/add", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("POST", "/papers/add", {"Content-Length": str(10**12)}, 413),
        ("POST", "/papers/add", {"Content-Length": "1" * 5000}, 413),
        ("PUT", "/papers", {}, 405),
    ],
)
def test_a_browser_is_refused_on_a_page(client: TestClient, method, path, headers, status) -> None:
    response = client.request(method, path, headers={**PAGE, **headers})
    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/html")
    assert "<h1>That did not work</h1>" in response.text
    assert "unsafe" not in response.headers["content-security-policy"]


def test_a_browser_that_asks_too_often_is_told_when_to_come_back_on_a_page(
    seed_library: Library, seed_library_path: Path
) -> None:
    with serving(seed_library_path, seed_library, rate_per_minute=1) as client:
        answers = [client.get("/check", headers=PAGE) for _ in range(12)]
    last = answers[-1]
    assert (last.status_code, last.headers["content-type"]) == (429, "text/html; charset=utf-8")
    assert int(last.headers["retry-after"]) > 3 and "Try again in" in last.text


def test_a_refusal_reaches_a_client_of_openai_in_its_own_form(client: TestClient) -> None:
    response = client.get("/v1/models", headers={**PAGE, "Host": "evil.example"})
    assert response.status_code == 421
    assert "not known by this name" in response.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/", "/papers", "/api/v1/health", "/api/docs", "/login", "/nowhere"])
def test_the_head_of_a_page_is_that_of_the_page_without_it(client: TestClient, path: str) -> None:
    whole = client.get(path, headers=PAGE, follow_redirects=False)
    head = client.head(path, headers=PAGE, follow_redirects=False)
    assert head.status_code == whole.status_code and not head.content
    same = {"date", "content-length"} & set(head.headers)
    assert {k: v for k, v in head.headers.items() if k not in same} == {
        k: v for k, v in whole.headers.items() if k not in same
    }


def test_a_stream_without_end_has_no_head(client: TestClient) -> None:
    assert client.head("/mcp").status_code in (400, 405, 406)


@pytest.mark.parametrize(
    ("mode", "kind", "status"),
    [
        ("navigate", "document", 200),
        ("no-cors", "image", 403),
        ("navigate", "iframe", 403),
        ("cors", "empty", 403),
    ],
)
def test_another_site_may_link_to_a_page_but_not_have_one_fetched(
    client: TestClient, mode: str, kind: str, status: int
) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": kind}
    assert client.get("/papers?q=graphs", headers={**PAGE, **headers}).status_code == status
    own = {**headers, "Sec-Fetch-Site": "same-origin"}
    assert client.get("/papers?q=graphs", headers={**PAGE, **own}).status_code == 200
