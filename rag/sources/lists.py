"""A list file in (a heading line, then abstracts separated by blank lines), records and notices out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rag.domain import Notice, Record
from rag.errors import SourceError
from rag.sources.decoding import decode, refuse_binary

MIN_LENGTH = 40
MAX_LENGTH = 20_000
_HEADING_LENGTH = 120
_OTHER_FORMATS = frozenset(
    """
    .json .jsonl .ndjson .bib .ris .csv .tsv .xml .html .htm .py .js .yaml .yml .toml .ini .log .sql .css .sh
    """.split()
)


def detects(path: Path) -> bool:
    """Tell whether a file may be a list of abstracts: it is not named as another format."""
    return path.suffix.lower() not in _OTHER_FORMATS


def reads(path: Path, name: str) -> Iterator[Record | Notice]:
    """Yield the abstracts of the list at `path` as records, and a notice for each paragraph skipped.

    The source's ordinal counts abstracts, too long ones included, from 1.
    """
    try:
        data = path.read_bytes()
        refuse_binary(data[:65536])
        text, repairs = decode(data)
    except OSError as error:
        raise SourceError(
            f"cannot be read ({error.strerror or error}).", source=name, hint="Check its permissions."
        ) from error
    except SourceError as error:
        raise type(error)(error.reason, source=name, hint=error.hint) from error
    yield from (Notice(name, 1, repair, skipped=False) for repair in repairs)
    yield from _items(text, name)


def _items(text: str, name: str) -> Iterator[Record | Notice]:
    ordinal = 0
    for number, (line, paragraph) in enumerate(_paragraphs(text)):
        if _is_heading(paragraph, first=number == 0):
            continue
        if len(paragraph) < MIN_LENGTH:
            yield Notice(name, line, f"too short to be an abstract: “{paragraph}”")
            continue
        ordinal += 1
        source = f"{name}#{ordinal}"
        if len(paragraph) > MAX_LENGTH:
            reason = f"{len(paragraph):,} characters are more than the {MAX_LENGTH:,} an abstract may have"
            yield Notice(source, line, reason)
        else:
            yield Record(text=paragraph, source=source, line=line)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield each paragraph, its lines joined, with the number of its first line."""
    lines: list[str] = []
    for number, line in enumerate((*text.split("\n"), ""), start=1):
        stripped = line.strip()
        if stripped:
            lines.append(stripped)
        elif lines:
            yield number - len(lines), " ".join(lines)
            lines = []


def _is_heading(paragraph: str, *, first: bool) -> bool:
    """Tell whether the first paragraph is the list's heading: short, and not a sentence."""
    if not first or len(paragraph) > _HEADING_LENGTH:
        return False
    return len(paragraph) < MIN_LENGTH or not paragraph.rstrip("”\"')]").endswith((".", "!", "?", "。"))
