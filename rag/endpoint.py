"""An OpenAI-compatible server: settings → its address and key; what its client raises → our errors.

Nothing of the client is imported here: exceptions are told by their names, so that the offline path stays
free of it.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, TypeVar
from urllib.parse import urlsplit

from rag.errors import ModelError, ModelUnreachable, ParameterRefused, PromptTooLong, RagError, SettingError
from rag.settings import Settings, mask_password

T = TypeVar("T")

OPENAI_URL = "https://api.openai.com/v1"
# What is sent as the key to a server that wants none: the client insists on one.
NO_KEY = "none"
CONNECT_TIMEOUT_S = 5.0
RETRIES = 2
# A server that asks to wait longer than this is reported instead of waited for.
LONGEST_WAIT_S = 20.0
_SHOWN = 200

_KEY_LIKE = re.compile(r"\b(?:sk|key|pk|rk)-[\w*.-]{6,}|(?<=Bearer )\S+")
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|window|size)|maximum context|n_ctx|too many tokens|prompt is too long"
    r"|exceeds? the (?:max|limit)",
    re.IGNORECASE,
)
# What fits in a header of a request.
_SENDABLE = re.compile(r"[\x20-\x7e]*")
# A shorter key is no secret but a word for servers that want none, such as `ollama`; answers may hold it.
_LEAST_SECRET, _LEAST_WORD = 6, 8
_QUOTA = re.compile(r"insufficient_quota|quota|billing|credit balance", re.IGNORECASE)
_PARAMETERS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"\b{words}\b", re.IGNORECASE)
    for name, words in (
        ("response_format", "response_format"),
        ("json_schema", "json_schema"),
        ("json_object", "json_object"),
        ("stream_options", "stream_options"),
        ("temperature", "temperature"),
        ("max_completion_tokens", "max_completion_tokens"),
        ("max_tokens", "max_tokens"),
        ("stream", "stream(?:ing)?"),
    )
}
"""How servers speak of the parameters that can be left out; the more telling ones first."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a server is asked for, as its errors say it: the reply, the setting, and what needs no server."""

    reply: str
    setting: str
    offline: str
    shorter: str


CHAT = Use("chat completion", "RAG_MODEL", "extractive", "Lower RAG_EVIDENCE_TOKENS")
EMBEDDING = Use("list of embeddings", "RAG_EMBEDDER", "minilm", "Shorten the paper or the question")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an OpenAI-compatible server is and how to talk to it; `timeout_s` is for each wait."""

    base_url: str
    api_key: str = field(repr=False)
    timeout_s: float
    use: Use = CHAT

    @property
    def host(self) -> str:
        """The server's name and port, as shown to people."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def is_openai(self) -> bool:
        """Whether this is OpenAI itself, or OpenAI's models as Azure serves them."""
        name = urlsplit(self.base_url).hostname or ""
        return name in ("openai.com", "azure.com") or name.endswith((".openai.com", ".azure.com"))

    @property
    def is_near(self) -> bool:
        """Whether the server runs on this machine or in this network, and so charges nothing by the token."""
        name = urlsplit(self.base_url).hostname or ""
        try:
            return ip_address(name).is_private
        except ValueError:
            return (
                name == "localhost" or name.endswith((".local", ".internal", ".localhost")) or "." not in name
            )


class BrokenOff(Exception):
    """A server broke its reply off; the message continues a sentence that begins with the server."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong at the server: the error to raise, may a second try help, and the wait it asks for."""

    error: ModelError
    again: bool = False
    wait_s: float | None = None


def endpoint(settings: Settings) -> Endpoint:
    """Return the server the settings name; raise SettingError when there is neither key nor address."""
    if not settings.openai_api_key and not settings.openai_base_url:
        raise SettingError(
            "there is no key and no address of a server for an OpenAI-compatible model",
            hint="Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own such as http://localhost:11434/v1.",
        )
    if not _SENDABLE.fullmatch(settings.openai_api_key):
        raise SettingError(
            "OPENAI_API_KEY has characters that a key cannot have",
            hint="Copy the key again: it is plain ASCII, without accents, curly quotes or line breaks.",
        )
    return address(settings)


def address(settings: Settings) -> Endpoint:
    """Return the server the settings name, also when there is no key for it."""
    return Endpoint(
        settings.openai_base_url or OPENAI_URL, settings.openai_api_key or NO_KEY, settings.timeout_s
    )


def fault_of(error: BaseException, server: Endpoint, model: str) -> Fault:
    """Say what an exception of the client, or of what lies beneath it, means and what to do about it."""
    if isinstance(error, ModelError):
        return Fault(error)
    for kind in type(error).__mro__:
        if kind.__name__ in _FAULTS:
            return _FAULTS[kind.__name__](error, server, model)
    return _unreadable(error, server, model)


def redacted(text: str, server: Endpoint) -> str:
    """Return a message as one short line without keys or passwords."""
    if server.api_key != NO_KEY:
        text = text.replace(server.api_key, "…")
    line = " ".join(mask_password(_KEY_LIKE.sub("…", text)).split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def without_key(text: str, server: Endpoint) -> str:
    """Return a reply with the key masked wherever it stands, also where JSON spells its characters out."""
    key = server.api_key
    if key == NO_KEY or len(key) < (_LEAST_WORD if key.isalpha() else _LEAST_SECRET):
        return text
    spelt = "".join(rf"(?:\\?{re.escape(c)}|\\u(?i:{ord(c):04x}))" for c in key)
    return re.sub(spelt, "…", text)


def safe_cause(error: BaseException, server: Endpoint) -> BaseException | None:
    """Return what an error may be raised from: nothing when its own words give the key away."""
    return None if server.api_key != NO_KEY and server.api_key in str(error) else error


def insisting(
    call: Callable[[], T], server: Endpoint, model: str, pause_s: float, as_error: type[RagError] = ModelError
) -> T:
    """Call, and again after a pause where that can help; raise the error the last try leaves.

    `pause_s` is the first pause; each is twice the one before, or what the server asks for.
    """
    for attempt in range(RETRIES + 1):
        try:
            return call()
        except RagError:
            raise
        except Exception as error:
            fault = fault_of(error, server, model)
            if attempt == RETRIES or not _worth_another(fault):
                raise _as(fault.error, as_error) from safe_cause(error, server)
            time.sleep(_pause(fault, attempt, pause_s))
    raise AssertionError("unreachable")


def _worth_another(fault: Fault) -> bool:
    """Say whether trying again can help and does not take too long."""
    return fault.again and (fault.wait_s is None or fault.wait_s <= LONGEST_WAIT_S)


def _pause(fault: Fault, attempt: int, first_s: float) -> float:
    """Return how long to wait before the next try."""
    if fault.wait_s is not None:
        return fault.wait_s
    # Spread out, so that many programs that failed together do not come back together.
    return first_s * 2.0**attempt * random.uniform(0.75, 1.25)


def _as(error: ModelError, kind: type[RagError]) -> RagError:
    return error if kind is ModelError else kind(error.message, hint=error.hint)


def _key(error: BaseException, server: Endpoint, model: str) -> Fault:
    hint = "Set OPENAI_API_KEY to a key that is valid there; `rag config` shows which one is in force."
    return Fault(ModelError(f"{server.host} does not accept the key (401)", hint=hint))


def _forbidden(error: BaseException, server: Endpoint, model: str) -> Fault:
    hint = f"Use a key that may, or another model with {server.use.setting}=openai:NAME."
    return Fault(ModelError(f"{server.host} does not let this key use {model} (403)", hint=hint))


def _no_model(error: BaseException, server: Endpoint, model: str) -> Fault:
    name = f"{server.use.setting}=openai:NAME"
    hint = f"Set {name} to a model it has, and check OPENAI_BASE_URL, which mostly ends in /v1."
    return Fault(ModelError(f"{server.host} has no model {model}, or no such address (404)", hint=hint))


def _too_many(error: BaseException, server: Endpoint, model: str) -> Fault:
    said = f"{getattr(error, 'code', '')} {error}"
    if _QUOTA.search(said):
        hint = f"Top it up at the provider, use another key, or set {_offline(server)}, which needs none."
        return Fault(ModelError(f"the quota of this key at {server.host} is used up (429)", hint=hint))
    wait = _retry_after(error)
    later = f"; it asks to wait {wait:.0f} s" if wait is not None else ""
    hint = f"Wait and ask again, or set {_offline(server)}."
    limit = ModelUnreachable(f"{server.host} allows no more requests at the moment (429){later}", hint=hint)
    return Fault(limit, again=True, wait_s=wait)


def _bad_request(error: BaseException, server: Endpoint, model: str) -> Fault:
    said = f"{getattr(error, 'code', '')} {getattr(error, 'param', '')} {error}"
    if "context_length" in said or (_CONTEXT.search(said) and not re.search(r"response_format|schema", said)):
        hint = f"{server.use.shorter}, or give the server a larger context."
        return Fault(
            PromptTooLong(f"{model} cannot read so much at once: {redacted(str(error), server)}", hint=hint)
        )
    parameter = next((name for name, words in _PARAMETERS.items() if words.search(said)), "")
    check = f"Check {server.use.setting} and OPENAI_BASE_URL"
    hint = f"{check}; docs/models.md lists servers that are known to work."
    refused = f"{server.host} refuses the request: {redacted(str(error), server)}"
    if parameter:
        return Fault(ParameterRefused(refused, hint=hint, parameter=parameter))
    return Fault(ModelError(refused, hint=hint))


def _broken_server(error: BaseException, server: Endpoint, model: str) -> Fault:
    status = getattr(error, "status_code", "")
    hint = "Ask again in a moment; if it lasts, look at the server's log or status page."
    failed = ModelUnreachable(f"{server.host} failed ({status or 'server error'})", hint=hint)
    return Fault(failed, again=True, wait_s=_retry_after(error))


def _told_in_the_stream(error: BaseException, server: Endpoint, model: str) -> Fault:
    """Take an error that came as an event of a reply whose status said that all is well."""
    said = f"{getattr(error, 'code', '')} {error}"
    meant = _FAULTS.get(_BY_CODE.get(str(getattr(error, "code", "")), ""))
    if meant is not None:
        return meant(error, server, model)
    if _CONTEXT.search(said) or "context_length" in said:
        return _bad_request(error, server, model)
    if _QUOTA.search(said):
        return _too_many(error, server, model)
    hint = "Ask again in a moment; if it lasts, look at the server's log or status page."
    failed = f"{server.host} failed: {redacted(str(error), server)}"
    return Fault(ModelUnreachable(failed, hint=hint), again=True)


def _broken_off(error: BaseException, server: Endpoint, model: str) -> Fault:
    hint = f"Ask again in a moment; if it lasts, look at the server's log. {_CHECK_ADDRESS}"
    return Fault(ModelUnreachable(f"{server.host} {error}", hint=hint), again=True)


def _offline(server: Endpoint) -> str:
    return f"{server.use.setting}={server.use.offline}"


def _other_status(error: BaseException, server: Endpoint, model: str) -> Fault:
    status = getattr(error, "status_code", "")
    said = redacted(str(error), server)
    return Fault(ModelError(f"{server.host} answers with an error ({status}): {said}", hint=_CHECK_ADDRESS))


def _too_slow(error: BaseException, server: Endpoint, model: str) -> Fault:
    hint = "Wait longer with RAG_TIMEOUT_S, or see whether the server is overloaded."
    return Fault(ModelUnreachable(f"{server.host} did not answer within {server.timeout_s:g} s", hint=hint))


def _no_connection(error: BaseException, server: Endpoint, model: str) -> Fault:
    address = mask_password(server.base_url)
    hint = f"Is the server running, and is its address right? OPENAI_BASE_URL is {address}"
    reason = redacted(str(_root(error)), server)
    # Nobody listens there, or there is no such name: a second later that is still so.
    hopeless = re.search(r"refused|name resolution|not known|getaddrinfo|certificate", reason, re.IGNORECASE)
    unreachable = ModelUnreachable(f"{server.host} cannot be reached: {reason}", hint=hint)
    return Fault(unreachable, again=hopeless is None)


def _unreadable(error: BaseException, server: Endpoint, model: str) -> Fault:
    said = redacted(f"{type(error).__name__}: {error}", server)
    message = f"the reply of {server.host} is no {server.use.reply} ({said})"
    return Fault(ModelError(message, hint=_CHECK_ADDRESS))


_CHECK_ADDRESS = "Check OPENAI_BASE_URL: it must lead to an OpenAI-compatible server, and mostly ends in /v1."

_FAULTS: Mapping[str, Callable[[BaseException, Endpoint, str], Fault]] = {
    "AuthenticationError": _key,
    "PermissionDeniedError": _forbidden,
    "NotFoundError": _no_model,
    "RateLimitError": _too_many,
    "BadRequestError": _bad_request,
    "UnprocessableEntityError": _bad_request,
    "InternalServerError": _broken_server,
    "APIStatusError": _other_status,
    "APITimeoutError": _too_slow,
    "TimeoutException": _too_slow,
    "TimeoutError": _too_slow,
    "APIConnectionError": _no_connection,
    "TransportError": _no_connection,
    "BrokenOff": _broken_off,
    "APIResponseValidationError": _unreadable,
    "APIError": _told_in_the_stream,
    "ConnectionError": _no_connection,
}
"""By the name of an exception class, of the client (openai), its transport (httpx) or Python."""

_BY_CODE: Mapping[str, str] = {
    "400": "BadRequestError",
    "401": "AuthenticationError",
    "403": "PermissionDeniedError",
    "404": "NotFoundError",
    "429": "RateLimitError",
}


def _root(error: BaseException) -> BaseException:
    """Return what an exception goes back to: the client only says "Connection error."."""
    while (deeper := error.__cause__ or error.__context__) is not None:
        error = deeper
    return error


def _retry_after(error: BaseException) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * scale)
        except (KeyError, ValueError):
            continue
    return None
