from __future__ import annotations

import os
import time
from dataclasses import fields
from pathlib import Path

import pytest

from rag.errors import SettingError
from rag.settings import SETTINGS, Settings, load, mask, mask_password


def dotenv(tmp_path: Path, text: str) -> Path:
    path = tmp_path / ".env"
    path.write_text(text, encoding="utf-8")
    return path


def test_table_and_dataclass_hold_the_same_names_and_defaults() -> None:
    values = {f.name: f.default for f in fields(Settings)}
    assert {s.name: s.default for s in SETTINGS}.items() <= values.items()
    assert set(values) - {s.name for s in SETTINGS} == {"origins", "warnings"}


def test_flag_beats_environment_beats_dotenv_beats_default(tmp_path: Path) -> None:
    file = dotenv(tmp_path, "RAG_LIBRARY=from-file\nRAG_MODEL=from-file\nRAG_EMBEDDER=from-file\n")
    settings = load({"library": "flagged"}, {"RAG_LIBRARY": "env", "RAG_MODEL": "env"}, file)
    assert (settings.library, settings.model, settings.embedder) == (Path("flagged"), "env", "from-file")
    assert settings.evidence_tokens == 900
    assert [settings.origins[n] for n in ("library", "model", "embedder", "evidence_tokens")] == [
        "flag",
        "environment",
        ".env",
        "default",
    ]


def test_empty_value_counts_as_not_given() -> None:
    assert load({}, {"RAG_MODEL": "", "RAG_EMBEDDER": "  "}).model == "extractive"


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("RAG_EVIDENCE_TOKENS", "many", "whole number"),
        ("RAG_EVIDENCE_TOKENS", "99", "100 to 100000"),
        ("RAG_EVIDENCE_TOKENS", "100001", "100 to 100000"),
        ("RAG_CHROMA_URL", "localhost:8000", "http://"),
        ("OPENAI_BASE_URL", "http://", "http://"),
        ("RAG_CHROMA_URL", "http://[", "http://"),
        ("RAG_CHROMA_URL", "http://[::1", "it must be an address that begins"),
        ("OPENAI_BASE_URL", "http://[::1", "it must be an address that begins"),
        ("RAG_CHROMA_URL", "http://host:many", "http://"),
    ],
)
def test_bad_value_names_the_setting_where_it_stands_and_what_is_allowed(
    name: str, value: str, allowed: str
) -> None:
    with pytest.raises(SettingError) as caught:
        load({}, {name: value})
    message = caught.value.message
    assert name in message and "(environment)" in message and repr(value) in message and allowed in message
    assert caught.value.exit_code == 2


def test_bad_flag_is_named_as_typed() -> None:
    with pytest.raises(SettingError, match=r"--library \(flag\)"):
        load({"library": "a\0b"}, {})


def test_unknown_name_in_dotenv_is_an_error_with_the_closest_name(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"RAG_LIBARY\. Did you mean RAG_LIBRARY\?"):
        load({}, {}, dotenv(tmp_path, "RAG_LIBARY=x\n"))


def test_foreign_names_in_dotenv_are_left_alone(tmp_path: Path) -> None:
    assert load({}, {}, dotenv(tmp_path, "export OTHER='x'\n# note\n")).warnings == ()


def test_unknown_rag_name_in_environment_is_a_warning() -> None:
    (warning,) = load({}, {"RAG_MODLE": "x", "PATH": "/bin"}).warnings
    assert "RAG_MODLE" in warning and "Did you mean RAG_MODEL?" in warning


def test_dotenv_line_that_is_no_assignment_is_named_by_number(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="line 2"):
        load({}, {}, dotenv(tmp_path, "RAG_MODEL=x\n'nonsense\n"))


def test_dotenv_that_is_not_utf8_is_a_setting_error(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"RAG_MODEL=\xff\xfe")
    with pytest.raises(SettingError, match="cannot be read"):
        load({}, {}, tmp_path / ".env")


def test_dotenv_with_byte_order_mark_quotes_and_dollars_is_read_literally(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes('\ufeffRAG_MODEL="a $HOME b"\r\n'.encode())
    assert load({}, {}, tmp_path / ".env").model == "a $HOME b"


def test_loading_does_not_touch_the_environment(tmp_path: Path) -> None:
    before = dict(os.environ)
    load({}, os.environ, dotenv(tmp_path, "OPENAI_API_KEY=sk-from-file\n"))
    assert dict(os.environ) == before


def test_absent_dotenv_is_fine(tmp_path: Path) -> None:
    assert load({}, {}, tmp_path / ".env").origins["library"] == "default"


def test_secret_shows_in_neither_rows_nor_repr() -> None:
    key = "sk-1234567890abcdefghij"
    settings = load({}, {"OPENAI_API_KEY": key})
    shown = {setting.name: value for setting, value, _ in settings.rows()}
    assert shown["openai_api_key"] == "…ghij"
    assert key not in repr(settings)
    assert mask("short") == "…" and mask("") == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://me:pw@host:1/v1", "http://…@host:1/v1"),
        ("http://host:1/v1", "http://host:1/v1"),
        ("https://ghp_token@host", "https://…@host"),
        ("http://a:p@w/o#rd@host/v1", "http://…@host/v1"),
        ("http://a@[", "http://…@["),
        ("no way to http://me:pw@host: refused (ann@b.org)", "no way to http://…@host: refused (ann@b.org)"),
        ("http://h/v1?api_key=s3cret&n=1", "http://h/v1?api_key=…&n=1"),
        ("GET http://h/?x=1&access_token=s3cret failed", "GET http://h/?x=1&access_token=… failed"),
        ("why is 2 @ 3?", "why is 2 @ 3?"),
    ],
)
def test_what_lets_someone_in_is_masked_wherever_it_stands(text: str, shown: str) -> None:
    assert mask_password(text) == shown


def test_masking_a_long_text_is_quick() -> None:
    began = time.perf_counter()
    mask_password("http://" * 20_000 + "?key" * 20_000)
    assert time.perf_counter() - began < 2


def test_env_example_names_every_setting_with_its_default() -> None:
    text = (Path(__file__).parent.parent / ".env.example").read_text(encoding="utf-8")
    for setting in SETTINGS:
        assert f"# {setting.env}=" in text
        if setting.shown_default:
            assert f"# {setting.env}={setting.shown_default}\n" in text
