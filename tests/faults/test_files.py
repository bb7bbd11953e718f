"""Files of a library are deleted, cut, zeroed, filled with noise or replaced by older ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from rag.errors import LibraryDamaged, LibraryError
from rag.ledger import LEDGER_FILE, Ledger
from rag.ledger.backup import back_up
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
    with pytest.raises(LibraryError) as caught:
        with Ledger.open(library) as ledger:
            problems = ledger.check()
            assert problems, "the damage is not seen"
        state.ask(library, list(map(abstract, state.ALL)))
        raise LibraryDamaged(problems[0], hint="rag restore papers.zip")
    assert "rag restore" in caught.value.hint
    assert "papers.zip" in caught.value.hint


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_cache_of_paid_replies_is_left_alone(library, name):
    from rag.ledger.recall import Recall

    cache = Recall(library)
    cache.keep_reply("key", {"text": "kept"})
    cache.close()
    DAMAGES[name](library / "recall.sqlite")
    state.ask(library, list(map(abstract, state.ALL)))


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
