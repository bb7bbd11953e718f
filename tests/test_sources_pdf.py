"""PDF files: the title and abstract of a paper, and files that give none."""

from __future__ import annotations

import contextlib
import io
import time
from pathlib import Path

import pytest

from rag.domain import Notice, Record
from rag.errors import SourceError
from rag.papers import make_paper
from tests.reading import items

LINES = (
    (18, "Alpha: Learning to Do the First Thing"),
    (18, "with Little Effort"),
    (11, "Ada Lovelace and Alan Turing"),
    (8, "arXiv:2401.01234v2 [cs.LG] 3 Jan 2024"),
    (12, "Abstract"),
    (10, "We propose Alpha, a method that does the first thing rather well. It is an effi-"),
    (10, "cient method and was measured on 12 data sets, where it gains 4.5 points."),
    (12, "1 Introduction"),
    (10, "The first thing has long been hard to do."),
)


def pdf(lines: tuple[tuple[int, str], ...] = LINES, title: str = "") -> bytes:
    """Return a PDF of one page with lines of text, each in a size."""
    shown = "".join(
        f"BT /F1 {size} Tf 50 {780 - 22 * n} Td ({text}) Tj ET\n" for n, (size, text) in enumerate(lines)
    )
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R"
        " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}endstream",
        f"<< /Title ({title}) >>",
    ]
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    ).encode("latin-1")


def drawing_itself() -> bytes:
    """Return a PDF whose page draws a form twenty times, which draws the next twenty times, and so on."""
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf())))
    page = writer.pages[0]
    inner = None
    for _ in range(8):
        form = DecodedStreamObject()
        form.set_data(b"/X Do " * 20 if inner is not None else b"BT /F1 10 Tf (ha) Tj ET ")
        form[NameObject("/Type")], form[NameObject("/Subtype")] = NameObject("/XObject"), NameObject("/Form")
        resources = DictionaryObject({NameObject("/Font"): page["/Resources"]["/Font"]})
        if inner is not None:
            resources[NameObject("/XObject")] = DictionaryObject({NameObject("/X"): inner})
        form[NameObject("/Resources")] = resources
        inner = writer._add_object(form)
    page["/Resources"][NameObject("/XObject")] = DictionaryObject({NameObject("/X"): inner})
    drawn = DecodedStreamObject()
    drawn.set_data(b"/X Do " * 20)
    page[NameObject("/Contents")] = writer._add_object(drawn)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def encrypted(data: bytes) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt("secret", algorithm="RC4-128")
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_title_and_abstract_of_a_paper(tmp_path: Path) -> None:
    (record,) = items(tmp_path, pdf(), "paper.pdf")
    assert isinstance(record, Record)
    assert record.title == "Alpha: Learning to Do the First Thing with Little Effort"
    assert record.text == (
        "We propose Alpha, a method that does the first thing rather well. It is an efficient method and was"
        " measured on 12 data sets, where it gains 4.5 points."
    )
    assert (record.source, record.year, record.extra["arxiv"]) == ("paper.pdf#1", 2024, "2401.01234")
    assert record.url == "https://arxiv.org/abs/2401.01234"
    assert make_paper(record).name == "Alpha"


def test_the_title_that_the_file_names_is_preferred_unless_it_is_none(tmp_path: Path) -> None:
    for said, title in (
        ("Alpha, as the authors call it", "Alpha, as the authors call it"),
        ("paper.dvi", LINES[0][1]),
    ):
        (record,) = items(tmp_path, pdf(title=said), "paper.pdf")
        assert isinstance(record, Record) and record.title.startswith(title)


def test_without_a_heading_the_longest_paragraph_is_taken_and_told(tmp_path: Path) -> None:
    lines = tuple(line for line in LINES if line[1] != "Abstract")
    notice, record = items(tmp_path, pdf(lines), "paper.pdf")
    assert isinstance(notice, Notice) and not notice.skipped and "no heading" in notice.reason
    assert isinstance(record, Record) and "We propose Alpha" in record.text


def test_it_is_known_by_its_content(tmp_path: Path) -> None:
    assert len(items(tmp_path, pdf(), "paper.txt")) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf(((10, "Scan"),)), "a PDF without text, perhaps scanned pages"),
        (
            pdf(tuple((10, f"Item {n} of a bill: 5 EUR") for n in range(6))),
            "no abstract found on its first pages",
        ),
        (encrypted(pdf()), "an encrypted PDF"),
        (pdf()[:300], "a PDF"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 40, "a PDF that cannot be read"),
        (pdf(((10, "x " * 3_000_000),)), "a PDF that cannot be read (its pages hold too much to draw)"),
    ],
    ids=["scanned", "bill", "encrypted", "half", "damaged", "large"],
)
def test_what_gives_no_abstract_is_told_in_words(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        items(tmp_path, data, "paper.pdf")
    assert caught.value.reason.startswith(reason) and caught.value.source == "paper.pdf" and caught.value.hint


def test_pages_that_draw_each_other_without_end_come_to_one(tmp_path: Path) -> None:
    began = time.perf_counter()
    with contextlib.suppress(SourceError):
        items(tmp_path, drawing_itself(), "paper.pdf")
    assert time.perf_counter() - began < 20
