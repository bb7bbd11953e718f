"""What every command shares: the global options come in, settings and an open library go out."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from rag.errors import LibraryError, SettingError, UsageError
from rag.settings import DOTENV, SETTINGS, Settings, load_all

if TYPE_CHECKING:
    from rag.ledger.conversations import Conversations
    from rag.library import Library

Function = TypeVar("Function", bound=Callable[..., Any])
_META = "rag."


def _remember(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    # `meta` is shared by the group and its commands: an option counts wherever it stands.
    if value:
        ctx.meta[_META + str(parameter.name)] = value


GLOBAL_OPTIONS = (
    click.option(
        "--library",
        metavar="DIR",
        expose_value=False,
        callback=_remember,
        help="Folder that holds the library (default: .rag).",
    ),
    click.option(
        "--quiet", is_flag=True, expose_value=False, callback=_remember, help="No progress and no remarks."
    ),
    click.option(
        "--debug", is_flag=True, expose_value=False, callback=_remember, help="Show where an error arose."
    ),
)


def global_options(function: Function) -> Function:
    """Add the options that every command takes, before or after its name."""
    for option in reversed(GLOBAL_OPTIONS):
        function = option(function)
    return function


def json_option(function: Function) -> Function:
    """Add `--json`, as parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def setting_option(name: str, help: str, metavar: str) -> Callable[[Function], Function]:
    """Return an option that gives one setting a value for this command."""
    setting = next(s for s in SETTINGS if s.name == name)
    return click.option(
        setting.option, name, metavar=metavar, expose_value=False, callback=_remember, help=help
    )


def give_setting(name: str, value: str) -> None:
    """Let this command run with another value of a setting, as an option would."""
    click.get_current_context().meta[_META + name] = value


def settings_now() -> Settings:
    """Read the settings from flags, the environment and `./.env`; raise SettingError if one is wrong."""
    settings, problems = all_settings_now()
    if problems:
        raise problems[0]
    return settings


def all_settings_now() -> tuple[Settings, tuple[SettingError, ...]]:
    """Read the settings, and return with them what is wrong; show what looks wrong."""
    meta = click.get_current_context().meta
    flags = {s.name: meta[_META + s.name] for s in SETTINGS if meta.get(_META + s.name)}
    settings, problems = load_all(flags, os.environ, Path(DOTENV))
    warn(settings.warnings)
    return settings, problems


def is_quiet() -> bool:
    """Tell whether `--quiet` was given."""
    return bool(click.get_current_context().meta.get(_META + "quiet"))


def open_library(*, settings: Settings | None = None, may_be_empty: bool = False) -> Library:
    """Open the library the settings name, to read; raise LibraryError if it is missing or empty."""
    settings = settings or settings_now()
    from rag.ledger import Ledger
    from rag.library import Library

    ledger = Ledger.open(settings.library)
    if not (may_be_empty or ledger.count()):
        ledger.close()
        raise LibraryError(f"The library in {settings.library} is empty.", hint=_how_to_fill(settings))
    return Library(ledger, settings)


def library_to_fill() -> Library:
    """Open the library the settings name, to write; make it if it is not there yet."""
    settings = settings_now()
    from rag.library import Library

    return Library.to_fill(settings)


def masking(settings: Settings) -> Callable[[str], str]:
    """Return what takes the key of the settings out of a text."""
    from rag.endpoint import address, without_key

    server = address(settings)
    return lambda text: without_key(text, server)


def conversations(settings: Settings) -> Conversations:
    """Return the conversations kept in the library the settings name; raise LibraryError if there is none."""
    from rag.ledger.conversations import Conversations

    if not settings.library.is_dir():
        raise LibraryError(
            f"There is no library in {settings.library}.", hint="Make one with `rag ingest PATH`."
        )
    return Conversations(settings.library, masking(settings))


def _how_to_fill(settings: Settings) -> str:
    is_default = settings.origins.get("library", "default") == "default"
    place = "" if is_default else f" --library {shlex.quote(str(settings.library))}"
    return f"Read papers into it with: rag{place} ingest PATH"


def warn(warnings: Iterable[str]) -> None:
    """Print each warning on stderr, unless `--quiet`."""
    from rag.outputs.printable import one_line

    if not is_quiet():
        for warning in warnings:
            click.echo(f"warning: {one_line(warning)}", err=True)


def complain(message: str, hint: str = "") -> None:
    """Print what went wrong on stderr, and under it what to do."""
    from rag.outputs.printable import clean

    click.echo(f"error: {clean(message)}", err=True)
    if hint:
        click.echo(clean(hint), err=True)


def note(text: str) -> None:
    """Print a remark on stderr, unless `--quiet`."""
    from rag.outputs.printable import clean

    if not is_quiet():
        click.echo(clean(text), err=True)


def question_from(words: Sequence[str]) -> str:
    """Return the question: the words joined, or what is piped in when there are none or only `-`."""
    if tuple(words) not in ((), ("-",)):
        question = " ".join(words)
    elif words or not sys.stdin.isatty():
        question = _piped(sys.stdin)
    else:
        question = ""
    if not question.strip():
        raise UsageError("there is no question", hint='Type it after the command: rag ask "Which papers …?"')
    return question.strip()


def _piped(stream: IO[str]) -> str:
    try:
        return stream.read()
    except UnicodeDecodeError as error:
        raise UsageError("the question piped in is not text in UTF-8") from error
