"""Claims as JSON lines in, one claim a line with the source it cites out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rag.errors import UsageError

_SHAPE = 'each line is an object such as {"claim": "A is faster than B.", "source": "list.txt#3"}'


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim, the source it cites ("" for any paper), its line, and everything that line holds."""

    text: str
    source: str
    line: int
    record: Mapping[str, Any]


def read_claims(raw: str) -> Iterator[ClaimLine]:
    """Return the claims of a JSON lines text. Raises UsageError naming the line that is not one."""
    for number, line in enumerate(raw.split("\n"), 1):
        if line.strip():
            yield _claim(line, number)


def _claim(line: str, number: int) -> ClaimLine:
    try:
        record = json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"line {number} is not JSON: {_short(line)}", hint=_SHAPE) from error
    if not isinstance(record, dict):
        raise UsageError(f"line {number} is not an object: {_short(line)}", hint=_SHAPE)
    claim, source = record.get("claim"), record.get("source") or ""
    if not isinstance(claim, str) or not claim.strip():
        raise UsageError(f'line {number} has no text under "claim": {_short(line)}', hint=_SHAPE)
    if not isinstance(source, str):
        raise UsageError(f'line {number} has no text under "source": {_short(line)}', hint=_SHAPE)
    return ClaimLine(claim, source.strip(), number, record)


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON value")


def _short(line: str) -> str:
    return line if len(line) < 80 else line[:79] + "…"
