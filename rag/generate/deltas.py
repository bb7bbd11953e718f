"""The last step of a chain: messages of a chat model come in, the pieces of its reply go out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from rag.generate.pricing import Tokens

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

ENDLESS, SLOW = "it did not end", "it took too long"
_CHARS_PER_TOKEN = 8


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a reply. `finish` is why it ended, "" before that; `refusal` what was said instead."""

    text: str = ""
    finish: str = ""
    refusal: str = ""
    used: Tokens | None = None

    def __add__(self, other: Delta) -> Delta:
        return Delta(
            self.text + other.text,
            other.finish or self.finish,
            self.refusal + other.refusal,
            other.used or self.used,
        )


class Stopped(Exception):
    """A reply had to be ended here, for the reason it is given."""


def delta_parser(most_tokens: int, most_s: float) -> Runnable[BaseMessage, Delta]:
    """Return a parser that raises Stopped when a reply comes to more tokens, or seconds, than it should.

    It is no RunnableGenerator: left by its reader in the middle, as by Ctrl-C, that would first read all
    that the server still has to say, and pay for it.
    """
    from langchain_core.runnables import Runnable

    class Parser(Runnable[Any, Delta]):
        """Reads messages as they come."""

        def invoke(self, input: BaseMessage, config: Any = None, **kwargs: Any) -> Delta:
            return reduce(add, self.transform(iter((input,))))

        def transform(
            self, input: Iterator[BaseMessage], config: Any = None, **kwargs: Any
        ) -> Iterator[Delta]:
            return _deltas(most_tokens, most_s, input)

    return Parser()


def _deltas(most_tokens: int, most_s: float, messages: Iterator[BaseMessage]) -> Iterator[Delta]:
    """Read messages as they come. Raises Stopped when they come to more than a server should send."""
    ends, length = time.monotonic() + most_s, 0
    for message in messages:
        delta = _delta(message)
        yield delta
        length += len(delta.text)
        if length > _CHARS_PER_TOKEN * most_tokens:
            raise Stopped(ENDLESS)
        if time.monotonic() > ends:
            raise Stopped(SLOW)


def _delta(message: BaseMessage) -> Delta:
    content = message.content
    return Delta(
        content if isinstance(content, str) else "".join(map(_text_of, content)),
        str(message.response_metadata.get("finish_reason") or ""),
        str(message.additional_kwargs.get("refusal") or ""),
        _tokens(getattr(message, "usage_metadata", None)),
    )


def _text_of(part: Any) -> str:
    return part if isinstance(part, str) else str(part.get("text", "")) if isinstance(part, dict) else ""


def _tokens(usage: Mapping[str, Any] | None) -> Tokens | None:
    if not usage or not usage.get("input_tokens"):
        return None
    details = usage.get("input_token_details") or {}
    return Tokens(
        int(usage["input_tokens"]), int(usage.get("output_tokens", 0)), int(details.get("cache_read", 0) or 0)
    )
