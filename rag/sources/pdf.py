"""The PDF of a paper in, one record with its title and abstract out."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.domain import Notice, Record
from rag.errors import SourceError
from rag.sources.fields import MIN_LENGTH, paper
from rag.sources.opening import Source, read_all
from rag.sources.values import arxiv_id, doi, year
from rag.text.identifiers import ARXIV_NUMBER

if TYPE_CHECKING:
    from pypdf import PdfReader

PAGES = 2
MAX_TEXT = 60_000
# About ten seconds of drawing; the library itself bounds pages that draw each other.
_LARGEST_PAGE = 5_000_000
_MAGIC = b"%PDF-"
_NO_TEXT = "a PDF without text, perhaps scanned pages"
_BEGIN = re.compile(
    r"^[ \t]*(?:abstract|summary|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t)[ \t]*(?:[:.—–-]+[ \t]*|$)",
    re.IGNORECASE | re.MULTILINE,
)
_BEGIN_IN_LINE = re.compile(r"^[ \t]*(?:Abstract|ABSTRACT)[ \t]+(?=[A-Z])", re.MULTILINE)
_END = re.compile(
    r"^[ \t]*(?:(?:1|I|§\s?1)[.:)]?\s{0,3})?(?:introduction|i\s?ntroduction|keywords?|key\s?words|"
    r"index terms|ccs concepts|acm reference|categories and subject|general terms|contents|background)\b",
    re.IGNORECASE | re.MULTILINE,
)
_HYPHEN = re.compile(r"(?<=[a-zà-ÿ])[-‐\u00ad]\n[ \t]*(?=[a-zà-ÿ])")
_ARXIV = re.compile(
    rf"arxiv:\s?({ARXIV_NUMBER})(?:\s*\[[\w.-]+\])?(?:\s+(\d{{1,2}} \w{{3,9}} \d{{4}}))?", re.IGNORECASE
)
_NOT_TITLES = re.compile(
    r"untitled|microsoft word|\.(?:docx?|tex|dvi|pdf|indd)\b|^arxiv|^paper\b|^\W*$", re.IGNORECASE
)
_LONGEST_TITLE, _LEAST_PARAGRAPH = 300, 150


@dataclass(frozen=True, slots=True)
class _Run:
    """A piece of text on the page and how large it is written."""

    text: str
    size: float


def detects(source: Source) -> bool:
    """Tell whether a file begins as a PDF does."""
    return _MAGIC in source.head[:1024]


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper, its abstract taken from the first pages.

    Raises SourceError for a PDF that is damaged, encrypted, or without text or an abstract.
    """
    # The library tells of every small fault in its log, which would stand between our own lines.
    log = logging.getLogger("pypdf")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    reader = _opened(read_all(source))
    runs, text = _first_pages(reader)
    if len(text.split()) < 20:
        raise SourceError(
            f"{_NO_TEXT}.", hint="Recognise its text first (OCR), or give its abstract in a list."
        )
    abstract, repair = _abstract(text)
    found = {**_fields(reader, runs, text), "abstract": abstract}
    if repair:
        yield Notice(f"{source.name}#1", 0, repair, skipped=False)
    yield paper(found, f"{source.name}#1", 0)


def _opened(data: bytes) -> PdfReader:
    from pypdf import PdfReader

    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        locked = reader.is_encrypted and not reader.decrypt("")
    except Exception as error:
        # Damaged files make it raise nearly anything.
        # Some kinds of encryption need a package of their own.
        locked = type(error).__name__ == "DependencyError"
        if not locked:
            raise _damaged(error) from error
    if locked:
        raise SourceError("an encrypted PDF.", hint="Save it without a password and give it again.")
    return reader


def _first_pages(reader: PdfReader) -> tuple[list[_Run], str]:
    """Return the pieces of the first page, and the text of the first pages."""
    runs: list[_Run] = []

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        if text.strip() and len(runs) < 5000:
            runs.append(
                _Run(text, abs(size or 0) * max(abs(tm[0]), abs(tm[1])) * max(abs(cm[0]), abs(cm[1])))
            )

    texts: list[str] = []
    try:
        for number in range(min(PAGES, len(reader.pages))):
            page = reader.pages[number]
            contents = page.get_contents()
            if contents is not None and len(contents.get_data()) > _LARGEST_PAGE:
                raise ValueError("its pages hold too much to draw")
            seen = visit if number == 0 else None
            texts.append(page.extract_text(visitor_text=seen)[:MAX_TEXT])
    except Exception as error:
        if not any(texts):
            raise _damaged(error) from error
    return runs, "\n".join(texts)


def _damaged(error: Exception) -> SourceError:
    said = " ".join(str(error).split())[:100] or type(error).__name__
    return SourceError(
        f"a PDF that cannot be read ({said}).", hint="Open and save it again, or fetch it again."
    )


def _abstract(text: str) -> tuple[str, str]:
    """Return the abstract, and what had to be guessed to find it."""
    headings = (m for pattern in (_BEGIN, _BEGIN_IN_LINE) for m in pattern.finditer(text))
    begin = next((m for m in headings if text[m.end() :].strip()), None)
    if begin is not None:
        end = _END.search(text, begin.end() + MIN_LENGTH)
        return _joined(text[begin.end() : end.start() if end else begin.end() + 3000]), ""
    end = _END.search(text)
    paragraphs = [_joined(p) for p in re.split(r"\n\s*\n", text[: end.start()] if end else text[:5000])]
    longest = max(paragraphs, key=len, default="")
    if len(longest) < _LEAST_PARAGRAPH:
        raise SourceError("no abstract found on its first pages.", hint="Give its abstract in a list.")
    return longest, "no heading “Abstract” in it; its longest paragraph before the introduction is taken"


def _joined(text: str) -> str:
    """Return lines of a page as running text, words that were parted at the ends of lines joined."""
    return " ".join(_HYPHEN.sub("", text).split())


def _fields(reader: PdfReader, runs: list[_Run], text: str) -> dict[str, Any]:
    meta = _metadata(reader)
    stamp = _ARXIV.search(text)
    number = arxiv_id(stamp[1]) if stamp else ""
    said = meta.get("title", "")
    is_title = 10 <= len(said) <= _LONGEST_TITLE and not _NOT_TITLES.search(said)
    return {
        "title": said if is_title else _largest(runs),
        "authors": meta.get("author", ""),
        "year": (stamp and year(stamp[2])) or year(meta.get("date", "")),
        "doi": doi(text[:5000]),
        "arxiv": number,
        "url": f"https://arxiv.org/abs/{number}" if number else "",
        "keywords": meta.get("keywords", ""),
    }


def _metadata(reader: PdfReader) -> dict[str, str]:
    try:
        info: Mapping[str, Any] = reader.metadata or {}
        named = {"title": "/Title", "author": "/Author", "keywords": "/Keywords", "date": "/CreationDate"}
        found = {name: str(info.get(key) or "").strip()[:2000] for name, key in named.items()}
    except Exception:
        # The paper is worth having without what the file says of itself.
        return {}
    # A date is written D:20240131…
    return {**found, "date": found["date"].removeprefix("D:")[:4]}


def _largest(runs: list[_Run]) -> str:
    """Return what is written largest on the upper part of the first page: mostly the title."""
    upper = runs[:200]
    largest = max((run.size for run in upper if len(run.text.strip()) > 3), default=0.0)
    title = _joined("\n".join(run.text for run in upper if largest and run.size > 0.95 * largest))
    return title if 10 <= len(title) <= _LONGEST_TITLE and not _NOT_TITLES.search(title) else ""
