"""Find the papers a text names: "eva0", "EVA-0", "A^3Bench" or a near miss → paper ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rag.text.latex import readable
from rag.text.words import fold_name

_TOKEN = re.compile(r"[^\s,;:?!()\"“”]+")
_TRIM = ".'’`*"
_LONGEST = 6  # words in a name, when typed with spaces
_LONGEST_TITLE = 40
_SURE_TITLE = 4  # words; shorter ones that are plain words may just be the topic
_SHORTEST_FUZZY = 5  # letters; shorter names differ by one letter too often
_SIMILAR = 85.0  # of 100, rapidfuzz ratio


@dataclass(frozen=True, slots=True)
class Mention:
    """A name found in a text: where, of which papers, and whether it can be nothing but a name."""

    start: int
    end: int
    paper_ids: tuple[str, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a library: folded name → the ids of the papers called so, and the spellings in use.

    `titles` are the folded titles, `starts` the folded first words of those longer than other names.
    """

    ids: Mapping[str, tuple[str, ...]]
    spellings: Mapping[str, frozenset[str]]
    titles: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()

    @staticmethod
    def of(pairs: Iterable[tuple[str, str]], titles: Iterable[tuple[str, str]] = ()) -> Names:
        """Build from pairs of a name, or of a title, as written and the id of its paper."""
        ids: dict[str, tuple[str, ...]] = {}
        spellings: dict[str, frozenset[str]] = {}
        titles = list(titles)
        for name, paper_id in (*pairs, *titles):
            folded = fold_name(name)
            if not folded:
                continue
            if paper_id not in ids.get(folded, ()):
                ids[folded] = (*ids.get(folded, ()), paper_id)
            spellings[folded] = spellings.get(folded, frozenset()) | {name}
        words = (_TOKEN.findall(readable(title)) for title, _ in titles)
        starts = frozenset(fold_name("".join(some[:_LONGEST])) for some in words if len(some) > _LONGEST)
        return Names(ids, spellings, frozenset(fold_name(title) for title, _ in titles), starts)

    def mentions(self, text: str, *, fuzzy: bool = False) -> tuple[Mention, ...]:
        """Return the names `text` holds, longest first at each place, not overlapping.

        When it holds none, with `fuzzy`: the most similar name to a few of its words, if one is very similar.
        """
        plain = readable(text)
        tokens = [_token(m) for m in _TOKEN.finditer(plain)]
        found: list[Mention] = []
        i = 0
        while i < len(tokens):
            mention, used = self._longest_at(plain, tokens, i)
            if mention:
                found.append(mention)
            i += max(used, 1)
        if fuzzy and not found:
            return self._similar(plain, tokens)
        return tuple(found)

    def _longest_at(self, text: str, tokens: list[tuple[int, int]], i: int) -> tuple[Mention | None, int]:
        for size in range(self._most(text, tokens, i), 0, -1):
            start, end = tokens[i][0], tokens[i + size - 1][1]
            written = text[start:end]
            folded = fold_name(_without_possessive(written))
            if folded in self.ids:
                return Mention(start, end, self.ids[folded], self._certain(written, folded, size)), size
        return None, 0

    def _most(self, text: str, tokens: list[tuple[int, int]], i: int) -> int:
        """Return how many words a name that begins here may have."""
        most = min(_LONGEST, len(tokens) - i)
        begins = fold_name(text[tokens[i][0] : tokens[i + most - 1][1]])
        return min(_LONGEST_TITLE, len(tokens) - i) if begins in self.starts else most

    def _certain(self, written: str, folded: str, size: int) -> bool:
        """Return whether `written` is surely meant as a name: spelt as one, or no ordinary words."""
        if all(_is_phrase(spelling) for spelling in self.spellings[folded]):
            return False
        bare = _without_possessive(written)
        if folded in self.titles and size < _SURE_TITLE and _is_plain(self.spellings[folded]):
            return False
        spelt_so = bare in self.spellings[folded]
        marked = any(c.isdigit() or c in "-^³²" for c in bare) or any(c.isupper() for c in bare[1:])
        return spelt_so or marked or size > 1

    def _similar(self, text: str, tokens: list[tuple[int, int]]) -> tuple[Mention, ...]:
        from rapidfuzz import fuzz, process

        names = [name for name in self.ids if len(name) >= _SHORTEST_FUZZY]
        best: tuple[float, Mention] | None = None
        for i in range(len(tokens)):
            for size in range(1, min(3, len(tokens) - i) + 1):
                start, end = tokens[i][0], tokens[i + size - 1][1]
                folded = fold_name(text[start:end])
                if len(folded) < _SHORTEST_FUZZY:
                    continue
                match = process.extractOne(folded, names, scorer=fuzz.ratio, score_cutoff=_SIMILAR)
                if match and (best is None or match[1] > best[0]):
                    best = (match[1], Mention(start, end, self.ids[match[0]], False))
        return (best[1],) if best else ()


def _token(match: re.Match[str]) -> tuple[int, int]:
    text = match[0]
    left = len(text) - len(text.lstrip(_TRIM))
    right = len(text) - len(text.rstrip(_TRIM))
    return match.start() + left, match.end() - right


def _is_phrase(name: str) -> bool:
    """Return whether a name is words that anyone may use: `digital computers`."""
    return " " in name and name[1:].islower() and not any(char.isdigit() for char in name)


def _is_plain(spellings: Iterable[str]) -> bool:
    """Return whether a title is several ordinary words with capitals: `Deep Learning`."""
    words = [word for spelling in spellings for word in spelling.split()]
    return len(words) > 1 and all(word.isalpha() and word[1:].islower() for word in words)


def _without_possessive(text: str) -> str:
    return re.sub(r"['’]s$", "", text)
