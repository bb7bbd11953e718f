"""Cookies of those who know the secret: it comes in, a value that proves it goes out, and is checked.

A cookie holds when it ends and a signature made with the secret (HMAC-SHA-256, RFC 2104). Another secret ends
them all.
"""

from __future__ import annotations

import hashlib
import hmac
import time

COOKIE = "rag_session"
LASTS_S = 30 * 24 * 3600


def is_secret(given: str, secret: str) -> bool:
    """Tell whether a client gave the secret; takes as long whatever it gave."""
    return hmac.compare_digest(_digest(given), _digest(secret))


def new_session(secret: str, now: float | None = None) -> str:
    """Return the value of a cookie that begins now."""
    ends = str(int((time.time() if now is None else now) + LASTS_S))
    return f"{ends}.{_signature(ends, secret)}"


def is_session(value: str, secret: str, now: float | None = None) -> bool:
    """Tell whether a cookie was made with this secret and has not ended."""
    ends, _, signature = value.partition(".")
    if not ends.isascii() or not ends.isdigit() or len(ends) > 12:
        return False
    is_ours = hmac.compare_digest(signature.encode(), _signature(ends, secret).encode())
    return is_ours and int(ends) > (time.time() if now is None else now)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def _signature(ends: str, secret: str) -> str:
    return hmac.new(secret.encode(), f"askpapers session {ends}".encode(), hashlib.sha256).hexdigest()
