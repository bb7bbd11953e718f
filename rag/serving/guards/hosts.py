"""Host names: the name a client asked for comes in; only those the server is known by are let in.

A page of another site may have its name lead to this machine (DNS rebinding): its requests carry that name.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import Headers as RequestHeaders
from starlette.types import ASGIApp, Receive, Scope, Send

from rag.serving.problems import Problem


class Hosts:
    """Lets in requests to the server's own names, at any port: a tunnel may lead from another one."""

    def __init__(self, app: ASGIApp, bound: str, more: Collection[str] = ()) -> None:
        self._app = app
        self._names = {name.lower() for name in (*_own_names(bound), *more)}
        self._any_address = not is_loopback(bound)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say that its name is not served here."""
        if scope["type"] == "http" and not self._knows(RequestHeaders(scope=scope).getlist("host")):
            problem = Problem(
                421, "The server is not known by this name.", "Let it in with: rag serve --allow-host NAME"
            )
            await problem.answer(scope)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _knows(self, hosts: list[str]) -> bool:
        if len(hosts) != 1:
            return False
        name = _without_port(hosts[0]).lower()
        # An address in numbers cannot be made to lead elsewhere.
        return name in self._names or (is_loopback(name) or self._any_address and _is_address(name))


def is_loopback(host: str) -> bool:
    """Tell whether a host to bind to, or asked for, can only be reached from this machine."""
    if host.lower() == "localhost":
        return True
    return _is_address(host) and ip_address(host.strip("[]")).is_loopback


def _own_names(bound: str) -> tuple[str, ...]:
    if is_loopback(bound):
        return ("localhost", bound)
    return ("localhost", bound, socket.gethostname())


def _is_address(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _without_port(host: str) -> str:
    """Return the name of a Host header; an IPv6 address keeps its brackets."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
