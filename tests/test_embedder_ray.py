from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from rag.embedders.ray_data import RayVectors
from rag.errors import EmbedderError, UsageError
from tests.fakes import run_python

without_ray = pytest.mark.skipif(
    find_spec("ray") is None or find_spec("wordllama") is None,
    reason="Ray or wordllama is not installed here",
)

CLUSTER = """
import os, signal, sys, threading, time
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
from ray.cluster_utils import Cluster
from rag.embedders import open_embedder
from rag.embedders.ray_data import RayVectors
import numpy as np

def worker_pids():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read()
            with open(f"/proc/{pid}/stat") as file:
                parents = file.read()
        except OSError:
            continue
        if line.startswith(b"ray::") and b"MapWorker" in line:
            found.append(int(pid))
    return found

def kill_one(stop):
    while not stop.is_set():
        for pid in worker_pids():
            os.kill(pid, signal.SIGKILL)
            print("killed")
            return
        stop.wait(0.01)

memory = 200 * 1024 * 1024
node = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": memory}
cluster = Cluster(initialize_head=True, head_node_args=node)
cluster.add_node(num_cpus=1, object_store_memory=memory)
texts = [f"Paper {n} is about topic {n % 97} and thing {n % 13}." for n in range(3000)]
stop = threading.Event()
killer = threading.Thread(target=kill_one, args=(stop,))
try:
    with RayVectors("wordllama", cluster.address) as spread:
        killer.start()
        vectors = spread.embed_documents(texts)
        assert spread.identity == open_embedder("wordllama").identity
finally:
    stop.set()
    cluster.shutdown()
assert np.array_equal(vectors, open_embedder("wordllama").embed_documents(texts))
print("same", vectors.shape)
"""


@without_ray
@pytest.mark.slow
def test_a_cluster_gives_the_same_vectors_though_a_worker_is_killed() -> None:
    done = run_python(CLUSTER, timeout_s=240)
    assert "killed" in done.stdout and "same (3000, 256)" in done.stdout, done.stdout + done.stderr[-3000:]


LIBRARIES = """
import sys
from pathlib import Path
import numpy as np
from rag.library import Library
from rag.settings import Settings

place = Path(sys.argv[1])
said = "System{0} solves topic {1} with {0} parts. It was tried on data set {2} with success."
lines = [said.format(n, n % 31, n % 17) for n in range(300)]
(place / "list.txt").write_text("A list\\n\\n" + "\\n\\n".join(lines), "utf-8")
found = []
for name, cluster in (("here", None), ("spread", "")):
    settings = Settings(library=place / name, embedder="wordllama")
    with Library.open(place / name, settings, write=True) as library:
        print(library.ingest([place / "list.txt"], cluster=cluster).added)
        found.append(library._ledger.chunk_vectors())
assert found[0][0] == found[1][0] and np.array_equal(found[0][1], found[1][1])
print("same")
"""


@without_ray
@pytest.mark.slow
def test_a_library_is_the_same_as_one_that_was_made_here(tmp_path: Path) -> None:
    done = run_python(LIBRARIES, str(tmp_path), timeout_s=240)
    assert done.stdout.split() == ["300", "300", "same"], done.stdout + done.stderr[-3000:]


def test_a_server_of_embeddings_is_not_for_a_cluster() -> None:
    with pytest.raises(UsageError, match="cannot be run on a cluster"):
        RayVectors("openai:text-embedding-3-small")


@without_ray
@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_told() -> None:
    with pytest.raises(EmbedderError, match="cannot be reached"):
        RayVectors("wordllama", "127.0.0.1:1")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed here")
def test_the_extra_is_named_where_it_is_missing() -> None:
    with pytest.raises(EmbedderError, match="not installed") as error:
        RayVectors("minilm")
    assert "askpapers[ray]" in error.value.hint
