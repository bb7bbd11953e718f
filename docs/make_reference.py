"""Write docs/reference.md from the code: every command's `--help`, and every setting.

Run it with `make docs`. A test fails when the file is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from rag.cli.program import group
from rag.settings import SETTINGS

REFERENCE = Path(__file__).with_name("reference.md")
WIDTH = 100
HEAD = """# Reference

This page is made from the code by `make docs`. Answers go to stdout, everything else to stderr.

Exit codes: 0 answered or done · 1 failure · 2 wrong usage or setting · 3 the papers do not answer this ·
4 a budget would be exceeded · 130 interrupted.
"""


def reference() -> str:
    """Return the whole page."""
    return (
        "\n".join([HEAD, "## Commands\n", *_commands(group, None, "rag"), "## Settings\n", *_settings()])
        + "\n"
    )


def _commands(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    shape = {"max_content_width": WIDTH, "terminal_width": WIDTH, "color": False}
    context = click.Context(command, parent, name, **{**command.context_settings, **shape})
    path = context.command_path
    yield f"### `{path}`\n\n```\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from _commands(found, context, child)


def _settings() -> Iterator[str]:
    yield "A flag wins over the environment, the environment over a `.env` file in the current folder."
    yield "An empty value counts as not given. `rag config` shows what is in force, and from where.\n"
    yield "| setting | variable | default | meaning |"
    yield "|---|---|---|---|"
    for setting in SETTINGS:
        default = f"`{setting.shown_default}`" if setting.shown_default else "–"
        yield f"| {setting.name} | `{setting.env}` | {default} | {setting.help} |"


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
