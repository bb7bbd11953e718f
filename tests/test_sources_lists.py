"""List files: what is read, what is skipped with a notice, what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rag.domain import Notice, Record
from rag.errors import SourceError, UnknownFormat
from rag.sources import MAX_BYTES, find, read
from rag.sources.decoding import decode
from tests.fakes import run_without_rights
from tests.reading import records

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))
FIRST = "We propose Alpha, a method that does the first thing rather well."
SECOND = "We propose Beta, a method that does the second thing rather well."


def items(path: Path) -> list[Record | Notice]:
    return list(read(path, path.name))


def written(folder: Path, data: bytes | str) -> Path:
    path = folder / "list.txt"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_a_seed_list_gives_its_nineteen_abstracts_unchanged(path: Path) -> None:
    records = items(path)
    blocks = path.read_text(encoding="utf-8").split("\n\n")[1:]
    assert [r.source for r in records] == [f"{path.name}#{n}" for n in range(1, 20)]
    assert [r.text for r in records if isinstance(r, Record)] == [
        block.strip() for block in blocks if block.strip()
    ]


def test_hard_wrapped_lines_are_joined_and_blank_looking_lines_part(tmp_path: Path) -> None:
    wrapped = FIRST.replace(", ", ",\n  ")
    path = written(tmp_path, f"Papers 2026\n\n{wrapped}\n \t \n{SECOND}")
    assert items(path) == [Record(FIRST, "list.txt#1", 3), Record(SECOND, "list.txt#2", 6)]


def test_a_list_without_a_heading_loses_no_abstract(tmp_path: Path) -> None:
    assert items(written(tmp_path, f"{FIRST}\n\n{SECOND}"))[0] == Record(FIRST, "list.txt#1", 1)


def test_a_giant_item_is_skipped_with_its_line_and_keeps_its_ordinal(tmp_path: Path) -> None:
    path = written(tmp_path, f"Papers\n\n{FIRST}\n\n{'x' * 5_000_000}\n\n{SECOND}")
    first, giant, second = items(path)
    assert isinstance(giant, Notice) and giant.skipped
    assert (giant.source, giant.line, second.source) == ("list.txt#2", 5, "list.txt#3")
    assert giant.reason == "5,000,000 characters are more than the 20,000 an abstract may have"
    assert isinstance(first, Record)


def test_a_short_paragraph_is_skipped_with_a_notice_and_takes_no_ordinal(tmp_path: Path) -> None:
    path = written(tmp_path, f"Papers\n\n{FIRST}\n\nPart two\n\n{SECOND}")
    assert items(path)[1:] == [
        Notice("list.txt", 5, "too short to be an abstract: “Part two”", kind="too short"),
        Record(SECOND, "list.txt#2", 7),
    ]


@pytest.mark.parametrize(
    ("data", "repair"),
    [
        (f"Papers\r\n\r\n{FIRST}\r\n\r\n{SECOND}".encode(), None),
        (f"Papers\n\n{FIRST}\n\n{SECOND}".encode("utf-8-sig"), None),
        (f"Papers\n\n{FIRST}\n\n{SECOND}".encode("utf-16"), None),
        (f"Papers\n\n{FIRST}\n\n{SECOND}".replace("Alpha", "Al\x00pha").encode(), "1 NUL characters removed"),
        (f"Papers\n\n{FIRST}\n\n{SECOND}".replace("Alpha", "Al\ud800pha").encode("utf-8", "surrogatepass"),
         "1 lone surrogates removed"),
    ],
    ids=["crlf", "bom", "utf-16", "nul", "surrogate"],
)  # fmt: skip
def test_odd_bytes_are_read_and_repairs_are_told(tmp_path: Path, data: bytes, repair: str | None) -> None:
    found = items(written(tmp_path, data))
    assert [item.text for item in found if isinstance(item, Record)] == [FIRST, SECOND]
    told = [(item.reason, item.skipped) for item in found if isinstance(item, Notice)]
    assert told == ([(repair, False)] if repair else [])


def test_text_that_is_not_utf8_is_decoded_with_a_notice() -> None:
    raw = "Le modèle proposé améliore la précision des réseaux étudiés à l’été. " * 5
    text, notices = decode(raw.encode("cp1252"))
    assert "modèle proposé améliore" in text
    assert len(notices) == 1 and notices[0].startswith("not UTF-8; read as ")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("café déjà vu naïve études", "latin-1"),
        ("Größe und Maß für die Prüfung", "latin-1"),
        ("We propose a “quoted” method", "cp1252"),
        ("Łódź proponujemy nową metodę", "cp1250"),
        ("Мы предлагаем новый метод", "cp1251"),
        ("本論文では新しい手法を提案する。", "shift_jis"),
        ("本文提出了一种新的方法，用于解决图像分类问题。", "gb18030"),
        ("hello world über", "utf-16"),
        ("hello world über", "utf-32"),
    ],
)
def test_the_encoding_of_a_short_text_is_guessed(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe, naïve façade. ", "cp1252"),
        ("Łódź: proponujemy nową metodę. ", "cp1250"),
        ("Мы предлагаем новый метод для анализа текстов. ", "cp1251"),
        ("Мы предлагаем новый метод для анализа текстов. ", "koi8_r"),
        ("本論文では新しい手法を提案する。", "shift_jis"),
        ("本論文では新しい手法を提案する。", "euc_jp"),
        ("本文提出了一种新的方法，用于解决图像分类问题。", "gb18030"),
        ("우리는 새로운 방법을 제안한다. ", "euc_kr"),
    ],
)
def test_the_encoding_of_a_file_mixed_with_english_is_guessed(text: str, encoding: str) -> None:
    whole = "".join(f"{n} {text} We study how tokens flow through networks.\n" for n in range(200))
    assert decode(whole.encode(encoding))[0] == whole


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "list.txt: the file is empty."),
        (b"BZh9 rest", "list.txt: not text but a bzip2 archive."),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "list.txt: not text but a PNG image."),
        (bytes(range(256)) * 40, "list.txt: not text: it holds binary data."),
        (b"Papers\n\n\n", "list.txt: no abstract found in it."),
    ],
    ids=["empty", "bzip2", "png", "binary", "heading only"],
)
def test_files_that_give_nothing_are_refused_in_words(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        items(written(tmp_path, data))
    assert caught.value.message == message and caught.value.hint


def test_a_file_of_another_format_or_size_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "papers.json"
    other.write_text("[]")
    with pytest.raises(UnknownFormat, match=r"papers\.json: no abstract found in it, read as JSON"):
        items(other)
    huge = written(tmp_path, f"Papers\n\n{FIRST}\n" * 2000)
    os.truncate(huge, MAX_BYTES + 1)
    with pytest.raises(SourceError, match="is more than the"):
        items(huge)


@pytest.mark.parametrize("name", ["code.py", "run.log", "page.html", "conf.yaml", "feed.xml"])
def test_prose_in_a_file_of_another_kind_is_no_list(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(f"def f():\n\n{LONG_A}\n\n{LONG_B}\n")
    with pytest.raises(UnknownFormat, match="not a file of papers"):
        items(path)


def test_a_list_is_known_by_its_prose_whatever_its_name_says(tmp_path: Path) -> None:
    for name in ("papers.json", "papers.bib", "papers.ris", "papers"):
        path = tmp_path / name
        path.write_text(f"Papers\n\n{LONG_A}\n\n{LONG_B}\n")
        assert titled(path) == [("", LONG_A), ("", LONG_B)]


def test_folders_are_searched_in_order_without_hidden_files_or_circles(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden", "sub/c.txt", ".git/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(FIRST)
    (tmp_path / "sub" / "loop").symlink_to(tmp_path, target_is_directory=True)
    found = find([tmp_path, tmp_path / "a.txt"])
    assert [str(path.relative_to(tmp_path)) for path in found] == ["a.txt", "b.txt", "sub/c.txt"]
    with pytest.raises(SourceError, match="no such file or folder"):
        find([tmp_path / "missing"])


LONG_A = (
    f"{FIRST} It was tried on twelve data sets, where it is ahead of what was known by four points or more."
)
LONG_B = (
    f"{SECOND} It was tried on twelve data sets, where it is ahead of what was known by four points or more."
)


def titled(path: Path) -> list[tuple[str, str]]:
    return [(item.title, item.text) for item in items(path) if isinstance(item, Record)]


TITLES = ("Alpha: doing the first thing", "Beta: doing the second thing")


@pytest.mark.parametrize(
    "text",
    [
        f"# Papers\n\n## {TITLES[0]}\n\n{LONG_A}\n\n## {TITLES[1]}\n\n{LONG_B}\n",
        f"# {TITLES[0]}\n{LONG_A}\n# {TITLES[1]}\n{LONG_B}\n",
        f"{TITLES[0]}\n\n{LONG_A}\n\n{TITLES[1]}\n\n{LONG_B}\n",
        f"Papers 2026\n\n**{TITLES[0]}**\n\n{LONG_A}\n\n**{TITLES[1]}**\n\n{LONG_B}\n",
        f"{TITLES[0]}\n{LONG_A} {LONG_A}\n\n{TITLES[1]}\n{LONG_B} {LONG_B}\n",
        f"1. {TITLES[0]}\n\n{LONG_A}\n\n2. {TITLES[1]}\n\n{LONG_B}\n",
        f"Title: {TITLES[0]}\nAuthors: A. B\nAbstract: {LONG_A}\n\nTitle: {TITLES[1]}\nAbstract: {LONG_B}\n",
        f"# Reading list\n\n### 1. {TITLES[0]}\n\n**Abstract:** {LONG_A}\n\n### 2. {TITLES[1]}\n\n"
        f"**Authors:** A. B\n\n**Abstract:** {LONG_B}\n",
        f"# Notes\n\n## {TITLES[0]}\n\n{LONG_A}\n\n{LONG_A}\n\n## {TITLES[1]}\n\n{LONG_B}\n",
        f"**Title:** {TITLES[0]}\n\n**Abstract:** {LONG_A}\n\n"
        f"---\n\n**Title:** {TITLES[1]}\n\n**Abstract:**\n\n{LONG_B}\n",
    ],
    ids=[
        "headings",
        "headings without empty lines",
        "plain",
        "bold",
        "title lines",
        "numbered",
        "labelled",
        "headings and labels",
        "two paragraphs",
        "bold labels",
    ],
)
def test_a_list_with_titles(tmp_path: Path, text: str) -> None:
    found = titled(written(tmp_path, text))
    assert [title for title, _ in found] == list(TITLES)
    assert found[0][1].startswith(LONG_A) and found[1][1].startswith(LONG_B)


@pytest.mark.parametrize(
    "text",
    [
        f"Papers\n\n1. {LONG_A}\n\n2. {LONG_B}\n",
        f"[1] {LONG_A}\n\n[2] {LONG_B}\n",
        f"1) {LONG_A}\n2) {LONG_B}\n",
        f"Papers\n\n- {LONG_A}\n\n- {LONG_B}\n",
        f"# Papers\n\n{LONG_A}\n\n{LONG_B}\n",
        f"## Part one of the list\n\n{LONG_A}\n\n{LONG_B}\n\n***\n\n",
    ],
    ids=["numbered", "in brackets", "line by line", "bullets", "one heading", "a heading of a part"],
)
def test_a_list_without_titles_loses_its_numbers_only(tmp_path: Path, text: str) -> None:
    assert titled(written(tmp_path, text)) == [("", LONG_A), ("", LONG_B)]


def test_one_abstract_a_line(tmp_path: Path) -> None:
    lines = [f"{LONG_A} {LONG_A}", f"{LONG_B} {LONG_B}"]
    assert titled(written(tmp_path, "\n".join(lines))) == [("", line) for line in lines]


def test_an_abstract_that_begins_with_a_number_keeps_it(tmp_path: Path) -> None:
    assert titled(written(tmp_path, f"Papers\n\n3. {LONG_A}\n\n{LONG_B}\n"))[0] == ("", f"3. {LONG_A}")


def test_a_paragraph_that_says_there_is_no_abstract_is_told_by_its_kind(tmp_path: Path) -> None:
    text = f"# {TITLES[0]}\n\nNo abstract available for this paper\n\n# {TITLES[1]}\n\n{LONG_B}\n"
    first, second = items(written(tmp_path, text))
    assert first == Notice("list.txt#1", 3, f"no abstract: “{TITLES[0]}”", kind="no abstract")
    assert isinstance(second, Record) and second.source == "list.txt#2"


def test_a_pattern_that_no_shell_expanded_finds_its_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.md", "sub/d.txt", "odd[1].txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(FIRST)
    assert [path.name for path in find([tmp_path / "?.txt"])] == ["a.txt", "b.txt"]
    assert [path.name for path in find([tmp_path / "**" / "*.txt"])] == [
        "a.txt",
        "b.txt",
        "odd[1].txt",
        "d.txt",
    ]
    assert [path.name for path in find([tmp_path / "odd[1].txt"])] == ["odd[1].txt"]
    with pytest.raises(SourceError, match="no file fits this pattern"):
        find([tmp_path / "*.json"])


CLOSED = """
    import sys
    from pathlib import Path
    from rag.errors import SourceError
    from rag.sources import check, find

    for path in find([Path(sys.argv[1])]):
        try:
            check(path, path.name)
        except SourceError as error:
            print(error.message)
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
def test_what_may_not_be_opened_is_told(tmp_path: Path) -> None:
    for name in ("closed.txt", "shut/a.txt", "open.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(FIRST)
    (tmp_path / "closed.txt").chmod(0)
    (tmp_path / "shut").chmod(0)
    try:
        done = run_without_rights(CLOSED, str(tmp_path))
    finally:
        (tmp_path / "shut").chmod(0o755)
    assert done.stdout.splitlines() == [
        "closed.txt: cannot be read (Permission denied).",
        "shut: a folder that cannot be opened.",
    ]


SHORT = (
    "We describe SoilCast, a method that estimates soil moisture at 1 km resolution from radar images.",
    "We describe BeeTrack, an open radio-tag system for insects that weighs 0.2 grams.",
)


@pytest.mark.parametrize("heading", ["", "Coral list\n\n"])
def test_titles_before_short_abstracts_are_titles_with_a_heading_or_without(tmp_path, heading):
    text = f"{heading}First title here\n\n{SHORT[0]}\n\nSecond title here\n\n{SHORT[1]}\n"
    found = records(tmp_path, text, "list.txt")
    assert [(r.title, r.text) for r in found] == [
        ("First title here", SHORT[0]),
        ("Second title here", SHORT[1]),
    ]


def test_a_heading_above_lines_of_titles_is_left_out(tmp_path):
    long = [f"{text} " * 4 for text in SHORT]
    text = f"Coral reef papers\n\nFirst title here\n{long[0]}\n\nSecond title here\n{long[1]}\n"
    found = records(tmp_path, text, "list.txt")
    assert [(r.title, r.text) for r in found] == [
        ("First title here", long[0].strip()),
        ("Second title here", long[1].strip()),
    ]


THIRD = "We propose Gamma, a method that does the third thing rather well."
LONG_C = (
    f"{THIRD} It was tried on twelve data sets, where it is ahead of what was known by four points or more."
)
ENTRY = f"Title: Gamma\nAbstract: {LONG_C}"


@pytest.mark.parametrize(
    "text",
    [
        f"Papers\n\n{LONG_A}\n\n{LONG_B}\n\n{ENTRY}\n",
        f"Papers\n\n{ENTRY}\n\n{LONG_A}\n\n{LONG_B}\n",
        f"Papers\n\n{LONG_A}\n\n{ENTRY}\n\n{LONG_B}\n",
        f"# Papers\n\n## {TITLES[0]}\n\n{LONG_A}\n\n## {TITLES[1]}\n\n{LONG_B}\n\n"
        f"## Gamma\n\nAuthors: C. D\n\nAbstract: {LONG_C}\n",
        f"1. {TITLES[0]}\n\n{LONG_A}\n\n2. {TITLES[1]}\n\n{LONG_B}\n\n- Title: Gamma\n- Abstract: {LONG_C}\n",
    ],
    ids=["after", "before", "between", "headings", "titles"],
)
def test_of_a_list_that_is_labelled_in_part_every_abstract_is_read(tmp_path: Path, text: str) -> None:
    found = items(written(tmp_path, text))
    assert all(isinstance(item, Record) for item in found)
    assert {item.text for item in found} == {LONG_A, LONG_B, LONG_C}
    assert [item.source for item in found] == [f"list.txt#{n}" for n in (1, 2, 3)]
    lines = text.split("\n")
    assert all(item.text[:30] in "\n".join(lines[item.line - 1 : item.line + 5]) for item in found)
    assert {item.title for item in found} >= {"Gamma"}


def test_labels_far_down_a_list_are_seen(tmp_path: Path) -> None:
    plain = [f"{LONG_A} This is run {n}." for n in range(600)]
    found = items(written(tmp_path, "\n\n".join(["Papers", *plain, ENTRY])))
    assert len(found) == 601 and found[-1].title == "Gamma"


def test_a_preface_of_a_labelled_list_is_no_paper_and_is_told(tmp_path: Path) -> None:
    entries = "\n\n".join(
        f"Title: {name}\nAbstract: {text}" for name, text in zip("ABC", (LONG_A, LONG_B, LONG_C), strict=True)
    )
    notice, *found = items(
        written(tmp_path, f"The papers of a workshop that was held in June of 2026.\n\n{entries}\n")
    )
    assert isinstance(notice, Notice) and (notice.line, notice.kind) == (1, "not labelled")
    assert [item.title for item in found] == ["A", "B", "C"]


def test_labels_may_be_numbered(tmp_path: Path) -> None:
    text = f"1. Title: {TITLES[0]}\nAbstract: {LONG_A}\n\n2. Title: {TITLES[1]}\nAbstract: {LONG_B}\n"
    assert titled(written(tmp_path, text)) == [(TITLES[0], LONG_A), (TITLES[1], LONG_B)]
