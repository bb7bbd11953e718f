from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rag.cli import main
from rag.domain import Answer, AnswerSentence
from rag.ledger.conversations import Conversation, Conversations, Turn, new_conversation

pytestmark = pytest.mark.usefixtures("clean_place")

SAID = "It <b>is</b> small."


def answered(question: str) -> Turn:
    return Turn("ask", question, Answer(question, "answered", sentences=(AnswerSentence(SAID),)), 1e9)


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from rag.library import Library

    Library.open(tmp_path / "lib", write=True).close()
    monkeypatch.setenv("RAG_LIBRARY", str(tmp_path / "lib"))
    return tmp_path / "lib"


@pytest.fixture
def kept(library: Path) -> Conversation:
    return Conversations(library).add(
        new_conversation(), [answered("How small?"), answered("How\x1b[2J big?")]
    )


def test_conversations_are_listed(kept: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["history"], ["history", "list"]):
        assert main(arguments) == 0
        out, err = capsys.readouterr()
        assert re.fullmatch(rf"{kept.id}\t2001-09-\d\d \d\d:\d\d\t2\tHow small\?\n", out)
        assert err == "1 conversation\n"
    assert main(["history", "list", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["id"] == kept.id and row["turns"] == 2 and row["title"] == "How small?"


def test_an_empty_history_and_no_library_are_told(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history"]) == 0 and capsys.readouterr() == ("", "0 conversations\n")
    assert main(["history", "list", "--json"]) == 0 and json.loads(capsys.readouterr().out) == []
    assert main(["history", "show"]) == 2 and "rag chat" in capsys.readouterr().err
    assert main(["history", "--library", "nowhere"]) == 1
    assert "There is no library in nowhere" in capsys.readouterr().err


def test_one_is_shown_whole(kept: Conversation, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["history", "show"], ["history", "show", kept.id[:4]]):
        assert main(arguments) == 0
        out = capsys.readouterr().out
        assert out.startswith(f"rag> How small?\n{SAID}") and "\nrag> How big?\n" in out and "\x1b" not in out
    assert main(["history", "show", kept.id, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["id"] == kept.id and shown["turns"][1]["answer"]["sentences"][0]["text"] == SAID


@pytest.mark.parametrize(
    ("ending", "begins"), [("md", "# How small?"), ("html", "<!doctype html>"), ("json", "{")]
)
def test_one_is_exported(
    kept: Conversation, ending: str, begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "export", kept.id, "--output", f"talk.{ending}"]) == 0
    text = Path(f"talk.{ending}").read_text("utf-8")
    assert text.startswith(begins) and (ending == "json" or "<b>" not in text)
    assert main(["history", "export", kept.id, "--output", f"talk.{ending}"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["history", "export", "--format", {"md": "markdown"}.get(ending, ending)]) == 0
    assert capsys.readouterr().out == text


def test_an_ending_that_says_nothing_is_wrong_usage(
    kept: Conversation, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", "export", "--output", "talk.pdf"]) == 2
    assert ".html" in capsys.readouterr().err and not Path("talk.pdf").exists()
    assert main(["history", "export", "--output", "none/talk.md"]) == 1


def test_deleting_needs_a_yes(kept: Conversation, library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "delete", kept.id]) == 2
    assert "Add --yes" in capsys.readouterr().err and Conversations(library).all()
    assert main(["history", "delete", kept.id, "--yes"]) == 0
    assert "1 deleted" in capsys.readouterr().err and not Conversations(library).all()


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_id_is_wrong_usage_and_not_the_latest(
    kept: Conversation, library: Path, capsys: pytest.CaptureFixture[str], empty: str
) -> None:
    for command in (
        ["history", "delete", empty, "--yes"],
        ["history", "show", empty],
        ["history", "export", empty],
    ):
        assert main(command) == 2
        assert "empty id" in capsys.readouterr().err
    assert [c.id for c in Conversations(library).all()] == [kept.id]
    assert main(["history", "show"]) == 0


def test_all_are_deleted_only_when_told_so(
    kept: Conversation, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Conversations(library).add(new_conversation(), [answered("Other?")])
    assert main(["history", "delete", "--yes"]) == 2
    assert main(["history", "delete", "--all", kept.id, "--yes"]) == 2
    assert main(["history", "delete", "unknown", "--yes"]) == 2
    assert len(Conversations(library).all()) == 2
    assert main(["history", "delete", "--all", "--yes"]) == 0 and not Conversations(library).all()
    assert main(["history", "delete", "--all", "--yes"]) == 0
