"""The `rag` program: command line arguments come in, an exit code goes out.

Commands are loaded from a table when they are used, so that `rag --help` starts at once.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from rag.cli import interrupts
from rag.cli.session import complain, global_options
from rag.errors import RagError, UsageError

COMMANDS: Mapping[str, str] = {
    "ingest": "rag.cli.ingest",
    "ask": "rag.cli.ask",
    "compare": "rag.cli.compare",
    "summarize": "rag.cli.summarize",
    "chat": "rag.cli.chat",
    "history": "rag.cli.history",
    "check": "rag.cli.check",
    "search": "rag.cli.search",
    "papers": "rag.cli.papers",
    "topics": "rag.cli.topics",
    "serve": "rag.cli.serve",
    "mcp": "rag.cli.mcp",
    "eval": "rag.cli.evaluation",
    "doctor": "rag.cli.doctor",
    "backup": "rag.cli.backup",
    "restore": "rag.cli.restore",
    "prompts": "rag.cli.prompts",
    "config": "rag.cli.config",
}
INTERRUPTED = 130
FAILED = 1
# What a place that is full answers to a write.
_UNNAMEABLE = frozenset({errno.ENAMETOOLONG, errno.ELOOP})
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Commands(click.Group):
    """The commands of the table, each imported only when it is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the command names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command; None for a name not in the table."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command named first; an unknown name fails with the nearest known one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from rag.settings import closest

            ctx.fail(f"there is no command {args[0]!r}.{closest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"rag {version('askpapers')}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version.",
)
@global_options
def group() -> None:
    """Ask a pile of paper abstracts, and see the sentence behind every sentence of the answer.

    \b
    Start with:   rag ingest seeds/
                  rag ask "How much faster than FOA is EVA-0?"
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 to 4, or 130 when interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _mend_streams()
    if sys.stdout is None:
        complain("the output cannot be written: stdout is closed")
        return FAILED
    _accept_any_character()
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader (head, less) has gone.
        _give_up_stdout()
        return FAILED
    except OSError as error:
        _give_up_stdout()
        return _report_unwritable(error)


def _run(arguments: list[str]) -> int:
    try:
        with interrupts.kept():
            code = group.main(args=arguments, prog_name="rag", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return _report_usage(error)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        return _report_failure(error, arguments)


def _report_failure(error: Exception, arguments: Sequence[str]) -> int:
    if interrupts.hides(error):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    if isinstance(error, RagError):
        return _report(error, arguments)
    if isinstance(error, OSError) and error.errno in _UNWRITABLE:
        raise error
    if isinstance(error, OSError) and error.errno in _UNNAMEABLE:
        complain(f"no file or folder can have this name: {error.filename} ({error.strerror})")
        return UsageError.exit_code
    return _report_bug(error, arguments)


def _report(error: RagError, arguments: Sequence[str]) -> int:
    if "--debug" in arguments:
        _traceback()
    complain(error.message, error.hint)
    return error.exit_code


def _report_usage(error: click.ClickException) -> int:
    """Say what click found wrong as every other error is said."""
    message = error.format_message()
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"See: {context.command_path} --help" if context else ""
    complain(message[:1].lower() + message[1:], hint)
    return error.exit_code


def _report_bug(error: Exception, arguments: Sequence[str]) -> int:
    from rag.outputs.printable import one_line

    if "--debug" in arguments:
        _traceback()
    again = "" if "--debug" in arguments else "; run again with --debug to see where"
    click.echo(f"error: this is a bug: {type(error).__name__}: {one_line(str(error), 300)}{again}", err=True)
    return FAILED


def _report_unwritable(error: OSError) -> int:
    where = f" to {error.filename}" if error.filename else ""
    complain(f"the output cannot be written{where}: {error.strerror or error}")
    return FAILED


def _traceback() -> None:
    import traceback

    traceback.print_exc()


def _accept_any_character() -> None:
    """Let output go on where the terminal's encoding lacks a character."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


class _NoInput(io.TextIOBase):
    """Stands for a stdin that was closed before the program began."""

    def read(self, size: int | None = -1, /) -> str:
        raise UsageError("there is nothing to read: stdin is closed")


class _Remarks(io.FileIO):
    """Stderr as a place for remarks: where none can be written, the answer still counts."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _mend_streams() -> None:
    """Put something in place of streams that are closed, and keep a full stderr from ending the program."""
    if sys.stdin is None:
        sys.stdin = _NoInput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    elif sys.stderr is sys.__stderr__ and isinstance(sys.stderr, io.TextIOWrapper):
        raw = _Remarks(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=sys.stderr.encoding, errors="replace", line_buffering=True
        )


def _give_up_stdout() -> None:
    """Lead stdout nowhere: the interpreter must not try to write to it at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
