"""A stand-in on loopback for services of papers: it is told what to answer, and keeps what it is asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Asked = dict[str, str]
Answer = tuple[int, Mapping[str, str], bytes]


def good(body: Any) -> Answer:
    """Return an answer with a body, JSON or text."""
    return 200, {}, body.encode() if isinstance(body, str) else json.dumps(body).encode()


def bad(status: int, body: str = "no", **headers: str) -> Answer:
    """Return an error, its headers spelled with _ for -."""
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, body.encode()


def cut(answer: Answer) -> Answer:
    """Return an answer that promises more than it sends."""
    status, headers, body = answer
    return status, {**headers, "Content-Length": str(len(body) + 100)}, body[: len(body) // 2]


class PaperServer:
    """Answers each request with what `answer` makes of its parameters; use it as a context manager."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                asked = {**dict(parse_qsl(parts.query)), "": parts.path}
                outer.asked.append(asked)
                status, headers, body = answer(asked)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Be silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> PaperServer:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
