"""A draft in, its sentences with their lines and the keys they cite out, and its reference list.

Reads Markdown, LaTeX and plain text. Marks are [1], [2, 5], [3-5], [@key] and every \\cite command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from rag.text.latex import readable
from rag.text.sentences import spans

_MARK = re.compile(
    r"\\(?:[a-zA-Z]*cite[a-zA-Z]*)\*?(?:\[[^\]]*\]){0,2}\{(?P<tex>[^}]*)\}"
    r"|\[(?P<numbers>\d+(?:\s*[,;–-]\s*\d+)*)\](?!\()"
    r"|\[(?P<pandoc>@[\w:./+-]+(?:\s*;\s*@[\w:./+-]+)*)\]"
)
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_LONGEST_RANGE = 30
# Private-use characters stand in for a mark while the text around it is made readable.
_OPEN, _CLOSE = "\ue200", "\ue201"
_HELD = re.compile(rf"[\s~]*{_OPEN}(\d+){_CLOSE}")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\\(?:sub)*(?:section|paragraph|chapter|title|author|date|caption)\b)")
_REFERENCES = re.compile(
    r"^\s*(?:#{1,6}\s*|\\(?:sub)*section\*?\{)?(?:references|bibliography|works cited|literature"
    r"(?: cited)?|sources)\s*[:}]?\s*$",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^\s*(?:[-*]\s+)?(?:\[(?P<key>[^\]\s]+)\]:?|(?P<number>\d+)[.)])\s+(?P<text>\S.*)$")
_BIBITEM = re.compile(
    r"\\bibitem(?:\[[^\]]*\])?\{(?P<key>[^}]+)\}(?P<text>.*?)(?=\\bibitem|\\end\{thebibliography\}|$)", re.S
)
_DROPPED = re.compile(
    r"\\begin\{(?P<name>equation|align|figure|table|tabular|verbatim|lstlisting|tikzpicture|algorithm|thebibliography)"
    r"(?P<star>\*?)\}.*?\\end\{(?P=name)(?P=star)\}"
    r"|^(?P<fence>```|~~~).*?^(?P=fence)[^\n]*$"
    r"|<!--.*?-->|\A---\n.*?\n---\n",
    re.S | re.M,
)
_TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_TEX_HEAD = re.compile(r"\A.*?\\begin\{document\}", re.S)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)]|>|\\item)\s+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a draft: readable text without marks, the line it begins on, and the keys it cites."""

    text: str
    line: int
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftText:
    """The sentences of a draft, and what its reference list says of each key."""

    statements: tuple[Statement, ...]
    references: Mapping[str, str]


def read_draft(raw: str) -> DraftText:
    """Return the sentences and references of a draft."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    tex = "\\begin{document}" in text or re.search(r"\\(?:cite|section|bibitem)", text) is not None
    references = {m["key"].strip(): " ".join(m["text"].split()) for m in _BIBITEM.finditer(text)}
    if tex:
        text = _TEX_COMMENT.sub("", _TEX_HEAD.sub(_lines_of, text))
    text = _DROPPED.sub(_lines_of, text)
    body, listed = _split_references(text)
    return DraftText(tuple(_statements(body)), {**listed, **references})


def _lines_of(match: re.Match[str]) -> str:
    """Return the line breaks of what is left out, so that line numbers stay right."""
    return "\n" * match[0].count("\n")


def _split_references(text: str) -> tuple[str, dict[str, str]]:
    lines = text.split("\n")
    start = next((i for i in range(len(lines) - 1, -1, -1) if _REFERENCES.match(lines[i])), None)
    entries: dict[str, str] = {}
    body = lines if start is None else lines[:start]
    kept = []
    for line in body:
        entry = re.match(r"^\[(?P<key>\d+)\]:\s+(?P<text>\S.*)$", line)
        if entry:
            entries[entry["key"]] = entry["text"]
        kept.append("" if entry else line)
    key = ""
    for line in lines[start + 1 :] if start is not None else ():
        entry = _ENTRY.match(line)
        if entry:
            key = (entry["key"] or entry["number"]).lstrip("@")
            entries[key] = entry["text"].strip()
        elif key and line.strip():
            entries[key] += " " + line.strip()
    return "\n".join(kept), entries


def _statements(body: str) -> Iterator[Statement]:
    for line, block in _blocks(body):
        marks: list[tuple[str, ...]] = []
        held = _MARK.sub(partial(_hold, marks=marks), block)
        text = readable(held)
        yield from _cut(text, line, block, marks)


def _blocks(body: str) -> Iterator[tuple[int, str]]:
    """Return the paragraphs and list items with the line each begins on; headings and tables are left out."""
    block: list[str] = []
    begun = 1
    for number, line in enumerate([*body.split("\n"), ""], 1):
        bullet = _BULLET.match(line)
        skipped = (
            not line.strip() or _HEADING.match(line) or line.lstrip().startswith(("|", "\\begin", "\\end"))
        )
        if (skipped or bullet) and block:
            yield begun, "\n".join(block)
            block = []
        if skipped:
            continue
        if not block:
            begun = number
        block.append(line[bullet.end() :] if bullet else line)


def _hold(match: re.Match[str], marks: list[tuple[str, ...]]) -> str:
    marks.append(tuple(_keys(match)))
    return f"{_OPEN}{len(marks) - 1}{_CLOSE}"


def _keys(match: re.Match[str]) -> Iterator[str]:
    if match["numbers"]:
        wide = _RANGE.sub(_every, match["numbers"])
        yield from (number for number in re.split(r"[,;\s]+", wide) if number)
    else:
        written = match["tex"] or match["pandoc"]
        yield from (key.strip().lstrip("@") for key in re.split(r"[,;]", written) if key.strip())


def _every(match: re.Match[str]) -> str:
    first, last = int(match[1]), int(match[2])
    return ",".join(str(n) for n in range(first, min(last, first + _LONGEST_RANGE) + 1))


def _cut(text: str, line: int, block: str, marks: list[tuple[str, ...]]) -> Iterator[Statement]:
    found: list[Statement] = []
    for start, end in spans(text):
        piece = text[start:end]
        leading = re.match(rf"(?:{_HELD.pattern}\s*)+", piece)
        if leading and found:
            # A mark after the full stop belongs to the sentence before it.
            late = [k for m in _HELD.finditer(leading[0]) for k in marks[int(m[1])]]
            found[-1] = Statement(found[-1].text, found[-1].line, (*found[-1].keys, *late))
            piece = piece[leading.end() :]
        keys = tuple(dict.fromkeys(k for m in _HELD.finditer(piece) for k in marks[int(m[1])]))
        plain = " ".join(_HELD.sub("", piece).split())
        if any(c.isalpha() for c in plain):
            found.append(Statement(plain, line + _line_within(block, plain), keys))
    yield from found


def _line_within(block: str, plain: str) -> int:
    """Return how many lines down a block a sentence begins, found by its first words."""
    first = [re.escape(word) for word in re.findall(r"\w+", plain)[:4]]
    match = re.search(r"\W+".join(first), block) if first else None
    return block.count("\n", 0, match.start()) if match else 0
