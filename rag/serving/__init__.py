"""The library over HTTP: pages for people, REST and other doors for programs."""

from __future__ import annotations

# Where it is served if nothing else is said.
LOOPBACK = "127.0.0.1"
PORT = 8100
