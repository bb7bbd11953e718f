from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from rag.domain import (
    Answer,
    AnswerSentence,
    Cell,
    Citation,
    Coverage,
    Hit,
    Paper,
    Quotation,
    Reference,
    Section,
    Table,
    Usage,
)
from rag.errors import LibraryDamaged, LibraryError, UsageError
from rag.ledger.conversations import CONVERSATIONS_FILE, MOST_CHARS, Conversations, Turn, new_conversation
from rag.ledger.restoring import restored

TINY = Paper("a" * 20, "TinyNet", "TinyNet is small.", sources=("list.txt#1",), year=2020, authors=("A", "B"))
ANTS = Paper("b" * 20, "AntWalk", "Ants walk.", title="On ants", url="https://a.b", sources=("list.txt#2",))
CITED = Citation(1, TINY.id, "TinyNet is small.", 0, 17, "partial", "so so")
PLAIN = Answer(
    "How small?",
    "answered",
    "openai:stub",
    "How small is TinyNet?",
    (AnswerSentence("It is small.", (CITED,)),),
    (Reference(1, TINY), Reference(2, ANTS)),
    (Hit(ANTS, 0.25, {"words": 1}),),
    Usage(1, 10, 5, None),
    {"total": 1.5},
    ("careful",),
)
COMPARISON = Answer(
    "Compare",
    "partial",
    references=(Reference(1, TINY),),
    table=Table((TINY.id,), ("size",), {TINY.id: {"size": Cell("small", (CITED,))}}),
)
OVERVIEW = Answer(
    "Overview",
    "answered",
    sentences=(AnswerSentence("It is small.", (CITED,)),),
    sections=(Section("Size", (0,), 1),),
    also_related=(Quotation(ANTS, "Ants walk.", 0, 10),),
    coverage=Coverage(1, 2),
)


def find(*papers: Paper) -> object:
    def found(ids: Collection[str]) -> Sequence[Paper]:
        return [paper for paper in papers if paper.id in set(ids)]

    return found


@pytest.fixture
def store(tmp_path: Path) -> Conversations:
    return Conversations(tmp_path)


@pytest.mark.parametrize("answer", [PLAIN, COMPARISON, OVERVIEW, Answer("Nothing?", "not_found")])
def test_an_answer_comes_back_from_its_json(answer: Answer) -> None:
    papers = {TINY.id: TINY, ANTS.id: ANTS}
    again = restored(answer.to_dict(), papers)
    assert again.to_dict() == answer.to_dict()
    assert again.references == answer.references
    assert restored(answer.to_dict(), {}).to_dict() == answer.to_dict()


def test_turns_come_back_as_they_were(store: Conversations) -> None:
    begun = new_conversation()
    kept = store.add(begun, [Turn("ask", "How small?", PLAIN, 5.0)])
    kept = store.add(kept, [Turn("compare", "/compare A B", COMPARISON, 6.0)])
    (listed,) = store.all()
    assert listed == kept
    assert (listed.id, listed.turns, listed.title, listed.latest) == (begun.id, 2, "How small?", 6.0)
    again = store.restored(begun.id, find(TINY, ANTS))  # type: ignore[arg-type]
    assert again.turns[0].answer.references == PLAIN.references and not again.warnings
    assert [t.kind for t in again.turns] == ["ask", "compare"]


def test_a_paper_that_left_the_library_is_kept_by_name_and_told(store: Conversations) -> None:
    begun = store.add(new_conversation(), [Turn("ask", "How small?", PLAIN)])
    again = store.restored(begun.id, find(ANTS))  # type: ignore[arg-type]
    assert again.turns[0].answer.references[0].paper.name == "TinyNet"
    assert again.turns[0].answer.references[0].paper.text == ""
    assert again.missing == ("TinyNet",) and "TinyNet" in again.warnings[0]


def test_the_latest_comes_first_and_is_found_without_an_id(store: Conversations) -> None:
    old = store.add(new_conversation(), [Turn("ask", "Old?", PLAIN, 10.0)])
    new = store.add(new_conversation(), [Turn("ask", "New?", PLAIN, 20.0)])
    assert [c.id for c in store.all()] == [new.id, old.id]
    assert store.find().id == new.id and store.find(old.id[:6]).id == old.id
    store.add(old, [Turn("ask", "Again?", PLAIN, 30.0)])
    assert store.find().id == old.id


def test_an_id_that_is_none_is_wrong_usage(store: Conversations) -> None:
    with pytest.raises(UsageError, match="no conversation is kept"):
        store.find("abc")
    store.add(new_conversation(), [Turn("ask", "Old?", PLAIN)])
    for words in ("zzzz", "%", "' OR 1=1"):
        with pytest.raises(UsageError, match="no conversation has the id"):
            store.find(words)


def test_deleted_conversations_are_gone_with_their_turns(store: Conversations, tmp_path: Path) -> None:
    first = store.add(new_conversation(), [Turn("ask", "One?", PLAIN)])
    second = store.add(new_conversation(), [Turn("ask", "Two?", PLAIN), Turn("ask", "Three?", PLAIN)])
    assert store.delete([first.id, second.id, "unknown"]) == 2 and store.all() == []
    db = sqlite3.connect(tmp_path / CONVERSATIONS_FILE)
    assert db.execute("SELECT count(*) FROM turns").fetchone() == (0,)
    db.close()


def test_a_conversation_deleted_while_it_goes_on_is_begun_again(store: Conversations) -> None:
    kept = store.add(new_conversation(), [Turn("ask", "One?", PLAIN)])
    store.delete([kept.id])
    store.add(kept, [Turn("ask", "Two?", PLAIN)])
    assert [(c.title, c.turns) for c in store.all()] == [("One?", 1)]


def test_a_turn_too_long_is_kept_in_part_and_says_so(store: Conversations) -> None:
    hits = tuple(Hit(Paper(str(n), "x" * 500, ""), 0.1) for n in range(3000))
    long = Answer("Long?", "answered", sentences=(AnswerSentence("y" * MOST_CHARS),))
    begun = store.add(
        new_conversation(),
        [Turn("ask", "Many?", Answer("Many?", "answered", hits=hits)), Turn("ask", "z" * 50_000, long)],
    )
    first, second = store.restored(begun.id, find()).turns  # type: ignore[arg-type]
    assert first.answer.hits == () and "papers found" in first.answer.warnings[0]
    assert second.answer.sentences == () and "sentences" in second.answer.warnings[0]
    assert len(second.question) < 50_000


def test_secrets_and_broken_characters_do_not_reach_the_file(tmp_path: Path) -> None:
    store = Conversations(tmp_path, lambda text: text.replace("sk-secret", "…"))
    answer = Answer("My key is sk-secret \ud800", "not_found")
    store.add(new_conversation(), [Turn("ask", answer.question, answer)])
    assert b"sk-secret" not in (tmp_path / CONVERSATIONS_FILE).read_bytes()


def test_many_may_add_at_once(tmp_path: Path) -> None:
    def talk() -> None:
        kept = new_conversation()
        for _ in range(5):
            kept = Conversations(tmp_path).add(kept, [Turn("ask", "Q?", PLAIN)])

    threads = [threading.Thread(target=talk) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [c.turns for c in Conversations(tmp_path).all()] == [5] * 4


@pytest.mark.parametrize(
    "content", [b"no database at all, only words" * 200, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_damaged_file_is_told_as_such(store: Conversations, content: bytes) -> None:
    store.path.write_bytes(content)
    for use in (store.all, lambda: store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])):
        with pytest.raises(LibraryDamaged) as caught:
            use()
        assert CONVERSATIONS_FILE in caught.value.message and "Move the file away" in caught.value.hint


def test_a_damaged_name_in_the_file_is_told_as_damage(store: Conversations) -> None:
    store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])
    data = store.path.read_bytes()
    store.path.write_bytes(data.replace(b"CREATE TABLE turns", b"CREATE T\xdaBLE turns"))
    for use in (store.all, lambda: store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])):
        with pytest.raises(LibraryDamaged, match="is damaged"):
            use()


def test_json_that_is_no_answer_is_told_as_damage(store: Conversations) -> None:
    kept = store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])
    for broken in ("{}", "[]", "no json", '{"references": 3}'):
        with sqlite3.connect(store.path) as db:
            db.execute("UPDATE turns SET answer = ?", (broken,))
        db.close()
        with pytest.raises(LibraryDamaged, match=kept.id):
            store.restored(kept.id, find())  # type: ignore[arg-type]


def test_another_program_s_database_or_a_newer_one_is_left_alone(store: Conversations) -> None:
    with sqlite3.connect(store.path) as db:
        db.execute("CREATE TABLE theirs (x)")
    db.close()
    with pytest.raises(LibraryError, match="another program"):
        store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])
    store.path.unlink()
    store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])
    with sqlite3.connect(store.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(LibraryError, match="newer"):
        store.all()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_read_only_can_be_read_and_refuses_to_keep(
    tmp_path: Path, store: Conversations
) -> None:
    store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    store.path.chmod(stat.S_IRUSR)
    try:
        assert len(store.all()) == 1
        with pytest.raises(LibraryError):
            store.add(new_conversation(), [Turn("ask", "Q?", PLAIN)])
    finally:
        tmp_path.chmod(stat.S_IRWXU)


KILLED = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
db.execute("INSERT INTO conversations VALUES ('half', 1.0, 'Half?')")
for n in range(50):
    db.execute("INSERT INTO turns VALUES ('half', ?, 1.0, 'ask', 'Half?', ?)", (n, "x" * 10_000))
print("in the midst", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def half_written(store: Conversations) -> Conversations:
    """A file with one conversation, whose next writer was killed when half of its turns were in the file."""
    store.add(new_conversation(), [Turn("ask", "Whole?", PLAIN)])
    before = store.path.stat().st_size
    command = [sys.executable, "-c", KILLED, str(store.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None and writer.stdout.readline()
        writer.kill()
    assert store.path.stat().st_size > before
    assert store.path.with_name(f"{CONVERSATIONS_FILE}-journal").stat().st_size
    return store


@pytest.mark.parametrize("first", ["all", "copy", "check", "add"])
def test_after_a_writer_was_killed_all_that_was_kept_is_read(
    half_written: Conversations, tmp_path: Path, first: str
) -> None:
    if first == "copy":
        (tmp_path / "copy").mkdir()
        half_written.copy_to(tmp_path / "copy" / CONVERSATIONS_FILE)
        assert [c.title for c in Conversations(tmp_path / "copy").all()] == ["Whole?"]
    elif first == "check":
        assert half_written.check() == []
    elif first == "add":
        half_written.add(half_written.find(), [Turn("ask", "More?", PLAIN)])
    assert [(c.title, c.turns) for c in half_written.all()] == [("Whole?", 1 + (first == "add"))]


def test_nothing_is_made_by_reading(store: Conversations) -> None:
    assert store.all() == [] and not store.path.exists()


def test_the_doctor_tells_of_conversations_that_cannot_be_read(own_seed_library: Path) -> None:
    from rag import doctor
    from rag.ledger.conversations import CONVERSATIONS_FILE
    from rag.settings import Settings

    settings = Settings(library=own_seed_library)
    found = {check.name: check for check in doctor.examine(settings)}["conversations"]
    assert found.severity == "ok"
    (own_seed_library / CONVERSATIONS_FILE).write_bytes(b"noise" * 1000)
    found = {check.name: check for check in doctor.examine(settings)}["conversations"]
    assert found.severity == "fail" and CONVERSATIONS_FILE in found.remedy
