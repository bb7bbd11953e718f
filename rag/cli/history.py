"""`rag history`: list, show, export and delete the conversations that are kept in the library."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from rag.cli.session import conversations, global_options, json_option, note, open_library, settings_now, warn
from rag.counting import counted
from rag.errors import UsageError

if TYPE_CHECKING:
    from rag.ledger.conversations import Conversation, Turn

COLUMNS = ("id", "last used", "turns", "first question")
_TITLE = 200


@click.group("history", invoke_without_command=True)
@global_options
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, show, export or delete the conversations kept in the library."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_conversations, as_json=False)


@command.command("list")
@json_option
@global_options
def list_conversations(as_json: bool) -> None:
    """List every conversation, the latest first: id, when it was last used, turns, first question."""
    every = conversations(settings_now()).all()
    if as_json:
        from rag.outputs.printable import to_json

        click.echo(to_json([conversation.to_dict() for conversation in every]))
        return
    if every:
        from rag.outputs.grid import Layout
        from rag.outputs.terminal import print_table

        print_table(COLUMNS, _rows(every), sys.stdout, Layout(lines=2))
    note(counted(len(every), "conversation"))


@command.command("show")
@click.argument("conversation_id", required=False, metavar="[ID]")
@json_option
@global_options
def show(conversation_id: str | None, as_json: bool) -> None:
    """Show a conversation whole: the latest, or the one whose id begins so."""
    conversation, turns = _whole(conversation_id)
    if as_json:
        from rag.outputs.conversation import conversation_json

        click.echo(conversation_json(conversation, turns), nl=False)
        return
    from rag.outputs.conversation import print_turns

    print_turns(turns, sys.stdout)


@command.command("export")
@click.argument("conversation_id", required=False, metavar="[ID]")
@click.option(
    "--output",
    "output",
    metavar="FILE",
    help="Write to a new file; its ending, .md, .html or .json, tells how.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(("markdown", "html", "json")),
    help="What to write; else the ending of FILE tells, or it is markdown.",
)
@global_options
def export(conversation_id: str | None, output: str | None, format_name: str | None) -> None:
    """Write a conversation as Markdown, a web page or JSON, to stdout or to a file."""
    from rag.outputs.conversation import FORMATS, format_of, write_new
    from rag.outputs.files import file_named

    name = format_name or (format_of(output) if output else "markdown")
    conversation, turns = _whole(conversation_id)
    text = FORMATS[name](conversation, turns)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_new(file_named(output), text)


@command.command("delete")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "every", is_flag=True, help="Delete all conversations.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@global_options
def delete(ids: tuple[str, ...], every: bool, yes: bool) -> int:
    """Delete conversations by id, or all of them."""
    if bool(ids) == every:
        raise UsageError("name the conversations to delete, or --all", hint="`rag history` lists them.")
    store = conversations(settings_now())
    chosen = {c.id: c for c in (store.all() if every else map(store.find, ids))}
    for conversation in chosen.values():
        click.echo("  ".join(_row(conversation)), err=True)
    if chosen and not yes and not _agreed(len(chosen)):
        note("nothing deleted")
        return 1
    deleted = store.delete(list(chosen)) if chosen else 0
    note(f"{deleted} deleted")
    return 0


def _whole(conversation_id: str | None) -> tuple[Conversation, Sequence[Turn]]:
    settings = settings_now()
    store = conversations(settings)
    conversation = store.find(conversation_id)
    with open_library(settings=settings, may_be_empty=True) as library:
        kept = store.restored(conversation.id, library.papers)
    warn(kept.warnings)
    return conversation, kept.turns


def _rows(every: Iterable[Conversation]) -> Iterator[tuple[str, ...]]:
    return map(_row, every)


def _row(conversation: Conversation) -> tuple[str, ...]:
    from rag.outputs.printable import one_line

    used = datetime.fromtimestamp(conversation.latest).strftime("%Y-%m-%d %H:%M")
    return conversation.id, used, str(conversation.turns), one_line(conversation.title, _TITLE)


def _agreed(count: int) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("deleting needs a yes, and nobody is there to give it", hint="Add --yes.")
    return click.confirm(
        f"Delete {'this conversation' if count == 1 else f'these {count} conversations'}?", err=True
    )
