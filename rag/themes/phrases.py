"""A text in, the words and short phrases it may be called by out, each with the way it is written there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from rag.papers.vocabulary import ENDERS, LEADING, NOUNS_TOO, VERBISH
from rag.text.abbreviations import abbreviations
from rag.text.words import STOP_WORDS, terms
from rag.themes.empty import ADJECTIVE_ENDINGS, ADJECTIVES, EMPTY, LAST_PARTS, LOOSE, NOUNS_WITH_SUCH_ENDINGS

Key = tuple[str, ...]
# An abstract is shorter; what stands beyond it is not read for phrases.
MAX_READ = 4000
_LONGEST = 4
_LONGEST_WORD = 30
_OPENING = 200
_WORD = re.compile(r"(?P<address>https?:\S+|www\.\S+)|[^\W_]+(?:[-‐'’][^\W_]+)*|[^\w\s]")
_LOOSE = STOP_WORDS | ENDERS | LEADING | {"et", "al"}
_VERBS = VERBISH - NOUNS_TOO


class Spoken:
    """The phrases of some texts: how they are abbreviated, and how they are written."""

    def __init__(self, texts: Iterable[str]) -> None:
        long_forms: dict[str, Counter[Key]] = {}
        for text in texts:
            for short, long in abbreviations(text[:MAX_READ]).items():
                key = tuple(part for word in long.split() for part in _key(word))
                if len(key) <= _LONGEST and _names_something(long.lower().split()):
                    long_forms.setdefault(short, Counter())[key] += 1
        self._long = {short: max(sorted(keys), key=keys.__getitem__) for short, keys in long_forms.items()}
        self._defined = frozenset(self._long.values())
        self._forms: dict[Key, Counter[str]] = {}
        self._words: Counter[str] = Counter()

    def read(self, text: str) -> Counter[Key]:
        """Return how often each phrase stands in a text, or its abbreviation; remember how it is written.

        The opening, which tells the field, counts twice.
        """
        counts: Counter[Key] = Counter()
        for start, words in _runs(text[:MAX_READ]):
            self._words.update(words)
            for key, written in self._phrases(words):
                counts[key] += 2 if start < _OPENING else 1
                if written:
                    self._forms.setdefault(key, Counter())[written] += 1
        return counts

    def is_defined(self, key: Key) -> bool:
        """Tell whether some text gives an abbreviation for the phrase."""
        return key in self._defined

    def written(self, key: Key) -> str:
        """Return the usual spelling of a phrase; the plural counts for more, capitals of emphasis go."""
        forms: Counter[str] = Counter()
        for form, count in self._forms[key].items():
            forms[" ".join(map(self._small, form.split(" ")))] += count
        return max(sorted(forms), key=lambda form: forms[form] * (1.5 if form.endswith("s") else 1.0))

    def _small(self, word: str) -> str:
        """Return a word without its capital if it is often written so: what begins a sentence is no name."""
        lower = word.lower()
        is_emphasis = word[0].isupper() and word[1:].islower() and self._words[lower] * 4 > self._words[word]
        return lower if is_emphasis else word

    def _phrases(self, words: list[str]) -> Iterator[tuple[Key, str]]:
        """Yield every phrase of one to four words that may be a heading, with its spelling."""
        lower = [word.lower() for word in words]
        solid = [_is_solid(word) for word in lower]
        keys = [_key(word) if ok else () for word, ok in zip(words, solid, strict=True)]
        for start, word in enumerate(words):
            long = self._long.get(_singular(word))
            if long is not None and long in self._forms:
                yield long, ""
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                if not solid[end - 1]:
                    break
                key = tuple(part for some in keys[start:end] for part in some)
                is_abbreviation = long is not None and end == start + 1
                if not is_abbreviation and (key in self._defined or _may_stand(lower[start:end])):
                    yield key, " ".join(words[start:end])


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and word[:-1].isupper() else word


def _runs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of words without a mark between, and where each begins; addresses are left out."""
    run: list[str] = []
    start = 0
    for match in _WORD.finditer(text):
        if match[0][0].isalnum() and match.lastgroup != "address":
            start = start if run else match.start()
            run.append(match[0])
        elif run:
            yield start, run
            run = []
    if run:
        yield start, run


def _is_solid(lower: str) -> bool:
    return (
        lower not in _LOOSE
        and len(lower) <= _LONGEST_WORD
        and any(char.isalpha() for char in lower)
        and not lower.endswith("ly")
        and len(lower) > 1
    )


def _key(word: str) -> Key:
    """Return the index terms of a word: of a compound, those of its parts."""
    found = terms(word)
    return tuple(found[:-1] if len(found) > 2 else found)


def _may_stand(words: list[str]) -> bool:
    if words[0] in _VERBS or _is_empty(words[0]) and len(words) > 1 or all(map(_is_empty, words)):
        return False
    return _names_something(words)


def _names_something(words: list[str]) -> bool:
    """Tell whether words can be a name for a subject: they do not only stand before a noun."""
    if len(words) == 1 and not _stands_alone(words[0]):
        return False
    return not _ends_open(words[-1])


def _is_empty(word: str) -> bool:
    return _is_loose(word) or _without_s(word, EMPTY)


def _is_loose(word: str) -> bool:
    """Tell whether a word says nothing and is no noun."""
    return _without_s(word, LOOSE)


def _without_s(word: str, table: frozenset[str]) -> bool:
    """Tell whether a word is in a table, or what it is the plural of, or the verb of `it recovers`."""
    return word in table or (word.endswith("s") and word[:-1] in table)


def _stands_alone(word: str) -> bool:
    return len(word) > 2 and word.rpartition("-")[2] not in LAST_PARTS


def _ends_open(word: str) -> bool:
    """Tell whether a word cannot end a phrase: an adjective, a participle, a verb."""
    if word in NOUNS_WITH_SUCH_ENDINGS or word in NOUNS_TOO:
        return False
    if word in ADJECTIVES or word in _VERBS or _is_loose(word) or word.endswith(ADJECTIVE_ENDINGS):
        return True
    return word.endswith("ed") and not word.endswith("eed") and len(word) > 4
