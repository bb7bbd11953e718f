"""Loading papers over HTTP: files, text and samples become jobs; nothing a client names becomes a path."""

from __future__ import annotations

import io
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import wait
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rag.errors import LibraryDamaged, LibraryLocked
from rag.ingest import IngestReport, Progress
from rag.serving.answering import Busy
from rag.serving.loading import Loading, UnknownJob, Upload, safe_name
from tests.serving import events, serving

TINY = "We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory for ten tasks."
HUGE = "We present HugeNet, a large network that forgets. HugeNet needs 900 GB of memory for ten tasks."


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    with serving(tmp_path / "library", rate_per_minute=0) as client:
        yield client
    assert list(place.iterdir()) == [], "uploads were left behind"


def finished(client: TestClient, begun: str) -> dict[str, object]:
    """Follow a job to its end; return it."""
    told = events(client.get(f"/api/v1/jobs/{begun}", headers={"Accept": "text/event-stream"}).text)
    assert told[-1][0] in ("done", "failed")
    return dict(told[-1][1])


def send(client: TestClient, name: str, text: str) -> dict[str, object]:
    response = client.post("/api/v1/ingest", files={"files": (name, f"List\n\n{text}\n".encode())})
    assert response.status_code == 202
    job = response.json()
    assert response.headers["location"] == f"/api/v1/jobs/{job['id']}"
    return finished(client, job["id"])


def test_a_library_is_made_by_the_first_upload_and_can_be_asked(client: TestClient) -> None:
    job = send(client, "my papers.txt", TINY)
    assert job["status"] == "done" and job["added"] == 1
    (paper,) = client.get("/api/v1/papers").json()["papers"]
    assert paper["source"] == "my_papers.txt#1"
    answer = client.post("/api/v1/ask", json={"question": "How much memory does TinyNet need?"}).json()
    assert "12 MB" in answer["sentences"][0]["text"]


def test_papers_loaded_later_are_found_and_removed_ones_are_not(client: TestClient) -> None:
    send(client, "a.txt", TINY)
    client.post("/api/v1/ask", json={"question": "What is TinyNet?"})
    assert send(client, "a.txt", HUGE)["added"] == 1
    question = {"question": "How much memory does HugeNet need?"}
    assert "900 GB" in client.post("/api/v1/ask", json=question).json()["sentences"][0]["text"]
    assert client.delete("/api/v1/papers/HugeNet").json()["removed"] == 1
    assert client.get("/api/v1/papers").json()["total"] == 1
    hits = client.post("/api/v1/ask", json=question).json()["hits"]
    assert [hit["name"] for hit in hits] == ["TinyNet"]


def test_text_is_pasted(client: TestClient) -> None:
    response = client.post("/api/v1/ingest/text", json={"text": f"{TINY}\n\n{HUGE}", "name": "notes"})
    assert finished(client, response.json()["id"])["added"] == 2
    assert client.get("/api/v1/papers").json()["papers"][0]["source"] == "notes.txt#1"


def test_samples_are_loaded_and_loading_them_again_adds_nothing(client: TestClient) -> None:
    for added in (38, 0):
        job = finished(client, client.post("/api/v1/ingest/samples").json()["id"])
        assert job["status"] == "done" and job["added"] == added
    assert [job["added"] for job in client.get("/api/v1/jobs").json()["jobs"]] == [0, 38]


def test_a_file_that_is_none_fails_and_says_why(client: TestClient) -> None:
    response = client.post("/api/v1/ingest", files={"files": ("picture.txt", b"\x89PNG\r\n\0\0\0\0" * 9)})
    job = finished(client, response.json()["id"])
    assert job["status"] == "failed"
    assert job["report"]["failures"][0]["file"] == "picture.txt"  # type: ignore[index]


def test_what_was_skipped_is_reported(client: TestClient) -> None:
    job = send(client, "a.txt", f"{TINY}\n\ntoo short")
    assert "too short" in job["report"]["notices"][0]["reason"]  # type: ignore[index]


@pytest.mark.parametrize(
    "name, expected",
    [
        ("../../etc/passwd", "passwd.txt"),
        ("C:\\Users\\me\\list.txt", "list.txt"),
        ("/etc/cron.d/evil", "evil.txt"),
        ("..", "papers.txt"),
        ("", "papers.txt"),
        (".hidden", "hidden.txt"),
        ("a\0b\n.txt", "a_b_.txt"),
        ("论文.bib", "论文.bib"),
        ("x" * 500 + ".txt", "x" * 60 + ".txt"),
        ("a." + "y" * 500, "a." + "y" * 10),
        ("$(rm -rf).txt", "rm_-rf_.txt"),
        ("𠀀" * 60 + "." + "𠀀" * 10, "𠀀" * 50 + "." + "𠀀" * 10),
        ("a" + "𠀀" * 60, "a" + "𠀀" * 49 + ".txt"),
    ],
)
def test_a_name_becomes_a_harmless_one(name: str, expected: str) -> None:
    assert safe_name(name) == expected
    assert len(safe_name(name).encode()) < 255


def test_files_of_one_long_name_are_all_read(client: TestClient) -> None:
    name = "𠀀" * 60 + "." + "𠀀" * 10
    files = [("files", (name, f"List\n\n{text}\n".encode())) for text in (TINY, HUGE)]
    job = finished(client, client.post("/api/v1/ingest", files=files).json()["id"])
    assert job["status"] == "done" and job["added"] == 2


def test_a_hostile_name_writes_nowhere_else(client: TestClient, tmp_path: Path) -> None:
    send(client, "../../../evil.txt", TINY)
    assert not list(tmp_path.rglob("evil.txt"))


def test_two_files_of_one_name_are_both_read(client: TestClient) -> None:
    files = [("files", ("a.txt", f"List\n\n{text}\n".encode())) for text in (TINY, HUGE)]
    assert finished(client, client.post("/api/v1/ingest", files=files).json()["id"])["added"] == 2


def test_no_more_files_than_allowed_and_no_paths_of_the_server_are_taken(client: TestClient) -> None:
    files = [("files", (f"{n}.txt", b"x")) for n in range(21)]
    assert client.post("/api/v1/ingest", files=files).status_code in (400, 422)
    assert client.post("/api/v1/ingest", json={"paths": ["/etc"]}).status_code == 422
    assert client.post("/api/v1/ingest", data={"files": "/etc/passwd"}).status_code == 422
    assert client.post("/api/v1/ingest/text", json={"text": "x" * 500_001}).status_code == 422
    assert client.get("/api/v1/papers").json()["total"] == 0


class Slow:
    """Stands for reading files: each job waits until it may end, and tells of its progress."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.running = threading.Event()

    def __call__(self, paths: Iterable[Path], progress: Callable[[Progress], None]) -> IngestReport:
        self.running.set()
        self.go.wait(20)
        progress(Progress("a.txt", 1, 1, 3, 0))
        return IngestReport(files=1, added=3)


def test_too_many_waiting_jobs_are_turned_away(tmp_path: Path) -> None:
    slow = Slow()
    loading = Loading(slow)
    for _ in range(9):
        loading.read([tmp_path])
    with pytest.raises(Busy):
        loading.read([tmp_path])
    slow.go.set()
    loading.close()


def test_closing_removes_the_uploads_of_jobs_that_never_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    slow = Slow()
    loading = Loading(slow)
    for name in ("one.txt", "two.txt", "three.txt"):
        loading.take([Upload(name, io.BytesIO(TINY.encode()))])
    assert slow.running.wait(20)
    slow.go.set()
    loading.close()
    assert list(tmp_path.iterdir()) == []


def test_closing_ends_the_running_job_at_its_next_batch(tmp_path: Path) -> None:
    slow = Slow()
    loading = Loading(slow)
    job = loading.read([tmp_path])
    assert slow.running.wait(20)
    closing = threading.Thread(target=loading.close)
    closing.start()
    assert loading._closing.wait(20)
    slow.go.set()
    closing.join(20)
    assert loading.job(job.id).status == "failed"


def test_a_failure_of_the_whole_job_is_kept() -> None:
    def damaged(*_: object) -> IngestReport:
        raise LibraryDamaged("The ledger is damaged.")

    loading = Loading(damaged)
    job = loading.read([])
    wait(tuple(loading._futures), 20)
    failed = loading.job(job.id)
    assert failed.status == "failed" and isinstance(failed.failure, LibraryDamaged)


class Locked:
    """Stands for a library that another process writes to, until it is told that it has finished."""

    def __init__(self) -> None:
        self.finished = False
        self.tried = threading.Event()

    def __call__(self, *_: object) -> IngestReport:
        self.tried.set()
        if not self.finished:
            raise LibraryLocked("Another process is writing.")
        return IngestReport(files=1, added=3)


def test_a_job_waits_until_another_process_has_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.serving.loading._RETRY_S", 0.01)
    locked = Locked()
    loading = Loading(locked)
    job = loading.read([])
    assert locked.tried.wait(20)
    assert not loading.job(job.id).is_over
    locked.finished = True
    wait(tuple(loading._futures), 20)
    assert (loading.job(job.id).status, loading.job(job.id).added) == ("done", 3)


def test_closing_ends_a_job_that_waits_for_another_process() -> None:
    locked = Locked()
    loading = Loading(locked)
    job = loading.read([])
    assert locked.tried.wait(20)
    loading.close()
    assert loading.job(job.id).status == "failed"


def test_files_without_a_paper_fail_and_say_so() -> None:
    loading = Loading(lambda *_: IngestReport(files=1))
    job = loading.read([])
    wait(tuple(loading._futures), 20)
    failed = loading.job(job.id)
    assert failed.status == "failed" and "No paper was found" in str(failed.failure)


def test_an_unknown_job_is_an_error() -> None:
    loading = Loading(lambda *_: IngestReport())
    with pytest.raises(UnknownJob):
        loading.job("x")
    loading.close()


def test_an_upload_that_cannot_be_stored_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    loading = Loading(lambda *_: IngestReport())

    class Broken:
        def read(self, size: int = -1) -> bytes:
            raise OSError("gone")

    with pytest.raises(OSError):
        loading.take([Upload("a.txt", Broken())])  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    loading.close()
