"""JSON lines in, a record for each line out; read line by line, however large the file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from rag.domain import Notice, Record
from rag.sources.decoding import guessed_encoding, is_wide
from rag.sources.fields import Row, papers
from rag.sources.opening import Source, text_of

MAX_LINE = 16 * 1024 * 1024
_BLOCK = 1024 * 1024


def detects(source: Source) -> bool:
    """Tell whether the first line is a whole JSON object, and the next begins another, if there is one."""
    lines = [line for line in source.sample.split("\n") if line.strip()]
    if not lines or not lines[0].startswith("{"):
        return False
    if len(lines) == 1 and "\n" not in source.sample:
        return source.suffix in (".jsonl", ".ndjson")
    if len(lines) > 1 and not lines[1].lstrip().startswith("{"):
        return source.suffix in (".jsonl", ".ndjson")
    return isinstance(_parsed(lines[0]), dict)


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each line, and a notice for each line that is no JSON object or too long."""
    if is_wide(source.head):
        text, repairs = text_of(source)
        yield from repairs
        yield from papers(_rows(io.BytesIO(text.encode("utf-8", "replace")), {}), source.name)
        return
    notes: dict[str, int] = {}
    with source.open() as stream:
        yield from papers(_rows(stream, notes), source.name)
    for encoding, line in notes.items():
        yield Notice(source.name, line, f"not UTF-8; from here on read as {encoding}", skipped=False)


def _rows(stream: BinaryIO, notes: dict[str, int]) -> Iterator[Row]:
    """Yield number and fields of each line that is not empty; note the encoding of lines not in UTF-8."""
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            yield (
                number,
                f"a line of {_skipped(stream) + MAX_LINE:,} bytes is more than the {MAX_LINE:,} it may have",
            )
            continue
        text = _decoded(line, number, notes).strip("\ufeff\x00\x1e \t\r\n")
        if text and text not in ("[", "]"):
            value = _parsed(text.rstrip(","))
            yield number, value if isinstance(value, dict) else _complaint(value)


def _complaint(value: Any) -> str:
    return f"not JSON ({value})" if isinstance(value, str) else "not an object with fields"


def _parsed(text: str) -> Any:
    """Return the value of a line, or, as text, why it cannot be read."""
    try:
        return json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return error.msg[:1].lower() + error.msg[1:]
    except (ValueError, RecursionError):
        return "a value too large or too deep"


def _decoded(line: bytes, number: int, notes: dict[str, int]) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        if not notes:
            notes[guessed_encoding(line)] = number
        return line.decode(next(iter(notes)), "replace")


def _skipped(stream: BinaryIO) -> int:
    """Pass over the rest of a line; return how many bytes that was."""
    passed = 0
    while block := stream.readline(_BLOCK):
        passed += len(block)
        if block.endswith(b"\n"):
            break
    return passed
