from __future__ import annotations

import io
import os
import re
import stat
import subprocess
import sys
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rag.cli import main
from rag.domain import Paper
from rag.errors import OutputError
from rag.jobs.topics import Topics
from rag.library import Library
from rag.outputs.map import DRAWERS, write_map
from rag.outputs.map_html import map_html
from rag.outputs.map_marks import INKS, OUTLINES, ink_of, outline_of
from rag.outputs.map_png import map_png
from rag.outputs.map_sheet import HEIGHT, MOST_DRAWN, WIDTH, Label, sheet_of
from rag.outputs.map_svg import map_svg
from rag.themes import Theme

ROOT = Path(__file__).parent.parent
HOSTILE = "</title><script>alert(1)</script>\x1b[31m\"'>&$x_1$ ]]> <!-- \u202e 中文 \ud800 \uffff"
SVG = "{http://www.w3.org/2000/svg}"


def made(papers: int, themes: int, text: str = "An abstract of some length.", name: str = "Name") -> Topics:
    random = np.random.default_rng(3)
    middles = random.uniform(0.1, 0.9, (themes, 2))
    places = np.clip(middles[np.arange(papers) % themes] + random.normal(0, 0.04, (papers, 2)), 0, 1)
    return Topics(
        tuple(
            Theme(f"{name} heading {n}, with more words", ("term", name), tuple(range(n, papers, themes)))
            for n in range(themes)
        ),
        tuple(Paper(f"id{n}", f"{name} {n}", text, sources=(f"{name}.txt#{n + 1}",)) for n in range(papers)),
        tuple((float(x), float(y)) for x, y in places),
    )


@pytest.fixture(scope="module")
def topics(seed_library: Library) -> Topics:
    return seed_library.topics(placed=True)


class Page(HTMLParser):
    """Counts the elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def test_a_drawing_names_every_paper_when_pointed_at(topics: Topics) -> None:
    root = ElementTree.fromstring(map_svg(topics))
    told = [title.text or "" for title in root.iterfind(f".//{SVG}use/{SVG}title")]
    assert sorted(text.split("\n")[0] for text in told) == sorted(paper.name for paper in topics.papers)
    assert all(paper.source in "".join(told) for paper in topics.papers)


def test_a_drawing_groups_marks_by_theme(topics: Topics) -> None:
    root = ElementTree.fromstring(map_svg(topics))
    groups = [group for group in root.iter(f"{SVG}g") if "data-theme" in group.attrib]
    assert [len(list(group)) for group in groups] == [len(theme.members) for theme in topics.themes]


def test_themes_differ_in_colour_or_shape_and_neighbours_in_both() -> None:
    looks = [(ink_of(n), outline_of(n)) for n in range(len(INKS) * len(OUTLINES))]
    assert len(set(looks)) == len(looks)
    assert all(a[0] != b[0] and a[1] != b[1] for a, b in zip(looks, looks[1:], strict=False))


def test_a_page_asks_nothing_of_the_network(topics: Topics) -> None:
    page = Page(map_html(topics))
    assert not {"link", "img", "iframe", "object", "base"} & set(page.tags)
    references = [value for name, value in page.attributes if name in ("href", "src", "xlink:href")]
    assert references and all(value and value.startswith("#") for value in references)
    policy = next(value for name, value in page.attributes if value and "default-src" in value)
    assert policy.startswith("default-src 'none'")


def test_a_page_lists_every_theme_as_a_button(topics: Topics) -> None:
    text = map_html(topics)
    assert Page(text).tags.count("button") == len(topics.themes)
    assert all(theme.heading in text for theme in topics.themes)


def test_the_policy_lets_only_the_script_of_the_page_run(topics: Topics) -> None:
    import base64
    import hashlib

    text = map_html(topics)
    script = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert len(script) == 1 and f"script-src 'sha256-{digest}'" in text


def test_hostile_papers_add_no_element_and_no_attribute() -> None:
    plain, hostile = Page(map_html(made(12, 3))), Page(map_html(made(12, 3, HOSTILE, HOSTILE)))
    assert set(hostile.tags) <= set(plain.tags)
    assert {name for name, _ in hostile.attributes} <= {name for name, _ in plain.attributes}
    assert hostile.tags.count("script") == 1
    assert hostile.tags.count("use") == plain.tags.count("use")


def test_hostile_papers_leave_drawings_and_pictures_whole() -> None:
    hostile = made(12, 3, HOSTILE, HOSTILE)
    assert len(list(ElementTree.fromstring(map_svg(hostile).encode("utf-8")).iter(f"{SVG}use"))) == 12
    assert map_png(hostile).startswith(b"\x89PNG")


@pytest.mark.parametrize("papers,themes", [(1, 1), (2, 1), (4, 2), (38, 6), (300, 24), (5000, 24)])
def test_labels_stand_on_the_sheet_and_over_no_other(papers: int, themes: int) -> None:
    sheet = sheet_of(made(papers, themes))
    assert all(0 <= mark.x <= WIDTH and 0 <= mark.y <= HEIGHT for mark in sheet.marks)
    for labels in ([*sheet.headings, *sheet.names], [*sheet.numbers]):
        boxes = [box(label) for label in labels]
        assert all(b[0] >= 0 and b[1] >= 0 and b[2] <= WIDTH and b[3] <= HEIGHT for b in boxes)
        assert not any(
            a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for a, b in combinations(boxes, 2)
        )
    assert len(sheet.headings) >= themes * 0.8


def box(label: Label) -> tuple[float, float, float, float]:
    """Return the box of a label by the width of common letters."""
    wide = max(map(len, label.lines)) * label.size * 0.5
    high = len(label.lines) * label.size * 1.1
    left = label.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[label.side] * wide
    return left, label.y - high / 2, left + wide, label.y + high / 2


def test_no_heading_covers_a_mark_of_a_small_library(topics: Topics) -> None:
    sheet = sheet_of(topics)
    for left, top, right, bottom in map(box, sheet.headings):
        assert not [mark for mark in sheet.marks if left < mark.x < right and top < mark.y < bottom]


def test_a_small_library_has_the_names_beside_the_marks(topics: Topics) -> None:
    sheet = sheet_of(topics)
    assert len(sheet.names) > 25
    assert not sheet_of(made(300, 6)).names


def test_a_page_of_5000_papers_is_small_enough_to_send() -> None:
    text = map_html(made(5000, 24, "Words of an abstract. " * 60, "a name of a usual length"))
    assert len(text.encode()) < 3_000_000


def test_papers_too_many_to_draw_are_counted() -> None:
    topics = made(MOST_DRAWN + 500, 5)
    assert len(sheet_of(topics).marks) == MOST_DRAWN
    assert "500 papers are not drawn" in map_html(topics)


def test_a_picture_is_a_png_of_the_promised_size(topics: Topics) -> None:
    from PIL import Image

    with Image.open(io.BytesIO(map_png(topics))) as image:
        assert image.size == (2720, 1440)
        assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 50


def test_the_same_library_gives_the_same_bytes_in_another_process(
    seed_library_path: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        command = [sys.executable, "-m", "rag", "topics", "--library", str(seed_library_path), "--quiet"]
        subprocess.run(
            [*command, "--plot", str(tmp_path / f"{name}.html")],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


@pytest.mark.parametrize("suffix", DRAWERS)
def test_a_map_takes_the_place_of_an_older_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"map{suffix.upper()}"
    path.write_text("old", "utf-8")
    write_map(made(6, 2), path)
    assert path.stat().st_size > 1000
    assert os.listdir(tmp_path) == [path.name]
    assert stat.S_IMODE(path.stat().st_mode) & 0o444


@pytest.mark.usefixtures("clean_place")
@pytest.mark.parametrize("name", ["map.pdf", "map", "map.html.gz"])
def test_another_ending_is_refused_before_anything_is_read(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topics", "--plot", name]) == 2
    error = capsys.readouterr().err
    assert name in error and ".html, .svg or .png" in error


@pytest.mark.usefixtures("clean_place")
def test_a_folder_that_is_not_there_is_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["topics", "--plot", "none/map.svg"]) == 1
    assert "there is no folder none" in capsys.readouterr().err


def test_a_folder_that_has_gone_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written: No such file"):
        write_map(made(6, 2), tmp_path / "none" / "map.svg")


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "map.svg"
    path.write_text("old", "utf-8")
    code = (
        "import resource, signal, sys, pathlib\n"
        "from tests.test_map import made\n"
        "from rag.outputs.map import write_map\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "write_map(made(6, 2), pathlib.Path(sys.argv[1]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-B", "-c", code, str(path)], cwd=ROOT, capture_output=True, text=True
    )
    assert "OutputError" in run.stderr and "File too large" in run.stderr
    assert path.read_text("utf-8") == "old"
    assert os.listdir(tmp_path) == ["map.svg"]
