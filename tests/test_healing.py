from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from rag.errors import EmbedderMismatch
from rag.indexes.healing import open_indexes
from rag.ledger import Ledger, WriterLock
from rag.text.words import terms
from tests.fakes import HashEmbedder, fill, prepared, run_python, run_readonly

EMBEDDER = HashEmbedder()
COUNT = 12


@pytest.fixture
def library(tmp_path) -> Path:
    """A closed, healthy library of twelve papers."""
    folder = tmp_path / "lib"
    with Ledger.open(folder, "write") as ledger:
        indexes = open_indexes(ledger)
        fill(ledger, range(COUNT), EMBEDDER)
        indexes.update()
        assert indexes.warnings == []
        indexes.close()
    return folder


def check(folder: Path, mode="read", numbers=range(COUNT)) -> list[str]:
    """Open the library, compare ledger and indexes one to one, query each paper; return the warnings."""
    with Ledger.open(folder, mode) as ledger:
        indexes = open_indexes(ledger)
        ids = ledger.ids()
        assert len(ids) == len(numbers)
        assert indexes.vectors.ids() == {f"{i}:0" for i in ids}
        assert indexes.words.ids() == set(ids)
        for number, paper_id in zip(numbers, ids, strict=True):
            question = f"system{number} topic{number} data{number}"
            assert indexes.vectors.query(EMBEDDER.embed_query(question), 3)[0][0] == f"{paper_id}:0"
            assert indexes.words.query(terms(question), 3)[0][0] == paper_id
        indexes.close()
        return indexes.warnings


def test_a_healthy_library_opens_without_a_word(library):
    assert check(library) == []
    assert check(library, "write") == []


def test_opening_a_healthy_library_does_not_load_chroma(library):
    code = """
        import sys
        from rag.ledger import Ledger
        from rag.indexes.healing import open_indexes
        with Ledger.open(sys.argv[1]) as ledger:
            indexes = open_indexes(ledger)
            print(indexes.warnings, indexes.problems(), "chromadb" in sys.modules)
    """
    assert run_python(code, str(library)).stdout == "[] [] False\n"


def _delete(path: Path) -> None:
    shutil.rmtree(path)


def _zero(path: Path) -> None:
    for file in path.rglob("*"):
        if file.is_file():
            file.write_bytes(b"\x00" * file.stat().st_size)


def _truncate(path: Path) -> None:
    for file in path.rglob("*"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _noise(path: Path) -> None:
    for file in path.rglob("*"):
        if file.is_file():
            file.write_bytes(b"\xa5\x17\x00\xff" * (file.stat().st_size // 4 + 1))


def _empty(path: Path) -> None:
    for file in path.rglob("*"):
        if file.is_file():
            file.write_bytes(b"")


def _into_a_file(path: Path) -> None:
    shutil.rmtree(path)
    path.write_text("not a folder")


@pytest.mark.parametrize("name", ["vectors", "words"])
@pytest.mark.parametrize("damage", [_delete, _zero, _truncate, _noise, _empty, _into_a_file])
def test_damaged_files_are_noticed_and_made_again(library, name, damage):
    damage(library / name)
    (warning,) = check(library)
    assert warning.startswith(f"The {name.removesuffix('s')} index was made again")
    assert check(library) == []


def _delete_files(path: Path) -> None:
    for file in [file for file in path.rglob("*") if file.is_file()]:
        file.unlink()


@pytest.mark.parametrize(
    ("damage", "name", "reason"),
    [
        (_delete, "vectors", "its folder is missing"),
        (_delete_files, "vectors", "its file chroma.sqlite3 is missing"),
        (_delete_files, "words", r"its file \S+ is missing"),
    ],
)
def test_what_is_missing_is_said_once(library, damage, name, reason):
    damage(library / name)
    (warning,) = check(library)
    index = f"{name.removesuffix('s')} index"
    assert re.fullmatch(f"The {index} was made again from the ledger: {reason}.", warning)


def test_another_copy_of_the_vectors_is_told_as_such(library, tmp_path):
    other = tmp_path / "other"
    with Ledger.open(other, "write") as ledger:
        fill(ledger, range(COUNT), EMBEDDER)
        open_indexes(ledger).close()
    shutil.copy(other / "vectors" / "chroma.sqlite3", library / "vectors" / "chroma.sqlite3")
    (warning,) = check(library)
    assert warning == (
        "The vector index was made again from the ledger: it is another copy than it should be."
    )


@pytest.mark.parametrize("name", ["vectors", "words"])
@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"generation": 1}', "\x00\x00"])
def test_a_missing_or_unreadable_watermark_heals(library, name, content):
    path = library / f"{name}.json"
    path.unlink() if content is None else path.write_text(content)
    (warning,) = check(library)
    assert "watermark" in warning
    assert check(library) == []


@pytest.mark.parametrize("name", ["vectors", "words"])
def test_an_interrupted_write_is_never_trusted(library, name):
    (library / f"{name}.dirty").touch()
    (warning,) = check(library)
    assert "interrupted" in warning
    assert not (library / f"{name}.dirty").exists()
    assert check(library) == []


@pytest.mark.parametrize("mode", ["read", "write"])
def test_indexes_behind_the_ledger_catch_up(library, mode):
    with Ledger.open(library, "write") as ledger:
        fill(ledger, range(COUNT, COUNT + 3), EMBEDDER)
    warnings = check(library, mode, range(COUNT + 3))
    assert warnings == [
        "The vector index was behind the library by 3 papers; brought up to date.",
        "The word index was behind the library by 3 papers; brought up to date.",
    ]
    assert check(library, mode, range(COUNT + 3)) == []


def test_removed_papers_are_no_longer_found(library):
    with Ledger.open(library, "write") as ledger:
        ledger.remove(ledger.ids()[:2])
    warnings = check(library, numbers=range(2, COUNT))
    assert all("by 2 papers" in warning for warning in warnings)
    assert len(warnings) == 2


def test_a_paper_removed_and_stored_again_is_found_once(library):
    with Ledger.open(library, "write") as ledger:
        ledger.remove(ledger.ids()[:1])
        fill(ledger, [0], EMBEDDER)
    check(library, numbers=[*range(1, COUNT), 0])


def test_an_emptied_library_opens_and_finds_nothing(library):
    with Ledger.open(library, "write") as ledger:
        ledger.remove(ledger.ids())
    check(library, numbers=[])
    check(library, numbers=[])


def test_an_older_copy_of_an_index_is_brought_up_to_date(library, tmp_path):
    for name in ("vectors", "words"):
        shutil.copytree(library / name, tmp_path / name)
        shutil.copy(library / f"{name}.json", tmp_path / f"{name}.json")
    with Ledger.open(library, "write") as ledger:
        fill(ledger, range(COUNT, COUNT + 2), EMBEDDER)
        indexes = open_indexes(ledger)
        indexes.close()
    for name in ("vectors", "words"):
        shutil.rmtree(library / name)
        shutil.copytree(tmp_path / name, library / name)
    assert len(check(library, numbers=range(COUNT + 2))) == 2


def test_an_older_copy_of_the_ledger_is_not_mixed_with_newer_indexes(library, tmp_path):
    shutil.copy(library / "ledger.sqlite", tmp_path / "backup")
    with Ledger.open(library, "write") as ledger:
        indexes = open_indexes(ledger)
        fill(ledger, range(100, 103), EMBEDDER)
        indexes.update()
        indexes.close()
    for path in library.glob("ledger.sqlite*"):
        path.unlink()
    shutil.copy(tmp_path / "backup", library / "ledger.sqlite")
    with Ledger.open(library, "write") as ledger:
        fill(ledger, [200], EMBEDDER)
    warnings = check(library, numbers=[*range(COUNT), 200])
    assert [w for w in warnings if "another copy of the library" in w] == warnings
    assert len(warnings) == 2


def test_a_copied_library_needs_no_healing(library, tmp_path):
    shutil.copytree(library, tmp_path / "copy", copy_function=shutil.copyfile)
    assert check(tmp_path / "copy") == []


def test_new_vectors_replace_the_old_in_the_index(library):
    other = HashEmbedder(dimension=48, name="other")
    with Ledger.open(library, "write") as ledger:
        items = [prepared(n, other) for n in range(COUNT)]
        ledger.replace_vectors(
            other.identity, [(i.paper.id, i.chunk_vectors, i.sentence_vectors) for i in items]
        )
        indexes = open_indexes(ledger)
        found = indexes.vectors.query(other.embed_query("system3 topic3 data3"), 1)
        assert found[0][0] == items[3].chunks[0].id
        with pytest.raises(EmbedderMismatch):
            indexes.vectors.query(EMBEDDER.embed_query("topic3"), 1)
        indexes.close()


def test_an_open_reader_sees_every_later_ingest(library):
    with Ledger.open(library) as reading:
        reader = open_indexes(reading)
        assert reader.vectors.count() == reader.words.count() == COUNT
        for number in range(100, 103):
            with Ledger.open(library, "write") as ledger:
                writer = open_indexes(ledger)
                (paper_id,) = fill(ledger, [number], EMBEDDER)
                writer.update()
                writer.close()
            question = f"system{number} topic{number}"
            assert reader.vectors.query(EMBEDDER.embed_query(question), 1)[0][0] == f"{paper_id}:0"
            assert reader.words.query(terms(question), 1)[0][0] == paper_id
        reader.close()
        assert reader.warnings == []


def test_while_another_writes_the_ledger_is_searched_instead(library):
    with Ledger.open(library) as reading:
        (library / "vectors.dirty").touch()
        with Ledger.open(library, "write") as ledger:
            (paper_id,) = fill(ledger, [50], EMBEDDER)
            ledger.remove(ledger.ids()[:1])
            reader = open_indexes(reading)
            question = "system50 topic50 data50"
            assert reader.vectors.query(EMBEDDER.embed_query(question), 1)[0][0] == f"{paper_id}:0"
            # The word index is a little behind, but names no paper that was removed.
            assert reader.words.query(terms("topic0"), 3) == []
            assert any("another process" in warning.lower() for warning in reader.warnings)
        assert reader.words.query(terms("topic1"), 1)
        reader.close()
    check(library, numbers=[*range(1, COUNT), 50])


def test_a_held_lock_is_waited_out(library):
    for name in ("vectors", "words"):
        shutil.rmtree(library / name)
    with Ledger.open(library) as ledger:
        with WriterLock(library):
            indexes = open_indexes(ledger)
            assert indexes.words.query(terms("topic5"), 1)[0][0] == ledger.ids()[5]
            assert len(indexes.vectors.ids()) == COUNT
            assert not (library / "vectors").exists()
        indexes.close()
    assert len(check(library)) == 2


def test_an_index_that_fails_under_a_query_is_made_again(library):
    with Ledger.open(library) as ledger:
        indexes = open_indexes(ledger)
        assert indexes.vectors.count() == COUNT
        _delete(library / "vectors")
        _delete(library / "words")
        (library / "vectors.dirty").touch()
        indexes.guards[0].close()
        indexes.guards[1].close()
        assert indexes.vectors.count() == COUNT
        assert indexes.words.count() == COUNT
        assert len(indexes.warnings) == 2
        indexes.close()


def test_asking_works_in_a_read_only_folder(library):
    code = """
        import sys
        from rag.indexes.healing import open_indexes
        from rag.ledger import Ledger
        from rag.text.words import terms
        from tests.fakes import HashEmbedder
        with Ledger.open(sys.argv[1]) as ledger:
            indexes = open_indexes(ledger)
            print(indexes.vectors.query(HashEmbedder().embed_query("topic5 data5"), 1)[0][0])
            print(indexes.words.query(terms("topic5"), 1)[0][0])
            print(len(indexes.warnings) > 0, "read-only" in indexes.warnings[0])
            print(str(ledger.folder) in " ".join(indexes.warnings))
    """
    result = run_readonly(library, code)
    assert result.stdout == f"{5:020x}:0\n{5:020x}\nTrue True\nFalse\n", result.stderr


def test_rebuilding_makes_both_indexes_again(library):
    with Ledger.open(library) as ledger:
        indexes = open_indexes(ledger)
        indexes.rebuild()
        assert indexes.problems() == []
        indexes.close()
    assert check(library) == []


def test_a_killed_healing_heals_at_the_next_opening(library):
    shutil.rmtree(library / "words")
    code = """
        import os, signal, sys
        from rag.indexes import words
        from rag.indexes.healing import open_indexes
        from rag.ledger import Ledger
        class Killed(words.WordIndex):
            def count(self):
                os.kill(os.getpid(), signal.SIGKILL)
        from rag.indexes import shelves
        shelves.WordIndex = Killed
        with Ledger.open(sys.argv[1]) as ledger:
            open_indexes(ledger)
    """
    assert run_python(code, str(library)).returncode < 0
    (warning,) = check(library)
    assert "interrupted" in warning
    assert check(library) == []
