"""An abstract in, the spans of its sentences out (code points, trimmed, in order)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

Span = tuple[int, int]

# The splitter's time grows with the square of the text where it holds many opening quotes.
_BLOCK = 20_000

_SPACE = re.compile(r"\s+")
_ABBREVIATION = re.compile(
    r"(?<![^\W_])(?:approx|appr|eqs?|eqn|figs?|secs?|sect|tabs?|refs?|nos?|nr|vs|cf|e\.g|i\.e|eg|ie|et al|"
    r"resp|dr|prof|mr|mrs|ms|st|ca|viz|vol|pp?|ch|thm|prop|def|lem|cor|alg|app|incl|est|max|min|avg|w\.r\.t|s\.t|a\.k\.a|aka|"
    r"ph\.d|spp|var|ed|eds|inc|ltd|corp|co)\.$",
    re.IGNORECASE,
)
# These end a sentence as often as not: what follows decides.
_OPEN_ENDED = re.compile(
    r"(?<![^\W_])(?:etc|al|[A-Z]\.[A-Z](?:\.[A-Z])*|inc|ltd|corp|co|a\.m|p\.m|ed|eds|max|min|app|def|avg|tab|"
    r"prop|est|ref|refs|no|nos|cor|alg|var|st)\.$",
    re.IGNORECASE,
)
_WORD_OR_NUMBER = re.compile(r"[^\W_]")
_INITIAL = re.compile(r"(?<![\w-])[A-Z]\.$")
_STARTER = re.compile(
    r"(?:We|Our|Ours|This|That|These|Those|The|It|Its|In|On|At|To|By|For|From|With|Here|There|However|Moreover|"
    r"Furthermore|Finally|First|Second|Third|Then|Thus|Hence|Therefore|Such|While|When|Although|Unlike|Using|"
    r"Experiments|Results|Empirically|Theoretically|Existing|Recent|As|An?|Both|Each|If|Code)\b"
)
_CLOSING = re.compile(r"[\"'”’»)\]}]+(?=\s|$)")
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]}*]*$")
_SPACED_STOP = re.compile(r"(?<=\s)[.!?](?=\s)")
_CJK_STOP = re.compile(r"[。！？](?=[^\s”’」』）)])")
_MISSED = re.compile(rf"(?:al\.|tc\.|\.S\.|[)\]”\"’][.!?]|[.!?][”\"’)])\s+(?={_STARTER.pattern})")
_OPENERS, _CLOSERS = "([{", ")]}"


def spans(text: str) -> tuple[Span, ...]:
    """Return the `(start, end)` of each sentence; together they hold every character but white space."""
    joined = _joined(text, _trimmed(text, _pieces(text)))
    return tuple(span for piece in joined for span in _split_again(text, piece))


def _pieces(text: str) -> Iterator[Span]:
    """Cut at every sentence end the splitter sees, in blocks."""
    from sentencex import get_sentence_boundaries

    start = 0
    while start < len(text):
        end = _block_end(text, start)
        cuts = {start, end}
        for boundary in get_sentence_boundaries("en", text[start:end]):
            cuts.add(min(end, max(start, start + boundary["end_index"])))
        ordered = sorted(cuts)
        yield from zip(ordered, ordered[1:], strict=False)
        start = end


def _block_end(text: str, start: int) -> int:
    end = start + _BLOCK
    if end >= len(text):
        return len(text)
    stop = text.rfind(". ", start + _BLOCK // 2, end)
    return stop + 1 if stop > 0 else end


def _trimmed(text: str, pieces: Iterator[Span]) -> Iterator[Span]:
    for start, end in pieces:
        piece = text[start:end]
        if piece.strip():
            yield start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def _joined(text: str, pieces: Iterator[Span]) -> list[Span]:
    """Put together again what the splitter cut inside a sentence."""
    kept: list[Span] = []
    depth = 0
    for start, end in pieces:
        closing = _CLOSING.match(text, start, end)
        if kept and closing:
            kept[-1] = (kept[-1][0], closing.end())
            depth = _depth(text[start : closing.end()], depth)
            start = _after_space(text, closing.end(), end)
            if start == end:
                continue
        if kept and _belongs_together(text, kept[-1], (start, end), depth):
            kept[-1] = (kept[-1][0], end)
            depth = _depth(text[start:end], depth)
        else:
            kept.append((start, end))
            depth = _depth(text[start:end], 0)
    return kept


def _after_space(text: str, start: int, end: int) -> int:
    space = _SPACE.match(text, start, end)
    return space.end() if space else start


def _depth(text: str, depth: int) -> int:
    for char in text:
        if char in _OPENERS:
            depth += 1
        elif char in _CLOSERS:
            depth = max(0, depth - 1)
    return depth


def _belongs_together(text: str, left: Span, right: Span, depth: int) -> bool:
    tail, head = text[max(left[0], left[1] - 40) : left[1]], text[right[0] : right[0] + 40]
    if not _WORD_OR_NUMBER.search(text, *left) or not _WORD_OR_NUMBER.search(text, *right):
        return True
    if "\n\n" in text[left[1] : right[0]]:
        return False
    if not _ENDED.search(tail):
        return True
    if depth and right[1] - left[0] < 600 and _closes(text[right[0] : right[1]]):
        return True
    if _OPEN_ENDED.search(tail) or _INITIAL.search(tail):
        return not _STARTER.match(head)
    if _ABBREVIATION.search(tail):
        return True
    return tail[-2:-1].isdigit() and left[1] == right[0] and head[:1].isdigit()


def _closes(text: str) -> bool:
    """Tell whether `text` closes a bracket it does not open."""
    depth = 0
    for char in text:
        depth += (char in _OPENERS) - (char in _CLOSERS)
        if depth < 0:
            return True
    return False


def _split_again(text: str, piece: Span) -> Iterator[Span]:
    """Cut where the splitter missed an end: ` . ` between words, 。 and `et al. We`."""
    start, end = piece
    cuts = sorted(
        {m.end() for pattern in (_SPACED_STOP, _CJK_STOP) for m in pattern.finditer(text, start, end)}
        | {m.end() for m in _MISSED.finditer(text, start, end)}
    )
    words = [m.start() for m in _WORD_OR_NUMBER.finditer(text, start, end)] if cuts else []
    at = 0
    for cut in cuts:
        words_before = bisect_left(words, cut)
        if at < words_before < len(words):
            yield from _trimmed(text, iter([(start, cut)]))
            start, at = cut, words_before
    yield from _trimmed(text, iter([(start, end)]))
