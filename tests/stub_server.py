"""A scripted OpenAI-compatible server on loopback: it is told what to answer, and keeps what it is asked."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import numpy as np

Body = Mapping[str, Any]
USAGE = {"prompt_tokens": 700, "completion_tokens": 50, "total_tokens": 750}


@dataclass
class Asked:
    """A request as it came in."""

    path: str
    body: Body
    headers: Mapping[str, str]

    @property
    def prompt(self) -> str:
        """All its messages, as one text."""
        return "\n".join(str(m["content"]) for m in self.body.get("messages", []))

    @property
    def format(self) -> str:
        """How the reply is bound."""
        return str(self.body.get("response_format", {}).get("type", "text"))


Answering = Callable[["Handler", Asked], None]


class Handler(BaseHTTPRequestHandler):
    """Answers one request as the script says."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """List the models."""
        self.send(200, {"object": "list", "data": [{"id": "stub-model", "object": "model"}]})

    def do_POST(self) -> None:
        """Take a request and answer it."""
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = Asked(
            self.path, json.loads(raw), {name.lower(): value for name, value in self.headers.items()}
        )
        answering = self.server.next_answer(asked)
        try:
            answering(self, asked)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        """Send a whole body: JSON, or text as it is."""
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        kind = "text/html" if isinstance(body, str) and body.lstrip().startswith("<") else "application/json"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self) -> None:
        """Begin a stream of events that ends with the connection."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def event(self, payload: Any) -> None:
        """Send one event."""
        text = payload if isinstance(payload, str) else json.dumps(payload)
        self.wfile.write(f"data: {text}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Be silent."""


class Server(ThreadingHTTPServer):
    """The listening part."""

    daemon_threads = True
    block_on_close = False
    next_answer: Callable[[Asked], Answering]


@dataclass
class Stub:
    """A server that gives its answers in order, the last one for ever; use it as a context manager."""

    answers: list[Answering] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    def __enter__(self) -> Stub:
        self._lock = threading.Lock()
        self.over = threading.Event()
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.next_answer = self._next
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address to set as OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[Asked]:
        """The chat completions asked for."""
        return [a for a in self.asked if a.path.endswith("/chat/completions")]

    def _next(self, asked: Asked) -> Answering:
        with self._lock:
            self.asked.append(asked)
            if asked.path.endswith("/embeddings"):
                return embeds
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def chunk(text: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """Return one piece of a streamed chat completion."""
    delta = {} if text is None else {"role": "assistant", "content": text}
    choice = {"index": 0, "delta": {**delta, **more}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": [choice]}


def completion(text: str | None, finish: str = "stop", **more: Any) -> dict[str, Any]:
    """Return a whole chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **more}, "finish_reason": finish}
    head = {"id": "c1", "object": "chat.completion", "created": 1, "model": "stub"}
    return {**head, "choices": [choice], "usage": USAGE}


def says(text: str, *, pieces: int = 12, finish: str = "stop", usage: bool = True) -> Answering:
    """Answer with a text, streamed or whole, as asked."""

    def answer(handler: Handler, asked: Asked) -> None:
        if not asked.body.get("stream"):
            handler.send(200, completion(text, finish))
            return
        handler.begin_stream()
        step = max(1, -(-len(text) // pieces))
        for start in range(0, len(text), step):
            handler.event(chunk(text[start : start + step]))
        handler.event(chunk(finish=finish))
        if usage:
            handler.event({**chunk(), "choices": [], "usage": USAGE})
        handler.event("[DONE]")

    return answer


def answers(*sentences: tuple[str, list[str]], answerable: bool = True, **options: Any) -> Answering:
    """Answer a question with sentences and what they cite."""
    return says(answer_json(*sentences, answerable=answerable), **options)


def answer_json(*sentences: tuple[str, list[str]], answerable: bool = True) -> str:
    """Return the JSON of an answer."""
    listed = [{"text": text, "cites": cites} for text, cites in sentences]
    return json.dumps({"answerable": answerable, "sentences": listed})


def fails(status: int, message: str = "no", code: str = "", **headers: str) -> Answering:
    """Answer with an error."""
    error = {"message": message, "type": "error", "code": code or None, "param": None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.send(status, {"error": error}, named)


def sends(body: Any, status: int = 200) -> Answering:
    """Answer with a body as it is."""
    return lambda handler, _: handler.send(status, body)


def breaks_off(text: str, *, rudely: bool = False) -> Answering:
    """Stream a text and end without saying why; `rudely` in the middle of a promised body."""

    def answer(handler: Handler, _: Asked) -> None:
        if not rudely:
            handler.begin_stream()
            handler.event(chunk(text))
            return
        handler.close_connection = True
        data = f"data: {json.dumps(chunk(text))}\n\n".encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Content-Length", str(len(data) + 1000))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def half_a_body() -> Answering:
    """Promise more of a body than is sent."""

    def answer(handler: Handler, _: Asked) -> None:
        handler.close_connection = True
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "5000")
        handler.end_headers()
        handler.wfile.write(b'{"choices": [{"mess')

    return answer


def hangs(stub: Stub) -> Answering:
    """Say nothing until the test is over."""
    return lambda handler, _: (stub.over.wait(20), None)[1]


def never_ends(stub: Stub, piece: str = "words and words ") -> Answering:
    """Stream for ever."""

    def answer(handler: Handler, _: Asked) -> None:
        handler.begin_stream()
        while not stub.over.is_set():
            handler.event(chunk(piece * 20))

    return answer


def knows_no(*parameters: str, then: Answering) -> Answering:
    """Refuse requests that have one of these parameters or formats; answer the others."""

    def answer(handler: Handler, asked: Asked) -> None:
        for name in parameters:
            if asked.format == name or (name in asked.body and asked.body[name] is not False):
                text = (
                    f"Unsupported parameter: response_format of type {name}" if name == asked.format else name
                )
                fails(400, f"{text} is not supported", code="unsupported_parameter")(handler, asked)
                return
        then(handler, asked)

    return answer


def embeds(handler: Handler, asked: Asked) -> None:
    """Answer with vectors made of the words of each text."""
    rows = [
        {"object": "embedding", "index": i, "embedding": _vector(text)}
        for i, text in enumerate(asked.body["input"])
    ]
    handler.send(
        200,
        {"object": "list", "model": "stub", "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}},
    )


def _vector(text: str) -> list[float]:
    total = np.zeros(8)
    for word in ["", *text.lower().split()]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(8)
    return [round(float(x), 6) for x in total]


def numbered_sentences(prompt: str) -> Iterator[tuple[str, str]]:
    """Yield number and text of each sentence that a prompt shows, up to the end of its fence."""
    for line in prompt.partition("=== papers")[2].splitlines():
        number, _, text = line.partition(" ")
        if number.replace(".", "", 1).isdigit() and "." in number:
            yield number, text
