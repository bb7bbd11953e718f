"""Chat models: the name of one → a LangChain chain, prompt | model | parser.

A new kind of provider is a class with the members of `Provider` and a line in PROVIDERS.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from rag.endpoint import CONNECT_TIMEOUT_S, BrokenOff, Endpoint, address, endpoint, without_key
from rag.errors import ModelError, SettingError
from rag.generate.deltas import Delta, delta_parser
from rag.prompting import FORMS, Form, Prompt, single_braced
from rag.settings import Settings

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

EXTRACTIVE, AUTO = "extractive", "auto"
AUTO_MODEL = "gpt-4.1-mini"

# A whole reply may take this many times what may pass between two pieces of it.
_WHOLE_REPLY = 5


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a server is known to understand; learnt from what it refuses.

    `cap` names the parameter that limits the length of a reply.
    """

    form: Form = "json_schema"
    temperature: bool = True
    stream: bool = True
    stream_usage: bool = True
    cap: str = "max_tokens"

    def without(self, parameter: str) -> Abilities | None:
        """Return what is left when the server refuses `parameter`; None when that cannot be done without."""
        if parameter in ("response_format", "json_schema", "json_object"):
            weaker = FORMS[FORMS.index(self.form) + 1 :]
            return replace(self, form=weaker[0]) if weaker else None
        change = _WITHOUT.get(parameter)
        changed = change(self) if change is not None else self
        return changed if changed != self else None


_WITHOUT: Mapping[str, Callable[[Abilities], Abilities]] = {
    "temperature": lambda a: replace(a, temperature=False),
    "stream": lambda a: replace(a, stream=False),
    "stream_options": lambda a: replace(a, stream_usage=False),
    "max_tokens": lambda a: replace(a, cap="max_completion_tokens" if a.cap == "max_tokens" else ""),
    "max_completion_tokens": lambda a: replace(
        a, cap="max_tokens" if a.cap == "max_completion_tokens" else ""
    ),
}


class Provider(Protocol):
    """A source of chat completions."""

    def close(self) -> None:
        """Close what is open."""

    @property
    def model(self) -> str:
        """The model's name, as its server knows it. May raise ModelError."""

    @property
    def server(self) -> Endpoint:
        """Where it is served."""

    @property
    def first_abilities(self) -> Abilities:
        """What the server is taken to understand before anything is known of it."""

    def chain(
        self, prompt: Prompt, abilities: Abilities, most_tokens: int
    ) -> Runnable[dict[str, str], Delta]:
        """Return prompt | model | parser: values for the prompt go in, the reply comes out piece by piece."""


class OpenAICompatible:
    """Chat Completions of OpenAI, or of any server that speaks them, through LangChain's ChatOpenAI.

    Without a name for `model` it is the first one that the server lists, which is asked when need be.
    """

    def __init__(self, model: str, server: Endpoint) -> None:
        self.server = server
        self._model = model
        self._lock = threading.RLock()
        self._client: Any = None
        self._http: Any = None

    def close(self) -> None:
        """Close the connections to the server."""
        with self._lock:
            if self._http is not None:
                self._http.close()
            self._client = self._http = None

    @property
    def model(self) -> str:
        """The model's name; raises ModelError when its server has to be asked for it and names none."""
        with self._lock:
            self._model = self._model or _first_model(self.server)
            return self._model

    @property
    def first_abilities(self) -> Abilities:
        """OpenAI itself wants `max_completion_tokens`; most servers like it know only the older name."""
        return Abilities(cap="max_completion_tokens" if self.server.is_openai else "max_tokens")

    def chain(
        self, prompt: Prompt, abilities: Abilities, most_tokens: int
    ) -> Runnable[dict[str, str], Delta]:
        """Return prompt | model | parser."""
        options = _request(prompt, abilities, most_tokens)
        model = self._chat_model().bind(**options)
        parser = delta_parser(most_tokens, _WHOLE_REPLY * self.server.timeout_s)
        chain: Runnable[dict[str, str], Delta] = template(prompt, abilities.form) | model | parser
        return chain

    def _chat_model(self) -> Any:
        with self._lock:
            if self._client is None:
                latest = _Latest()
                self._http = _connections(self.server, latest)
                self._client = _chat_openai(self.model, self.server, self._http, latest)
            return self._client


def template(prompt: Prompt, form: Form) -> Runnable[dict[str, str], Any]:
    """Return a prompt as LangChain's ChatPromptTemplate."""
    from langchain_core.prompts import ChatPromptTemplate

    return ChatPromptTemplate.from_messages([(m.role, single_braced(m.text)) for m in prompt.template(form)])


def open_provider(settings: Settings, *, dry: bool = False) -> Provider | None:
    """Return the chat model the settings name, None for `extractive`; nothing is sent yet.

    With `dry` it is one to count and show with, not to call: it needs no key, and a model that only its
    server could name is called `auto`.

    Raises SettingError for a name that is none, or when there is neither key nor address for it.
    """
    reach = address if dry else endpoint
    if settings.model == AUTO and settings.openai_base_url:
        return OpenAICompatible(AUTO if dry else "", reach(settings))
    name = settings.model if settings.model != AUTO else _automatic(settings)
    if name == EXTRACTIVE:
        return None
    kind, _, model = name.partition(":")
    if kind not in PROVIDERS or not model.strip():
        known = ", ".join([EXTRACTIVE, AUTO, *(f"{known}:NAME" for known in PROVIDERS)])
        guess = f" Did you mean openai:{name}?" if ":" not in name else ""
        raise SettingError(f"no model is called {name!r}.{guess}", hint=f"Set RAG_MODEL to one of: {known}")
    return PROVIDERS[kind](model.strip(), reach(settings))


def _automatic(settings: Settings) -> str:
    return f"openai:{AUTO_MODEL}" if settings.openai_api_key else EXTRACTIVE


def _first_model(server: Endpoint) -> str:
    """Return the first model a server of one's own lists."""
    from openai import OpenAI

    from rag.endpoint import fault_of, safe_cause

    server = replace(server, timeout_s=min(CONNECT_TIMEOUT_S, server.timeout_s))
    client = OpenAI(base_url=server.base_url, api_key=server.api_key, timeout=server.timeout_s, max_retries=0)
    try:
        with client:
            listed = [model.id for model in client.models.list().data or []]
    except Exception as error:
        raise fault_of(error, server, "of any name").error from safe_cause(error, server)
    if not listed:
        raise ModelError(
            f"{server.host} lists no model to take", hint="Load one there, or name it: RAG_MODEL=openai:NAME."
        )
    return without_key(listed[0], server)


PROVIDERS: Mapping[str, Callable[[str, Endpoint], Provider]] = {"openai": OpenAICompatible}


class _Latest(threading.local):
    """The kind of content that this thread was sent last."""

    kind = ""

    def note(self, response: Any) -> None:
        """Take a response as it begins."""
        self.kind = response.headers.get("content-type", "")


def _connections(server: Endpoint, latest: _Latest) -> Any:
    """Return a pool of connections of our own: LangChain's is shared by all that use it, and never closed."""
    from openai import DefaultHttpxClient, Timeout

    return DefaultHttpxClient(
        timeout=Timeout(server.timeout_s, connect=min(CONNECT_TIMEOUT_S, server.timeout_s)),
        event_hooks={"response": [latest.note]},
    )


def _chat_openai(model: str, server: Endpoint, connections: Any, latest: _Latest) -> Any:
    from langchain_openai import ChatOpenAI

    class WithRefusals(ChatOpenAI):
        """ChatOpenAI, which drops what a streamed reply says in its field `refusal`."""

        def _generate(self, *args: Any, **options: Any) -> Any:
            with _expected_faults():
                return super()._generate(*args, **options)

        def _stream(self, *args: Any, **options: Any) -> Iterator[Any]:
            pieces = super()._stream(*args, **options)
            # A server refuses before the first piece; the filter is not kept while a reader waits.
            with _expected_faults():
                first = next(pieces, None)
            if first is not None:
                yield first
                yield from pieces
            # Anything else, such as a web page, is no reply at all.
            elif not latest.kind or "event-stream" in latest.kind:
                raise BrokenOff("broke its reply off before it began")

        def _convert_chunk_to_generation_chunk(self, chunk: Any, *rest: Any) -> Any:
            made = super()._convert_chunk_to_generation_chunk(chunk, *rest)
            choices = chunk.get("choices") or [{}]
            refusal = (choices[0].get("delta") or {}).get("refusal")
            if made is not None and refusal:
                made.message.additional_kwargs["refusal"] = refusal
            return made

    options: dict[str, Any] = {
        "model": model,
        "base_url": server.base_url,
        "api_key": server.api_key,
        "http_client": connections,
        "timeout": connections.timeout,
        # Retries are ours: the client also repeats what cannot help, such as a used-up quota.
        "max_retries": 0,
        "use_responses_api": False,
    }
    return WithRefusals(**options)


@contextmanager
def _expected_faults() -> Iterator[None]:
    """Silence what LangChain warns of besides raising it."""
    with warnings.catch_warnings():
        for said in ("This model does not support OpenAI's structured", "Invalid schema for OpenAI's struct"):
            warnings.filterwarnings("ignore", said, UserWarning)
        yield


def _request(prompt: Prompt, abilities: Abilities, most_tokens: int) -> dict[str, Any]:
    # In `extra_body` the client passes these on as they are; it would take `response_format` as a wish
    # to have the reply parsed, and raise where it is cut.
    body: dict[str, Any] = dict(_FORMATS[abilities.form](prompt))
    if abilities.cap:
        body[abilities.cap] = most_tokens
    options: dict[str, Any] = {"extra_body": body}
    if abilities.stream:
        options["stream_usage"] = abilities.stream_usage
    if abilities.temperature:
        options["temperature"] = 0
    return options


def _json_schema(prompt: Prompt) -> dict[str, Any]:
    schema = {"name": prompt.name, "strict": True, "schema": dict(prompt.schema)}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


_FORMATS: Mapping[Form, Callable[[Prompt], dict[str, Any]]] = {
    "json_schema": _json_schema,
    "json_object": lambda _: {"response_format": {"type": "json_object"}},
    "text": lambda _: {},
}
