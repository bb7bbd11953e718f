from __future__ import annotations

import socket
from pathlib import Path

import pytest

from rag import tokens
from tests.fakes import run_python


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


def test_where_nothing_can_be_kept_nothing_is_left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("a file, so no folder can be made in it")
    (tmp_path / "tmp").mkdir()
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "taken"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    code = """
        import os
        from rag import tokens
        print(tokens.count("hello world"), len(os.listdir(os.environ["TMPDIR"])))
    """
    assert run_python(code).stdout == "2 1\n"
    assert list((tmp_path / "tmp").iterdir()) == []
