from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import pytest

from rag.cli import main
from rag.cli.chatting.commands import COMMANDS, Leave, limit_of, take
from rag.cli.chatting.keeping import Keeper
from rag.cli.chatting.prompt import KnownNames, offers, reader
from rag.cli.chatting.talk import Talk
from rag.cli.chatting.typed import words_of
from rag.domain import Answer, AnswerSentence
from rag.errors import UsageError
from rag.ledger.conversations import CONVERSATIONS_FILE, Conversations
from rag.library import Library
from rag.settings import Settings
from tests.stub_server import Answering, Asked, Handler, Stub, answers, chunk, fails, numbered_sentences, says
from tests.terminal import Terminal

LIST = """List

Deep networks forget a lot. We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory.

Ants find food by smell. We introduce AntWalk, a model of how ants search. It follows 40 ants in the field.
"""
FACT = "How much memory does TinyNet need?"
SAID = "TinyNet needs 12 MB of memory."
NOTHING = "What is the capital of France?"
KEY = "sk-secret-0123456789abcdefghij"
Chat = Callable[..., int]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "list.txt").write_text(LIST, "utf-8")
    assert main(["ingest", str(folder / "list.txt"), "--library", str(folder / "library"), "--quiet"]) == 0
    return folder / "library"


@pytest.fixture
def library(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in [n for n in os.environ if n.startswith(("RAG_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    place = tmp_path / "library"
    shutil.copytree(made, place)
    monkeypatch.setenv("RAG_LIBRARY", str(place))
    return place


@pytest.fixture
def chat(library: Path, monkeypatch: pytest.MonkeyPatch) -> Chat:
    def run(*lines: str, options: Sequence[str] = ()) -> int:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return main(["chat", *options])

    return run


@pytest.fixture
def stub(library: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    with Stub([writes]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("RAG_CACHE", "off")
        yield server


def writes(handler: Handler, asked: Asked) -> None:
    """Answer from the papers; where there are none, the question before is to be put into other words."""
    number = next((n for n, text in numbered_sentences(asked.prompt) if "12 MB" in text), "")
    reply = answers((SAID, [number])) if number else says(json.dumps({"question": FACT}))
    reply(handler, asked)


# -- a script ---------------------------------------------------------------------------------------


def test_each_line_of_a_script_is_a_turn_and_follow_ups_are_understood(
    chat: Chat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chat(FACT, "", "What is AntWalk?", "How many ants does it follow?") == 0
    out, err = capsys.readouterr()
    assert f"rag> {FACT}\n{SAID} [1]" in out and out.count("rag> ") == 3 and err == ""
    assert "It follows 40 ants in the field. [1]" in out


def test_json_prints_one_answer_a_line_and_nothing_else(
    chat: Chat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chat(FACT, "/show TinyNet", "/papers", NOTHING, options=["--json"]) == 3
    out, err = capsys.readouterr()
    assert [json.loads(line)["status"] for line in out.splitlines()] == ["answered", "not_found"]
    assert "> TinyNet needs 12 MB" in err


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ((), 0),
        ((FACT,), 0),
        ((NOTHING, FACT), 0),
        ((FACT, NOTHING), 3),
        (("/nothing", FACT), 2),
        (("/show FooNet", NOTHING), 2),
        ((FACT, "/quit", "/nothing"), 0),
        (("/export out.md",), 2),
    ],
)
def test_the_code_of_a_script_is_that_of_its_first_error_or_last_answer(
    chat: Chat, lines: tuple[str, ...], code: int
) -> None:
    assert chat(*lines) == code


def test_a_script_goes_on_after_an_error(chat: Chat, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat("/shwo 1", FACT) == 2
    out, err = capsys.readouterr()
    assert SAID in out and "there is no command /shwo. Did you mean /show?" in err and "/help" in err


def test_a_script_that_is_no_text_is_wrong_usage(
    library: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe?\n"), encoding="utf-8"))
    assert main(["chat"]) == 2 and "UTF-8" in capsys.readouterr().err


def test_lines_of_other_systems_are_read(chat: Chat, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat(f"\ufeff{FACT}\r") == 0 and SAID in capsys.readouterr().out


def test_cost_is_told_for_each_answer_and_in_all(
    chat: Chat, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chat(FACT, f"{FACT} ", options=["--model", "openai:stub"]) == 0
    err = capsys.readouterr().err.splitlines()
    assert err[0] == "openai:stub: 1 call, 700 + 50 tokens, cost unknown"
    assert err[-1].startswith("in all: 3 calls, ") and err[-1].endswith("cost unknown")
    assert chat(FACT, FACT, options=["--model", "openai:stub", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_the_limit_holds_for_each_answer_and_the_chat_goes_on(
    chat: Chat, stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    assert (
        chat(FACT, "/papers TinyNet", options=["--model", "openai:gpt-4.1-mini", "--max-cost", "0.00001"])
        == 4
    )
    out, err = capsys.readouterr()
    assert "may cost" in err and "TinyNet" in out and not stub.asked


def test_a_fault_of_the_model_is_told_and_the_chat_goes_on(
    chat: Chat, stub: Stub, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.answers = [fails(401, f"no such key {KEY}"), writes]
    assert chat(FACT, FACT, options=["--model", "openai:stub"]) == 1
    out, err = capsys.readouterr()
    assert "401" in err and KEY not in err and f"{SAID} [1]" in out


# -- commands ---------------------------------------------------------------------------------------


class Recorded:
    """Answers as a library would, and keeps what it is asked."""

    def __init__(self, library: Library) -> None:
        self.asked: list[object] = []
        self._library = library

    def ask(
        self,
        question: str,
        history: Sequence[Answer] = (),
        *,
        only: Collection[str] | None = None,
        on_sentence: object = None,
    ) -> Answer:
        self.asked.append(("ask", question, only))
        return self._library.ask(question, history, only=only)

    def compare(self, papers: Sequence[str]) -> Answer:
        self.asked.append(("compare", *papers))
        return self._library.compare(papers)

    def summarize(self, topic: str = "", *, only: Collection[str] | None = None) -> Answer:
        self.asked.append(("summarize", topic))
        return self._library.summarize(topic, only=only)


@pytest.fixture
def talk(seed_library: Library, tmp_path: Path) -> Talk:
    recorded = Recorded(seed_library)
    talk = Talk(recorded, seed_library, Keeper(Conversations(tmp_path)))
    talk.recorded = recorded  # type: ignore[attr-defined]
    return talk


@pytest.fixture(autouse=True)
def in_a_command() -> Iterator[None]:
    """Let remarks be made as inside a command of the program."""
    import click

    with click.Context(click.Command("chat")):
        yield


def asked(talk: Talk) -> list[object]:
    return talk.recorded.asked  # type: ignore[attr-defined,no-any-return]


def test_compare_takes_names_quoted_names_and_numbers(talk: Talk) -> None:
    take(talk, "Which papers are on federated learning?")
    take(talk, '/compare EVA, "typed tensor language" and 2')
    assert asked(talk)[1] == ("compare", "EVA", "typed tensor language", "ERIS")
    assert talk.last is not None and talk.last.table is not None
    second = talk.last.references[1].paper.name
    take(talk, "How does the second one work?")
    assert [r.paper.name for r in talk.last.references] == [second]
    for line in ("/compare", "/compare EVA", "/compare EVA 99"):
        with pytest.raises(UsageError):
            take(talk, line)
    assert [turn.kind for turn in talk.turns] == ["ask", "compare", "ask"]


def test_summarize_takes_a_topic_or_none(talk: Talk) -> None:
    take(talk, "/summarize  federated learning ")
    take(talk, "/summarize")
    assert asked(talk) == [("summarize", "federated learning"), ("summarize", "")]
    assert talk.turns[0].question == "/summarize federated learning"


def test_show_marks_what_was_quoted(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    take(talk, "What speed-up does EVA-0 reach over FOA?")
    capsys.readouterr()
    take(talk, "/show 1")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "EVA-0"
    assert any(line.startswith("> ") and "14× speed-up" in line for line in lines)
    assert any(line.startswith("  ") for line in lines)
    take(talk, "/show typed tensor language")
    assert capsys.readouterr().out.startswith("typed tensor language\n")
    for line in ("/show", "/show 7", "/show FooNet"):
        with pytest.raises(UsageError):
            take(talk, line)


def test_only_limits_questions_and_is_lifted(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    take(talk, "/only EVA-Cap ERIS")
    assert limit_of(talk) == "2 papers"
    take(talk, "Which papers are on federated learning?")
    assert talk.last is not None and [r.paper.name for r in talk.last.references] == ["ERIS"]
    take(talk, "/only typed tensor language")
    assert limit_of(talk) == "typed tensor language"
    with pytest.raises(UsageError, match="FooNet"):
        take(talk, "/only ERIS FooNet")
    assert limit_of(talk) == "typed tensor language"
    take(talk, "/only")
    assert limit_of(talk) == ""
    take(talk, "Which papers are on federated learning?")
    assert len(talk.last.references) == 2 or talk.last.references


def test_a_follow_up_about_a_paper_that_is_not_allowed_finds_nothing_else(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    take(talk, "/only ERIS")
    take(talk, "What is ERIS?")
    take(talk, "and EVA-0?")
    assert talk.last is not None and talk.last.status == "not_found" and not talk.last.hits
    assert "Only some papers were asked" in capsys.readouterr().err


def test_sources_lists_references_with_quotes(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        take(talk, "/sources")
    take(talk, "What is ERIS?")
    capsys.readouterr()
    take(talk, "/sources")
    out = capsys.readouterr().out
    assert out.startswith("References\n[1] ERIS") and "“" in out


def test_papers_are_listed_or_searched(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    take(talk, "/papers")
    out, err = capsys.readouterr()
    assert "A³Bench\t" in out and "38 papers" in err
    take(talk, "/papers federated learning")
    assert capsys.readouterr().out.startswith(" 1  typed tensor language")


@pytest.mark.parametrize(
    ("name", "begins"), [("talk.md", "# What is ERIS?"), ("talk.HTML", "<!doctype html>"), ("a b.json", "{")]
)
def test_a_conversation_is_saved_by_the_ending_of_the_file(
    talk: Talk, tmp_path: Path, name: str, begins: str
) -> None:
    take(talk, "What is ERIS?")
    take(talk, f"/export {tmp_path / name}")
    take(talk, "Does it need <b>heavy</b> cryptography & more?")
    take(talk, f"/export {tmp_path / name}")
    text = (tmp_path / name).read_text("utf-8")
    assert text.startswith(begins) and "cryptography" in text
    if name.endswith("json"):
        assert [turn["kind"] for turn in json.loads(text)["turns"]] == ["ask", "ask"]
    else:
        assert "<b>heavy" not in text


def test_a_file_of_somebody_else_is_not_written_over(talk: Talk, tmp_path: Path) -> None:
    take(talk, "What is ERIS?")
    (tmp_path / "mine.md").write_text("mine")
    for line in (f"/export {tmp_path / 'mine.md'}", f"/export {tmp_path / 'talk.pdf'}", "/export"):
        with pytest.raises(UsageError):
            take(talk, line)
    assert (tmp_path / "mine.md").read_text() == "mine"


def test_new_forgets_what_was_said_and_keeps_it(talk: Talk, tmp_path: Path) -> None:
    take(talk, "What is ERIS?")
    take(talk, "/only ERIS")
    take(talk, "/new")
    assert talk.last is None and limit_of(talk) == ""
    take(talk, "What is EVA-0?")
    assert [c.turns for c in Conversations(tmp_path).all()] == [1, 1]


def test_help_names_every_command_and_quit_leaves(talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
    take(talk, "/HELP")
    out = capsys.readouterr().out
    assert all(f"  {name}" in out for name in COMMANDS) and "Esc Enter" in out and "Ctrl-D" in out
    assert max(map(len, out.splitlines())) < 100
    with pytest.raises(Leave):
        take(talk, "/quit")


@pytest.mark.parametrize("line", ["quit", "exit", ":q", "help"])
def test_words_of_people_who_want_to_leave_are_not_asked(talk: Talk, line: str) -> None:
    with pytest.raises(UsageError) as caught:
        take(talk, line)
    assert "/quit" in caught.value.hint and not asked(talk)


def test_words_are_cut_as_typed() -> None:
    assert words_of('A "b c" and D') == ["A", "b c", "D"]
    assert words_of("A, B vs. C") == ["A", "B", "C"]
    assert words_of('“b c” "and" "open end') == ["b c", "and", "open end"]
    assert words_of("Newton's EVA-0") == ["Newton's", "EVA-0"]


# -- what is kept -----------------------------------------------------------------------------------


def test_a_conversation_goes_on_where_it_was_left(chat: Chat, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat(FACT) == 0
    assert chat("Does it remember?", "/sources", options=["--continue"]) == 0
    assert "[1] TinyNet" in capsys.readouterr().out
    assert main(["history", "list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert listed["turns"] == 2 and listed["title"] == FACT
    assert chat("What about AntWalk and its ants?", options=["--continue", listed["id"][:4], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["references"][0]["paper"]["name"] == "AntWalk"


def test_continuing_what_is_not_there_is_wrong_usage(chat: Chat, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat(FACT, options=["--continue"]) == 2
    assert chat(FACT) == 0
    assert chat(FACT, options=["--continue", "zzz"]) == 2
    assert chat(FACT, options=["--continue", ""]) == 2


def test_a_paper_that_has_left_is_told_of_when_its_conversation_goes_on(
    chat: Chat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chat(FACT) == 0
    assert main(["papers", "remove", "TinyNet", "--yes", "--quiet"]) == 0
    capsys.readouterr()
    assert chat("/show 1", "How much memory does it need?", options=["--continue"]) == 3
    out, err = capsys.readouterr()
    assert "warning: No longer in the library" in err and "TinyNet" in out
    assert "no longer in the library; its abstract is not kept" in err


def test_a_chat_goes_on_where_nothing_can_be_kept_and_says_so_once(
    chat: Chat, library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (library / CONVERSATIONS_FILE).write_text("no database at all, only words " * 99)
    assert chat(FACT, FACT) == 0
    out, err = capsys.readouterr()
    assert out.count(f"{SAID} [1]") == 2 and err.count("This conversation is not kept") == 1
    assert main(["history"]) == 1
    assert "is damaged" in capsys.readouterr().err


def test_what_could_not_be_kept_is_kept_with_the_next_turn(tmp_path: Path, seed_library: Library) -> None:
    folder = tmp_path / "later"
    talk = Talk(Recorded(seed_library), seed_library, Keeper(Conversations(folder)))
    take(talk, "What is ERIS?")
    folder.mkdir()
    take(talk, "What is EVA-0?")
    assert [(c.turns, c.title) for c in Conversations(folder).all()] == [(2, "What is ERIS?")]


def test_the_key_is_kept_nowhere(chat: Chat, stub: Stub, library: Path) -> None:
    assert chat(f"Is {KEY} a key? {FACT}", options=["--model", "openai:stub"]) == 0
    assert KEY.encode() not in (library / CONVERSATIONS_FILE).read_bytes()


# -- typing -----------------------------------------------------------------------------------------

KNOWN = KnownNames(["EVA", "EVA-0", "EVA-Cap", "typed tensor language", "A³Bench"])


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("/s", ["/summarize ", "/show ", "/sources "]),
        ("/compare eva0", ["EVA-0"]),
        ("/compare EVA typ", ['"typed tensor language"']),
        ('/compare EVA "typed ten', ['"typed tensor language"']),
        ("/show a3", ["A³Bench"]),
        ("How fast is eva", ["EVA", "EVA-0", "EVA-Cap"]),
        ("How fast is typ", []),
        ("How e", []),
        ("/export ev", []),
        ("", []),
        ("/nothing ev", ["EVA", "EVA-0", "EVA-Cap"]),
    ],
)
def test_commands_and_names_are_completed(text: str, offered: list[str]) -> None:
    assert [name for name, _ in offers(text, KNOWN)] == offered


def test_completion_takes_the_place_of_what_was_typed() -> None:
    assert offers('/only "typed ten', KNOWN) == [('"typed tensor language"', len('"typed ten'))]
    assert offers("/only eva-c", KNOWN) == [("EVA-Cap", len("eva-c"))]


def type_into(folder: Path, keys: str) -> list[str]:
    """Read lines as typed, until the keys end."""
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    lines: list[str] = []
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        read = reader(folder, ["EVA-0"], lambda text: text.replace(KEY, "…"))
        pipe.send_text(keys + "\x04")
        with contextlib.suppress(EOFError):
            while True:
                lines.append(read("rag> "))
    return lines


def test_a_line_may_have_several_lines(tmp_path: Path) -> None:
    assert type_into(tmp_path, "one\x1b\rtwo\rthree\\\rfour\r") == ["one\ntwo", "three\nfour"]


def test_lines_typed_are_kept_without_secrets(tmp_path: Path) -> None:
    type_into(tmp_path, f"first {KEY}\r")
    kept = (tmp_path / "chat_history").read_text("utf-8")
    assert "first …" in kept and KEY not in kept
    assert type_into(tmp_path, "\x1b[A\r") == ["first …"]


def test_a_long_history_is_shortened(tmp_path: Path) -> None:
    (tmp_path / "chat_history").write_text("".join(f"\n# then\n+line {n}\n" for n in range(20_000)), "utf-8")
    assert type_into(tmp_path, "\x1b[A\r") == ["line 19999"]
    assert (tmp_path / "chat_history").stat().st_size < 110_000


# -- on a terminal ----------------------------------------------------------------------------------


def on_a_terminal(*options: str) -> Terminal:
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "TERM": "xterm",
        "NO_COLOR": "1",
        "PROMPT_TOOLKIT_NO_CPR": "1",
    }
    return Terminal([sys.executable, "-m", "rag", "chat", *options], environment)


def goes_on_and_on(stub: Stub, hung_up: threading.Event) -> Answering:
    """Answer with a sentence and the beginning of another that never ends."""

    def answer(handler: Handler, asked: Asked) -> None:
        number = next(n for n, text in numbered_sentences(asked.prompt) if "12 MB" in text)
        handler.begin_stream()
        begun = '{"answerable": true, "sentences": [{"text": "%s", "cites": ["%s"]}, {"text": "'
        handler.event(chunk(begun % (SAID, number)))
        try:
            while not stub.over.wait(0.02):
                handler.event(chunk("and "))
        except OSError:
            hung_up.set()
            raise

    return answer


def test_who_stops_listening_lets_go_of_the_server(stub: Stub, library: Path) -> None:
    hung_up = threading.Event()
    stub.answers = [goes_on_and_on(stub, hung_up)]

    def stop(sentence: AnswerSentence) -> None:
        raise KeyboardInterrupt

    settings = Settings(library=library, model="openai:stub", openai_base_url=stub.url, cache=False)
    with Library.open(library, settings) as opened:
        with pytest.raises(KeyboardInterrupt):
            opened.ask(FACT, on_sentence=stop)
        assert hung_up.wait(20)


@pytest.mark.slow
def test_ctrl_c_stops_an_answer_and_not_the_chat(stub: Stub, library: Path) -> None:
    hung_up = threading.Event()
    stub.answers = [goes_on_and_on(stub, hung_up), writes]
    with on_a_terminal("--model", "openai:stub") as terminal:
        terminal.until("rag>")
        terminal.type(f"{FACT}\r")
        terminal.until(f"{SAID} [1]")
        terminal.type("\x03")
        terminal.until("stopped")
        assert hung_up.wait(20)
        terminal.until("rag>")
        terminal.type("Is TinyNet small?\r")
        terminal.until("[1] TinyNet")
        terminal.until("rag>")
        terminal.type("\x04")
        terminal.until("Not counted: what was stopped (1).")
        assert terminal.end() == 0
    (kept,) = Conversations(library).all()
    assert kept.turns == 1 and kept.title == "Is TinyNet small?"


def test_a_person_is_led_in_and_out(library: Path) -> None:
    with on_a_terminal() as terminal:
        assert "2 papers. Ask, or type /help" in terminal.until("rag>")
        terminal.type("\x03")
        terminal.until("To leave: /quit, or Ctrl-D.")
        terminal.until("rag>")
        terminal.type(f"{FACT}\r")
        terminal.until("[1] TinyNet")
        terminal.until("rag>")
        terminal.type("/only TinyNet\r")
        terminal.until("rag (TinyNet)>")
        terminal.type("/quit\r")
        assert terminal.end() == 0
    with on_a_terminal("--continue") as terminal:
        terminal.until(f"rag> {FACT}")
        terminal.until("[1] TinyNet")
        terminal.until("rag>")
        terminal.type("\x04")
        assert terminal.end() == 0
