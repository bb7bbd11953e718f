from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rag.embedders import EMBEDDERS, open_local
from rag.embedders.pool import SLICE, EmbedderPool
from rag.errors import EmbedderError, UsageError
from rag.ledger import Ledger
from rag.library import Library
from rag.resources import seeds
from rag.settings import Settings
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as on Linux")
TEXTS = [
    f"Paper number {n} is about topic{n} and \ud800 lone surrogates, x² or CO₂." for n in range(3 * SLICE + 1)
]


def children() -> set[int]:
    """Return the ids of the processes that this one has begun and that embed."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"rag.embedders.pool" in (status.parent / "cmdline").read_bytes():
                found.add(int(status.parent.name))
    return found


@pytest.fixture
def pool():
    with EmbedderPool(open_local("wordllama"), 2) as pool:
        yield pool


def test_two_processes_make_the_vectors_that_one_makes(pool):
    alone = open_local("wordllama")
    assert pool.identity == alone.identity
    assert pool.embed_documents([]).shape == (0, alone.identity.dimension)
    np.testing.assert_array_equal(pool.embed_documents(TEXTS), alone.embed_documents(TEXTS))
    np.testing.assert_array_equal(pool.embed_query("x"), alone.embed_query("x"))


def test_a_killed_process_is_begun_again_and_nothing_is_missing(pool):
    pool.embed_documents(TEXTS)
    for pid in children():
        os.kill(pid, signal.SIGKILL)
    rows = pool.embed_documents(TEXTS)
    np.testing.assert_array_equal(rows, open_local("wordllama").embed_documents(TEXTS))


def test_none_stays_behind():
    with EmbedderPool(open_local("wordllama"), 2):
        assert len(children()) == 2
    assert children() == set()


def test_processes_that_cannot_load_the_model_end_with_an_error(monkeypatch):
    embedder = open_local("wordllama")
    monkeypatch.setenv("PYTHONNOUSERSITE", "1")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with EmbedderPool(embedder, 1) as pool, pytest.raises(EmbedderError, match="ended twice"):
        pool.embed_documents(TEXTS)


@pytest.mark.parametrize("workers", [0, 65])
def test_a_number_of_workers_that_makes_no_sense_is_refused(workers):
    with pytest.raises(UsageError):
        EmbedderPool(open_local("wordllama"), workers)


def test_an_embedder_that_is_not_local_is_refused(tmp_path):
    with (
        Library.open(tmp_path / "lib", write=True, embedder=HashEmbedder()) as library,
        pytest.raises(UsageError, match="hash cannot be run in 2 processes"),
    ):
        library.ingest([seeds()], workers=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", EMBEDDERS)
def test_a_library_is_the_same_however_many_embed(tmp_path, name):
    made = []
    for workers in (1, 2):
        settings = Settings(library=tmp_path / str(workers), embedder=name)
        with Library.open(settings.library, settings, write=True) as library:
            assert library.ingest([seeds()], workers=workers).added == 38
        with Ledger.open(settings.library) as ledger:
            made.append((ledger.ids(), ledger.chunk_vectors()[1], ledger.sentence_vectors(ledger.ids())))
    (ids, chunks, sentences), (ids_2, chunks_2, sentences_2) = made
    assert ids == ids_2
    np.testing.assert_array_equal(chunks, chunks_2)
    for paper_id in ids:
        np.testing.assert_array_equal(sentences[paper_id], sentences_2[paper_id])


INTERRUPTED = """
import os, signal, sys
from rag.library import Library
from rag.resources import seeds
from rag.settings import Settings
def stop(progress):
    print(*(int(p) for p in os.listdir("/proc") if p.isdigit() and is_ours(p)), flush=True)
    os.kill(os.getpid(), signal.{signal})
def is_ours(pid):
    try:
        return b"rag.embedders.pool" in open("/proc/" + pid + "/cmdline", "rb").read() and (
            open("/proc/" + pid + "/stat").read().rpartition(")")[2].split()[1] == str(os.getpid()))
    except OSError:
        return False
with Library.open(sys.argv[1], Settings(embedder="wordllama"), write=True) as library:
    library.ingest([seeds()], workers=2, progress=stop)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL"])
def test_an_interrupted_program_leaves_no_process_behind(tmp_path, name):
    code = INTERRUPTED.format(signal=name)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "lib")],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode != 0
    pids = done.stdout.split()
    assert len(pids) == 2
    # A killed program cannot end them: they end by themselves, as their stdin is closed.
    for pid in pids:
        await_end(int(pid))
    with Ledger.open(tmp_path / "lib") as ledger:
        assert ledger.count() > 0


ENDED_AT_WORK = """
import os, signal, threading
from rag.embedders import open_local
from rag.embedders.pool import EmbedderPool
with EmbedderPool(open_local("wordllama"), 2) as pool:
    pool.embed_documents(["x"] * 99)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    print(*(worker._process.pid for worker in pool._workers), flush=True)
    pool.embed_documents(["some words " * 40] * 1_000_000)
"""


@pytest.mark.slow
def test_ctrl_c_while_processes_embed_ends_them_at_once():
    done = subprocess.run(
        [sys.executable, "-c", ENDED_AT_WORK],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert "KeyboardInterrupt" in done.stderr.splitlines()[-1]
    for pid in done.stdout.split():
        await_end(int(pid))
    assert children() == set()


def await_end(pid: int) -> None:
    """Return once a process has ended that is not ours to wait for; fail when it does not."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    ended, _, _ = select.select([process], [], [], 60)
    os.close(process)
    assert ended, f"process {pid} is still there"
