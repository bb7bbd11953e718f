"""A BibTeX file in, a record for each entry out; what cannot be read is told with its line."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rag.domain import BROKEN_OFF, Notice, Record
from rag.sources.fields import Row, papers
from rag.sources.opening import Source, text_of

if TYPE_CHECKING:
    from bibtexparser.library import Library
    from bibtexparser.model import Block, Entry

_ENTRY = re.compile(r"(?:^|\n)[ \t]*@\s*(?P<kind>[A-Za-z]{3,20})\s*[{(]")
# What begins as an entry does, and has fields, but for the brace.
_BRACELESS = re.compile(
    r"^[ \t]*@(?:article|book|in\w{5,13}|misc|\w{2,6}thesis|techreport|unpublished|online)[ \t]+"
    r"[^\s{(=]+,[ \t]*(?=\n\s*\w+\s*=)",
    re.IGNORECASE | re.MULTILINE,
)
_NO_PAPERS = frozenset(("string", "comment", "preamble"))
_NEXT_FIELD = re.compile(r"\s*(?:,\s*)?([A-Za-z][\w-]{0,40})\s*=\s*")
_JOIN = re.compile(r"\s*#\s*")
_WORD = re.compile(r"[^\s#{}\",=]+")
# Braces that only guard capitals go; those of a command or a script mean something.
_BRACED = re.compile(r"(\\[A-Za-z]+\s?(?:\{[^{}]*\})+|[_^]\{[^{}]*\})|\{([^{}\\$]*)\}")
_LONGEST, _LONGEST_STRING = 200_000, 2000
# What an entry takes from the one it refers to, under another name where that is what it means for it.
_INHERITED = {
    "title": "booktitle",
    "booktitle": "booktitle",
    "year": "year",
    "date": "date",
    "journal": "journal",
}
_MOST_DEPTH, _MOST_PIECES = 5, 100


def detects(source: Source) -> bool:
    """Tell whether an entry such as `@article{` stands where a line begins, with fields in it."""
    found = _ENTRY.search(source.sample)
    return (
        found is not None
        and "=" in source.sample[found.end() :]
        and not _is_prose(source.sample[: found.start()])
    )


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each entry, in the order of the file."""
    text, repairs = text_of(source)
    yield from repairs
    unended: list[int] = []
    yield from papers(_rows(text, unended), source.name)
    for line in unended:
        reason = "an entry that does not end; it is read as far as it goes"
        yield Notice(source.name, line, reason, skipped=False, kind=BROKEN_OFF)


def _is_prose(before: str) -> bool:
    """Say whether what stands before the first entry is more than remarks."""
    return len(before) > 5000 and not before.lstrip().startswith(("%", "@", "#"))


def _rows(text: str, unended: list[int]) -> Iterator[Row]:
    """Yield line and fields of each entry; lines of those read without their end go to `unended`."""
    library = _split(text)
    strings: dict[str, str] = {}
    for string in library.strings:
        # As in BibTeX, a string is made of those before it; so none can grow without end.
        strings[string.key.lower()] = _value(str(string.value), 0, strings)[0][:_LONGEST_STRING]
    blocks = sorted(library.blocks, key=lambda block: block.start_line or 0)
    entries = {key.lower(): entry for key, entry in library.entries_dict.items()}
    for block in blocks:
        entry = _entry(block)
        line = (block.start_line or 0) + 1
        if entry is not None:
            yield line, _inheriting(_fields(entry, strings), entries, strings)
        elif _is_broken_entry(block):
            fields = _salvaged(block, strings)
            unended += [line] if fields else []
            yield line, fields or f"an entry that does not end: {_beginning(block)}"
        elif found := _BRACELESS.search(block.raw or ""):
            inner = line + (block.raw or "").count("\n", 0, found.start())
            yield inner, f"an entry without its first brace: {found[0].strip()}"


def _split(text: str) -> Library:
    from bibtexparser.splitter import Splitter

    # It tells of faults in its log too, which would stand between our own lines.
    log = logging.getLogger("bibtexparser")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    return Splitter(text).split()


def _entry(block: Block) -> Entry | None:
    """Return the entry in a block, also one whose key, or a field of it, stands twice."""
    from bibtexparser.model import Entry

    inner = getattr(block, "ignore_error_block", None) or block
    return inner if isinstance(inner, Entry) else None


def _is_broken_entry(block: Block) -> bool:
    from bibtexparser.model import ParsingFailedBlock

    found = _ENTRY.match(block.raw or "")
    return (
        isinstance(block, ParsingFailedBlock)
        and found is not None
        and found["kind"].lower() not in _NO_PAPERS
    )


def _salvaged(block: Block, strings: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an entry that lacks nothing but its last brace, if it has an abstract."""
    found = _split((block.raw or "")[:_LONGEST].rstrip().rstrip(",") + "\n}").entries
    fields = _fields(found[0], strings) if found else {}
    return fields if "abstract" in fields else {}


def _beginning(block: Block) -> str:
    line = (block.raw or "").strip().partition("\n")[0]
    return line if len(line) <= 60 else line[:59] + "…"


def _fields(entry: Entry, strings: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of an entry as plain values; the first of two of one name."""
    fields: dict[str, str] = {"id": entry.key}
    for field in entry.fields:
        name: str = field.key.lower()
        for key, value in _values(name, str(field.value)[:_LONGEST], strings):
            fields.setdefault(key, _unbraced(value))
    return fields


def _unbraced(value: str) -> str:
    """Return a value without the braces that guard its capitals, a few of them in each other."""
    for _ in range(_MOST_DEPTH if "{" in value else 0):
        value = _BRACED.sub(lambda m: m[1] or m[2], value)
    return value


def _values(name: str, raw: str, strings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a field's name and value, and those of the fields that a missing comma made part of it."""
    at = 0
    while True:
        value, at = _value(raw, at, strings)
        yield name, value
        following = _NEXT_FIELD.match(raw, at)
        if not following:
            return
        name, at = following[1].lower(), following.end()


def _value(raw: str, at: int, strings: Mapping[str, str]) -> tuple[str, int]:
    """Read one value: pieces in braces or quotes, or names, joined by `#`; return where it ends."""
    pieces: list[str] = []
    while at < len(raw):
        start = at
        if raw[at] in '{"':
            at = _end(raw, at)
            pieces.append(raw[start + 1 : at - 1])
        elif word := _WORD.match(raw, at):
            at = word.end()
            pieces.append(strings.get(word[0].lower(), word[0]))
        else:
            break
        join = _JOIN.match(raw, at)
        if not join or len(pieces) >= _MOST_PIECES:
            break
        at = join.end()
    return "".join(pieces).strip(), max(at, 1)


def _end(raw: str, at: int) -> int:
    """Return where the value that opens at `at` ends, its closing mark included."""
    depth = 0
    quoted = raw[at] == '"'
    for mark in re.compile(r"\\.|[{}\"]", re.DOTALL).finditer(raw, at + quoted):
        if mark[0] == '"' and quoted and depth == 0:
            return mark.end()
        depth += (mark[0] == "{") - (mark[0] == "}")
        if depth == 0 and mark[0] == "}" and not quoted:
            return mark.end()
    return len(raw) + 1


def _inheriting(
    fields: dict[str, str], entries: Mapping[str, Entry], strings: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields with those of the entry named by `crossref`, where they are missing."""
    parent = entries.get(fields.get("crossref", "").lower())
    if parent is not None:
        theirs = _fields(parent, strings)
        for name, ours in _INHERITED.items():
            if name in theirs:
                fields.setdefault(ours, theirs[name])
    return fields
