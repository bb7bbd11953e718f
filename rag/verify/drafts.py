"""A draft in, its sentences with their lines and the keys they cite out, and its reference list.

Reads Markdown, LaTeX and plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.text.sentences import spans
from rag.verify.authoryear import Fits
from rag.verify.marks import (
    MARK,
    Held,
    bare,
    fits_nothing,
    keys_in,
    leading,
    take_out,
    unread,
    without_marks,
    without_stand_ins,
    written,
)

# Stands for the end of a paragraph inside a line; a draft's own are taken out first.
_BREAK = "\ue202"
_HEADING = re.compile(r"\s{0,9}#{1,6}(?:\s|$)")
_SECTION = re.compile(r"\s{0,9}(?:#{1,6}\s|\\(?:sub){0,3}(?:section|chapter)\b|\\appendix\b)")
_REFERENCES = re.compile(
    r"^\s*(?:#{1,6}\s*|\\(?:sub)*section\*?\{)?(?:references|bibliography|works cited|literature"
    r"(?: cited)?|sources)\s*[:}]?\s*$",
    re.IGNORECASE,
)
_ENTRY = re.compile(r"^\s*(?:[-*]\s+)?(?:\[(?P<key>[^\]\s]+)\]:?|(?P<number>\d+)[.)])\s+(?P<text>\S.*)$")
_BIBITEM = re.compile(
    r"\\bibitem(?:\[[^\]]{0,300}\])?\{(?P<key>[^{}\\]{1,300})\}"
    r"(?P<text>.*?)(?=\\bibitem|\\end\{thebibliography\}|$)",
    re.S,
)
_DROPPED = re.compile(
    r"\\begin\{(?P<name>(?:equation|align|figure|table|tabular|verbatim|lstlisting|tikzpicture|algorithm"
    r"|thebibliography)\*?)\}|^(?P<fence>```|~~~)|(?P<comment><!--)|\A(?P<front>---\n)",
    re.M,
)
_CLOSERS = {"fence": "\n{}", "comment": "-->", "front": "\n---\n", "name": "\\end{{{}}}"}
_CAPTIONED = ("figure", "table", "algorithm")
_CAPTION = re.compile(r"\\caption(?:of\{\w{0,30}\})?\*?(?:\[[^\]]{0,1000}\])?\{")
_COMMAND = re.compile(
    r"\\(?:(?:sub){0,3}(?P<heading>section|paragraph|chapter|title|author|date)\b\*?(?:\[[^\]]{0,300}\])?\s?\{?"
    r"|(?:begin|end)\{(?![a-zA-Z]{0,9}(?:matrix|cases|array|aligned|split|gathered))[^{}\\]{0,40}\}"
    r"(?:\[[^\]]{0,300}\])?|item\b(?:\[[^\]]{0,300}\])?)"
)
_LONGEST_HEADING = 300
_BRACES = re.compile(r"\\.|[{}]", re.S)
_TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_TEX_HEAD = re.compile(r"\A.*?\\begin\{document\}", re.S)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)]|>|\\item)\s+")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_BAR = re.compile(r"(?<!\\)\|")
# A sentence ends here whatever the words; what is longer than this without one is a single sentence.
_STOP = re.compile(r"[.!?][\"”’)\]]{0,3}\s|[。！？]")
_BLOCK = 10_000
_LOOKED_AHEAD = 4_000


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a draft: readable text without marks, the line it begins on, and the keys it cites.

    `bare` is the sentence without the authors that cite in it, where it has any: `Lee (2023) shows …`.
    """

    text: str
    line: int
    keys: tuple[str, ...] = ()
    bare: str = ""

    @property
    def claim(self) -> str:
        """What is claimed: the sentence without any citation."""
        return self.bare or self.text


@dataclass(frozen=True, slots=True)
class DraftText:
    """The sentences of a draft, what its reference list says of each key, and the citations not read."""

    statements: tuple[Statement, ...]
    references: Mapping[str, str]
    unread: tuple[str, ...] = ()


def read_draft(raw: str, fits: Fits = fits_nothing) -> DraftText:
    """Return the sentences and references of a draft.

    A name and a year that may be something else, as in `Florida 2015`, cite only where `fits` finds a paper.
    """
    text = without_stand_ins(raw.replace("\r\n", "\n").replace("\r", "\n").replace(_BREAK, ""))
    tex = "\\begin{document}" in text or re.search(r"\\(?:cite|section|bibitem)", text) is not None
    references = {m["key"].strip(): " ".join(m["text"].split()) for m in _BIBITEM.finditer(text)}
    if tex:
        text = _TEX_COMMENT.sub("", _TEX_HEAD.sub(lambda m: _lines_of(m[0]), text))
    body, listed = _split_references(_without_asides(text))
    return DraftText(tuple(_statements(_broken(body), fits)), {**listed, **references}, unread(body))


def _lines_of(text: str) -> str:
    """Return the line breaks of what is left out, so that line numbers stay right."""
    return "\n" * text.count("\n")


def _without_asides(text: str) -> str:
    """Leave out formulas, code, comments and figures, but not the captions of figures."""
    partners = _partners(text)
    pieces: list[str] = []
    at, hopeless, opener = 0, set[str](), _DROPPED.search(text)
    while opener:
        kind = opener.lastgroup or ""
        closer = _CLOSERS[kind].format(opener[kind])
        end = -1 if closer in hopeless else text.find(closer, opener.end() - (kind == "front"))
        if end < 0:
            hopeless.add(closer)
            opener = _DROPPED.search(text, opener.end())
            continue
        end += len(closer)
        if kind == "fence":
            end = text.find("\n", end) if text.find("\n", end) >= 0 else len(text)
        kept = kind == "name" and opener[kind].startswith(_CAPTIONED)
        pieces += [text[at : opener.start()], _captions(text, opener.end(), end, partners) if kept else ""]
        pieces += [] if kept else [_lines_of(text[opener.start() : end])]
        at = end
        opener = _DROPPED.search(text, end)
    return "".join(pieces) + text[at:]


def _captions(text: str, start: int, end: int, partners: Mapping[int, int]) -> str:
    """Return the captions of a figure, each on its line; one that is never closed lasts to the end."""
    pieces: list[str] = []
    at = start
    for caption in _CAPTION.finditer(text, start, end):
        if caption.start() < at:
            continue
        closed = min(partners.get(caption.end() - 1, end), end)
        pieces += [_lines_of(text[at : caption.end()]), _BREAK, text[caption.end() : closed], _BREAK]
        at = closed
    return "".join(pieces) + _lines_of(text[at:end])


def _partners(text: str) -> dict[int, int]:
    """Return where each brace that is closed is closed."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            partners[opened.pop()] = brace.start()
    return partners


def _broken(text: str) -> str:
    """Put the end of a paragraph in the place of headings and environments; keep the words beside them."""
    partners = _partners(text)
    pieces: list[str] = []
    at = 0
    for command in sorted((*_COMMAND.finditer(text), *_CAPTION.finditer(text)), key=lambda m: m.start()):
        if command.start() < at:
            continue
        pieces += [text[at : command.start()], _BREAK, _lines_of(command[0])]
        at = command.end()
        closed = partners.get(at - 1, -1) if command[0].endswith("{") else -1
        if closed < 0:
            continue
        argument = text[at:closed]
        if command.re is _CAPTION or not _is_title(command["heading"], argument):
            pieces += [argument, _BREAK]
        else:
            pieces.append(_lines_of(argument))
        at = closed + 1
    return "".join(pieces) + text[at:]


def _is_title(command: str, argument: str) -> bool:
    """Tell whether the argument of a heading is a title and not a claim or a brace closed too late."""
    claims = command == "paragraph" and MARK.search(argument)
    return not claims and len(argument) <= _LONGEST_HEADING and "\n\n" not in argument


def _split_references(text: str) -> tuple[str, dict[str, str]]:
    lines = text.split("\n")
    start = next((i for i in range(len(lines) - 1, -1, -1) if _REFERENCES.match(lines[i])), len(lines))
    after = range(start + 1, len(lines))
    end = next((i for i in after if _SECTION.match(lines[i])), len(lines))
    entries: dict[str, str] = {}
    kept = []
    for line in lines[:start]:
        entry = re.match(r"^\[(?P<key>\d+)\]:\s+(?P<text>\S.*)$", line)
        if entry:
            entries[entry["key"]] = entry["text"]
        kept.append("" if entry else line)
    kept += [""] * (start < len(lines)) + _listed(lines[start + 1 : end], entries) + lines[end:]
    return "\n".join(kept), entries


def _listed(lines: Sequence[str], entries: dict[str, str]) -> list[str]:
    """Add the entries of a reference list to `entries`; return the lines, blank but for those that cite."""
    found: dict[str, list[str]] = {}
    kept, key, gap = [], "", True
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            key = (entry["key"] or entry["number"]).lstrip("@")
            found[key] = [entry["text"].strip()]
        cites = not entry and gap and MARK.search(line) is not None
        if key and line.strip() and not entry and not cites:
            found[key].append(line.strip())
        gap = not line.strip() or cites
        kept.append(line if cites else "")
    entries.update({key: " ".join(parts) for key, parts in found.items()})
    return kept


def _statements(body: str, fits: Fits) -> Iterator[Statement]:
    for line, block in _blocks(body, fits):
        text, held = take_out(block, fits)
        yield from _cut(text, line, block, held)


def _blocks(body: str, fits: Fits) -> Iterator[tuple[int, str]]:
    """Return the paragraphs, list items and table rows, not the headings, with the line each begins on."""
    block: list[str] = []
    begun = 1
    lines = [*body.split("\n"), ""]
    for number, line in enumerate(lines, 1):
        for nth, part in enumerate(line.split(_BREAK)):
            bullet = _BULLET.match(part)
            row = part.lstrip().startswith("|")
            skipped = not part.strip() or row or _HEADING.match(part)
            if (skipped or bullet or nth) and block:
                yield begun, "\n".join(block)
                block = []
            if row and not _RULE.fullmatch(lines[min(number, len(lines) - 1)]):
                yield from ((number, claim) for claim in _row(part, fits))
            if skipped:
                continue
            if not block:
                begun = number
            block.append(part[bullet.end() :] if bullet else part)


def _row(line: str, fits: Fits) -> Iterator[str]:
    """Return what a table row claims: all of it, or each cell that cites when several do."""
    cells = [cell.strip() for cell in _BAR.split(line) if cell.strip()]
    without = {cell: without_marks(cell, fits) for cell in cells}
    said = [cell for cell in cells if any(c.isalnum() for c in without[cell])]
    rest = " ".join(cell for cell in cells if cell not in said)
    marked = [cell for cell in said if without[cell] != cell]
    if len(marked) < 2:
        if any(without[cell] != cell for cell in cells):
            yield f"{', '.join(said)} {rest}"
        return
    label = "" if said[0] in marked else said[0] + ", "
    yield from (f"{label}{cell} {rest}" for cell in marked)


def _cut(text: str, line: int, block: str, held: Sequence[Held]) -> Iterator[Statement]:
    found: list[Statement] = []
    at = 0
    for piece in _sentences(text):
        late = leading(piece) if found else ""
        if late:
            # A mark after the full stop belongs to the sentence before it.
            found[-1] = replace(found[-1], keys=(*found[-1].keys, *keys_in(late, held)))
            piece = piece[len(late) :]
        claim, said = bare(piece), written(piece, held)
        if any(c.isalpha() for c in claim):
            at = _place(block, said, at)
            keys = tuple(dict.fromkeys(keys_in(piece, held)))
            begun = line + block.count("\n", 0, at)
            found.append(Statement(said, begun, keys, claim if claim != said else ""))
    yield from found


def _sentences(text: str) -> Iterator[str]:
    """Return the sentences of a paragraph; the splitter is given no more of it at once than it can bear."""
    at = 0
    while at < len(text):
        end, sentence = len(text), False
        if end - at > _BLOCK:
            stops = [m.end() for m in _STOP.finditer(text, at, at + _BLOCK)]
            further = None if stops else _STOP.search(text, at + _BLOCK - 5)
            sentence = not stops
            end = stops[-1] if stops else further.end() if further else end
        if sentence:
            yield text[at:end].strip()
        else:
            yield from (text[at + a : at + b] for a, b in spans(text[at:end]))
        at = end


def _place(block: str, plain: str, at: int) -> int:
    """Return where in a block a sentence begins, found by its first words not before `at`."""
    first = [re.escape(word) for word in re.findall(r"\w+", plain[:_LOOKED_AHEAD])[:4]]
    if not first or "\n" not in block:
        return at
    match = re.compile(r"\W+".join(first)).search(block, at, at + _LOOKED_AHEAD)
    return match.start() if match else at
