"""A claim and an abstract in, for each word of the claim the words of the abstract that stand for it out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.verify.lexicon import kin, related
from rag.verify.reading import Reading, Word, stem

# How sure each way of standing for a word is.
SURE: Mapping[str, float] = {
    "same": 1.0,
    "form": 0.9,
    "short": 1.0,
    "sense": 0.8,
    "spelt": 0.8,
    "negated": 0.95,
    "opposite": 0.8,
}
_SHORTEST_FORM = 4
_LONGEST_ENDING = 5
_SIMILAR = 0.86
# These begin many words: "multi-dimensional" and "multiplier" are no forms of one.
_COMBINING = frozenset(
    "multi inter intra micro macro hyper super pseudo auto counter trans under over".split()
)
_NEGATED = re.compile(r"^(?:un(?P<un>[a-z]{4,})|non(?P<non>[a-z]{4,})|i[mnrl](?P<i>[a-z]{4,}))$")
# These begin like a negated word, but are none.
_NOT_NEGATED = frozenset(
    """
    invariant invariance intelligent important impress impressive individual initial internal interval
    integral intent intend intensive interactive intuitive inherent inclusive inform informative
    information industrial illustrate innate incident immediate imperative instance instant insect
    innovative inspect inject infect intellect imitate indicate inflate initiate integrate inductive
    immense indoor invent investigate interesting understand input under united unique universal
    universe unite until unfold improve inside insight invest import impact income increase infer
    inspire install instruct insure intake interest involve include
    """.split()
)


@dataclass(frozen=True, slots=True)
class Link:
    """A word of the abstract that stands for a word of the claim; `sign` is -1 when it means the opposite."""

    at: int
    sure: float
    sign: int = 1


Links = tuple[tuple[Link, ...], ...]


def align(claim: Reading, abstract: Reading, short: Mapping[str, str]) -> Links:
    """Return, for each word of `claim`, its links; `short` maps abbreviations to long forms."""
    spelt = _abbreviated(claim, abstract, short)
    return tuple(
        _links(word, abstract, spelt.get(i, ())) if word.content or _turns(word) else ()
        for i, word in enumerate(claim.words)
    )


def _turns(word: Word) -> bool:
    """Tell whether a word without content of its own has an opposite, as `more` and `after` have."""
    return bool(word.stem) and not word.lower[0].isdigit() and bool(kin(word.stem))


def _links(word: Word, abstract: Reading, spelt: Sequence[int]) -> tuple[Link, ...]:
    found = {at: Link(at, SURE["short"]) for at in spelt}
    for other, at in abstract.where.items():
        relation = kinship(word.stem, other)
        if relation and other:
            name, sign = relation
            for i in at:
                found.setdefault(i, Link(i, SURE[name], sign))
    return tuple(sorted(found.values(), key=lambda link: link.at))


@lru_cache(maxsize=262144)
def kinship(left: str, right: str) -> tuple[str, int] | None:
    """Return how one stem stands for another and with which sign, or None."""
    if left == right:
        return "same", 1
    bare_left, sign_left = _bare(left)
    bare_right, sign_right = _bare(right)
    if sign_left != sign_right and _one_form(bare_left, bare_right):
        return "negated", -1
    if _one_form(left, right):
        return "form", 1
    meaning = related(left, right)
    if meaning:
        return ("sense", 1) if meaning > 0 else ("opposite", -1)
    if sign_left != sign_right and (meaning := related(bare_left, bare_right, loosely=False)):
        return ("sense", 1) if meaning < 0 else ("opposite", -1)
    return ("spelt", 1) if _misspelt(left, right) else None


def _bare(word: str) -> tuple[str, int]:
    match = _NEGATED.match(word)
    if not match or word in _stems_not_negated():
        return word, 1
    return stem(next(group for group in match.groups() if group)), -1


@lru_cache(maxsize=1)
def _stems_not_negated() -> frozenset[str]:
    return frozenset(stem(word) for word in _NOT_NEGATED)


def _one_form(left: str, right: str) -> bool:
    """Tell whether one stem is the other with an ending: `reduc` and `reduct`, `predict` and `predictor`."""
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    if len(short) < _SHORTEST_FORM or short in _COMBINING:
        return False
    if short.endswith("i") and long[len(short) : len(short) + 1] == "t":
        # "Parti" is party, "partit" is partition.
        return False
    if long.startswith(short):
        return len(long) - len(short) <= min(_LONGEST_ENDING, len(short) - 2)
    return long[:-1] == short[: len(long) - 1] or (
        len(short) > 5 and short[:-1] == long[: len(short) - 1] and len(long) - len(short) < 4
    )


def _misspelt(left: str, right: str) -> bool:
    if left[:1] != right[:1] or min(len(left), len(right)) < 6:
        return False
    from rapidfuzz.distance import Levenshtein

    return bool(Levenshtein.normalized_similarity(left, right) >= _SIMILAR)


def _abbreviated(claim: Reading, abstract: Reading, short: Mapping[str, str]) -> dict[int, tuple[int, ...]]:
    """Return links between abbreviations and what they stand for, in either direction."""
    found: dict[int, tuple[int, ...]] = {}
    for i, word in enumerate(claim.words):
        if _is_short(word):
            at = _initials(word, abstract, short)
            if at:
                found[i] = at
    for j, word in enumerate(abstract.words):
        if _is_short(word):
            for i in _initials(word, claim, short):
                found[i] = (*found.get(i, ()), j)
    return found


def _is_short(word: Word) -> bool:
    letters = word.written.removesuffix("s")
    return 2 <= len(letters) <= 6 and letters.isupper() and letters.isalpha()


def _initials(word: Word, text: Reading, short: Mapping[str, str]) -> tuple[int, ...]:
    """Return the positions of words whose first letters spell `word`, or that it is defined to mean."""
    letters = word.written.removesuffix("s").lower()
    defined = {stem(part.lower()) for part in re.findall(r"[^\W_]+", short.get(letters.upper(), ""))}
    size = len(letters)
    words = text.words
    found: set[int] = set()
    for i in range(len(words) - size + 1):
        run = words[i : i + size]
        if "".join(w.lower[:1] for w in run) == letters and run[0].clause == run[-1].clause:
            found.update(range(i, i + size))
    if defined:
        found.update(i for i, w in enumerate(words) if w.stem in defined and w.content)
    return tuple(sorted(found))
