"""What OpenAI clients send and get: the parts of their protocol that the library can give.

Fields that steer a language model, such as `temperature`, are taken and mean nothing here.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from rag.domain import Answer
from rag.errors import UsageError
from rag.serving.asking import Asked
from rag.serving.shapes import MOST_QUESTION

MODEL = "askpapers"
_MOST_MESSAGES = 500
Words = Annotated[str, Field(max_length=200_000)]


class UnknownModel(UsageError):
    """There is no model of this name."""


class Part(BaseModel):
    """A part of a message's content; only text is read."""

    model_config = ConfigDict(extra="allow")
    type: str = Field(max_length=50)
    text: Words = ""


class Message(BaseModel):
    """A message of the conversation."""

    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Words | Annotated[list[Part], Field(max_length=100)] | None = None

    @property
    def words(self) -> str:
        """The text of the message."""
        if isinstance(self.content, str):
            return self.content.strip()
        return "\n".join(part.text for part in self.content or () if part.type == "text").strip()


class StreamOptions(BaseModel):
    """What a stream holds beside the text."""

    model_config = ConfigDict(extra="allow")
    include_usage: bool = False


class ChatBody(BaseModel):
    """A conversation whose last question is to be answered."""

    model_config = ConfigDict(extra="allow")
    messages: list[Message] = Field(min_length=1, max_length=_MOST_MESSAGES)
    model: str = Field(default=MODEL, max_length=200)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = None

    def asked(self) -> Asked:
        """Return the last question with those before it; raise UsageError if there is none, or too long."""
        questions = tuple(m.words for m in self.messages if m.role == "user" and m.words)
        if not questions:
            raise UsageError("There is no message of a user with text in it.")
        if len(questions[-1]) > MOST_QUESTION:
            raise UsageError(f"A question may have {MOST_QUESTION:,} characters at most.")
        return Asked(questions[-1], tuple(q for q in questions[:-1] if len(q) <= MOST_QUESTION))


@dataclass(frozen=True, slots=True)
class Reply:
    """The frame of one reply: its id and when it began."""

    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, text: str, answer: Answer) -> dict[str, Any]:
        """Return the reply as one object; the answer with its citations stands in `askpapers`."""
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text, "refusal": None},
            "finish_reason": "stop",
            "logprobs": None,
        }
        return self._frame("chat.completion", [choice]) | {
            "usage": usage(answer),
            "askpapers": answer.to_dict(),
        }

    def piece(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        """Return one piece of a streamed reply."""
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return self._frame("chat.completion.chunk", [choice])

    def last(self, answer: Answer) -> dict[str, Any]:
        """Return the piece that holds what the reply cost."""
        return self._frame("chat.completion.chunk", []) | {"usage": usage(answer)}

    def _frame(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": MODEL,
            "choices": choices,
        }


def usage(answer: Answer) -> dict[str, int]:
    """Return the tokens a chat model was sent and wrote for an answer: none for quotations."""
    sent, written = answer.usage.prompt_tokens, answer.usage.completion_tokens
    return {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}
