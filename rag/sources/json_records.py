"""A JSON document in, a record for each paper in it out, wherever its list of papers is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

from rag.domain import Notice, Record
from rag.sources.aliases import means
from rag.sources.fields import Row, papers
from rag.sources.opening import Source, text_of

# Under these keys programs keep their list of papers.
_NESTS = frozenset(
    """
    papers data results notes items message records entries works articles documents docs hits response value
    publications resultlist recommendedpapers references citations search-results entry result list collection
    """.split()
)
_MAX_DEPTH = 12

Walk = Generator[Row, None, int]
"""The rows of a value, and then where it ends."""

_SPACE = re.compile(r"[ \t\r\n\f\v\ufeff\x1e]*")
_START = re.compile(r"\s*(?:\[\s*(?:[\[{]|\]|$)|\{\s*(?:\"|\}|$))")


def detects(source: Source) -> bool:
    """Tell whether a file begins as a JSON object or a list of them does."""
    return _START.match(source.sample) is not None


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the papers of a JSON document; of a broken one those before the fault, whose line is told."""
    text, repairs = text_of(source)
    yield from repairs
    yield from papers(_Document(text).rows(), source.name)


@dataclass
class _Document:
    """A JSON text that is walked value by value, so that what stands before a fault is not lost."""

    text: str
    decoder: json.JSONDecoder = field(default_factory=lambda: json.JSONDecoder(strict=False))
    _counted: int = 0
    _line: int = 1

    def rows(self) -> Iterator[Row]:
        """Yield line and fields of each paper, then, if the text breaks off or is wrong, where and why."""
        at = 0
        try:
            while (at := self._skip(at)) < len(self.text):
                at = yield from self._value(at, 0)
        except _Fault as fault:
            yield self._line_at(fault.at), f"not JSON from here on ({fault}); the rest is not read"

    def _value(self, at: int, depth: int) -> Walk:
        """Walk the value at `at`; return where it ends (as a generator does)."""
        opener = self.text[at]
        if depth > _MAX_DEPTH or opener not in "[{":
            _, end = self._decoded(at)
            return end
        if opener == "[":
            return (yield from self._array(at, depth))
        return (yield from self._object(at, depth))

    def _array(self, at: int, depth: int) -> Walk:
        start, at = at, self._skip(at + 1)
        while self._char(at, start) != "]":
            if self.text[at] == "[":
                at = yield from self._value(at, depth + 1)
            else:
                line = self._line_at(at)
                value, at = self._decoded(at)
                yield (line, value) if isinstance(value, dict) else (line, "not an object with fields")
            at = self._separated(at, start)
        return at + 1

    def _object(self, at: int, depth: int) -> Walk:
        """Walk an object: a list of papers in it, papers by their id, or else one paper itself."""
        start, line = at, self._line_at(at)
        own: dict[str, Any] = {}
        nested = False
        at = self._skip(at + 1)
        while self._char(at, start) != "}":
            key, at = self._key(at)
            opener = self._char(at, start)
            if opener in "[{" and key.lower() in _NESTS and self._holds_objects(at):
                nested = True
                at = yield from self._value(at, depth + 1)
            else:
                inner = self._line_at(at)
                value, at = self._decoded(at)
                if isinstance(value, dict) and means("abstract", value) and means("title", value):
                    nested = True
                    yield inner, value if "id" in value else {"id": key, **value}
                own[key] = value
            at = self._separated(at, start)
        if not nested:
            yield line, own
        return at + 1

    def _holds_objects(self, at: int) -> bool:
        return self.text[at] == "{" or self.text.startswith(("{", "[", "]"), self._skip(at + 1))

    def _key(self, at: int) -> tuple[str, int]:
        """Read a key and its colon; return it and where its value begins."""
        if self.text[at] != '"':
            raise _Fault("a key in quotation marks is expected", at)
        key, end = self._decoded(at)
        end = self._skip(end)
        if self._char(end, at) != ":":
            raise _Fault("a colon is expected", end)
        return str(key), self._skip(end + 1)

    def _decoded(self, at: int) -> tuple[Any, int]:
        try:
            return self.decoder.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            raise _Fault(error.msg[:1].lower() + error.msg[1:], error.pos) from error
        except (ValueError, RecursionError) as error:
            raise _Fault("a value too large or too deep", at) from error

    def _separated(self, at: int, start: int) -> int:
        """Return where the next element begins, or the bracket that ends them."""
        at = self._skip(at)
        if self._char(at, start) in "]}":
            return at
        if self.text[at] != ",":
            raise _Fault("a comma is expected", at)
        return self._skip(at + 1)

    def _char(self, at: int, start: int) -> str:
        if at >= len(self.text):
            raise _Fault(f"the text ends inside what begins at line {self._count(start)}", max(at - 1, 0))
        return self.text[at]

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def _line_at(self, at: int) -> int:
        """Return the line of a place; places mostly come in order, so that each line is counted once."""
        if at < self._counted:
            return self._count(at)
        self._line += self.text.count("\n", self._counted, at)
        self._counted = at
        return self._line

    def _count(self, at: int) -> int:
        return self.text.count("\n", 0, at) + 1


class _Fault(Exception):
    """What is wrong with a JSON text, and where."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.at = at
