"""Rates: requests of each client come in; those beyond what it may ask are told to wait."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

from rag.serving.problems import Problem

_MOST_CLIENTS = 10_000
_LEAST_BURST = 10
_BURST_S = 10.0
# Whoever is given one IPv6 address is given a network of them.
_IPV6_NETWORK = 64


class Buckets:
    """For each client a bucket of tokens that fills steadily up to a burst. Safe to use from many threads."""

    def __init__(self, per_minute: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_minute / 60
        self._burst = burst
        self._clock = clock
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, client: str) -> float:
        """Take a token; return 0, or in how many seconds there will be one."""
        with self._lock:
            now = self._clock()
            left, since = self._held.pop(client, (self._burst, now))
            left = min(self._burst, left + (now - since) * self._per_s)
            wait_s = 0.0 if left >= 1 else (1 - left) / self._per_s
            self._held[client] = (left if wait_s else left - 1, now)
            if len(self._held) > _MOST_CLIENTS:
                self._held.popitem(last=False)
            return wait_s


class Rates:
    """Lets each client ask so often a minute, and a sixth of that at once; 0 lets it ask without end."""

    def __init__(self, app: ASGIApp, per_minute: int) -> None:
        self._app = app
        burst = max(_LEAST_BURST, per_minute * _BURST_S / 60)
        self._buckets = Buckets(per_minute, burst) if per_minute else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say when to try again."""
        wait_s = self._buckets.take(client_of(scope)) if self._buckets and scope["type"] == "http" else 0.0
        if wait_s:
            await too_many(wait_s).answer(scope)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def too_many(wait_s: float) -> Problem:
    """Return the problem that says when to try again."""
    seconds = max(1, math.ceil(wait_s))
    return Problem(429, "Too many requests.", f"Try again in {seconds} s.", retry_after_s=seconds)


def client_of(scope: Scope) -> str:
    """Return what stands for a client: its address, or its IPv6 network; not what it says of itself."""
    host = str((scope.get("client") or ("",))[0])
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network(f"{host.partition('%')[0]}/{_IPV6_NETWORK}", strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)
