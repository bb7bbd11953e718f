"""Files of a library are deleted, cut, zeroed, filled with noise or replaced by older ones."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from rag.doctor import examine
from rag.errors import LibraryDamaged
from rag.ledger import LEDGER_FILE
from rag.ledger.backup import back_up
from rag.ledger.recall import Recall
from rag.settings import Settings
from tests.fakes import run_readonly
from tests.faults import state
from tests.faults.work import opened
from tests.test_ingest import abstract

pytestmark = pytest.mark.slow

Damage = Callable[[Path], object]


def noise_inside(path: Path) -> None:
    """Overwrite the middle third of a file."""
    data = path.read_bytes()
    third = len(data) // 3
    path.write_bytes(data[:third] + b"\xa5\x17\x00\xff" * (third // 4) + data[third + third // 4 * 4 :])


DAMAGES: Mapping[str, Damage] = {
    "deleted": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "zeroed": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "noise": lambda path: path.write_bytes(b"\xa5\x17\x00\xff" * (path.stat().st_size // 4 + 1)),
    "noise inside": noise_inside,
}


@pytest.fixture(scope="module")
def old(tmp_path_factory) -> Path:
    """A folder with a library of half the papers, and the files of all."""
    place = tmp_path_factory.mktemp("old")
    files = state.lists(place)
    with opened(place / "lib", write=True) as library:
        library.ingest(files[:2])
    return place


@pytest.fixture(scope="module")
def full(old, tmp_path_factory) -> Path:
    """The same, of all papers."""
    place = tmp_path_factory.mktemp("full") / "all"
    shutil.copytree(old, place)
    with opened(place / "lib", write=True) as library:
        library.ingest(sorted(place.glob("list-*.txt")))
    return place


@pytest.fixture
def library(full, tmp_path) -> Path:
    """A copy of the library, and a backup of it that it knows of."""
    shutil.copytree(full, tmp_path / "copy")
    back_up(tmp_path / "copy" / "lib", tmp_path / "papers.zip")
    return tmp_path / "copy" / "lib"


def index_files(library: Path) -> list[Path]:
    return [
        file
        for file in sorted(library.rglob("*"))
        if file.is_file() and {"vectors", "words"} & {part.partition(".")[0] for part in file.parts}
    ]


@pytest.mark.parametrize("name", DAMAGES)
def test_every_file_of_an_index_may_be_damaged(library, name, tmp_path):
    files = [file.relative_to(library) for file in index_files(library)]
    assert len(files) > 10
    for file in files:
        copy = Path(shutil.copytree(library, tmp_path / "damaged"))
        DAMAGES[name](copy / file)
        state.ask(copy, texts := list(map(abstract, state.ALL)))
        assert state.compare(copy) == texts, file
        shutil.rmtree(copy)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_ledger_is_never_taken_for_a_good_one(library, name, tmp_path):
    DAMAGES[name](library / LEDGER_FILE)
    with pytest.raises(LibraryDamaged) as caught:
        state.ask(library, list(map(abstract, state.ALL)))
    failed = [check for check in examine(Settings(library=library)) if check.severity == "fail"]
    assert failed, "the damage is not seen"
    for said in (caught.value.hint, failed[0].remedy):
        assert "rag restore" in said and "papers.zip" in said


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_cache_of_paid_replies_is_left_alone(library, name):
    with closing(Recall(library)) as cache:
        fill_cache(cache)
        assert read_cache(cache) == KEPT
    DAMAGES[name](library / "recall.sqlite")
    with closing(Recall(library)) as cache:
        for kept in range(2):
            found = read_cache(cache)
            assert all(value in (None, whole) for value, whole in zip(found, KEPT, strict=True)), kept
            fill_cache(cache)
    state.ask(library, list(map(abstract, state.ALL)))


def test_whatever_bytes_of_the_cache_are_changed_nothing_is_raised(tmp_path):
    with closing(Recall(tmp_path)) as cache:
        fill_cache(cache)
    whole = cache.path.read_bytes()
    for seed in range(200):
        chance, data = random.Random(seed), bytearray(whole)
        for _ in range(chance.choice((1, 30, 300))):
            data[chance.randrange(len(data))] = chance.randrange(256)
        for file in tmp_path.glob("recall.sqlite*"):
            file.unlink()
        cache.path.write_bytes(data)
        with closing(Recall(tmp_path)) as damaged:
            read_cache(damaged)
            damaged.keep_reply("key", {"text": "new"})


# More than a page of each, so that every damage meets some of it.
MANY = range(100)
KEPT = [*({"text": f"kept {n}" * 50} for n in MANY), *([float(n)] * 100 for n in MANY)]


def fill_cache(cache: Recall) -> None:
    """Keep replies and vectors."""
    for n in MANY:
        cache.keep_reply(f"key {n}", KEPT[n])
        cache.keep_vectors({f"key {n}": np.full(100, n, dtype=np.float32)})


def read_cache(cache: Recall) -> list[object]:
    """Return what is kept by all keys, None for what is not."""
    replies = [cache.reply(f"key {n}") for n in MANY]
    vectors = [cache.vectors([f"key {n}"]).get(f"key {n}") for n in MANY]
    return [*replies, *(None if vector is None else vector.tolist() for vector in vectors)]


def test_an_older_ledger_is_not_mixed_with_newer_indexes(old, library):
    for path in library.glob(f"{LEDGER_FILE}*"):
        path.unlink()
    shutil.copy(old / "lib" / LEDGER_FILE, library / LEDGER_FILE)
    half = list(map(abstract, range(len(state.ALL) // 2)))
    state.ask(library, half)
    assert state.compare(library) == half
    assert state.ingest_again(library) == len(half)


@pytest.mark.parametrize("name", ["vectors", "words"])
def test_an_older_index_is_brought_up_to_date(old, library, name):
    shutil.rmtree(library / name)
    shutil.copytree(old / "lib" / name, library / name)
    shutil.copy(old / "lib" / f"{name}.json", library / f"{name}.json")
    state.ask(library, texts := list(map(abstract, state.ALL)))
    assert state.compare(library) == texts


def test_a_library_that_may_only_be_read_answers(library):
    code = """
        import sys
        from pathlib import Path
        from tests.faults import state
        from tests.test_ingest import abstract
        state.ask(Path(sys.argv[1]), list(map(abstract, state.ALL)))
        print("answered")
    """
    assert (done := run_readonly(library, code)).stdout == "answered\n", done.stderr
