"""Ask a chat model once: prompt and values → a value read from its reply, its cost, and was it cut.

Around the chain: a cache of replies, the budget of the bill, waits of our own, retries that can help, forms
that a server does not know replaced by weaker ones, and ends to replies that never end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from rag import tokens
from rag.endpoint import Endpoint, insisting, without_key
from rag.errors import ModelError, ModelUnreachable, ParameterRefused
from rag.generate.deltas import ENDLESS, Delta, Stopped
from rag.generate.pricing import Bill, Tokens, price
from rag.generate.provider import Abilities, Provider
from rag.generate.replies import Unreadable
from rag.ledger.recall import Recall, digest
from rag.prompting import FORMS, Form, Message, Prompt

T = TypeVar("T")

MOST_TOKENS = 2000
# What a message costs beside its text, as OpenAI counts (cookbook, "How to count tokens with tiktoken").
_TOKENS_PER_MESSAGE, _TOKENS_PER_REQUEST = 3, 3
_FIRST_PAUSE_S = 0.5
# JSON may spell one character with six: \u0041.
_LONGEST_SPELLING = 6
_KINDS_OF_REFUSAL = 8


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a call may come to at most: tokens, and dollars if the price is known."""

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """A value read from a reply; `cut` says why the reply is not whole, "" if it is."""

    value: T
    cut: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class _Raw:
    text: str
    form: Form
    cut: str = ""
    refusal: str = ""


Reader = Callable[[str, Form, bool], T]


class Watcher(Protocol):
    """What follows a reply as it comes."""

    def begin(self) -> None:
        """Be told that a new reply begins; the one before it, if any, could not be used."""

    def update(self, text: str, form: Form) -> None:
        """Take the whole text so far."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked, who pays, and who listens; the same for every try and every form."""

    prompt: Prompt
    values: Mapping[str, str]
    bill: Bill
    watch: Watcher | None


class Chat:
    """One chat model with its cache. Safe to use from many threads."""

    def __init__(
        self,
        provider: Provider,
        recall: Recall,
        *,
        cache: bool = True,
        first_pause_s: float = _FIRST_PAUSE_S,
        most_tokens: int = MOST_TOKENS,
    ) -> None:
        self.provider = provider
        self._recall = recall
        self._cache = cache
        self._first_pause_s = first_pause_s
        self._most_tokens = most_tokens
        self._lock = threading.Lock()
        self._abilities: Abilities | None = None

    def close(self) -> None:
        """Close the connections to the model's server."""
        self.provider.close()

    @property
    def engine(self) -> str:
        """The name of the model as answers give it."""
        return f"openai:{self.provider.model}"

    @property
    def encoding(self) -> str:
        """The encoding its tokens are counted in."""
        return tokens.encoding_for(self.provider.model)

    def ask(
        self,
        prompt: Prompt,
        values: Mapping[str, str],
        read: Reader[T],
        bill: Bill,
        watch: Watcher | None = None,
    ) -> Outcome[T]:
        """Return what `read` makes of the reply; `watch` follows it as it comes.

        Raises BudgetError before a call that may cost too much, ModelError when there is no usable reply.
        """
        prompt.check(values)
        key = self._key(prompt, values)
        kept = self._kept(key, read, watch)
        if kept is not None:
            return kept
        return self._first_readable(_Request(prompt, values, bill, watch), read, key)

    def prepare(self, prompt: Prompt) -> None:
        """Load what a call needs; a server may be asked which models it has, and nothing else."""
        self.provider.chain(prompt, self._known(), self._most_tokens)
        tokens.count("", self.encoding)

    def messages(self, prompt: Prompt, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Return the messages a call would send."""
        return prompt.fill(values, self._known().form)

    def estimate(self, prompt: Prompt, values: Mapping[str, str]) -> Estimate:
        """Return what a call may come to at most."""
        abilities = self._known()
        messages = prompt.fill(values, abilities.form)
        count = _TOKENS_PER_REQUEST + sum(
            _TOKENS_PER_MESSAGE + 1 + tokens.count(m.text, self.encoding) for m in messages
        )
        if abilities.form == "json_schema":
            count += tokens.count(str(dict(prompt.schema)), self.encoding)
        cost = price(self.provider.model, self.provider.server, Tokens(count, self._most_tokens))
        return Estimate(count, self._most_tokens, cost)

    # -- one reply, from the cache or the server ----------------------------------------------------

    def _first_readable(self, request: _Request, read: Reader[T], key: str) -> Outcome[T]:
        """Ask in the best form the server knows, and in weaker ones while the reply cannot be read."""
        abilities = self._known()
        for form in FORMS[FORMS.index(abilities.form) :]:
            raw, abilities = self._call(request, replace(abilities, form=form))
            if raw.refusal:
                raise _refused(self.provider.model, raw.refusal)
            try:
                outcome = _read(raw, read)
            except Unreadable as error:
                if raw.cut:
                    raise _cut_off(self.provider.model, raw.cut) from error
                problem = error
                continue
            self._learn(abilities)
            if not raw.cut:
                self._keep(key, raw)
            return outcome
        raise ModelError(
            f"the reply of {self.provider.model} cannot be used: {problem}",
            hint="Ask again, take another model with RAG_MODEL, or quote instead with RAG_MODEL=extractive.",
        ) from problem

    def _call(self, request: _Request, abilities: Abilities) -> tuple[_Raw, Abilities]:
        """Ask the server, leaving out of the request what it refuses; return also what it then understood."""
        provider = self.provider
        for _ in range(_KINDS_OF_REFUSAL):
            cost = self.estimate(request.prompt, request.values).cost_usd
            listen = partial(self._listen, request, abilities)
            try:
                with request.bill.budget.reserved(cost, provider.model, provider.server):
                    raw = insisting(listen, provider.server, provider.model, self._first_pause_s)
                    return raw, abilities
            except ParameterRefused as refused:
                simpler = abilities.without(refused.parameter)
                if simpler is None:
                    raise
                abilities = simpler
                self._learn(abilities)
        raise AssertionError("unreachable: each refusal leaves less to refuse")

    def _listen(self, request: _Request, abilities: Abilities) -> _Raw:
        """Read one reply to its end, or to where it has to be ended."""
        said, cut, watch = Delta(), "", request.watch
        if watch is not None:
            watch.begin()
        try:
            for delta in self._pieces(request, abilities):
                request.bill.on_piece()
                said = _grown(said, delta, self.provider.server)
                if watch is not None and delta.text:
                    watch.update(said.text, abilities.form)
        except Stopped as stopped:
            cut = str(stopped)
        except Exception as error:
            if not said.text:
                raise
            cut = _broken(error)
        self._charge(said, request)
        refusal = _refusal(said)
        if not said.text.strip() and not refusal:
            raise _empty(self.provider.model, self.provider.server.host, said.finish)
        return _Raw(said.text, abilities.form, cut or _CUTS.get(said.finish, ""), refusal)

    def _pieces(self, request: _Request, abilities: Abilities) -> Iterator[Delta]:
        chain = self.provider.chain(request.prompt, abilities, self._most_tokens)
        if abilities.stream:
            yield from chain.stream(dict(request.values))
        else:
            yield chain.invoke(dict(request.values))

    def _charge(self, said: Delta, request: _Request) -> None:
        used = said.used
        if used is None:
            request.bill.counted = True
            counted = tokens.count(said.text, self.encoding)
            used = Tokens(self.estimate(request.prompt, request.values).prompt_tokens, counted)
        cost = price(self.provider.model, self.provider.server, used)
        request.bill.add(used, cost, self.engine)

    # -- what is remembered -------------------------------------------------------------------------

    def _key(self, prompt: Prompt, values: Mapping[str, str]) -> str:
        messages = [f"{m.role}\n{m.text}" for form in FORMS for m in prompt.fill(values, form)]
        return digest(
            "reply 1", self.provider.server.base_url, self.provider.model, str(prompt.schema), *messages
        )

    def _kept(self, key: str, read: Reader[T], watch: Watcher | None) -> Outcome[T] | None:
        kept = self._recall.reply(key) if self._cache else None
        if kept is None:
            return None
        raw = _Raw(without_key(str(kept["text"]), self.provider.server), kept["form"])
        if watch is not None:
            watch.begin()
            watch.update(raw.text, raw.form)
        try:
            return replace(_read(raw, read), cached=True)
        except Unreadable:
            return None

    def _keep(self, key: str, raw: _Raw) -> None:
        if self._cache:
            self._recall.keep_reply(key, {"text": raw.text, "form": raw.form, "model": self.provider.model})

    def _known(self) -> Abilities:
        with self._lock:
            if self._abilities is None:
                kept = self._recall.server(self._server_key())
                self._abilities = _abilities(kept) or self.provider.first_abilities
            return self._abilities

    def _learn(self, abilities: Abilities) -> None:
        with self._lock:
            if abilities == self._abilities:
                return
            self._abilities = abilities
        self._recall.keep_server(self._server_key(), asdict(abilities))

    def _server_key(self) -> str:
        return digest("server 1", self.provider.server.base_url, self.provider.model)


_CUTS: Mapping[str, str] = {
    "": "the server broke it off",
    "length": "it reached the longest reply the model may give",
}


_NOT_BROKEN = (_CUTS["length"], ENDLESS)


def _grown(said: Delta, delta: Delta, server: Endpoint) -> Delta:
    """Return a reply with one more piece, and the key masked, also where it is split between pieces."""
    # What stands before was masked already: only the end can be the beginning of a key.
    at = max(0, len(said.text) - _LONGEST_SPELLING * len(server.api_key))
    text = said.text[:at] + without_key(said.text[at:] + delta.text, server)
    both = said + delta
    return replace(both, text=text, refusal=without_key(both.refusal, server))


def _broken(error: Exception) -> str:
    name = type(error).__name__
    return "the server reported an error" if name == "APIError" else f"the connection broke ({name})"


def _empty(model: str, host: str, finish: str) -> ModelError:
    if finish == "length":
        why = f"{model} used up its {MOST_TOKENS} tokens before it began to answer"
        return ModelError(why, hint="Take a model that thinks less, with RAG_MODEL=openai:NAME.")
    if not finish:
        return ModelUnreachable(
            f"{host} broke its reply off before the first word", hint="Ask again in a moment."
        )
    return ModelError(
        f"{model} at {host} gave an empty reply",
        hint="Ask again; if it lasts, check RAG_MODEL and OPENAI_BASE_URL, which mostly ends in /v1.",
    )


def _cut_off(model: str, cut: str) -> ModelError:
    kind = ModelError if cut in _NOT_BROKEN else ModelUnreachable
    return kind(
        f"the reply of {model} was cut before its first sentence: {cut}", hint="Ask again in a moment."
    )


def _refusal(said: Delta) -> str:
    if said.refusal:
        return said.refusal
    return "the provider's content filter stopped it" if said.finish == "content_filter" else ""


def _refused(model: str, words: str) -> ModelError:
    from rag.generate.replies import plain

    return ModelError(
        f"{model} refuses to answer: {plain(words)[:200]}",
        hint="Ask in other words, take another model, or quote instead with RAG_MODEL=extractive.",
    )


def _read(raw: _Raw, read: Reader[T]) -> Outcome[T]:
    """Read a reply; one without an end that reads as a whole is one: not every server says why it ended."""
    if not raw.cut:
        return Outcome(read(raw.text, raw.form, True))
    if raw.form != "text" and raw.cut == _CUTS[""]:
        try:
            return Outcome(read(raw.text, raw.form, True))
        except Unreadable:
            pass
    return Outcome(read(raw.text, raw.form, False), raw.cut)


def _abilities(kept: Mapping[str, Any] | None) -> Abilities | None:
    if kept is None or set(kept) != set(asdict(Abilities())) or kept["form"] not in FORMS:
        return None
    return Abilities(**kept)
