"""`rag config`: nothing comes in, every setting with its value and origin goes out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rag.cli.session import all_settings_now, complain, global_options, json_option, note
from rag.settings import DOTENV, SETTINGS

if TYPE_CHECKING:
    from rag.settings import Settings

EPILOG = "\b\nSettings, in the environment or in .env:\n" + "\n".join(
    f"  {s.env:<20} {s.help}" for s in SETTINGS
)
COLUMNS = ("setting", "value", "from", "set with", "meaning")


@click.command("config", epilog=EPILOG)
@json_option
@global_options
def command(as_json: bool) -> int:
    """Show every setting, its value and where it came from. Secrets are masked.

    Where a setting is wrong, its default is shown, and then what is wrong, with exit code 2.
    """
    settings, problems = all_settings_now()
    _print(settings, as_json)
    for problem in problems:
        complain(problem.message)
    return problems[0].exit_code if problems else 0


def _print(settings: Settings, as_json: bool) -> None:
    files = _files(settings)
    if as_json:
        from rag.outputs.printable import to_json

        rows = [
            {"name": s.name, "env": s.env, "value": value, "origin": origin, "help": s.help}
            for s, value, origin in settings.rows()
        ]
        click.echo(to_json({"settings": rows, "files": files}))
        return
    from rag.outputs.terminal import print_table

    rows_ = [(s.name, value or "–", origin, s.env, s.help) for s, value, origin in settings.rows()]
    print_table(COLUMNS, rows_, sys.stdout)
    for name, path in files.items():
        note(f"{name}: {path}")


def _files(settings: Settings) -> dict[str, str]:
    from rag.resources import prompts, seeds

    dotenv = Path(DOTENV)
    return {
        "library": str(settings.library.absolute()),
        ".env": str(dotenv.absolute()) if dotenv.is_file() else "none in this folder",
        "prompts": str(prompts()),
        "seeds": str(seeds()),
    }
