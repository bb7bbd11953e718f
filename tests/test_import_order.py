from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "rag"
# What is imported from this repository itself.
OWN = {"rag", "tests", "bench"}
# The flow, in order: a module imports only what stands above it (and the other files of its own folder).
ORDER = (
    "errors",
    "closing",
    "citing",
    "counting",
    "domain",
    "settings",
    "resources",
    "text",
    "sources",
    "fetch",
    "papers",
    "tokens",
    "chunks",
    "endpoint",
    "embedders",
    "ledger",
    "indexes",
    "preparing",
    "twins",
    "intake",
    "ingest",
    "watching",
    "question",
    "retrieve",
    "evidence",
    "themes",
    "prompting",
    "generate",
    "verify",
    "jobs",
    "library",
    "langchain",
    "doctor",
    "evaluate",
    "outputs",
    "serving",
    "cli",
)
RANK = {name: rank for rank, name in enumerate(ORDER)}
# These only hand on names from above: the package's front door, and `python -m rag`.
FRONT = ("__init__", "__main__")


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_parts(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Name each part of the package that is imported anywhere in a file, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            names = [node.module] if node.module != "rag" else [f"rag.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            head, _, rest = (name or "").partition(".")
            if head == "rag":
                yield rest.partition(".")[0], node.lineno


FILES = sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def test_every_module_has_its_place_in_the_order() -> None:
    assert {part_of(path) for path in FILES} - set(FRONT) <= set(ORDER)


def test_every_place_in_the_order_has_a_module() -> None:
    assert set(ORDER) <= {part_of(path) for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_above(path: Path) -> None:
    part = part_of(path)
    if part in FRONT:
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    below = [(name, line) for name, line in imported_parts(tree) if RANK[name] > RANK[part]]
    assert not below


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = project["dependencies"] + [
        r for extra in project["optional-dependencies"].values() for r in extra
    ]
    declared = {spelled(re.split(r"[^\w.-]", requirement)[0]) for requirement in listed}
    providers = packages_distributions()
    undeclared = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in (*FILES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py"))
        for name in imported_packages(ast.parse(path.read_text("utf-8")))
        if not declared & {spelled(provider) for provider in providers.get(name, [name])}
    }
    assert not undeclared


def imported_packages(tree: ast.AST) -> set[str]:
    names = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    names += [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    return {name.partition(".")[0] for name in names} - OWN - sys.stdlib_module_names


def spelled(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def test_the_check_sees_imports_inside_functions() -> None:
    tree = ast.parse(
        "def f():\n    from rag.cli.ask import command\n    import rag.jobs\n    from rag import library\n"
    )
    assert [name for name, _ in imported_parts(tree)] == ["cli", "jobs", "library"]
