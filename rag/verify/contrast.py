"""Does the claim say of one subject what the abstract, setting two against each other, says of the other.

"While the cost of A grows exponentially, B scales linearly" against "B scales exponentially".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.text.words import fold_name
from rag.verify.alignment import SURE
from rag.verify.findings import Case
from rag.verify.reading import WEIGHTS, Reading

_JOINTS = frozenset("while whilst whereas but although though".split())
_BE = frozenset("is are was were be can could may will has have had does do".split())
# What a predicate must share with another subject's, where it has no word that is its opposite.
_SHARED = 2
_LIGHT = (WEIGHTS["verb"], WEIGHTS["generic"])


@dataclass(frozen=True, slots=True)
class Statement:
    """Positions of a subject and of everything that is said with it."""

    subject: frozenset[int]
    whole: frozenset[int]


def contrasted(case: Case) -> str:
    """Return what the abstract says of the other subject, when the claim says it of this one; else ""."""
    if any(word.lower in _JOINTS for word in case.claim.words):
        return ""
    ours = _statement(case.claim, range(len(case.claim.words)))
    for pair in _contrasts(case) if ours else ():
        for this, other in (pair, pair[::-1]):
            if ours and _is_subject(case, ours, this, other) and _says(case, ours, this, other):
                return case.abstract.quote(min(other.whole), max(other.whole))
    return ""


def _contrasts(case: Case) -> Iterator[tuple[Statement, Statement]]:
    """Return the two statements of each sentence that sets two subjects against each other."""
    for sentence in case.sentences:
        inside = [i for i, word in enumerate(case.abstract.words) if word.sentence == sentence]
        for joint in (i for i in inside if case.abstract.words[i].lower in _JOINTS):
            cut = joint if joint > inside[0] + 1 else _comma(case.abstract, inside, joint)
            first = _statement(case.abstract, range(inside[0], cut))
            second = _statement(case.abstract, range(cut, _comma(case.abstract, inside, cut)))
            if first and second:
                yield first, second


def _comma(reading: Reading, inside: Sequence[int], joint: int) -> int:
    """Return the word behind the first comma after a joint, or behind the sentence."""
    words = reading.words
    after = (i for i in inside if i > joint + 1 and "," in reading.text[words[i - 1].end : words[i].start])
    return next(after, inside[-1] + 1)


def _statement(reading: Reading, span: range) -> Statement | None:
    words = reading.words
    # "The findings show that A …": A is the subject.
    told = (i + 1 for i in span if words[i].lower == "that" and words[i - 1].weight in _LIGHT)
    span = range(next(told, span.start), span.stop)
    content = [i for i in span if words[i].content]
    after = [i for i in span if content and i > content[0]]
    verb = next((i for i in after if words[i].weight == WEIGHTS["verb"] or words[i].lower in _BE), -1)
    subject = frozenset(i for i in content if i < verb and words[i].weight >= WEIGHTS["noun"])
    return Statement(subject, frozenset(content)) if subject else None


def _is_subject(case: Case, ours: Statement, this: Statement, other: Statement) -> bool:
    """Tell whether the claim's subject is that of one statement: its names or, without them, its nouns."""
    words = case.claim.words
    names = {
        i
        for i in ours.subject
        if words[i].weight == WEIGHTS["name"] or fold_name(words[i].lower) in case.known
    }
    telling = names or ours.subject
    here = [i for i in telling if _linked(case, i, this.subject)]
    return bool(here) and not any(_linked(case, i, other.whole) for i in telling)


def _says(case: Case, ours: Statement, this: Statement, other: Statement) -> bool:
    """Tell whether the claim's predicate is the other statement's: by an opposite, or by all its nouns."""
    words = case.claim.words
    said = [i for i in ours.whole - ours.subject if words[i].weight not in _LIGHT]
    there = [i for i in said if _linked(case, i, other.whole - other.subject)]
    only = [i for i in there if not any(k.at in this.whole and k.sign > 0 for k in case.links[i])]
    if any(k.at in this.whole and k.sign < 0 for i in only for k in case.links[i]):
        return True
    own = any(k.at in this.whole and k.sign > 0 for i in set(said) - set(there) for k in case.links[i])
    nouns = {i for i in said if words[i].weight >= WEIGHTS["noun"]}
    return not own and len(nouns) >= _SHARED and nouns <= set(only)


def _linked(case: Case, i: int, positions: frozenset[int]) -> bool:
    return any(k.at in positions and k.sign > 0 and k.sure >= SURE["form"] for k in case.links[i])
