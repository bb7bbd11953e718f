"""Do the names agree: is each dataset, method or place the claim names somewhere in the abstract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rag.text.words import fold_name
from rag.verify.findings import Case, Finding
from rag.verify.reading import WEIGHTS, Reading, stem

_RUN = re.compile(r"[^\s,;:()\[\]“”\"]+")
_TRIM = ".'’`*?!"
_LATIN = ("e.g", "i.e", "et", "al", "vs", "cf")


def check_names(case: Case) -> list[Finding]:
    """Return a finding for each name of the claim that the abstract lacks."""
    return [
        Finding("name", f"nothing in this abstract speaks of {name}")
        for name in names(case.claim)
        if not _present(name, case)
    ]


def names(reading: Reading) -> Iterator[str]:
    """Return the words of a claim that are spelt as names; a capital alone is none at the beginning."""
    return (name for _, name in names_at(reading))


@lru_cache(maxsize=1024)
def names_at(reading: Reading) -> tuple[tuple[int, str], ...]:
    """Return the names of a text with where they start; a capital alone is none where a sentence begins."""
    return tuple(_names_at(reading))


def _names_at(reading: Reading) -> Iterator[tuple[int, str]]:
    for match in _RUN.finditer(reading.text):
        name = match[0].strip(_TRIM)
        name = re.sub(r"['’]s$", "", name)
        before = reading.text[max(0, match.start() - 3) : match.start()].rstrip()
        first = not before or before[-1] in ".!?:"
        if name.lower() in _LATIN or name[:1].isdigit() or not any(c.isalpha() for c in name):
            continue
        if re.match(r"[A-Za-z]-[a-z]", name):
            continue
        if spelt_as_name(name) or (name[0].isupper() and not first):
            yield match.start(), name


def spelt_as_name(name: str) -> bool:
    """Tell whether a word has capitals inside, or digits after a letter."""
    inside = any(c.isupper() for part in name.split("-") for c in part[1:])
    with_digits = name[0].isalpha() and any(c.isdigit() for c in name)
    return inside or with_digits


def _present(name: str, case: Case) -> bool:
    folded = fold_name(name)
    if len(folded) < 2 or folded in case.known or folded.removesuffix("s") in case.known:
        return True
    if stem(name.lower()) in case.title:
        return True
    runs = _runs(case.abstract)
    if folded in runs or folded.removesuffix("s") in runs or folded + "s" in runs:
        return True
    parts = [part for part in re.split(r"[-–/+_]", name) if part]
    return all(_part_present(part, case) for part in parts)


def _part_present(part: str, case: Case) -> bool:
    folded = fold_name(part)
    if stem(part.lower()) in case.title:
        return True
    if folded in _runs(case.abstract) or folded.isdigit() and folded in case.abstract.text:
        return True
    positions = [
        i
        for i, word in enumerate(case.claim.words)
        if word.written == part or word.stem == stem(part.lower())
    ]
    return any(case.links[i] for i in positions)


@lru_cache(maxsize=1024)
def _runs(reading: Reading) -> frozenset[str]:
    """Return every run of the abstract, whole and in its parts, and each two neighbours joined, folded."""
    whole = [fold_name(match[0]) for match in _RUN.finditer(reading.text)]
    parts = [fold_name(word.written) for word in reading.words]
    pairs = [left + right for left, right in zip(whole, whole[1:], strict=False)]
    return frozenset((*whole, *parts, *pairs))


def missing_phrase(case: Case) -> str:
    """Return the longest run of nouns of the claim that are nowhere in the abstract and not in the title."""
    best: list[int] = []
    run: list[int] = []
    for i, word in enumerate(case.claim.words):
        absent = word.weight >= WEIGHTS["noun"] and not case.links[i] and not _said_beside(case, i)
        run = [*run, i] if absent and (not run or run[-1] == i - 1) else [i] if absent else []
        best = max(best, run, key=len)
    return case.claim.quote(best[0], best[-1]) if best else ""


def _said_beside(case: Case, i: int) -> bool:
    """Tell whether the title says a word, or the abstract another part of the compound it is in."""
    words = case.claim.words
    if words[i].stem in case.title:
        return True
    before, after = words[i].glued, i + 1 < len(words) and words[i + 1].glued
    return bool(before and case.links[i - 1] or after and case.links[i + 1])
