"""Many askers at the same time: none is turned away, none waits long."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.serving import Served

BENCH = Path(__file__).parent.parent / "bench" / "serve_load.py"
ASKERS = 50
SECONDS = 5.0


def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("serve_load", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["serve_load"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_fifty_askers_are_answered(seed_library_path: Path) -> None:
    with Served(seed_library_path, "--rate", "0") as served:
        tally = bench().load(served.port, ASKERS, SECONDS)
    waits = sorted(tally.waits)
    assert tally.failures == [] and len(waits) >= ASKERS
    # One second is the aim on an idle machine; the tests share theirs.
    assert waits[int(len(waits) * 0.95)] < 10
