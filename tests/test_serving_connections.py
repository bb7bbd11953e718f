"""Clients that begin a request and do not end it: their connections and requests are given up."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import anyio
import pytest
import uvicorn
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope, Send

from rag.serving import connections
from rag.serving.connections import Impatient
from rag.serving.guards import bodies
from rag.serving.guards.bodies import Bodies

WHOLE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
DEADLINE_S = 20.0


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    config = uvicorn.Config(answers, http=Impatient, log_config=None, lifespan="off", timeout_keep_alive=60)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(DEADLINE_S)


HALF = WHOLE[:20]


@pytest.mark.parametrize(
    ("before", "begun"),
    [(b"", b""), (b"", HALF), (WHOLE, HALF)],
    ids=["nothing", "half a head", "half a second"],
)
def test_a_head_that_does_not_come_is_not_waited_for(port: int, before: bytes, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_S) as client:
        if before:
            client.sendall(before)
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
        client.sendall(begun)
        said = b""
        while piece := client.recv(1000):
            said += piece
    assert said in (b"", b"ok")


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PIECE_S", 0.05)
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"content-length", b"9")]}
    pieces: list[Message] = [{"type": "http.request", "body": b"x", "more_body": True}]

    async def receive() -> Message:
        if not pieces:
            await anyio.sleep_forever()
        return pieces.pop()

    async def reads(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass

    async def unsent(message: Message) -> None:
        raise AssertionError(message)

    with pytest.raises(HTTPException) as caught:
        anyio.run(Bodies(reads, 100, 100), scope, receive, unsent)
    assert caught.value.status_code == 408


def test_whoever_waits_for_an_answer_may_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PIECE_S", 0.0)
    pieces: list[Message] = [{"type": "http.disconnect"}, {"type": "http.request", "body": b"x"}]

    async def receive() -> Message:
        if len(pieces) == 1:
            await anyio.lowlevel.checkpoint()
        return pieces.pop()

    seen: list[str] = []

    async def reads(scope: Scope, receive: Receive, send: Send) -> None:
        seen.extend([(await receive())["type"], (await receive())["type"]])

    async def unsent(message: Message) -> None:
        raise AssertionError(message)

    anyio.run(Bodies(reads, 100, 100), {"type": "http", "method": "POST", "headers": []}, receive, unsent)
    assert seen == ["http.request", "http.disconnect"]
