"""An address in, the body of the answer out: politely slow, tried again where that helps, bounded."""

from __future__ import annotations

import email.utils
import random
import re
import time
from collections.abc import Mapping
from importlib import metadata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rag.closing import Closing
from rag.errors import SourceError

if TYPE_CHECKING:
    import httpx2

TRIES = 5
# A service that asks to wait longer than this is reported instead of waited for.
LONGEST_WAIT_S = 120.0
# A server that goes on sending a little now and then is given up on.
LONGEST_ANSWER_S = 600.0
MAX_BYTES = 64 * 1024 * 1024
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
# Nobody listens there, or there is no such name: seconds later that is still so.
_HOPELESS = re.compile(r"refused|name resolution|not known|getaddrinfo|certificate", re.IGNORECASE)
_SHOWN_BYTES = 500
_HINT = "What was fetched is kept: the same command goes on from there."


class Client(Closing):
    """Asks one service; `pause_s` lies between two requests, and before a second try.

    `timeout_s` is how long the server may be silent, `longest_s` how long all of an answer may take.
    """

    def __init__(
        self, service: str, pause_s: float, timeout_s: float, longest_s: float = LONGEST_ANSWER_S
    ) -> None:
        import httpx2

        self._service, self._pause_s, self._longest_s = service, pause_s, longest_s
        agent = {"User-Agent": f"askpapers/{_version()}"}
        self._http = httpx2.Client(timeout=timeout_s, headers=agent, follow_redirects=True)
        self._last = 0.0

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, address: str, parameters: Mapping[str, str]) -> bytes:
        """Return the body of the answer; raise SourceError when there is none after some tries."""
        import httpx2

        host = urlsplit(address).netloc.rpartition("@")[2]
        problem, wait = "", 0.0
        for attempt in range(TRIES):
            due = self._last + self._pause_s - time.monotonic() if self._last else 0.0
            self._wait(max(wait, due))
            try:
                with self._http.stream("GET", address, params=dict(parameters)) as answer:
                    if answer.status_code == 200:
                        return self._body(answer, host)
                    problem = _status(answer, self._read(answer, host, _SHOWN_BYTES))
                    passing = answer.status_code in _PASSING
                    wait = _asked_to_wait(answer.headers.get("retry-after", ""))
            except (httpx2.TransportError, httpx2.DecodingError) as error:
                problem, wait = f"{type(error).__name__}: {error}"[:200], -1.0
                passing = not _HOPELESS.search(problem)
            except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
                problem, passing = f"{type(error).__name__}: {error}"[:200], False
            finally:
                self._last = time.monotonic()
            if not passing or wait > LONGEST_WAIT_S:
                break
            wait = wait if wait >= 0 else self._pause_s * 2.0**attempt * random.uniform(0.75, 1.25)
        asked = f"; it asks to wait {wait:.0f} s" if wait > LONGEST_WAIT_S else ""
        raise SourceError(f"{host} gives no answer ({problem}{asked}).", source=self._service, hint=_HINT)

    def _body(self, answer: httpx2.Response, host: str) -> bytes:
        body = self._read(answer, host, MAX_BYTES)
        if len(body) > MAX_BYTES:
            reason = f"{host} answers with more than {MAX_BYTES / 1e6:.0f} MB."
            raise SourceError(reason, source=self._service, hint="Ask for something narrower.")
        return body

    def _read(self, answer: httpx2.Response, host: str, most: int) -> bytes:
        """Return the body, or its beginning where it is longer than `most` bytes."""
        body = bytearray()
        until = time.monotonic() + self._longest_s
        for block in answer.iter_bytes():
            body += block
            if len(body) > most:
                break
            if time.monotonic() > until:
                reason = f"{host} has not ended its answer after {self._longest_s:.0f} s."
                raise SourceError(reason, source=self._service, hint=_HINT)
        return bytes(body)

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            time.sleep(seconds)


def _status(answer: httpx2.Response, body: bytes) -> str:
    said = " ".join(body[:_SHOWN_BYTES].decode("utf-8", "replace").split())[:120]
    return f"{answer.status_code} {said}".strip()


def _asked_to_wait(value: str) -> float:
    """Return the seconds that a Retry-After header asks for, as a number or a date; -1 if it is neither."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return -1.0


def _version() -> str:
    try:
        return metadata.version("askpapers")
    except metadata.PackageNotFoundError:
        return "0"
