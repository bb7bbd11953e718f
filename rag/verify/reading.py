"""A text in, its words in order out: where each stands, its stem, and what it weighs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.text.words import STOP_WORDS, terms
from rag.verify.lexicon import (
    ADVERBIAL,
    CLAUSE_STARTS,
    FUNCTION_WORDS,
    GENERIC,
    JOINERS,
    NUMBER_WORDS,
    PARTICLES,
    VERBS,
    phrases,
    spelling,
    stem_all,
)

_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)|(?P<word>[^\W\d_][^\W_]*(?:['’][^\W_]+)*)|(?P<mark>[.!?](?=\s|$)|[,;:()\[\]—–=])"
)
# Extra distance across a mark or a joining word: what stands behind one belongs to something else.
_MARK_GAP = {".": 12.0, "!": 12.0, "?": 12.0, ";": 5.0, ":": 3.0, ",": 2.5, "(": 1.0, ")": 1.0}
_JOINER_GAP = 1.5
_ADVERB = 5
# With a hyphen these make another word of the next: what is semi-supervised is neither.
_PREFIXES = frozenset(("non", "semi"))
_LETTER = re.compile(r"[A-Za-z]")
_BEFORE_A_VERB = frozenset(
    "to can could may might will would should must does do did cannot not we they it which that who".split()
)
_BEFORE_A_NOUN = frozenset(
    "a an the this these those its their our his her of in on for with by from".split()
)
_BOUNDS = frozenset("more less fewer greater higher lower larger smaller".split())
_NOUN_ENDINGS = tuple(
    f"{ending}{plural}"
    for ending in "tion sion ment er or al able ible ive ity ance ence ness ism ist".split()
    for plural in ("", "s")
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text: code point offsets, lower case form, stem, and place, which grows across marks.

    `sentence` counts sentences from 0. `clause` counts the stretches between marks. `glued` tells that a
    hyphen ties it to the word before.
    """

    start: int
    end: int
    written: str
    lower: str
    stem: str
    place: float
    sentence: int
    clause: int
    glued: bool
    weight: float

    @property
    def content(self) -> bool:
        """Tell whether the word carries meaning of its own."""
        return self.weight > 0


# Compared by identity: two readings are one only when they are the same object.
@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A text and its words; `where` gives the positions of each stem, `starts` where each word starts."""

    text: str
    words: tuple[Word, ...]
    where: Mapping[str, tuple[int, ...]]
    starts: tuple[int, ...]

    def quote(self, first: int, last: int) -> str:
        """Return the text from one word to another, both included."""
        low, high = min(first, last), max(first, last)
        return self.text[self.words[low].start : self.words[high].end]


@lru_cache(maxsize=512)
def read(text: str, sentences: tuple[tuple[int, int], ...] = ()) -> Reading:
    """Return the words of `text`; `sentences` are the spans of its sentences, one sentence when empty."""
    words = _weighed(_tokens(text, sentences))
    where: dict[str, list[int]] = {}
    for i, word in enumerate(words):
        where.setdefault(word.stem, []).append(i)
    places = {stem: tuple(at) for stem, at in where.items()}
    return Reading(text, words, places, tuple(word.start for word in words))


@lru_cache(maxsize=65536)
def stem(lower: str) -> str:
    """Return the stem of a word in lower case, British spelling folded into American."""
    found = terms(spelling(lower))
    # The stemmer leaves the ending on "slowly" and "easily".
    return (
        found[-1].removesuffix("li")
        if found and len(found[-1]) > _ADVERB
        else lower
        if not found
        else found[-1]
    )


def _tokens(text: str, sentences: Sequence[tuple[int, int]]) -> list[Word]:
    ends = [end for _, end in sentences]
    words: list[Word] = []
    place, clause, sentence, after = 0.0, 0, 0, 0
    for match in _TOKEN.finditer(text):
        while sentence < len(ends) - 1 and match.start() >= ends[sentence]:
            sentence, clause, place = sentence + 1, clause + 1, place + _MARK_GAP["."]
        if match["mark"]:
            inside_name = match["mark"] == ":" and text[match.end() : match.end() + 1].isdigit()
            if not inside_name:
                clause, place = clause + 1, place + _MARK_GAP.get(match["mark"], 1.0)
            continue
        lower = match[0].lower().replace("’", "'").removesuffix("'s")
        glued = bool(words) and match.start() == after + 1 and text[after] in "-‐‑‒−/"
        if glued and (words[-1].lower in _PREFIXES or _LETTER.fullmatch(words[-1].written)):
            before = words.pop()
            joined = before.lower + lower
            written = f"{before.written}-{match[0]}"
            words.append(replace(before, end=match.end(), written=written, lower=joined, stem=stem(joined)))
            after = match.end()
            continue
        clause += lower in CLAUSE_STARTS
        place += 1.0 + (_JOINER_GAP if lower in JOINERS else 0.0)
        words.append(
            Word(
                match.start(), match.end(), match[0], lower, stem(lower), place, sentence, clause, glued, 0.0
            )
        )
        after = match.end()
    return _phrases(words)


def _phrases(words: list[Word]) -> list[Word]:
    """Give the first word of a set phrase the stem of what the phrase means."""
    meanings = phrases()
    for i in range(len(words) - 1):
        meaning = meanings.get((words[i].stem, words[i + 1].lower))
        if meaning:
            words[i] = replace(words[i], lower=meaning, stem=stem(meaning))
            words[i + 1] = replace(words[i + 1], lower="", stem="")
        if words[i + 1].lower == "than" and words[i].lower in _BOUNDS and _counts(words, i + 2):
            # "More than 27%" says how large a number is, not that something rises.
            words[i] = replace(words[i], lower="", stem="")
            words[i + 1] = replace(words[i + 1], lower="", stem="")
    return words


def _counts(words: Sequence[Word], i: int) -> bool:
    return i < len(words) and (words[i].lower[:1].isdigit() or words[i].lower in NUMBER_WORDS)


def _weighed(words: Sequence[Word]) -> tuple[Word, ...]:
    return tuple(replace(word, weight=_weight(words, i)) for i, word in enumerate(words))


def _weight(words: Sequence[Word], i: int) -> float:
    """Return how much it tells against a claim that a word of it is nowhere in the abstract."""
    word = words[i]
    if not word.lower or word.lower[0].isdigit() or word.lower in NUMBER_WORDS:
        return 0.0
    if word.lower in STOP_WORDS or word.lower in FUNCTION_WORDS or (len(word.lower) < 2 and not word.glued):
        return 0.0
    if any(c.isupper() for c in word.written[1:]) or word.written[1:2] == "-":
        return WEIGHTS["name"]
    if word.stem in stem_all(GENERIC):
        return WEIGHTS["generic"]
    if word.lower.endswith("ly") or word.lower in ADVERBIAL:
        return WEIGHTS["adverb"]
    return WEIGHTS["verb"] if _is_verb(words, i) else WEIGHTS["noun"]


WEIGHTS: Mapping[str, float] = {"name": 1.4, "noun": 1.0, "verb": 0.45, "adverb": 0.2, "generic": 0.12}


def _is_verb(words: Sequence[Word], i: int) -> bool:
    """Guess from the words around, and from a list of common verbs, whether a word is a verb."""
    before = words[i - 1].lower if i else ""
    after = words[i + 1].lower if i + 1 < len(words) else ""
    if i == 0 and words[i].lower.endswith("ing"):
        return True
    if before in _BEFORE_A_VERB and (before != "to" or words[i].stem in stem_all(VERBS)):
        return True
    if before in _BEFORE_A_NOUN:
        return False
    lower = words[i].lower
    if words[i].stem in stem_all(VERBS):
        return lower.removesuffix("s") in VERBS or not lower.endswith(_NOUN_ENDINGS)
    inflected = lower.endswith(("ed", "ing"))
    return i > 0 and inflected and (after in _BEFORE_A_NOUN or after in PARTICLES)
