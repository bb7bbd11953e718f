from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.cli import main
from rag.errors import UsageError
from rag.jobs.topics import Topics
from rag.library import Library

pytestmark = pytest.mark.usefixtures("clean_place")


@pytest.fixture(scope="module")
def topics(seed_library: Library) -> Topics:
    return seed_library.topics()


def small_library(folder: Path, count: int) -> Path:
    kinds = ("bees", "rockets", "graphs")
    text = "\n\n".join(
        f"We study {kind} in the field and report how {kind} behave." for kind in kinds[:count]
    )
    (folder / "list.txt").write_text(f"List\n\n{text}\n", "utf-8")
    assert main(["ingest", str(folder / "list.txt"), "--library", str(folder / "lib"), "--quiet"]) == 0
    return folder / "lib"


def test_every_seed_is_in_one_theme(topics: Topics) -> None:
    assert sorted(row for theme in topics.themes for row in theme.members) == list(range(38))
    assert 4 <= len(topics.themes) <= 8
    assert topics.positions == ()


def test_seed_themes_are_named_by_what_their_papers_share(topics: Topics) -> None:
    first = {theme.heading.split(", ")[0]: topics.papers_of(theme) for theme in topics.themes}
    assert {"Federated learning", "Vision-language models", "Natural images"} <= set(first)
    assert "ERIS" in {paper.name for paper in first["Federated learning"]}
    assert "AstroVLBench" in {paper.name for paper in first["Vision-language models"]}


def test_a_theme_gives_its_papers(topics: Topics) -> None:
    theme = topics.themes[0]
    assert [paper.id for paper in topics.papers_of(theme)] == [topics.papers[n].id for n in theme.members]


def test_the_list_names_themes_terms_and_papers(
    seed_library_path: Path, topics: Topics, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topics", "--library", str(seed_library_path)]) == 0
    out, err = capsys.readouterr()
    for number, theme in enumerate(topics.themes, 1):
        assert f"{number}  {theme.heading} · {len(theme.members)} papers" in out
        first = topics.papers_of(theme)[0]
        assert f"- {first.name} · {first.source}" in out
    assert "and 1 more" in out
    assert f"38 papers in {len(topics.themes)} themes" in err


def test_json_holds_every_paper_of_every_theme(
    seed_library_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topics", "--json", "--library", str(seed_library_path)]) == 0
    themes = json.loads(capsys.readouterr().out)["themes"]
    assert sum(theme["count"] for theme in themes) == 38
    for theme in themes:
        assert theme["count"] == len(theme["papers"])
        assert set(theme["papers"][0]) == {"id", "name", "source"}


def test_json_holds_the_places_when_a_map_is_drawn(
    seed_library_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topics", "--json", "--plot", "map.svg", "--library", str(seed_library_path)]) == 0
    out, err = capsys.readouterr()
    papers = [paper for theme in json.loads(out)["themes"] for paper in theme["papers"]]
    assert all(0 <= paper["x"] <= 1 and 0 <= paper["y"] <= 1 for paper in papers)
    assert "map written to map.svg" in err


def test_most_limits_the_themes(seed_library_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topics", "--json", "--most", "2", "--library", str(seed_library_path)]) == 0
    assert len(json.loads(capsys.readouterr().out)["themes"]) == 2


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_few_papers_are_one_theme_and_can_be_drawn(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_library(tmp_path, count)
    assert main(["topics", "--plot", "map.html", "--library", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("1  ") and "\n2  " not in out
    assert f"{count} paper{'s' if count > 1 else ''} in 1 theme\n" in err
    assert Path("map.html").read_text("utf-8").count("<title>") == count + 1


def test_an_empty_library_is_the_usual_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Library.open(tmp_path / "empty", write=True).close()
    assert main(["topics", "--library", str(tmp_path / "empty")]) == 1
    assert "is empty" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--most", "0"], ["--seed", "-1"]])
def test_numbers_out_of_range_are_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topics", *option]) == 2
    assert option[0] in capsys.readouterr().err


def test_a_seed_too_large_is_refused(seed_library_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topics", "--seed", "4294967296", "--library", str(seed_library_path)]) == 2
    assert "4294967296 cannot be a seed" in capsys.readouterr().err


def test_programs_get_the_same_refusals(seed_library: Library) -> None:
    with pytest.raises(UsageError, match="0 themes"):
        seed_library.topics(most=0)
    with pytest.raises(UsageError, match="-1 cannot be a seed"):
        seed_library.topics(seed=-1)


def test_an_empty_library_has_no_themes_for_programs(tmp_path: Path) -> None:
    with Library.open(tmp_path / "empty", write=True) as library:
        assert library.topics(placed=True) == Topics((), ())
