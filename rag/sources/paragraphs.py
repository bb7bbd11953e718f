"""The text of a list in, its paragraphs out, each with the number of its first line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

HEADING = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*$")
NUMBER = re.compile(r"(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)])\s+(?=\S)")
_BULLET = re.compile(r"[-*•+–]\s+(?=\S)")
RULE = re.compile(r"(?:[-*_=~]\s?){3,}")
_LONG_LINE = 200


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines without an empty one between them; `level` is that of a Markdown heading, else 0."""

    line: int
    lines: tuple[str, ...]
    level: int = 0

    @property
    def text(self) -> str:
        """The lines as one."""
        return " ".join(self.lines)


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a list, numbers and bullets before them left out."""
    found = list(_parted(text))
    if len(found) == 1 or (len(found) == 2 and found[0].level):
        found = [*found[:-1], *_line_by_line(found[-1])]
    found = [part for whole in found for part in _numbered_lines(whole)]
    return _unnumbered(_unnumbered(found, NUMBER), _BULLET)


def _parted(text: str) -> Iterator[Paragraph]:
    """Part at empty lines, rules and headings."""
    lines: list[str] = []
    for number, line in enumerate((*text.split("\n"), ""), start=1):
        stripped = line.strip()
        heading = HEADING.fullmatch(stripped) if stripped.startswith("#") else None
        is_rule = stripped[:1] in "-*_=~" and RULE.fullmatch(stripped) is not None
        if stripped and not heading and not is_rule:
            lines.append(stripped)
            continue
        if lines:
            yield Paragraph(number - len(lines), tuple(lines))
            lines = []
        if heading:
            yield Paragraph(number, (heading[2],), len(heading[1]))


def _line_by_line(whole: Paragraph) -> list[Paragraph]:
    """Part a text without any empty line where each of its lines is long: one abstract a line."""
    if len(whole.lines) > 1 and all(len(line) >= _LONG_LINE for line in whole.lines):
        return [Paragraph(whole.line + n, (line,)) for n, line in enumerate(whole.lines)]
    return [whole]


def _numbered_lines(whole: Paragraph) -> list[Paragraph]:
    """Part a paragraph whose lines are numbered one after the other."""
    starts = [n for n, line in enumerate(whole.lines) if NUMBER.match(line)]
    if len(starts) < 2 or starts[0] != 0 or not _count_up([whole.lines[n] for n in starts]):
        return [whole]
    ends = [*starts[1:], len(whole.lines)]
    return [Paragraph(whole.line + a, whole.lines[a:b]) for a, b in zip(starts, ends, strict=True)]


def _unnumbered(found: list[Paragraph], mark: re.Pattern[str]) -> list[Paragraph]:
    """Take numbers or bullets off paragraphs, where at least two have them and numbers count up."""
    marked = [p.lines[0] for p in found if mark.match(p.lines[0])]
    if len(marked) < 2 or (mark is NUMBER and not _count_up(marked)):
        return found
    return [Paragraph(p.line, (mark.sub("", p.lines[0], count=1), *p.lines[1:]), p.level) for p in found]


def _count_up(lines: Sequence[str]) -> bool:
    numbers = [int(next(filter(None, found.groups()))) for line in lines if (found := NUMBER.match(line))]
    return all(b == a + 1 for a, b in pairwise(numbers))
