"""Zip and gzip: what is in them is read, and nothing in them gets out or grows without end."""

from __future__ import annotations

import gzip
import io
import json
import stat
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from rag.domain import Record
from rag.errors import SourceError
from rag.sources.archives import MAX_FILES
from tests.reading import ALPHA, BETA, items, records, told

PAPERS = json.dumps([{"title": "A", "abstract": ALPHA}, {"title": "B", "abstract": BETA}])


def zipped(*files: tuple[str | zipfile.ZipInfo, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def test_the_files_of_a_zip_archive_are_read_each_by_its_format(tmp_path: Path) -> None:
    bib = f"@misc{{a, title={{C}}, abstract={{{ALPHA}}}}}"
    data = zipped(
        ("in/papers.json", PAPERS), ("lib.bib", bib), ("__MACOSX/x", "x"), (".hidden", "x"), ("empty.txt", "")
    )
    found = records(tmp_path, data, "all.zip")
    assert [r.source for r in found] == [
        "all.zip/in/papers.json#1",
        "all.zip/in/papers.json#2",
        "all.zip/lib.bib#1",
    ]


@pytest.mark.parametrize(
    "name", ["../../etc/cron.d/x.json", "/abs/x.json", "a/../../x.json", "..\\..\\x.json"]
)
def test_names_that_lead_out_are_only_names(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "deep" / "er"
    inner.mkdir(parents=True)
    (first, _) = records(inner, zipped((name, PAPERS)), "all.zip")
    assert first.source.startswith("all.zip/") and ".." not in first.source and "//" not in first.source
    assert [path.name for path in tmp_path.rglob("*")] == ["deep", "er", "all.zip"]


def test_a_bomb_is_neither_held_nor_unpacked(tmp_path: Path) -> None:
    data = zipped(("bomb.txt", b"word " * 20_000_000), ("papers.json", PAPERS))
    tracemalloc.start()
    try:
        found = items(tmp_path, data, "bomb.zip")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [item.source for item in found if isinstance(item, Record)] == [
        "bomb.zip/papers.json#1",
        "bomb.zip/papers.json#2",
    ]
    assert any("it unpacks to more than 200 times its size" in getattr(item, "reason", "") for item in found)
    assert peak < 150e6


def test_a_gzip_bomb_ends(tmp_path: Path) -> None:
    data = gzip.compress(json.dumps({"abstract": ALPHA}).encode() + b"\n" + b" " * 300_000_000)
    found = items(tmp_path, data, "bomb.jsonl.gz")
    assert [item.text for item in found if isinstance(item, Record)] == [ALPHA]
    assert any("200 times" in getattr(item, "reason", "") for item in found)


def test_what_may_not_be_opened_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    data = zipped(
        ("inner.zip", zipped(("x.json", PAPERS))),
        ("disguised.txt", gzip.compress(b"x")),
        (link, "/etc/passwd"),
        ("plot.png", b"\x89PNG\r\n" + bytes(50)),
        ("papers.json", PAPERS),
        ("papers.json.gz", gzip.compress(PAPERS.encode())),
    )
    found = items(tmp_path, data, "all.zip")
    assert [(n[2], n[0]) for n in told(found)] == [
        ("all.zip/inner.zip", "unreadable"),
        ("all.zip/disguised.txt", "unreadable"),
        ("all.zip/link.json", "unreadable"),
        ("all.zip/plot.png", ""),
        ("all.zip/papers.json.gz", "unreadable"),
    ]
    assert len([item for item in found if isinstance(item, Record)]) == 2


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = zipped(("p.json", PAPERS), ("p.json", PAPERS))
    assert records(tmp_path, data, "all.zip")[2].source == "all.zip/p.json (2)#1"


def test_damage_is_told(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.json", PAPERS), ("b.json", PAPERS)))
    data[60] ^= 0xFF
    found = items(tmp_path, bytes(data), "all.zip")
    assert [kind for kind, _, _ in told(found)] and len(
        [item for item in found if isinstance(item, Record)]
    ) >= 2
    with pytest.raises(SourceError, match="the zip archive is damaged"):
        items(tmp_path, bytes(data[:100]), "all.zip")


def test_too_many_files_and_office_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="10,001 files are more than the 10,000"):
        items(tmp_path, zipped(*((f"{n}.txt", "x") for n in range(MAX_FILES + 1))), "all.zip")
    with pytest.raises(SourceError, match="an office document"):
        items(tmp_path, zipped(("[Content_Types].xml", "x"), ("word/document.xml", "x")), "all.docx")


@pytest.mark.parametrize("name", ["papers.json.gz", "papers.gz", "papers.json"])
def test_a_gzipped_file_is_read_as_what_it_holds(tmp_path: Path, name: str) -> None:
    found = records(tmp_path, gzip.compress(PAPERS.encode()), name)
    assert [r.source for r in found] == [f"{name}#1", f"{name}#2"]


def test_a_gzip_file_of_two_parts(tmp_path: Path) -> None:
    lines = [json.dumps({"abstract": text}).encode() + b"\n" for text in (ALPHA, BETA)]
    assert len(records(tmp_path, gzip.compress(lines[0]) + gzip.compress(lines[1]), "p.jsonl.gz")) == 2


def test_a_gzip_file_that_breaks_off_gives_what_was_whole(tmp_path: Path) -> None:
    lines = "\n".join(json.dumps({"id": n, "abstract": f"{n * 7919}: {ALPHA}"}) for n in range(5000))
    data = gzip.compress(lines.encode())
    found = items(tmp_path, data[: len(data) // 2], "p.jsonl.gz")
    assert len([item for item in found if isinstance(item, Record)]) > 1000
    assert getattr(found[-1], "reason", "") == "the gzip file breaks off before its end"
    with pytest.raises(SourceError, match="the gzip file is damaged"):
        items(tmp_path, data[:5], "p.jsonl.gz")
