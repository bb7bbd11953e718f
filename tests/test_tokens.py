from __future__ import annotations

import socket
from pathlib import Path

import pytest

from rag import tokens


def test_tokens_are_counted_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "socket", refuse)
    tokens._encoder.cache_clear()
    assert tokens.count("The quick brown fox") == 4
    tokens._encoder.cache_clear()


@pytest.mark.parametrize(("text", "expected"), [("", 0), ("hello world", 2), ("hello <|endoftext|>", 8)])
def test_counts_are_those_of_the_chat_models(text: str, expected: int) -> None:
    assert tokens.count(text) == expected


def test_odd_text_is_counted_too() -> None:
    assert tokens.count("\ud800 lone surrogate") > 0
    assert tokens.count("a" * 200_000) > 1000


@pytest.mark.parametrize(
    ("model", "encoding"), [("gpt-4o", "o200k_base"), ("gpt-4", "cl100k_base"), ("llama-3", "o200k_base")]
)
def test_a_model_has_its_encoding(model: str, encoding: str) -> None:
    assert tokens.encoding_for(model) == encoding
