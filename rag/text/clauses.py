"""A sentence in, the stretch of it that says the thing out (code points), without lead-in and asides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

Span = tuple[int, int]

# A cell of a table can be read at a glance up to about this many words.
SHORT = 26
_LEAST = 4

# How many characters the words after a break may take.
_AHEAD = 20
# No clause that is kept to its end is longer, in characters.
_FAR = 1000

_WORD = re.compile(r"\S+")
_SPACE = re.compile(r"\s*")
_JOINING = (
    "however nevertheless nonetheless moreover furthermore additionally besides finally first firstly second"
    " secondly third thirdly last lastly specifically notably importantly crucially conversely consequently"
    " therefore thus hence accordingly altogether overall empirically theoretically interestingly remarkably"
    " surprisingly concretely here yet but and also"
).split()
_JOINING_PHRASES = (
    "in addition|in particular|in summary|in contrast|in practice|for example|for instance|as a result"
    "|to this end|at its core|in this (?:paper|work|study|article|thesis|report)"
)
_REASONED = (
    "to|building (?:up)?on|based on|motivated by|inspired by|leveraging|by leveraging|in response to"
    "|in light of|despite|although|as"
)
_FINDING = (
    "we|(?:the |these |our |experimental |empirical )?(?:results|findings|analys[ei]s)"
    "|(?:extensive |our )?(?:experiments|evaluations|simulations)"
)
_FINDS = (
    "show|shows|demonstrate|demonstrates|find|prove|indicate|indicates|confirm|reveal|reveals|suggest|suggests"
    "|observe|argue|establish"
)
# What joins a sentence to the one before it, or says that it is about this paper.
_LEAD_IN = re.compile(
    rf"(?:(?:{'|'.join(_JOINING)}|{_JOINING_PHRASES})\s*,\s+"
    r"|(?:yet|but|thus|hence|here)\s+(?=\w)"
    rf"|(?:{_REASONED})\s[^,;:.]{{3,110}},\s+(?=(?:we|this|the|our|it|they|existing|[A-Z])\b)"
    rf"|(?:{_FINDING})\s+(?:\w+ly\s+|further\s+|also\s+|then\s+){{0,2}}(?:{_FINDS})\s+that,?\s+)",
    re.IGNORECASE,
)
_PARTICIPLES = (
    "indicating|suggesting|confirming|making|leading|resulting|offering|providing|enabling|achieving"
    "|outperforming|improving|reducing|showing"
)
# Where a long sentence can end early, and how many words must stand before; the best places first. A comma
# alone is none: what stands before it may be a mere opening, and what follows the sentence itself.
_BREAKS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r";\s|\s[—–]\s|\s---?\s"), 8),
    (
        re.compile(
            r",\s(?=(?:which|where|whereas|while|because|since|so|thereby|thus|when|as"
            rf"|especially|{_PARTICIPLES})\b)"
        ),
        8,
    ),
    (re.compile(r",\s(?=(?:and|with|without|including|an?)\b)|:\s"), 12),
    (re.compile(r"\s(?=(?:that|which|through|using|via|without|while)\s)"), 14),
)
_LATER = re.compile(r";\s|\s[—–]\s|,\s(?:but|yet|while|whereas)\s")
# A clause that stops at one of these has lost its end; one with a comma shortly before, a member of its list.
_HANGING = re.compile(
    r"(?:\b(?:that|which|to|of|and|or|by|with|as|for|in|on|the|an?|is|are)|,[^,]{0,40})$", re.I
)
_OPENING, _CLOSING = "([{“", ")]}”"


def clause(text: str, keep: Sequence[Span] = (), words: int = SHORT) -> Span:
    """Return the stretch of `text` that says the thing, at most about `words` words where it can end.

    The stretches to `keep`, such as figures, stay in it.
    """
    start = _start(text, keep)
    end = len(text.rstrip().rstrip(".!?。"))
    if start >= end:
        return 0, len(text)
    if _count(text[start:end]) > words:
        start, end = _shortened(text, start, end, keep, words)
    return start, end


def _start(text: str, keep: Sequence[Span]) -> int:
    """Return where the lead-in ends; it stays when too little is left, or something in it is kept."""
    at = _after_space(text, 0)
    limit = min((a for a, _ in keep), default=len(text))
    while (match := _LEAD_IN.match(text, at)) and match.end() <= limit:
        if _count(text[match.end() :]) < _LEAST:
            break
        at = _after_space(text, match.end())
    return at


def _shortened(text: str, start: int, end: int, keep: Sequence[Span], words: int) -> Span:
    """Cut the end off at the best break; what is kept far behind the start moves the start to a break too."""
    least = max((b for _, b in keep), default=start)
    if least > start and _count(text[start:least]) > words:
        start = _later_start(text, start, min(a for a, _ in keep), words, least)
    reach = _reach(text, start, end, words)
    for breaks, fewest in _BREAKS:
        ends = [e for e in _ends(text, breaks, start, reach) if e >= least]
        fitting = [e for e in ends if fewest <= _count(text[start:e]) <= words]
        if fitting:
            return start, max(fitting)
    return start, end


def _later_start(text: str, start: int, kept_from: int, words: int, least: int) -> int:
    ends = [m.end() for m in _LATER.finditer(text, max(start, least - _FAR), kept_from)]
    fitting = [e for e in ends if _balanced(text[e:least]) and _count(text[e:least]) <= words]
    return min(fitting, default=start)


def _reach(text: str, start: int, end: int, words: int) -> int:
    """Return how far a break can lie: what stands behind it must be read too."""
    word = None
    for word in islice(_WORD.finditer(text, start, end), words + 1):
        pass
    return end if word is None else min(end, word.end() + _AHEAD)


def _ends(text: str, breaks: re.Pattern[str], start: int, end: int) -> Iterator[int]:
    for match in breaks.finditer(text, start, end):
        before = text[start : match.start()]
        if _balanced(before) and not _HANGING.search(before):
            yield match.start()


def _balanced(text: str) -> bool:
    """Tell whether no bracket or quotation mark stands open: a cut inside one reads as a mistake."""
    return all(text.count(left) == text.count(right) for left, right in zip(_OPENING, _CLOSING, strict=True))


def _count(text: str) -> int:
    return len(text.split())


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
