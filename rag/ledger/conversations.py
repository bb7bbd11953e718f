"""Conversations that are kept: turns of a chat come in, and come back as they were.

They are a part of the ledger in a file of its own. Whoever asks may add to it while another process ingests;
unlike the cache in `recall`, what it holds exists nowhere else, so a write that fails is told.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from rag.domain import Answer, Paper
from rag.errors import LibraryDamaged, LibraryError, UsageError
from rag.ledger.connections import FAILURES, Failures, edge
from rag.ledger.restoring import cited, restored
from rag.ledger.strings import storable

CONVERSATIONS_FILE = "conversations.sqlite"
VERSION = 1
# "chat", so that the file of another program is never taken for ours.
APPLICATION_ID = 0x63686174
MOST_CHARS = 1_000_000
"""An answer whose JSON is longer is kept in part, and says so."""
MOST_QUESTION = 20_000
_BUSY_TIMEOUT_S = 5.0
_TITLE_CHARS = 200
_LEAST_PREFIX = 3
_DAMAGED_HINT = (
    "Move the file away to begin a new one, or take it from a backup: `rag restore FILE --library DIR`."
)
_FAILURES: Failures = {
    **FAILURES,
    sqlite3.SQLITE_CORRUPT: (LibraryDamaged, "is damaged", _DAMAGED_HINT),
    sqlite3.SQLITE_NOTADB: (LibraryDamaged, "is damaged", _DAMAGED_HINT),
    sqlite3.SQLITE_ERROR: (LibraryDamaged, "is damaged", _DAMAGED_HINT),
}
_TABLES = """
CREATE TABLE conversations (id TEXT PRIMARY KEY, created REAL NOT NULL, title TEXT NOT NULL);
CREATE TABLE turns (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    created REAL NOT NULL,
    kind TEXT NOT NULL,
    question TEXT NOT NULL,
    answer TEXT NOT NULL,                -- JSON, as Answer.to_dict gives it
    PRIMARY KEY (conversation, ordinal)
);
"""
_LISTED = (
    "SELECT c.id, c.created, c.title, count(t.ordinal), coalesce(max(t.created), c.created) AS latest"
    " FROM conversations c LEFT JOIN turns t ON t.conversation = c.id"
    " GROUP BY c.id ORDER BY latest DESC, c.id"
)

Kind = Literal["ask", "compare", "summarize"]
Find = Callable[[Collection[str]], Sequence[Paper]]
"""What returns those of the papers with these ids that the library holds."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What was typed, which job it was given to, what came of it, and when (seconds since 1970)."""

    kind: Kind
    question: str
    answer: Answer
    created: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the turn as JSON values."""
        return {
            "kind": self.kind,
            "question": self.question,
            "created": self.created,
            "answer": self.answer.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation: its id, when it began and was last added to, its first question, how many turns."""

    id: str
    created: float
    title: str = ""
    turns: int = 0
    latest: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "id": self.id,
            "created": self.created,
            "latest": self.latest,
            "turns": self.turns,
            "title": self.title,
        }


@dataclass(frozen=True, slots=True)
class Restored:
    """The turns of a conversation, and the names of papers in it that the library no longer holds."""

    turns: tuple[Turn, ...]
    missing: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know of it."""
        if not self.missing:
            return ()
        names = ", ".join(self.missing)
        return (f"No longer in the library, so their abstracts cannot be shown or asked: {names}.",)


def new_conversation() -> Conversation:
    """Return a conversation that begins now, with an id of its own."""
    return Conversation(secrets.token_hex(4), time.time())


class Conversations:
    """The file beside the ledger in `folder`. Safe to use from many threads and processes.

    It is opened for a moment at a time and has no write-ahead log, so that it can also be read where nothing
    may be written. Everything kept goes through `masked` first, which takes secrets out.
    """

    def __init__(self, folder: Path, masked: Callable[[str], str] = lambda text: text) -> None:
        self.path = folder / CONVERSATIONS_FILE
        self._masked = masked

    def all(self) -> list[Conversation]:
        """Return all conversations, the one that was last added to first."""
        return [Conversation(*row) for row in self._read(_LISTED)]

    def find(self, words: str | None = None) -> Conversation:
        """Return the one with this id, or the first characters of it; for None the latest.

        Raises UsageError when there is none, or more than one.
        """
        if words is not None and not words.strip():
            raise UsageError("an empty id names no conversation", hint="`rag history` lists them.")
        every = self.all()
        if not every:
            raise UsageError("no conversation is kept in this library", hint="Begin one with: rag chat")
        if words is None:
            return every[0]
        fits = [c for c in every if c.id == words]
        fits = fits or [c for c in every if len(words) >= _LEAST_PREFIX and c.id.startswith(words.lower())]
        if len(fits) != 1:
            many = "more than one conversation begins with" if fits else "no conversation has the id"
            raise UsageError(f"{many} {words!r}", hint="`rag history` lists them.")
        return fits[0]

    def restored(self, conversation_id: str, find: Find) -> Restored:
        """Return the turns of a conversation; `find` returns papers of the library by id.

        Raises LibraryDamaged when a turn cannot be read.
        """
        query = "SELECT kind, question, answer, created FROM turns WHERE conversation = ? ORDER BY ordinal"
        rows = self._read(query, (conversation_id,))
        try:
            answers = [json.loads(row[2]) for row in rows]
            wanted = dict.fromkeys(paper_id for answer in answers for paper_id in cited(answer))
            hits = dict.fromkeys(h["paper_id"] for answer in answers for h in answer["hits"])
            papers = {paper.id: paper for paper in find([*(wanted | hits)])}
            turns = tuple(
                Turn(row[0], row[1], restored(answer, papers), row[3])
                for row, answer in zip(rows, answers, strict=True)
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LibraryDamaged(
                f"Conversation {conversation_id} in {self.path} cannot be read.",
                hint=f"Remove it with: rag history delete {conversation_id}",
            ) from error
        named = {r.paper.id: r.paper.name for turn in turns for r in turn.answer.references}
        return Restored(turns, tuple(name for paper_id, name in named.items() if paper_id not in papers))

    def add(self, conversation: Conversation, turns: Sequence[Turn]) -> Conversation:
        """Keep more turns of a conversation, all or none; return what is now kept of it.

        Raises LibraryError when they cannot be written.
        """
        rows = [self._row(turn) for turn in turns]
        title = conversation.title or " ".join(rows[0][2].split())[:_TITLE_CHARS]
        with self._open(write=True) as db:
            db.execute(
                "INSERT OR IGNORE INTO conversations VALUES (?, ?, ?)",
                (conversation.id, conversation.created, title),
            )
            query = "SELECT coalesce(max(ordinal), 0) FROM turns WHERE conversation = ?"
            (last,) = db.execute(query, (conversation.id,)).fetchone()
            db.executemany(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)",
                [(conversation.id, last + place, *row) for place, row in enumerate(rows, 1)],
            )
        return replace(conversation, title=title, turns=last + len(rows), latest=rows[-1][0])

    def delete(self, ids: Collection[str]) -> int:
        """Remove conversations; return how many there were."""
        with self._open(write=True) as db:
            before = db.total_changes
            db.executemany("DELETE FROM turns WHERE conversation = ?", [(i,) for i in ids])
            turns = db.total_changes - before
            db.executemany("DELETE FROM conversations WHERE id = ?", [(i,) for i in ids])
            return db.total_changes - before - turns

    def copy_to(self, target: Path) -> None:
        """Write a copy of the file to a new one, if there is anything in it; others may go on writing."""
        if self._read(_LISTED):
            with self._open() as db, contextlib.closing(sqlite3.connect(target)) as copy:
                db.backup(copy)

    def check(self) -> list[str]:
        """Return what is wrong with the file, in plain sentences; reads all of it."""
        try:
            return [row[0] for row in self._read("PRAGMA integrity_check") if row[0] != "ok"]
        except LibraryDamaged as error:
            return [error.message]

    def _row(self, turn: Turn) -> tuple[float, str, str, str]:
        question = turn.question[:MOST_QUESTION]
        kept = (self._json(answer) for answer in _shorter_and_shorter(turn.answer))
        whole = next(text for text in kept if len(text) <= MOST_CHARS)
        return turn.created or time.time(), turn.kind, self._masked(storable(question)), whole

    def _json(self, answer: Answer) -> str:
        return self._masked(storable(json.dumps(answer.to_dict(), ensure_ascii=False, default=str)))

    # -- SQL ----------------------------------------------------------------------------------------

    def _read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        if not self.path.exists():
            return []
        with self._open() as db:
            return db.execute(query, values).fetchall() if _version(db, self.path) else []

    @contextlib.contextmanager
    def _open(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """Open the file; to write, make what is missing, and keep all that is done or nothing."""
        with edge(self.path, _FAILURES), contextlib.closing(_connect(self.path, write)) as db:
            if not write:
                yield db
                return
            db.execute("BEGIN IMMEDIATE")
            try:
                _make_tables(db, self.path)
                yield db
            except BaseException:
                db.rollback()
                raise
            db.commit()


def _shorter_and_shorter(answer: Answer) -> Iterator[Answer]:
    """Yield the answer, then less and less of it, with a warning of what is left out."""
    yield answer
    kept = "This answer was too long to be kept whole: {} left out."
    less = replace(answer, hits=())
    yield replace(less, warnings=(*less.warnings, kept.format("papers found and not cited are")))
    yield Answer(
        question=answer.question[:MOST_QUESTION],
        status=answer.status,
        engine=answer.engine[:MOST_QUESTION],
        usage=answer.usage,
        warnings=(kept.format("all its sentences are"),),
    )


def _connect(path: Path, write: bool) -> sqlite3.Connection:
    if write:
        return _connected(path, "rwc")
    db = _connected(path, "ro")
    try:
        db.execute("PRAGMA user_version").fetchone()
    except sqlite3.Error as error:
        db.close()
        if not _is_half_written(error) or not os.access(path.parent, os.W_OK):
            raise
        return _connected(path, "rw")
    return db


def _is_half_written(error: sqlite3.Error) -> bool:
    """Say whether a writer was killed: what it had begun must be undone first, which is to write."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF == sqlite3.SQLITE_READONLY


def _connected(path: Path, mode: Literal["ro", "rw", "rwc"]) -> sqlite3.Connection:
    place = quote(str(path.absolute()).encode("utf-8", "surrogateescape"))
    uri = f"file:{place}?mode={mode}"
    db = sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    return db


def _version(db: sqlite3.Connection, path: Path) -> int:
    """Return the schema version, 0 for an empty file; raise LibraryError if it is not ours or too new."""
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (found,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables and application != APPLICATION_ID:
        raise LibraryError(
            f"{path} is a database of another program.", hint="Move it away to begin a new one."
        )
    if found > VERSION:
        raise LibraryError(
            f"{path} has schema {found}, newer than this program, which knows {VERSION}.",
            hint="Upgrade with `pip install -U askpapers`.",
        )
    return int(found) if tables else 0


def _make_tables(db: sqlite3.Connection, path: Path) -> None:
    if _version(db, path):
        return
    for statement in _TABLES.split(";"):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {VERSION}")
