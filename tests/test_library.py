"""The library as a Python program calls it: what it makes of odd arguments."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag.errors import LibraryError, UsageError
from rag.library import Library

ABSTRACT = "We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory for ten tasks."


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_alone_is_one_path_to_ingest(
    kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text(f"List\n\n{ABSTRACT}\n", "utf-8")
    (tmp_path / "other.txt").write_text(f"List\n\n{ABSTRACT.replace('Tiny', 'Huge')}\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    with Library.open(tmp_path / "library", write=True) as library:
        report = library.ingest(kind("./papers/"))
        assert (report.files, report.added, report.failures) == (1, 1, ())
        (paper,) = library.papers()
        assert library.remove(paper.id) == 1


@pytest.mark.parametrize("k", [0, -1])
def test_fewer_than_one_paper_cannot_be_searched_for(seed_library: Library, k: int) -> None:
    with pytest.raises(UsageError):
        seed_library.search("speed", k)


def test_an_unknown_kind_of_text_is_not_checked(seed_library: Library) -> None:
    with pytest.raises(UsageError, match="nonsense") as caught:
        seed_library.check("EVA-0 is fast.", "nonsense")  # type: ignore[arg-type]
    assert "draft or claims" in caught.value.hint


@pytest.mark.parametrize("write", [False, True])
def test_a_path_no_folder_can_have_is_a_library_error(write: bool) -> None:
    with pytest.raises(LibraryError):
        Library.open("\0", write=write)


def test_nothing_is_removed_from_a_library_that_is_gone_and_none_is_made_in_its_place(tmp_path):
    place = tmp_path / "lib"
    Library.open(place, write=True).close()
    with Library.open(place) as library:
        shutil.rmtree(place)
        with pytest.raises(LibraryError, match="no longer there"):
            library.remove("x")
        with pytest.raises(LibraryError, match="no longer there"):
            library.count()
    assert not place.exists()
