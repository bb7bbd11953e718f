"""A list of abstracts as plain text or Markdown in, records and notices out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rag.domain import Notice, Record
from rag.sources import ends, labelled
from rag.sources.fields import MAX_LENGTH, MIN_LENGTH, absent, papers, quoted
from rag.sources.mixed import Divided, divide
from rag.sources.opening import Source, text_of
from rag.sources.paragraphs import Paragraph, paragraphs
from rag.sources.titles import Item, items

_PROSE = re.compile(r"[\w“\"‘'(\\$*]")
_LEAST_WORDS = 25
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")


def detects(source: Source) -> bool:
    """Tell whether paragraphs of prose stand in a file, whatever its name says."""
    return not _is_table(source) and any(map(_is_prose, paragraphs(source.sample[:20_000])))


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the abstracts of a list as records, and a notice for each paragraph skipped.

    The ordinal in a record's source counts abstracts, too long ones included, from 1.
    """
    text, repairs = text_of(source)
    yield from repairs
    yield from _labelled(text, source.name) if labelled.is_labelled(text) else _unlabelled(text, source.name)
    yield from ends.cut(source.name, text, ends.in_a_line(text))


def _labelled(text: str, name: str) -> Iterator[Record | Notice]:
    """Read entries whose lines say what they are, and the plain abstracts among them."""
    divided = divide(text)
    if divided.is_mixed:
        yield from _in_order(divided, name)
        return
    for line, said in divided.before:
        reason = f"not labelled as the rest of the list is: {quoted(said)}"
        yield Notice(name, line, reason, kind="not labelled")
    yield from papers(labelled.rows(text), name)


def _in_order(divided: Divided, name: str) -> Iterator[Record | Notice]:
    """Yield what both parts of a list hold in the order of their lines, numbered together."""
    both = [*papers(labelled.rows(divided.labelled), name), *_unlabelled(divided.plain, name)]
    ordinal = 0
    for item in sorted(both, key=lambda item: item.line or 0):
        numbered = "#" in item.source
        ordinal += numbered
        yield replace(item, source=f"{name}#{ordinal}") if numbered else item


def _unlabelled(text: str, name: str) -> Iterator[Record | Notice]:
    ordinal = 0
    for item in items(paragraphs(text)):
        short = len(item.text) < MIN_LENGTH and not absent(item.text)
        ordinal += not short
        yield _read(item, name if short else f"{name}#{ordinal}")


def _read(item: Item, source: str) -> Record | Notice:
    text = item.text
    kind = absent(text)
    if kind:
        return Notice(source, item.line, f"{kind}: {quoted(item.title or text)}", kind=kind)
    if len(text) < MIN_LENGTH:
        return Notice(source, item.line, f"too short to be an abstract: “{text}”", kind="too short")
    if len(text) > MAX_LENGTH:
        reason = f"{len(text):,} characters are more than the {MAX_LENGTH:,} an abstract may have"
        return Notice(source, item.line, reason, kind="too long")
    return Record(text=text, source=source, line=item.line, title=item.title)


def _is_table(source: Source) -> bool:
    return source.suffix in (".csv", ".tsv", ".tab")


def _is_prose(paragraph: Paragraph) -> bool:
    text = paragraph.text
    return (
        len(text.split()) >= _LEAST_WORDS
        and _PROSE.match(text) is not None
        and text.rstrip("”\"')]").endswith(_SENTENCE_ENDS)
    )
