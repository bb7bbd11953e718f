from __future__ import annotations

import ast
from pathlib import Path

import rag
from tests.fakes import run_python


def for_type_checkers() -> dict[str, str]:
    """Return the public names as the TYPE_CHECKING block imports them: name to module."""
    tree = ast.parse(Path(rag.__file__).read_text("utf-8"))
    block = next(n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    imports = [n for n in block.body if isinstance(n, ast.ImportFrom)]
    return {str(alias.asname): str(n.module) for n in imports for alias in n.names}


def test_every_public_name_resolves_where_type_checkers_find_it() -> None:
    assert rag._PUBLIC == for_type_checkers()
    assert sorted(rag.__all__) == sorted(for_type_checkers())
    for name, module in for_type_checkers().items():
        assert getattr(rag, name).__module__ == module, name


def test_what_a_library_returns_can_be_named() -> None:
    assert {"Answer", "Checked", "Hit", "IngestReport", "Paper", "Plan"} <= set(rag.__all__)


def test_importing_the_package_loads_none_of_it() -> None:
    code = "import sys, rag; print([name for name in sys.modules if name.startswith('rag.')])"
    assert run_python(code).stdout == "[]\n"
