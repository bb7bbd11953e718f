"""What every VectorIndex promises, run on each implementation."""

from __future__ import annotations

import secrets
from contextlib import closing

import numpy as np
import pytest

from rag.errors import IndexFault
from rag.indexes.chroma import ChromaVectors, open_embedded
from rag.indexes.chroma_server import ServerCollection
from rag.indexes.exact import ExactVectors
from rag.ledger import Ledger
from tests.fakes import HashEmbedder, fill


def _chroma(request):
    return open_embedded(request.getfixturevalue("tmp_path") / "vectors")


def _server(request):
    return ServerCollection(request.getfixturevalue("chroma_url"), secrets.token_hex(8)).open_to_write()


def _exact(request):
    return ExactVectors()


IMPLEMENTATIONS = {"chroma": _chroma, "server": _server, "exact": _exact}
SLOW = {"server": pytest.mark.slow}


@pytest.fixture(params=[pytest.param(name, marks=SLOW.get(name, ())) for name in IMPLEMENTATIONS])
def index(request):
    index = IMPLEMENTATIONS[request.param](request)
    yield index
    index.close()


def unit(*values: float) -> np.ndarray:
    row = np.array(values, dtype=np.float32)
    return row / np.linalg.norm(row)


def put(index, ids, rows) -> None:
    index.upsert(ids, np.stack(rows), [{"paper": i.split(":")[0], "ordinal": 0} for i in ids])


def test_the_nearest_come_first_with_their_cosine(index):
    put(index, ["a:0", "b:0", "c:0"], [unit(1, 0, 0), unit(1, 1, 0), unit(0, 0, 1)])
    found = index.query(unit(1, 0.1, 0), 2)
    assert [i for i, _ in found] == ["a:0", "b:0"]
    assert found[0][1] == pytest.approx(float(unit(1, 0.1, 0) @ unit(1, 0, 0)), abs=1e-5)


@pytest.mark.parametrize("k", [1, 3, 7, 2000])
def test_exact_search_gives_the_earlier_first_among_equals(k):
    with closing(ExactVectors()) as index:
        ids = [f"{n:04}:0" for n in range(2000)]
        put(index, ids, [unit(1, 0)] * 2000)
        assert [i for i, _ in index.query(unit(1, 0), k)] == ids[:k]
        put(index, ["best:0", "low:0"], [unit(1, 1), unit(0, 1)])
        assert [i for i, _ in index.query(unit(1, 1), k)] == ["best:0", *ids][:k]


def test_an_empty_index_finds_nothing(index):
    assert index.query(unit(1, 0, 0), 5) == []
    assert index.count() == 0
    assert index.ids() == set()


def test_asking_for_more_than_there_is_gives_all(index):
    put(index, ["a:0", "b:0"], [unit(1, 0, 0), unit(0, 1, 0)])
    assert {i for i, _ in index.query(unit(1, 0, 0), 100)} == {"a:0", "b:0"}
    assert index.query(unit(1, 0, 0), 0) == []


def test_upserting_again_replaces_and_never_doubles(index):
    put(index, ["a:0", "b:0"], [unit(1, 0, 0), unit(0, 1, 0)])
    put(index, ["a:0"], [unit(0, 0, 1)])
    assert index.count() == 2
    assert index.query(unit(0, 0, 1), 1)[0][0] == "a:0"
    assert index.query(unit(1, 0, 0), 1)[0][1] == pytest.approx(0, abs=1e-5)


def test_removed_chunks_are_not_found(index):
    put(index, ["a:0", "b:0"], [unit(1, 0, 0), unit(0, 1, 0)])
    index.remove(["a:0", "never:0"])
    assert index.ids() == {"b:0"}
    assert [i for i, _ in index.query(unit(1, 0, 0), 5)] == ["b:0"]


def test_more_chunks_at_once_than_an_engine_takes(index):
    count = 6000
    rows = np.random.default_rng(1).standard_normal((count, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    put(index, [f"p{n}:0" for n in range(count)], list(rows))
    assert index.count() == count
    assert index.query(rows[4321], 1)[0][0] == "p4321:0"


def test_chroma_keeps_what_it_holds_when_closed(tmp_path):
    first = open_embedded(tmp_path)
    put(first, ["a:0"], [unit(1, 0, 0)])
    first.close()
    second = open_embedded(tmp_path)
    assert second.query(unit(1, 0, 0), 1)[0][0] == "a:0"
    second.close()


def test_two_clients_in_one_process_do_not_share_an_engine(tmp_path):
    first, second = open_embedded(tmp_path), open_embedded(tmp_path)
    put(first, ["a:0"], [unit(1, 0, 0)])
    first.close()
    assert second.count() == 1
    second.close()


def test_chroma_faults_are_index_faults(tmp_path):
    (tmp_path / "chroma.sqlite3").write_bytes(b"noise" * 1000)
    with pytest.raises(IndexFault):
        open_embedded(tmp_path)


def test_a_wrong_dimension_is_an_index_fault(tmp_path):
    index = open_embedded(tmp_path)
    put(index, ["a:0"], [unit(1, 0, 0)])
    with pytest.raises(IndexFault):
        index.query(unit(1, 0), 1)
    index.close()


def test_chroma_knows_which_state_it_was_sealed_with(tmp_path):
    index = open_embedded(tmp_path)
    assert isinstance(index, ChromaVectors)
    index.seal("one")
    index.close()
    index = open_embedded(tmp_path)
    index.verify("one")
    with pytest.raises(IndexFault):
        index.verify("two")
    index.close()


def test_exact_search_can_be_held_to_given_papers(tmp_path):
    index = ExactVectors()
    put(index, ["a:0", "a:1", "b:0"], [unit(1, 0, 0), unit(0, 1, 0), unit(1, 1, 0)])
    assert [i for i, _ in index.query(unit(1, 0, 0), 5, papers={"a"})] == ["a:0", "a:1"]
    assert index.query(unit(1, 0, 0), 5, papers=()) == []
    assert index.query(unit(1, 0, 0), 5, papers=["unknown"]) == []


def test_exact_search_follows_the_ledger(tmp_path):
    embedder = HashEmbedder()
    with Ledger.open(tmp_path, "write") as ledger:
        ids = fill(ledger, range(5), embedder)
        index = ExactVectors(ledger)
        assert index.count() == 5
        ids += fill(ledger, range(5, 8), embedder)
        ledger.remove([ids[0]])
        assert index.ids() == {f"{i}:0" for i in ids[1:]}
        assert index.query(embedder.embed_query("System6 topic6"), 1)[0][0] == f"{ids[6]}:0"
