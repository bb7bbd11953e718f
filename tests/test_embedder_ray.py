from __future__ import annotations

from importlib.util import find_spec

import pytest

from rag.embedders.ray_data import RayVectors
from rag.errors import EmbedderError
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
