"""Papers in, the phrases that several of their abstracts use out, rarest first, with where each stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.evidence.candidates import Candidate
from rag.evidence.reading import Rarity
from rag.papers.vocabulary import ENDERS, GENERIC, LEADING, LINKS, NOUNS_TOO, VERBISH
from rag.text.words import STOP_WORDS, content_terms

_LONGEST = 4  # words in a phrase
_LEAST_RARE = 0.3  # of the rarest a word can be here: below, a phrase tells nothing of the papers
_SINGLE_RARE = 0.55
_TOKEN = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")
_ADVERB = re.compile(r"\w+ly$")
_PLURAL = re.compile(r"(?<=[A-Z])s$")
_NO_END = frozenset().union(STOP_WORDS, LEADING, LINKS, ENDERS, VERBISH - NOUNS_TOO)
# "World model" is a thing, "model" alone says nothing.
_NO_START = _NO_END | GENERIC


@dataclass(frozen=True, slots=True)
class Place:
    """Where a phrase stands: the sentence of an abstract, and code points within the sentence's text."""

    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Shared:
    """A phrase of several papers: as the first of them writes it, and its first place in each, by row."""

    text: str
    places: Mapping[int, Place]


def shared(candidates: Sequence[Candidate], rarity: Rarity, most: int = 3) -> tuple[Shared, ...]:
    """Return at most `most` phrases that two or more papers use: those most share first, then the rarest."""
    found: dict[tuple[str, ...], dict[int, Place]] = {}
    for row, candidate in enumerate(candidates):
        for key, place in _phrases(candidate):
            found.setdefault(key, {}).setdefault(row, place)
    common = {key: places for key, places in found.items() if len(places) > 1}
    weights = rarity([stem for key in common for stem in key])
    rarest = max(rarity(["\x00"]).values())
    worth = {key: sum(weights[stem] for stem in key) / rarest for key in common}
    telling = [key for key in common if _tells(key, weights, rarest, common[key], candidates)]
    telling.sort(key=lambda key: (-len(common[key]), -worth[key], key))
    return tuple(_distinct(telling, common, candidates, most))


def _phrases(candidate: Candidate) -> Iterator[tuple[tuple[str, ...], Place]]:
    own = set(content_terms(candidate.paper.name))
    for sentence in range(len(candidate.sentences)):
        text = candidate.text(sentence)
        tokens = list(_TOKEN.finditer(text))
        for first in range(len(tokens)):
            for last in range(first, min(first + _LONGEST, len(tokens))):
                words = [_PLURAL.sub("", token[0]).casefold() for token in tokens[first : last + 1]]
                between = text[tokens[first].end() : tokens[last].start()] if last > first else ""
                if words[0] in _NO_START or words[-1] in _NO_END or _broken(between):
                    continue
                key = tuple(content_terms(" ".join(words)))
                if key and not set(key) <= own:
                    yield key, Place(sentence, tokens[first].start(), tokens[last].end())


def _broken(between: str) -> bool:
    """Tell whether a mark other than a hyphen stands between the words of a phrase."""
    return any(not (char.isalnum() or char in " -’'") for char in between)


def _tells(
    key: tuple[str, ...],
    weights: Mapping[str, float],
    rarest: float,
    places: Mapping[int, Place],
    candidates: Sequence[Candidate],
) -> bool:
    """Tell whether a phrase says something of its papers: rare enough, and if one word, a name."""
    rare = max(weights[stem] for stem in key) / rarest
    row, place = next(iter(places.items()))
    written = candidates[row].text(place.sentence)[place.start : place.end]
    if " " in written:
        return rare >= _LEAST_RARE and not any(_ADVERB.search(word) for word in written.split())
    is_name = any(char.isdigit() or char == "-" for char in written) or any(c.isupper() for c in written[1:])
    return is_name and rare >= _SINGLE_RARE and any(char.isalpha() for char in written)


def _distinct(
    keys: Sequence[tuple[str, ...]],
    common: Mapping[tuple[str, ...], Mapping[int, Place]],
    candidates: Sequence[Candidate],
    most: int,
) -> Iterator[Shared]:
    """Yield phrases that share no word with one before."""
    used: set[str] = set()
    left = most
    for key in keys:
        if not left:
            return
        if used.intersection(key):
            continue
        used.update(key)
        left -= 1
        row, place = next(iter(common[key].items()))
        yield Shared(candidates[row].text(place.sentence)[place.start : place.end], common[key])
