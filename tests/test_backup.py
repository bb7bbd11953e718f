from __future__ import annotations

import errno
import io
import json
import os
import random
import shutil
import sqlite3
import threading
import zipfile
from pathlib import Path

import pytest

from rag.cli.program import main
from rag.domain import Answer
from rag.errors import LibraryDamaged, LibraryError, LibraryLocked, OutputError, UsageError
from rag.indexes.healing import open_indexes
from rag.ledger import Ledger, WriterLock
from rag.ledger.backup import MANIFEST, back_up, restore
from rag.ledger.conversations import Conversations, Turn, new_conversation
from tests.fakes import HashEmbedder, fill

EMBEDDER = HashEmbedder()
COUNT = 20


@pytest.fixture
def library(tmp_path) -> Path:
    """A library of twenty papers and one conversation."""
    folder = tmp_path / "lib"
    with Ledger.open(folder, "write") as ledger:
        fill(ledger, range(COUNT), EMBEDDER)
        indexes = open_indexes(ledger)
        indexes.update()
        indexes.close()
    answer = Answer(question="What?", status="not_found", engine="extractive")
    Conversations(folder).add(new_conversation(), [Turn("ask", "What?", answer)])
    return folder


@pytest.fixture
def backup(library, tmp_path) -> Path:
    file = tmp_path / "papers.zip"
    back_up(library, file)
    return file


def papers_of(folder: Path) -> list[str]:
    with Ledger.open(folder) as ledger:
        assert ledger.check() == []
        return [paper.text for paper in ledger.papers()]


def test_a_library_comes_back_as_it_was(library, tmp_path):
    before = papers_of(library)
    made = back_up(library, tmp_path / "papers.zip")
    assert (made.papers, made.conversations) == (COUNT, 1)
    assert made.size == (tmp_path / "papers.zip").stat().st_size
    found, aside = restore(tmp_path / "papers.zip", tmp_path / "new")
    assert (found.papers, found.made, aside) == (COUNT, made.made, None)
    assert papers_of(tmp_path / "new") == before
    (talk,) = Conversations(tmp_path / "new").all()
    assert (talk.title, talk.turns) == ("What?", 1)
    assert sorted(f.name for f in (tmp_path / "new").iterdir() if f.suffix == ".sqlite") == [
        "conversations.sqlite",
        "ledger.sqlite",
    ]


def test_nothing_else_is_left_beside_a_backup(backup, library):
    assert sorted(f.name for f in backup.parent.iterdir()) == ["lib", "papers.zip"]
    assert not [f for f in library.iterdir() if "restor" in f.name]


def test_a_backup_is_made_while_another_thread_ingests(library, tmp_path):
    stop = threading.Event()
    stored = [COUNT]

    def write() -> None:
        with Ledger.open(library, "write") as ledger:
            number = 1000
            while not stop.is_set():
                fill(ledger, [number, number + 1], EMBEDDER)
                stored.append(stored[-1] + 2)
                number += 2

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for round_ in range(5):
            least = stored[-1]
            made = back_up(library, tmp_path / "papers.zip")
            restore(tmp_path / "papers.zip", tmp_path / f"new-{round_}")
            assert least <= made.papers == len(papers_of(tmp_path / f"new-{round_}")) <= stored[-1] + 2
            # Whole batches only.
            assert made.papers % 2 == 0
    finally:
        stop.set()
        writer.join()


def test_a_library_that_is_there_is_not_replaced_unasked(library, backup):
    with pytest.raises(UsageError, match="holds a library of 20 papers"):
        restore(backup, library)
    assert len(papers_of(library)) == COUNT


def test_what_was_there_is_moved_aside_and_can_still_be_used(library, backup):
    with Ledger.open(library, "write") as ledger:
        fill(ledger, range(100, 105), EMBEDDER)
    (library / "notes.txt").write_text("mine")
    _, aside = restore(backup, library, replace=True)
    assert aside is not None
    assert aside.parent == library
    assert len(papers_of(library)) == COUNT
    assert len(papers_of(aside)) == COUNT + 5
    assert (library / "notes.txt").read_text() == "mine"
    with Ledger.open(library, "write") as ledger:
        indexes = open_indexes(ledger)
        assert indexes.words.ids() == set(ledger.ids())
        assert indexes.vectors.ids() == {f"{i}:0" for i in ledger.ids()}
        indexes.close()


def test_an_open_reader_sees_what_was_restored(library, backup):
    with Ledger.open(library, "write") as ledger:
        ledger.remove(ledger.ids()[:5])
        fill(ledger, range(100, 104), EMBEDDER)
    with Ledger.open(library) as reading:
        reader = open_indexes(reading)
        assert len(reader.vectors.ids()) == COUNT - 5 + 4
        exact = reader.exact.ids()
        restore(backup, library, replace=True)
        assert reading.count() == COUNT
        assert reader.exact.ids() == {f"{i}:0" for i in reading.ids()} != exact
        assert reader.vectors.ids() == {f"{i}:0" for i in reading.ids()}
        assert reader.words.ids() == set(reading.ids())
        reader.close()


def test_an_empty_folder_and_an_empty_library_are_filled_unasked(backup, tmp_path):
    Ledger.open(tmp_path / "empty", "write").close()
    restore(backup, tmp_path / "empty")
    assert len(papers_of(tmp_path / "empty")) == COUNT
    (tmp_path / "bare").mkdir()
    restore(backup, tmp_path / "bare")
    assert len(papers_of(tmp_path / "bare")) == COUNT


def test_a_damaged_ledger_is_replaced_and_the_error_names_the_backup(library, backup):
    ledger = library / "ledger.sqlite"
    ledger.write_bytes(ledger.read_bytes()[:5000])
    with pytest.raises(LibraryDamaged) as caught:
        Ledger.open(library)
    assert f"rag restore {backup}" in caught.value.hint
    with pytest.raises(UsageError, match="cannot be read"):
        restore(backup, library)
    restore(backup, library, replace=True)
    assert len(papers_of(library)) == COUNT


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_ledger_that_has_gone_is_missed(library, backup, mode):
    (library / "ledger.sqlite").unlink()
    with pytest.raises(LibraryDamaged, match="is missing") as caught:
        Ledger.open(library, mode)
    assert f"rag restore {backup}" in caught.value.hint
    restore(backup, library, replace=True)
    assert len(papers_of(library)) == COUNT


def test_writes_left_by_a_lost_ledger_do_not_get_into_the_restored_one(library, backup):
    with Ledger.open(library, "write") as ledger:
        fill(ledger, range(100, 103), EMBEDDER)
        saved = (library / "ledger.sqlite-wal").read_bytes()
    (library / "ledger.sqlite").unlink()
    (library / "ledger.sqlite-wal").write_bytes(saved)
    restore(backup, library, replace=True)
    assert len(papers_of(library)) == COUNT


def test_a_damaged_library_is_not_backed_up_over_a_good_backup(library, backup):
    before = backup.read_bytes()
    with sqlite3.connect(library / "ledger.sqlite") as db:
        db.execute("UPDATE chunk_vectors SET vectors = x'00' WHERE seq = 1")
    db.close()
    with pytest.raises(LibraryDamaged, match="do not fit"):
        back_up(library, backup)
    assert backup.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"some notes\n"])
def test_a_file_that_is_no_backup_is_neither_restored_nor_overwritten(library, tmp_path, content):
    file = tmp_path / "notes"
    file.write_bytes(content)
    with pytest.raises(LibraryError, match="is no backup"):
        restore(file, tmp_path / "new")
    with pytest.raises(OutputError, match="is no backup"):
        back_up(library, file)
    assert file.read_bytes() == content


def test_another_zip_file_is_no_backup(library, tmp_path):
    file = tmp_path / "other.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("ledger.sqlite", "x")
    with pytest.raises(LibraryError, match="is no backup"):
        restore(file, tmp_path / "new")
    with pytest.raises(OutputError, match="is no backup"):
        back_up(library, file)


def test_a_damaged_archive_may_be_anybodys_and_is_not_overwritten(library, backup):
    content = bytearray(backup.read_bytes())
    for place in range(60, 80):
        content[place] ^= 0xFF
    backup.write_bytes(content)
    with pytest.raises(OutputError, match="is damaged"):
        back_up(library, backup)
    assert backup.read_bytes() == content


def test_a_damaged_backup_is_refused_and_the_library_stays(library, backup):
    whole, before = backup.read_bytes(), papers_of(library)
    for place in range(60, len(whole) - 400, len(whole) // 25):
        noise = bytes(byte ^ 0x5A for byte in whole[place : place + 64])
        backup.write_bytes(whole[:place] + noise + whole[place + 64 :])
        with pytest.raises(LibraryError):
            restore(backup, library, replace=True)
        assert papers_of(library) == before
    for part in (2, 3, 10):
        backup.write_bytes(whole[: len(whole) // part])
        with pytest.raises(LibraryError):
            restore(backup, library, replace=True)
    assert len(papers_of(library)) == COUNT


def mutated(whole: bytes, seed: int) -> bytes:
    """Return a backup with one to three bytes changed, mostly in what an archive says of itself."""
    chance, data = random.Random(seed), bytearray(whole)
    frame = [*range(80), *range(len(whole) - 300, len(whole))]
    for _ in range(chance.randint(1, 3)):
        place = chance.choice(frame) if chance.random() < 0.8 else chance.randrange(len(whole))
        data[place] = chance.randrange(256)
    return bytes(data)


def test_whatever_byte_of_a_backup_is_changed_it_is_restored_whole_or_refused(tmp_path):
    with Ledger.open(tmp_path / "lib", "write") as ledger:
        fill(ledger, range(3), EMBEDDER)
    back_up(tmp_path / "lib", tmp_path / "papers.zip")
    whole, before = (tmp_path / "papers.zip").read_bytes(), papers_of(tmp_path / "lib")
    refused = 0
    for seed in range(800):
        (tmp_path / "papers.zip").write_bytes(mutated(whole, seed))
        try:
            restore(tmp_path / "papers.zip", tmp_path / "new", replace=True)
            assert papers_of(tmp_path / "new") == before, seed
        except LibraryError as error:
            assert "papers.zip" in error.message and "backup" in error.hint.lower(), seed
            refused += 1
    assert 400 < refused < 800


@pytest.mark.parametrize("packed", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_backup_whose_bytes_seem_packed_in_another_way_is_damaged(library, backup, tmp_path, packed):
    data = bytearray(backup.read_bytes())
    data[data.rfind(b"PK\x01\x02") + 10] = packed
    backup.write_bytes(data)
    with pytest.raises(LibraryDamaged, match="packed in another way"):
        restore(backup, tmp_path / "new")


@pytest.mark.skipif(os.name != "posix", reason="the system is to limit how much may be written")
def test_a_folder_that_cannot_be_written_is_not_blamed_on_the_backup(backup, tmp_path):
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(OutputError, match=r"new cannot be written: File too large"):
            restore(backup, tmp_path / "new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert restore(backup, tmp_path / "new")[0].papers == COUNT


def failing_moves(monkeypatch: pytest.MonkeyPatch, *moves: str) -> None:
    """Let the disk fail when a file is moved from or to a folder: `ledger.sqlite to replaced`."""
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        places = (("from", source.parent), ("to", target.parent))
        if any(f"{source.name} {way} {place.name.partition('-')[0]}" in moves for way, place in places):
            raise OSError(errno.EIO, "the disk fails")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)


@pytest.mark.parametrize(
    ("move", "has_talks"),
    [
        ("ledger.sqlite to replaced", True),
        ("conversations.sqlite to replaced", True),
        ("conversations.sqlite from restoring", True),
        ("ledger.sqlite from restoring", True),
        ("ledger.sqlite from restoring", False),
    ],
)
def test_a_library_that_cannot_be_replaced_is_put_back(library, backup, monkeypatch, move, has_talks):
    with Ledger.open(library, "write") as ledger:
        ledger.remove(ledger.ids()[:5])
    talks = Conversations(library)
    if has_talks:
        talks.delete([talks.find().id])
    else:
        talks.path.unlink()
    with monkeypatch.context() as patch:
        failing_moves(patch, move)
        with pytest.raises(OutputError, match="the disk fails"):
            restore(backup, library, replace=True)
    assert len(papers_of(library)) == COUNT - 5
    assert talks.path.exists() == has_talks and talks.all() == []
    assert not [*library.glob("replaced*"), *library.glob("restoring*")]
    assert restore(backup, library, replace=True)[0].papers == COUNT


def test_a_library_that_cannot_even_be_put_back_is_named(library, backup, monkeypatch):
    with monkeypatch.context() as patch:
        failing_moves(patch, "ledger.sqlite from restoring", "ledger.sqlite from replaced")
        with pytest.raises(OutputError) as caught:
            restore(backup, library, replace=True)
    (aside,) = library.glob("replaced-*")
    assert str(aside) in caught.value.message and len(papers_of(aside)) == COUNT
    assert restore(backup, library, replace=True)[0].papers == COUNT


def test_what_cannot_be_restored_leaves_nothing_in_an_empty_folder(backup, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        failing_moves(patch, "ledger.sqlite from restoring")
        with pytest.raises(OutputError, match="the disk fails"):
            restore(backup, tmp_path / "new")
    assert not list((tmp_path / "new").glob("*.sqlite*"))


def repacked(backup: Path, **changes: object) -> None:
    """Change what a backup says of itself."""
    with zipfile.ZipFile(io.BytesIO(backup.read_bytes())) as old, zipfile.ZipFile(backup, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, json.dumps({**json.loads(data), **changes}) if name == MANIFEST else data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "askpapers-backup/2"}, "newer version"),
        ({"format": "other/1"}, "is no backup"),
        ({"papers": 3}, "does not hold what it says"),
        ({"papers": None}, "is damaged"),
    ],
)
def test_a_backup_that_says_something_else_is_refused(library, backup, tmp_path, changes, message):
    repacked(backup, **changes)
    with pytest.raises(LibraryError, match=message):
        restore(backup, tmp_path / "new")
    assert not (tmp_path / "new" / "ledger.sqlite").exists()


def test_the_backup_of_a_newer_program_is_refused(library, tmp_path):
    with sqlite3.connect(library / "ledger.sqlite") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(LibraryError, match="newer than this program"):
        back_up(library, tmp_path / "papers.zip")


def test_nobody_else_may_write_while_a_library_is_restored(library, backup):
    with WriterLock(library), pytest.raises(LibraryLocked):
        restore(backup, library, replace=True)
    assert len(papers_of(library)) == COUNT


@pytest.mark.parametrize("place", ["", "missing/papers.zip"])
def test_a_place_that_cannot_be_written_is_told(library, tmp_path, place):
    with pytest.raises(OutputError):
        back_up(library, tmp_path / place)


def test_a_library_in_a_read_only_folder_is_backed_up(library, tmp_path):
    shutil.copytree(library, tmp_path / "still")
    (tmp_path / "still").chmod(0o555)
    try:
        assert back_up(tmp_path / "still", tmp_path / "papers.zip").papers == COUNT
    finally:
        (tmp_path / "still").chmod(0o755)


def test_the_commands_say_what_they_did(library, tmp_path, clean_place, capsys):
    file, folder = tmp_path / "papers.zip", tmp_path / "other"
    assert main(["backup", str(file), "--library", str(library)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"20 papers and 1 conversation backed up in {file} (")
    assert main(["restore", str(file), "--library", str(folder)]) == 0
    done = capsys.readouterr()
    assert done.out.startswith(f"20 papers and 1 conversation restored to {folder}, as of ")
    assert "indexes were made again" in done.err
    assert main(["restore", str(file), "--library", str(folder)]) == 2
    assert "--yes" in capsys.readouterr().err
    assert main(["restore", str(file), "--library", str(folder), "--yes", "--quiet"]) == 0
    assert main(["doctor", "--library", str(folder)]) in (0, 1)
    assert "backup: of " in capsys.readouterr().out


def test_doctor_names_the_backup_of_a_damaged_library(library, backup, clean_place, capsys):
    with (library / "ledger.sqlite").open("r+b") as file:
        file.truncate(20_000)
    assert main(["doctor", "--library", str(library)]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "is cut short" in shown
    assert f"rag restore {backup}" in shown
