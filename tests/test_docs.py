from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from rag.cli.program import group
from rag.settings import SETTINGS

ROOT = Path(__file__).parent.parent


def commands(command: click.Group = group, path: str = "rag") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(command)
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None
        yield f"{path} {name}", child
        if isinstance(child, click.Group):
            yield from commands(child, f"{path} {name}")


@pytest.fixture
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_is_what_the_code_says(maker: ModuleType) -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert page == maker.reference(), "docs/reference.md is stale; run: make docs"


def test_reference_names_every_command_option_and_setting() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    for path, command in commands():
        section = page.split(f"### `{path}`\n")[1].split("\n### ")[0]
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert all(option in section for option in parameter.opts), (path, parameter.opts)
    for setting in SETTINGS:
        assert f"`{setting.env}`" in page


def test_readme_names_every_command_and_setting() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [path for path, _ in commands() if path.count(" ") == 1 and path not in page]
    missing += [setting.env for setting in SETTINGS if setting.env not in page]
    assert not missing


def test_every_command_and_option_says_what_it_does() -> None:
    for path, command in commands():
        assert command.help, path
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.help, (path, parameter.name)
