"""The server process: the state comes in, its application is served until a signal ends it."""

from __future__ import annotations

import errno
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn

from rag.errors import RagError, SettingError, UsageError
from rag.serving.app import create_app
from rag.serving.connections import Impatient
from rag.serving.guards.hosts import is_loopback
from rag.serving.state import Options, State

# How long answers under way may take to end after a signal.
_LAST_S = 3
_BACKLOG = 512
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_REASONS = {
    errno.EADDRINUSE: ("is taken", "Choose another with --port, or stop the program that has it."),
    errno.EACCES: ("may not be used by you", "Choose one above 1023 with --port."),
    errno.EADDRNOTAVAIL: ("is not an address of this machine", "Choose another with --host."),
}


class _Server(uvicorn.Server):
    """A server that stops the answers under way before it waits for them."""

    def __init__(self, config: uvicorn.Config, state: State) -> None:
        super().__init__(config)
        self._state = state

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop what clients wait for, then the server."""
        self._state.answers.stop()
        await super().shutdown(sockets)


def serve(state: State, tell: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `tell` is told the address once it answers.

    Raises SettingError when others are to be served without a token, UsageError for an address that cannot be
    had, and what loading the library raises.
    """
    options = state.options
    if not is_loopback(options.host) and not state.settings.token:
        raise SettingError(
            f"{options.host} can be reached from other machines, and no token is set",
            hint="Set RAG_TOKEN to 16 characters or more, or serve this machine only: --host 127.0.0.1",
        )
    listener = _listening(options)
    try:
        state.prepare()
        _log_lines()
        server = _Server(_config(state), state)
        tell(f"Serving on {address_of(options)}  (Ctrl-C stops it)")
        with _ended_by_signals():
            server.run([listener])
    finally:
        state.close()
        listener.close()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a signal be a good end: uvicorn sends itself the signal again once it has stopped."""
    before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def address_of(options: Options) -> str:
    """Return the address as a person would type it: for all addresses at once, the name of this machine."""
    name = (socket.gethostname() or "localhost") if _is_every_address(options.host) else options.host
    host = f"[{name}]" if ":" in name else name
    return f"http://{host}:{options.port}"


def _is_every_address(host: str) -> bool:
    try:
        return ip_address(host).is_unspecified
    except ValueError:
        return not host


def _config(state: State) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(state),
        log_config=None,
        access_log=False,
        # Anyone could claim to be anyone.
        proxy_headers=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=_LAST_S,
        limit_concurrency=1000,
        http=Impatient,
        h11_max_incomplete_event_size=64 * 1024,
    )


def _listening(options: Options) -> socket.socket:
    """Bind before anything is loaded, so that a port that is taken is told at once."""
    try:
        ((family, _, _, _, place), *_) = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise UsageError(
            f"there is no address {options.host!r}", hint="Choose another with --host."
        ) from error
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise _unbound(options, error) from error
    return listener


def _unbound(options: Options, error: OSError) -> RagError:
    why, hint = _REASONS.get(error.errno or 0, (f"cannot be used: {error.strerror}", "Choose another."))
    what = f"port {options.port}" if error.errno != errno.EADDRNOTAVAIL else options.host
    return UsageError(f"{what} {why}", hint=hint)


def _log_lines() -> None:
    """Send the log to stderr: requests as they are, the rest after its level."""
    requests = logging.StreamHandler(sys.stderr)
    requests.setFormatter(logging.Formatter("%(message)s"))
    _send(logging.getLogger("rag.serving.requests"), requests, logging.INFO)
    others = logging.StreamHandler(sys.stderr)
    others.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    for name in ("rag.serving", "uvicorn.error"):
        _send(logging.getLogger(name), others, logging.WARNING)


def _send(logger: logging.Logger, handler: logging.Handler, level: int) -> None:
    logger.handlers = [handler]
    logger.setLevel(level)
    logger.propagate = False
