"""The texts of each group in, a heading and distinguishing terms for each group out.

Terms are weighed by c-TF-IDF (Grootendorst 2022, "BERTopic: Neural topic modeling with a class-based TF-IDF
procedure"), W = tf · log(1 + A / f), where tf is how much of a group speaks of a term, f how much of all
groups together, and A what a group says on average. Here a paper that repeats a term counts little more than
one that names it, and what is as frequent outside the group weighs nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os.path import commonprefix

from rag.text.words import content_terms
from rag.themes.phrases import Key, Spoken

MOST_TERMS = 6
# So many papers of a group are read for its words, most central first.
_READ = 120
_LOOKED_AT = 60
# What an abbreviation is given for is a term of the field.
_DEFINED = 1.3
# Phrases of one, two and more words; a word in -ing is often a verb.
_WORTH = (0.75, 1.5, 1.7)
_DOING = 0.6
UNNAMED = "Other papers"


@dataclass(frozen=True, slots=True)
class _Scored:
    key: Key
    score: float
    papers: frozenset[int]


def headed(
    groups: Sequence[Sequence[str]],
    background: Callable[[Sequence[str]], Mapping[str, float]] | None,
    without: frozenset[str],
) -> list[tuple[str, tuple[str, ...]]]:
    """Return for each group of texts a heading, different from all others, and its terms, best first."""
    parts = [texts[:_READ] for texts in groups]
    spoken = Spoken(text for texts in parts for text in texts)
    read = [[spoken.read(text) for text in texts] for texts in parts]
    common = frozenset(term for phrase in without for term in content_terms(phrase))
    ranked = [_distinct(scored) for scored in _scored(read, spoken, background, common)]
    return _named(ranked, spoken)


def _scored(
    read: Sequence[Sequence[Counter[Key]]],
    spoken: Spoken,
    background: Callable[[Sequence[str]], Mapping[str, float]] | None,
    common: frozenset[str],
) -> Iterator[list[_Scored]]:
    """Yield for each group its phrases, best first."""
    holding = [_holding(papers) for papers in read]
    told = [_told(papers) for papers in read]
    everywhere = sum(told, Counter[Key]())
    average = everywhere.total() / max(len(read), 1)
    spread = Counter[Key]()
    for held in holding:
        spread.update({key: len(papers) for key, papers in held.items()})
    papers_in_all = sum(map(len, read))
    for papers, held, own in zip(read, holding, told, strict=True):
        rare = _rarity(held, background)
        outside = papers_in_all - len(papers)
        least = _least_papers(len(papers))
        scored = [
            _Scored(
                key,
                own[key]
                / len(papers)
                * math.log1p(average / everywhere[key])
                * _margin(len(held[key]) / len(papers), (spread[key] - len(held[key])) / max(outside, 1))
                * _weight(key, common, spoken)
                * rare(key),
                frozenset(held[key]),
            )
            for key in held
            if len(held[key]) >= least
        ]
        yield sorted((s for s in scored if s.score > 0), key=lambda s: (-s.score, s.key))


def _least_papers(papers: int) -> int:
    return 1 if papers < 2 else max(2, papers // 12)


def _holding(papers: Sequence[Counter[Key]]) -> dict[Key, list[int]]:
    held: dict[Key, list[int]] = {}
    for number, counts in enumerate(papers):
        for key in counts:
            held.setdefault(key, []).append(number)
    return held


def _told(papers: Sequence[Counter[Key]]) -> Counter[Key]:
    """Return how much the papers speak of each phrase: naming it again counts less each time."""
    told: Counter[Key] = Counter()
    for counts in papers:
        for key, count in counts.items():
            told[key] += math.sqrt(min(count, 9))  # type: ignore[assignment]
    return told


def _margin(inside: float, outside: float) -> float:
    return math.sqrt(max(0.0, 1.0 - outside / inside))


def _weight(key: Key, common: frozenset[str], spoken: Spoken) -> float:
    """Return how much a phrase says: by its length, its form, and the part that is not common to all."""
    fresh = sum(part not in common for part in key) / len(key)
    is_doing = len(key) == 1 and spoken.written(key).endswith("ing")
    defined = _DEFINED if spoken.is_defined(key) else 1.0
    return fresh * _WORTH[min(len(key), 3) - 1] * defined * (_DOING if is_doing else 1.0)


def _rarity(
    held: Mapping[Key, object], background: Callable[[Sequence[str]], Mapping[str, float]] | None
) -> Callable[[Key], float]:
    if background is None:
        return lambda key: 1.0
    idf = background(sorted({part for key in held for part in key}))
    return lambda key: sum(idf[part] for part in key) / len(key)


def _distinct(scored: Sequence[_Scored]) -> list[_Scored]:
    """Return the best phrases, none of them like another; a longer one takes the place of a part of it."""
    kept: list[_Scored] = []
    for one in scored[:_LOOKED_AT]:
        near = [place for place, other in enumerate(kept) if _alike(one.key, other.key)]
        if not near:
            kept.append(one)
        elif len(near) == 1 and _spells_out(one, kept[near[0]]):
            kept[near[0]] = one
    return kept[:MOST_TERMS]


def _spells_out(longer: _Scored, shorter: _Scored) -> bool:
    return set(longer.key) > set(shorter.key) and len(longer.papers) * 2 >= len(shorter.papers)


def _alike(one: Key, other: Key) -> bool:
    """Tell whether phrases share a word, or one that differs only in its ending: child, children."""
    return any(_same_start(a, b) for a in one for b in other)


def _same_start(a: str, b: str) -> bool:
    shared = len(commonprefix((a, b)))
    return a + "s" == b or b + "s" == a or a == b or shared >= max(4, min(len(a), len(b)) - 1)


def _named(ranked: Sequence[Sequence[_Scored]], spoken: Spoken) -> list[tuple[str, tuple[str, ...]]]:
    taken: set[str] = set()
    named = []
    for scored in ranked:
        terms = tuple(spoken.written(one.key) for one in scored)
        heading = next(h for h in _headings(scored, terms) if h.casefold() not in taken)
        taken.add(heading.casefold())
        named.append((heading, terms))
    return named


def _headings(scored: Sequence[_Scored], terms: Sequence[str]) -> Iterator[str]:
    """Yield headings, best first: the best term with another that tells of other papers."""
    if scored:
        first = scored[0]
        seconds = sorted(
            range(1, len(scored)),
            key=lambda n: (
                -scored[n].score * (0.6 + len(scored[n].papers - first.papers) / len(scored[n].papers))
            ),
        )
        for n in seconds:
            yield _capitalised(f"{terms[0]}, {terms[n]}")
        yield _capitalised(terms[0])
        for n in seconds:
            yield _capitalised(terms[n])
    number = 1
    while True:
        yield UNNAMED if number == 1 else f"{UNNAMED} {number}"
        number += 1


def _capitalised(heading: str) -> str:
    first = heading.split(" ")[0].split(",")[0]
    return heading if not first.islower() else heading[:1].upper() + heading[1:]
