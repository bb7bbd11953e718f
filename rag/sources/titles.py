"""Paragraphs of a list in, abstracts out, each with its title where the list has titles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.sources.fields import absent
from rag.sources.paragraphs import Paragraph

_HEADING_LENGTH = 120
_LEAST_HEADING = 40
_LONGEST_TITLE = 250
_ABSTRACT_LENGTH = 150
_LEAST_WORDS, _SURE_WORDS = 3, 4
_MOST_PARAGRAPHS = 3
_EMPHASIS = "*_"


@dataclass(frozen=True, slots=True)
class Item:
    """What may be an abstract, where it begins, and its title or ""."""

    line: int
    text: str
    title: str = ""


def items(found: Sequence[Paragraph]) -> Iterator[Item]:
    """Yield what may be abstracts; headings of a list or of its parts are left out."""
    if any(paragraph.level for paragraph in found):
        yield from _under_headings(found)
    elif _has_title_lines(found):
        yield from map(_split_off, found[_is_heading(found[0].text) :])
    elif _alternates(found):
        yield from _paired(found, _ABSTRACT_LENGTH)
    elif _only_alternates(found):
        yield from _paired(found, _LEAST_HEADING)
    else:
        yield from (Item(p.line, p.text) for n, p in enumerate(found) if n or not _is_heading(p.text))


def _under_headings(found: Sequence[Paragraph]) -> Iterator[Item]:
    """Yield the paragraphs below Markdown headings; what stands under a title is one abstract."""
    parts = list(_parts(found))
    titled = _are_titles(parts)
    for n, (heading, body) in enumerate(parts):
        if n == 0 and body and heading is None and _is_heading(body[0].text):
            body = body[1:]
        texts = [p for p in body if len(p.text) >= _LEAST_HEADING]
        if titled and heading is not None and texts:
            yield from (Item(p.line, p.text) for p in body if p not in texts)
            yield Item(texts[0].line, " ".join(p.text for p in texts), heading.text)
        else:
            title = heading.text if titled and heading is not None else ""
            yield from (Item(p.line, p.text, title) for p in body)


def _parts(found: Sequence[Paragraph]) -> Iterator[tuple[Paragraph | None, list[Paragraph]]]:
    """Yield each heading with the paragraphs below it; None for those above the first."""
    heading: Paragraph | None = None
    body: list[Paragraph] = []
    for paragraph in found:
        if not paragraph.level:
            body.append(paragraph)
            continue
        yield heading, body
        heading, body = paragraph, []
    yield heading, body


def _are_titles(parts: Sequence[tuple[Paragraph | None, list[Paragraph]]]) -> bool:
    """Say whether headings are titles: most have one paragraph, none many, and they are of some words."""
    filled = [(heading, body) for heading, body in parts if heading is not None and body]
    counts = [sum(len(p.text) >= _LEAST_HEADING or bool(absent(p.text)) for p in body) for _, body in filled]
    words = sum(len(heading.text.split()) for heading, _ in filled)
    single = counts.count(1)
    if len(filled) == 1:
        return single == 1 and words >= _SURE_WORDS
    return single * 2 >= len(filled) > 0 and max(counts) <= _MOST_PARAGRAPHS and words > len(filled)


def _has_title_lines(found: Sequence[Paragraph]) -> bool:
    """Say whether most paragraphs are a title on one line and an abstract on the next."""
    return sum(map(_begins_with_title, found)) * 2 > len(found)


def _begins_with_title(paragraph: Paragraph) -> bool:
    return (
        len(paragraph.lines) == 2
        and _is_title(paragraph.lines[0])
        and len(paragraph.lines[1]) > _LONGEST_TITLE
    )


def _split_off(paragraph: Paragraph) -> Item:
    if _begins_with_title(paragraph):
        title, text = paragraph.lines
        return Item(paragraph.line, text, _bare(title))
    return Item(paragraph.line, paragraph.text)


def _alternates(found: Sequence[Paragraph]) -> bool:
    """Say whether at least every second abstract has a title in a paragraph before it."""
    pairs = sum(_is_pair(a, b) and len(a.text.split()) >= _LEAST_WORDS for a, b in pairwise(found))
    return pairs > 1 and pairs * 2 >= sum(len(p.text) >= _ABSTRACT_LENGTH for p in found)


def _only_alternates(found: Sequence[Paragraph]) -> bool:
    """Say whether all there is, but for a heading, are titles and abstracts, which may then be short ones."""
    body = found[len(found) % 2 :]
    if len(body) < 4 or (len(body) < len(found) and not _is_heading(found[0].text)):
        return False
    return all(_is_pair(a, b, _LEAST_HEADING) for a, b in zip(body[::2], body[1::2], strict=True))


def _paired(found: Sequence[Paragraph], least: int) -> Iterator[Item]:
    title = ""
    for n, paragraph in enumerate(found):
        after = found[n + 1] if n + 1 < len(found) else None
        if after is not None and _is_pair(paragraph, after, least):
            title = paragraph.text
        elif n or not _is_heading(paragraph.text):
            yield Item(paragraph.line, paragraph.text, _bare(title))
            title = ""


def _is_pair(first: Paragraph, second: Paragraph, least: int = _ABSTRACT_LENGTH) -> bool:
    text = second.text
    return (
        _is_title(first.text)
        and len(text) >= max(least, 2 * len(first.text))
        and text.rstrip("”\"')]").endswith((".", "!", "?", "。", "…"))
    )


def _is_title(text: str) -> bool:
    return (
        len(text) <= _LONGEST_TITLE
        and len(text.split()) > 1
        and not text.endswith((".", "。", ";", ",", ":"))
    )


def _bare(title: str) -> str:
    """Return a title without the marks of emphasis around all of it."""
    inner = title.strip(_EMPHASIS)
    return inner if title[:1] in _EMPHASIS and title[-1:] in _EMPHASIS else title


def _is_heading(paragraph: str) -> bool:
    """Tell whether the first paragraph is the list's heading: short, and not a sentence."""
    if len(paragraph) > _HEADING_LENGTH:
        return False
    return len(paragraph) < _LEAST_HEADING or not paragraph.rstrip("”\"')]").endswith((".", "!", "?", "。"))
