"""`rag chat`: questions and commands come in line by line, answers that build on each other go out."""

from __future__ import annotations

import sys
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import click

from rag.cli.answering import model_options, tell_of_key
from rag.cli.session import (
    conversations,
    global_options,
    json_option,
    masking,
    note,
    open_library,
    settings_now,
    warn,
)
from rag.counting import counted

if TYPE_CHECKING:
    from rag.cli.chatting.talk import Talk
    from rag.library import Library
    from rag.settings import Settings


# What --continue without an id stands for: no id has a space in it.
_LATEST = "the latest"


@click.command("chat")
@click.option(
    "--continue",
    "continued",
    is_flag=False,
    flag_value=_LATEST,
    metavar="[ID]",
    help="Go on with a conversation that was kept: the latest, or the one with this id (rag history).",
)
@json_option
@model_options
@global_options
def command(continued: str | None, as_json: bool) -> int:
    """Ask one question after the other; each may refer to the answers before it.

    "Does it …", "the second one", "which of them", "and EVA?" are understood. Type /help for the commands,
    such as /compare, /summarize, /show and /only. Conversations are kept in the library: see rag history.

    Piped in, each line is one turn. A script goes on after an error; the exit code is that of the first
    error, else 3 if the last question was not answered. With --json stdout gets one JSON object an answer.
    A limit of cost holds for each answer.
    """
    settings = settings_now()
    with open_library(settings=settings) as library:
        talk = _begin(library, settings, continued, as_json)
        is_watched = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
        code = _talk_to_a_person(talk, library, settings) if is_watched else _follow_a_script(talk)
        talk.tell_total()
    return code


def _begin(library: Library, settings: Settings, continued: str | None, as_json: bool) -> Talk:
    from rag.cli.chatting.keeping import Keeper
    from rag.cli.chatting.talk import Talk

    store = conversations(settings)
    if continued is None:
        return Talk(library, library, Keeper(store), as_json=as_json)
    conversation = store.find(None if continued == _LATEST else continued)
    kept = store.restored(conversation.id, library.papers)
    warn(kept.warnings)
    keeper = Keeper(store, conversation, len(kept.turns))
    return Talk(library, library, keeper, kept.turns, as_json=as_json)


def _talk_to_a_person(talk: Talk, library: Library, settings: Settings) -> int:
    from rag.cli.chatting.loop import converse
    from rag.cli.chatting.prompt import reader

    names = library.names()
    note(f"{counted(len(names), 'paper')}. Ask, or type /help; /quit or Ctrl-D leaves.")
    tell_of_key(settings)
    _recall_last(talk)
    read = reader(settings.library, names, masking(settings))
    # Ctrl-C is felt by the main thread alone: what is being loaded in another is never left half done.
    loading = Thread(target=_load, args=(library,))
    loading.start()
    try:
        converse(talk, read, loading.join)
    finally:
        loading.join()
    return 0


def _load(library: Library) -> None:
    """Load what answers need; what goes wrong is told by the first answer, which will meet it again."""
    with suppress(Exception):
        import rich.console
        import rich.text  # noqa: F401

        library.prepare()


def _recall_last(talk: Talk) -> None:
    """Show where a conversation that is continued had come to."""
    from rag.outputs.conversation import print_turns
    from rag.outputs.terminal import Line

    if talk.turns:
        told = f"{counted(len(talk.turns), 'turn')} so far; the last was:"
        talk.show([Line(told), Line()])
        print_turns(talk.turns[-1:], talk.stream)
        talk.show([Line()])


def _follow_a_script(talk: Talk) -> int:
    from rag.cli.chatting.loop import follow

    return follow(talk, sys.stdin)
