"""The disk fills up in the middle: what was stored stays, and the rest is stored once there is room again."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.errors import LibraryError, OutputError
from rag.ledger import LEDGER_FILE
from rag.ledger.backup import back_up
from tests.faults import state
from tests.faults.work import opened
from tests.test_ingest import abstract

pytestmark = pytest.mark.slow


class SmallDisk:
    """A disk in memory, of a size that can be changed."""

    def __init__(self, folder: Path, kilobytes: int) -> None:
        self.folder = folder
        self._mount(f"size={kilobytes}k", "tmpfs", str(folder))

    def resize(self, kilobytes: int) -> None:
        """Give it another size."""
        self._mount(f"remount,size={kilobytes}k", str(self.folder))

    def _mount(self, options: str, *what: str) -> None:
        command = ["mount", *(("-t", "tmpfs") if len(what) > 1 else ()), "-o", options, *what]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            pytest.skip(f"there is no mount: {error}")
        if done.returncode:
            pytest.skip(f"no disk may be mounted here: {done.stderr.strip()}")


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[SmallDisk]:
    """Give a disk of so many kilobytes, and take it away again."""
    folder.mkdir()
    disk = SmallDisk(folder, kilobytes)
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("kilobytes", [200, 500, 700, 900, 1200, 1600, 2200, 3000])
def test_the_disk_fills_up_while_ingesting(tmp_path, kilobytes):
    files = state.lists(tmp_path)
    with small_disk(tmp_path / "disk", kilobytes) as disk:
        library = disk.folder / "lib"
        stored = 0
        try:
            with opened(library, write=True) as writing:
                for file in files:
                    report = writing.ingest([file])
                    stored += report.added
                    if report.warnings:
                        assert all("index" in warning for warning in report.warnings)
        except LibraryError as error:
            assert "full" in error.message or "written" in error.message or "disk" in error.message.lower()
        if (library / LEDGER_FILE).exists():
            with opened(library) as reading:
                held = [paper.text for paper in reading.papers()]
                assert held == list(map(abstract, range(len(held))))
                assert len(held) >= stored
                if held:
                    hits = reading.search("How many samples does Sys3Net need?")
                    assert hits[0].paper.text == abstract(3)
        disk.resize(60_000)
        for file in files:
            shutil.copy(file, disk.folder)
        state.ingest_again(library)
        state.ask(library, held := state.compare(library))
        assert len(held) == len(state.ALL)


def test_the_disk_fills_up_while_backing_up(tmp_path):
    files = state.lists(tmp_path)
    with opened(tmp_path / "lib", write=True) as library:
        library.ingest(files)
    with small_disk(tmp_path / "disk", 300) as disk:
        with pytest.raises((OutputError, LibraryError), match="full|No space"):
            back_up(tmp_path / "lib", disk.folder / "papers.zip")
        assert list(disk.folder.iterdir()) == []
        disk.resize(20_000)
        assert back_up(tmp_path / "lib", disk.folder / "papers.zip").papers == len(state.ALL)
