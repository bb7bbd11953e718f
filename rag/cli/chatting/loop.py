"""The loop of a chat: lines come in, from a person or a script, until they end or /quit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

import click

from rag.cli.answering import NOT_FOUND_CODE
from rag.cli.chatting.commands import Leave, limit_of, take
from rag.cli.chatting.talk import Talk
from rag.cli.session import complain, note
from rag.errors import RagError, UsageError
from rag.outputs.printable import one_line

STOPPED = "stopped"


class Emptied(Exception):
    """Ctrl-C at the prompt; `empty` tells that nothing was typed."""

    def __init__(self, empty: bool) -> None:
        super().__init__()
        self.empty = empty


def converse(talk: Talk, read: Callable[[str], str], ready: Callable[[], None]) -> None:
    """Read lines with `read`, which is given a prompt, and take each until the person leaves.

    `ready` waits until answers can be given. Ctrl-C stops an answer, and not the chat.
    """
    is_over = False
    while not is_over:
        try:
            is_over = not _one_line(talk, read, ready)
        except KeyboardInterrupt:
            # Pressed between two lines, when there was nothing to stop.
            click.echo()


def _one_line(talk: Talk, read: Callable[[str], str], ready: Callable[[], None]) -> bool:
    """Read one line and take it; return whether the chat goes on."""
    try:
        line = read(f"rag ({limit_of(talk)})> " if talk.only else "rag> ")
    except Emptied as pressed:
        if pressed.empty:
            note("To leave: /quit, or Ctrl-D.")
        return True
    except EOFError:
        return False
    if line.strip():
        return _take(talk, line, ready)
    return True


def _take(talk: Talk, line: str, ready: Callable[[], None]) -> bool:
    try:
        ready()
        take(talk, line)
    except Leave:
        return False
    except RagError as error:
        complain(error.message, error.hint)
    except KeyboardInterrupt:
        talk.stopped += 1
        note(f"\n{STOPPED}")
    click.echo()
    return True


def follow(talk: Talk, lines: Iterable[str]) -> int:
    """Take each line of a script; return the code of the first error, else 3 if the last answer is none.

    Raises UsageError where the script is no text.
    """
    first = 0
    try:
        for line in lines:
            if not line.strip("\ufeff \t\r\n"):
                continue
            try:
                _take_of_a_script(talk, line.strip("\ufeff \t\r\n"))
            except Leave:
                break
            except RagError as error:
                complain(error.message, error.hint)
                first = first or error.exit_code
    except UnicodeDecodeError as error:
        raise UsageError("what is piped in is not text in UTF-8") from error
    if first:
        return first
    return NOT_FOUND_CODE if talk.is_unanswered else 0


def _take_of_a_script(talk: Talk, line: str) -> None:
    """Show the line above what comes of it, as a person would have it on the screen."""
    if talk.as_json:
        take(talk, line)
        return
    click.echo(f"rag> {one_line(line)}")
    try:
        take(talk, line)
    finally:
        click.echo()
        sys.stdout.flush()
