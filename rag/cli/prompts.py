"""`rag prompts`: the name of a prompt comes in, its file or its contents go out."""

from __future__ import annotations

import sys

import click

from rag.cli.session import global_options, json_option, setting_option, settings_now

COLUMNS = ("prompt", "variables", "what it does", "file")

prompts_dir_option = setting_option("prompts_dir", "Folder with prompt files of your own.", "DIR")


@click.group("prompts")
@global_options
def command() -> None:
    """List and show what chat models are told.

    To change a prompt, put a file of the same name into a folder of your own and name the folder with
    --prompts-dir or RAG_PROMPTS_DIR.
    """


@command.command("list")
@json_option
@prompts_dir_option
@global_options
def list_prompts(as_json: bool) -> None:
    """List the prompts, and check that each of them fits."""
    from rag.prompting import PromptShelf

    found = PromptShelf(settings_now().prompts_dir).all()
    if as_json:
        from rag.outputs.printable import to_json

        rows = [
            {"name": p.name, "variables": sorted(p.variables), "about": p.about, "file": str(p.path)}
            for p in found
        ]
        click.echo(to_json(rows))
        return
    from rag.outputs.terminal import print_table

    table = [(p.name, ", ".join(sorted(p.variables)), p.about, str(p.path)) for p in found]
    print_table(COLUMNS, table, sys.stdout)


@command.command("show")
@click.argument("name")
@prompts_dir_option
@global_options
def show(name: str) -> None:
    """Print the file of one prompt: a start for one of your own."""
    from rag.prompting import PromptShelf

    prompt = PromptShelf(settings_now().prompts_dir).prompt(name)
    click.echo(prompt.path.read_text(encoding="utf-8-sig"), nl=False)
