from __future__ import annotations

import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rag.cli import main
from rag.cli.watching import Follower, about, follow
from rag.domain import Notice
from rag.ingest import Failure, IngestReport
from rag.ledger import Ledger, WriterLock
from rag.settings import Settings
from rag.watching import Changed, changes
from tests import stub_server
from tests.stub_server import Stub
from tests.test_updates import KITE, KRAKEN, TRAM

ROOT = Path(__file__).parent.parent
DEADLINE_S = 60.0


def write(path: Path, *texts: str) -> None:
    path.write_text("Papers\n\n" + "\n\n".join(texts) + "\n", encoding="utf-8")


class Watch:
    """A real `rag ingest --watch` with its lines."""

    def __init__(self, folder: Path, library: Path, *options: str) -> None:
        command = [sys.executable, "-m", "rag", "--library", str(library), "ingest", "--watch", *options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*command, str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder.parent,
            env=environment,
        )
        self.lines: list[str] = []
        self._queue: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._queue.put(line)

    def until(self, words: str) -> str:
        """Return the next line that holds these words; fail after the deadline."""
        end = time.monotonic() + DEADLINE_S
        while (left := end - time.monotonic()) > 0:
            try:
                line = self._queue.get(timeout=left)
            except queue.Empty:
                break
            self.lines.append(line)
            if words in line:
                return line
        raise AssertionError(f"{words!r} did not come; so far: {self.lines}")

    def interrupt(self) -> None:
        """Press Ctrl-C: between two reads and during one it is the regular end."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(DEADLINE_S)
        assert (code, self.until("").split()[-1]) == (0, "stopped")
        self.process.stdout.close()


def test_ctrl_c_while_something_is_read_is_the_regular_end(clean_place, folder, capsys):
    write(folder / "a.txt", KRAKEN)

    def interrupted(report: IngestReport, gone: list[str]) -> None:
        raise KeyboardInterrupt

    with click.Context(click.Command("ingest")):
        assert follow([folder], False, interrupted) == 0
    assert capsys.readouterr().err == "stopped\n"


@pytest.fixture
def following(folder, tmp_path, stub: Stub) -> Iterator[tuple[Follower, list[IngestReport]]]:
    """A follower of a folder that has been read once, embedding on a server, and the reports it gives."""
    write(folder / "a.txt", KRAKEN)
    settings = Settings(
        library=tmp_path / "lib", embedder="openai:e", openai_base_url=stub.url, openai_api_key="sk-x"
    )
    reports: list[IngestReport] = []
    with click.Context(click.Command("ingest")):
        follower = Follower([folder], False, settings, lambda report, _: reports.append(report))
        follower.begin([])
        yield follower, reports


def test_what_another_writer_kept_from_being_read_is_read_after_it(following, folder, tmp_path, capsys):
    follower, reports = following
    write(folder / "b.txt", TRAM)
    with WriterLock(tmp_path / "lib"):
        follower.go_on([Changed("added", folder / "b.txt")])
        for _ in range(3):
            follower.go_on([])
        assert len(reports) == 1
    follower.go_on([])
    done = capsys.readouterr()
    assert [report.added for report in reports] == [1, 1] and done.err.count("Trying again") == 1
    assert done.out.count("added b.txt") == 1
    follower.go_on([])
    assert len(reports) == 2


def test_what_a_server_that_is_down_kept_from_being_read_is_read_later(
    following, folder, stub: Stub, monkeypatch, capsys
):
    follower, reports = following
    write(folder / "b.txt", TRAM)
    stub.asked.clear()
    with monkeypatch.context() as patch:
        patch.setattr(stub_server, "embeds", stub_server.fails(429, "no", "insufficient_quota"))
        follower.go_on([Changed("added", folder / "b.txt")])
        for _ in range(7):
            follower.go_on([])
        # At beats 1, 2, 4 and 8: less and less often.
        assert len(reports) == 1 and len(stub.asked) == 4
        write(folder / "c.txt", KITE)
        follower.go_on([Changed("added", folder / "c.txt")])
        assert len(reports) == 1 and len(stub.asked) == 5
    for _ in range(16):
        follower.go_on([])
    done = capsys.readouterr()
    assert [report.added for report in reports] == [1, 2]
    assert done.err.count("error: ") == 1 and done.err.count("used up") == 1 and "Top it up" in done.err
    assert [line.split(" ", 1)[1] for line in done.out.splitlines()] == ["added b.txt", "added c.txt"]


def test_a_fault_is_told_again_once_something_has_been_read_in_between(
    following, folder, monkeypatch, capsys
):
    follower, _ = following
    for name, text in (("b.txt", TRAM), ("c.txt", KITE)):
        write(folder / name, text)
        with monkeypatch.context() as patch:
            patch.setattr(stub_server, "embeds", stub_server.fails(401))
            follower.go_on([Changed("added", folder / name)])
        follower.go_on([])
    assert capsys.readouterr().err.count("error: ") == 2


def test_only_remarks_on_changed_files_are_told_again():
    def remark(place: str) -> Notice:
        return Notice(place, 1, "odd")

    news = ("b.txt#1", "in/b.txt#2", "b.txt", "/top/in/b.txt", "packed.zip/c.txt#3", "packed.zip")
    old = ("ab.txt#1", "out/b.txt#1", "other.zip/b.txt#1", "b.txt.bib#1", "c.txt#3")
    report = IngestReport(
        notices=tuple(map(remark, (*old, *news))), failures=tuple(Failure(n, "bad") for n in (*news, *old))
    )
    changed = [Changed("changed", Path("/top/in/b.txt")), Changed("added", Path("/top/in/packed.zip"))]
    told = about(report, changed)
    assert tuple(notice.source for notice in told.notices) == news
    assert tuple(failure.file for failure in told.failures) == news


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.fixture
def watch(folder, tmp_path) -> Iterator[Watch]:
    write(folder / "a.txt", KRAKEN)
    watch = Watch(folder, tmp_path / "lib")
    yield watch
    if watch.process.poll() is None:
        watch.process.kill()
        watch.process.wait()
        watch.process.stdout.close()


def texts(library: Path) -> list[str]:
    with Ledger.open(library) as ledger:
        return [paper.text for paper in ledger.papers()]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent")
def test_what_changes_in_a_folder_is_read_until_ctrl_c(watch, folder, tmp_path):
    library = tmp_path / "lib"
    watch.until("1 paper added")
    write(folder / "b.txt", TRAM)
    watch.until("added b.txt")
    watch.until("1 paper added, 1 already there")
    write(folder / "a.txt", KRAKEN.replace("nine", "ten"))
    watch.until("changed a.txt")
    watch.until("1 updated")
    assert texts(library) == [TRAM, KRAKEN.replace("nine", "ten")]
    (folder / "b.txt").unlink()
    watch.until("deleted b.txt")
    watch.until("no longer in its file")
    # Between two reads nobody is kept from writing.
    with WriterLock(library).acquire():
        write(folder / "c.txt", KITE)
        watch.until("Trying again")
    watch.until("added c.txt")
    watch.until("1 paper added")
    watch.interrupt()
    with Ledger.open(library, "write") as ledger:
        assert ledger.check() == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent")
def test_files_of_other_kinds_and_the_library_itself_are_no_changes(folder, tmp_path):
    write(folder / "a.txt", KRAKEN)
    watch = Watch(folder, folder / "lib", "--sync")
    watch.until("1 paper added")
    (folder / ".hidden.txt").write_text("x")
    write(folder / "b.txt", KITE)
    watch.until("added b.txt")
    watch.until("1 paper added")
    (folder / "b.txt").unlink()
    watch.until("1 removed")
    watch.interrupt()
    told = [line for line in watch.lines if line[:2].isdigit() and line[2] == ":"]
    assert [line.split(" ", 1)[1].strip() for line in told] == ["added b.txt", "deleted b.txt"]


def test_changes_come_in_batches_with_what_is_there_now(folder, tmp_path):
    stop = threading.Event()
    batches = changes([folder], folder / "lib", stop, beat_ms=50)
    assert next(batches) == []
    write(folder / "a.txt", KRAKEN)
    write(folder / "b.txt", TRAM)
    (folder / "lib").mkdir()
    write(folder / "lib" / "c.txt", KITE)
    (folder / "b.txt").rename(folder / "d.txt")
    seen: dict[Path, str] = {}
    end = time.monotonic() + DEADLINE_S
    while len(seen) < 2 and time.monotonic() < end:
        seen.update({change.path: change.kind for change in next(batches) if change.kind != "deleted"})
    stop.set()
    assert seen == {folder / "a.txt": "added", folder / "d.txt": "added"}
    assert list(batches) in ([], [[]])


def test_the_watch_of_a_folder_that_is_not_there_ends_when_told_to(tmp_path):
    stop = threading.Event()
    batches = changes([tmp_path / "gone"], tmp_path / "lib", stop, beat_ms=1)
    assert [next(batches) for _ in range(3)] == [[]] * 3
    stop.set()
    assert list(itertools.islice(batches, 100)) == []


def test_a_file_cannot_be_watched(clean_place, folder, capsys):
    write(folder / "a.txt", KRAKEN)
    assert main(["ingest", "--watch", str(folder / "a.txt")]) == 2
    assert "no folder that can be watched" in capsys.readouterr().err


def beats(batches: Iterator[list[Changed]], wanted: int) -> list[tuple[str, Path]]:
    """Return the next changes, as many as wanted."""
    seen: list[tuple[str, Path]] = []
    end = time.monotonic() + DEADLINE_S
    while len(seen) < wanted and time.monotonic() < end:
        seen += [(change.kind, change.path) for change in next(batches)]
    return seen


def test_a_file_is_told_once_it_has_stopped_growing(folder, tmp_path):
    stop = threading.Event()
    batches = changes([folder], tmp_path / "lib", stop, beat_ms=50)
    assert next(batches) == []
    path = folder / "a.txt"
    for _ in range(6):
        with path.open("a", encoding="utf-8") as file:
            file.write(KRAKEN)
        assert next(batches) == []
    assert beats(batches, 1) == [("added", path)]
    stop.set()


def test_a_folder_that_is_replaced_is_told_and_followed(folder, tmp_path):
    stop = threading.Event()
    batches = changes([folder], tmp_path / "lib", stop, beat_ms=50)
    assert next(batches) == []
    folder.rename(tmp_path / "gone")
    assert beats(batches, 1) == [("deleted", folder)]
    folder.mkdir()
    assert beats(batches, 1) == [("added", folder)]
    write(folder / "b.txt", TRAM)
    assert beats(batches, 1) == [("added", folder / "b.txt")]
    stop.set()
