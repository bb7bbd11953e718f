"""A process is killed at any moment: nothing it said it had done is lost, and nothing half done is left."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from rag.ledger import LEDGER_FILE, Ledger
from tests.faults import state
from tests.faults.processes import begin, moments
from tests.faults.work import OTHER, opened
from tests.test_ingest import abstract

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked and killed as on Linux"),
]
# Longest pause before a kill: about what an index takes to be written.
DELAY_S = 0.25


@pytest.fixture(scope="module")
def full(tmp_path_factory) -> Path:
    """A folder with the files and a library of all their papers; to be copied."""
    place = tmp_path_factory.mktemp("full")
    files = state.lists(place)
    with opened(place / "lib", write=True) as library:
        library.ingest(files)
    return place


def copied(full: Path, place: Path) -> Path:
    """Return the library in a copy of the folder."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(full, place)
    return place / "lib"


def test_killed_while_ingesting(tmp_path):
    ran_out = 0
    for number, (tellings, delay) in enumerate(moments("ingest", 12, DELAY_S)):
        place = tmp_path / str(number)
        state.lists(place)
        child = begin("ingest", place / "lib")
        child.kill_after(tellings, delay)
        acknowledged = max((int(str(told)) for told in child.told), default=0)
        ran_out += child.process.exitcode == 0
        if not (place / "lib" / LEDGER_FILE).exists():
            assert acknowledged == 0
            continue
        texts = state.compare(place / "lib")
        assert len(texts) >= acknowledged
        # Papers are stored in the order of the files, in whole batches.
        assert texts == list(map(abstract, range(len(texts))))
        state.ask(place / "lib", texts)
        assert state.ingest_again(place / "lib") == len(state.ALL) - len(texts)
        shutil.rmtree(place)
    assert ran_out <= number // 2, "most processes had ended before they were killed"


def test_killed_while_removing(full, tmp_path):
    for tellings, delay in moments("remove", 8, DELAY_S):
        library = copied(full, tmp_path / "copy")
        child = begin("remove", library)
        child.kill_after(tellings, delay)
        gone = {str(paper_id) for told in child.told for paper_id in told}
        with Ledger.open(library) as ledger:
            held = set(ledger.ids())
        assert not held & gone
        # At most one batch is gone and not told of; the last batch is what is left.
        assert len(state.ALL) - len(held) - len(gone) in (0, min(6, len(state.ALL) - len(gone)))
        texts = state.compare(library)
        state.ask(library, texts)
        assert state.ingest_again(library) == len(state.ALL) - len(texts)


def test_killed_while_embedding_again(full, tmp_path):
    made = []
    for tellings, delay in moments("reembed", 5, 2 * DELAY_S):
        library = copied(full, tmp_path / "copy")
        begin("reembed", library).kill_after(tellings, delay)
        texts = state.compare(library)
        assert texts == list(map(abstract, state.ALL))
        with Ledger.open(library) as ledger:
            name, (_, rows) = ledger.identity.name, ledger.chunk_vectors()
        # All vectors are the old ones, or all are the new ones.
        np.testing.assert_array_equal(rows, state.vectors_of(texts, name))
        state.ask(library, texts, embedder=name)
        made.append(name)
    assert len(made) < 10 or set(made) == {"hash", OTHER}, "all were killed too early, or too late"


def test_killed_while_healing(full, tmp_path):
    damage = (("vectors",), ("words",), ("vectors", "words"))
    for number, (tellings, delay) in enumerate(moments("heal", 1, 2 * DELAY_S)):
        library = copied(full, tmp_path / "copy")
        before = (library / LEDGER_FILE).read_bytes()
        for name in damage[number % len(damage)]:
            shutil.rmtree(library / name)
        begin("heal", library).kill_after(tellings, delay)
        texts = state.compare(library)
        assert texts == list(map(abstract, state.ALL))
        assert (library / LEDGER_FILE).read_bytes() == before
        state.ask(library, texts)
        assert state.ingest_again(library) == 0
