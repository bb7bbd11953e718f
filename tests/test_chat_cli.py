from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.cli import main
from rag.cli.answering import KEY_FOUND
from tests.stub_server import Asked, Handler, Stub, answers, fails, numbered_sentences, says

LIST = """List

Deep networks forget a lot. We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory.

Ants find food by smell. We introduce AntWalk, a model of how ants search. It follows 40 ants in the field.
"""
SAID = "TinyNet needs 12 MB of memory."
QUESTION = "How much memory does TinyNet need?"
KEY = "sk-secret-0123456789abcdefghij"


def writes(handler: Handler, asked: Asked) -> None:
    number = next(n for n, text in numbered_sentences(asked.prompt) if "12 MB" in text)
    answers((SAID, [number]))(handler, asked)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub([writes]) as server:
        yield server


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "list.txt").write_text(LIST, "utf-8")
    assert main(["ingest", str(folder / "list.txt"), "--library", str(folder / "library"), "--quiet"]) == 0
    return folder / "library"


@pytest.fixture(autouse=True)
def place(made: Path, stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [n for n in os.environ if n.startswith(("RAG_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAG_LIBRARY", str(made))
    monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("RAG_CACHE", "off")


def test_a_key_that_is_found_is_not_used_and_that_is_told(
    stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", QUESTION]) == 0
    out, err = capsys.readouterr()
    assert SAID in out and err == f"{KEY_FOUND}\n" and not stub.asked
    assert main(["ask", QUESTION, "--model", "extractive"]) == 0
    assert capsys.readouterr().err == ""


def test_the_model_is_chosen_by_option_and_its_cost_told(
    stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", QUESTION, "--model", "openai:stub"]) == 0
    out, err = capsys.readouterr()
    assert f"{SAID} [1]" in out and "[1] TinyNet" in out
    assert err == "openai:stub: 1 call, 700 + 50 tokens, cost unknown\n" and KEY not in out + err


def test_json_tells_engine_and_usage(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", QUESTION, "--model", "openai:stub", "--json", "--quiet"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["engine"] == "openai:stub" and answer["usage"]["cost_usd"] is None
    assert answer["usage"]["calls"] == 1 and answer["sentences"][0]["citations"][0]["verdict"] == "supported"


def test_dry_run_prints_messages_and_estimate_and_sends_nothing(
    stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", QUESTION, "--model", "openai:stub", "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert "--- system" in out and "--- user" in out and QUESTION in out and "12 MB" in out
    assert re.search(r"openai:stub: \d+ tokens to read", err) and "unknown" in err and not stub.asked
    assert main(["ask", QUESTION, "--model", "openai:stub", "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert [m["role"] for m in plan["messages"]] == ["system", "user"] and plan["prompt_tokens"] > 200
    assert main(["ask", QUESTION, "--dry-run"]) == 0
    assert "Nothing would be sent" in capsys.readouterr().err


def test_dry_run_works_without_a_key_and_says_so(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert main(["ask", QUESTION, "--model", "openai:gpt-4.1-mini", "--dry-run"]) == 0
    out, err = capsys.readouterr()
    assert "--- user" in out and "12 MB" in out and "Cost at most: $0.00" in err
    assert "warning: No key is set" in err
    monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
    monkeypatch.setattr(Handler, "do_GET", lambda handler: pytest.fail("the server was asked"))
    assert main(["ask", QUESTION, "--model", "auto", "--dry-run"]) == 0
    assert "openai:auto: " in capsys.readouterr().err and not stub.asked


def test_judging_a_draft_tells_its_cost(
    stub: Stub, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text(f"{SAID}\n", "utf-8")
    stub.answers = [says(json.dumps({"verdicts": [{"number": 1, "verdict": "supported", "reason": "so"}]}))]
    judged = ["check", str(draft), "--judge", "--model", "openai:stub"]
    assert main(judged) == 0
    assert capsys.readouterr().err == "openai:stub: 1 call, 700 + 50 tokens, cost unknown\n"
    assert main([*judged, "--quiet"]) == 0 and capsys.readouterr().err == ""
    assert main(["check", str(draft), "--model", "openai:stub"]) == 0 and capsys.readouterr().err == ""
    assert len(stub.chats) == 2


def test_a_budget_that_would_be_exceeded_is_code_4(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert main(["ask", QUESTION, "--model", "openai:gpt-4.1-mini", "--max-cost", "0.0001"]) == 4
    assert "may cost $0.00" in capsys.readouterr().err
    monkeypatch.setenv("RAG_MAX_COST_USD", "0.0001")
    assert main(["ask", QUESTION, "--model", "openai:gpt-4.1-mini"]) == 4
    assert main(["ask", QUESTION, "--max-cost", "much"]) == 2
    assert "--max-cost (flag) is 'much'" in capsys.readouterr().err


def test_no_cache_asks_again(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAG_CACHE", "on")
    for arguments, calls in (([], 1), ([], 1), (["--no-cache"], 2)):
        assert main(["ask", QUESTION, "--model", "openai:stub", *arguments]) == 0
        assert len(stub.chats) == calls


def test_a_fault_is_one_line_and_the_next_step(stub: Stub, capsys: pytest.CaptureFixture[str]) -> None:
    stub.answers = [fails(401, f"Incorrect API key provided: {KEY}")]
    assert main(["ask", QUESTION, "--model", "openai:stub"]) == 1
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert (
        out == "" and first.startswith("error: 127.0.0.1:") and "401" in first and "OPENAI_API_KEY" in second
    )
    assert KEY not in err
    assert main(["ask", QUESTION, "--model", "openai:stub", "--debug"]) == 1
    assert KEY not in capsys.readouterr().err


def test_trouble_with_the_connection_gives_quotations_and_a_warning(
    stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.answers = [fails(503, retry_after="100")]
    assert main(["ask", QUESTION, "--model", "openai:stub"]) == 0
    out, err = capsys.readouterr()
    assert SAID in out and "warning: The model did not answer, so the papers are quoted instead" in err


def test_on_a_terminal_each_sentence_is_printed_once(stub: Stub) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "rag", "ask", QUESTION, "--model", "openai:stub", "--quiet"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    process = subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL, env=environment)
    os.close(follower)
    printed = b""
    try:
        while piece := os.read(leader, 4096):
            printed += piece
    except OSError:
        pass
    os.close(leader)
    text = printed.decode().replace("\r\n", "\n")
    assert process.wait() == 0 and text.count(f"{SAID} [1]") == 1 and text.count("References") == 1
