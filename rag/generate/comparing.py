"""Compare papers in their own words: the clauses that state each aspect → cells of a table, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.evidence.aspects import Aspect, Clause, View
from rag.evidence.shared import Shared
from rag.evidence.signs import named_data
from rag.generate import DraftSentence, Quoted, Span
from rag.generate.weaving import Weave, listed, span_of
from rag.papers.vocabulary import COMMON, KNOWN_DATA
from rag.text.clauses import clause
from rag.text.words import fold_name

# The table above has the whole clauses: a sentence quotes fewer words, the fewer the more papers it is on.
_BRIEF, _BRIEFER, _MANY = 20, 14, 4
_MOST_SENTENCES = 6
_SIMILAR = 0.7  # cosine of two sentences from which they are said to be alike
_NO_DATA = COMMON - KNOWN_DATA
_SIDE_BY_SIDE = "Their figures can be set side by side as far as the settings agree"
_SPELT = dict(enumerate("two three four five six seven eight nine".split(), 2))


@dataclass(frozen=True, slots=True)
class Row:
    """A paper of the comparison: as aspects are read off it, and the clauses found for each, by name.

    `asked` are sentences that bear on what the question asks of the papers beyond the aspects.
    """

    seen: View
    clauses: Mapping[str, tuple[Clause, ...]]
    asked: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The paper's name."""
        return self.seen.candidate.paper.name

    def span(self, sentence: int) -> Span:
        """Return the span of a sentence in the paper's text."""
        return span_of(self.seen.candidate, sentence)


def cell(row: Row, name: str) -> DraftSentence | None:
    """Return what a paper says of an aspect, None when it says nothing."""
    clauses = row.clauses.get(name, ())
    if not clauses:
        return None
    pieces = [Quoted(_words(row, c), row.span(c.sentence)) for c in clauses]
    text = "; ".join(piece.text for piece in pieces)
    return DraftSentence(text, tuple(piece.span for piece in pieces), tuple(pieces))


def sentences(
    rows: Sequence[Row], aspects: Sequence[Aspect], phrases: Sequence[Shared]
) -> list[DraftSentence]:
    """Return at most six sentences that set the papers side by side: what they share, where they differ."""
    woven = [*_common(rows, phrases), *_asked(rows), *_by_aspect(rows, aspects)]
    return woven[:_MOST_SENTENCES]


def _common(rows: Sequence[Row], phrases: Sequence[Shared]) -> Iterator[DraftSentence]:
    """Yield a sentence on the phrases that all the papers use, or one on what some of them share."""
    by_all = [phrase for phrase in phrases if len(phrase.places) == len(rows)]
    if by_all:
        yield _sharing(_everyone(rows), by_all, rows)
    elif phrases:
        most = max(phrases, key=lambda phrase: len(phrase.places))
        same = [phrase for phrase in phrases if set(phrase.places) == set(most.places)]
        who = listed([rows[i].name for i in most.places])
        yield _sharing(f"{who} {'both' if len(most.places) == 2 else 'all'}", same, rows)


def _everyone(rows: Sequence[Row]) -> str:
    if len(rows) == 2:
        return f"{rows[0].name} and {rows[1].name} both"
    return f"All {_SPELT.get(len(rows), str(len(rows)))}"


def _sharing(who: str, phrases: Sequence[Shared], rows: Sequence[Row]) -> DraftSentence:
    weave = Weave().say(f"{who} speak of ")
    for number, phrase in enumerate(phrases):
        weave.say(("" if not number else " and of " if number == len(phrases) - 1 else ", of ") + "“")
        for row, place in phrase.places.items():
            written = rows[row].seen.texts[place.sentence][place.start : place.end]
            weave.rest_on(written, rows[row].span(place.sentence))
        weave.say("” or “".join(_spellings([_spelling(rows[row], phrase, row) for row in phrase.places])))
        weave.say("”")
    return weave.say(".").done()


def _spellings(written: Sequence[str]) -> list[str]:
    """Return the spellings that differ in more than capitals, each with the fewest of these."""
    plainest = sorted(written, key=lambda text: sum(char.isupper() for char in text))
    return list({text.casefold(): text for text in reversed(plainest)}.values())


def _spelling(row: Row, phrase: Shared, number: int) -> str:
    place = phrase.places[number]
    return row.seen.texts[place.sentence][place.start : place.end]


def _asked(rows: Sequence[Row]) -> Iterator[DraftSentence]:
    stating = [(row, [Clause(i, *clause(row.seen.texts[i])) for i in row.asked]) for row in rows if row.asked]
    if len(stating) > 1:
        yield _side_by_side("As to the question, ", stating)


def _by_aspect(rows: Sequence[Row], aspects: Sequence[Aspect]) -> Iterator[DraftSentence]:
    for aspect in aspects:
        stating = [(row, list(row.clauses[aspect.name])) for row in rows if row.clauses.get(aspect.name)]
        if len(stating) > 1 and aspect.kind in _WOVEN:
            yield _WOVEN[aspect.kind](aspect, stating)
        elif len(stating) == 1 and aspect.kind == "own":
            yield _side_by_side(f"Of {aspect.name}, only ", stating)


Stating = list[tuple[Row, list[Clause]]]


def _problem(aspect: Aspect, stating: Stating) -> DraftSentence:
    alike = _alike(stating)
    opening = "They start from much the same problem: " if alike else "They start from different problems: "
    return _side_by_side(opening, stating)


def _approach(aspect: Aspect, stating: Stating) -> DraftSentence:
    return _side_by_side("In approach, ", stating)


def _results(aspect: Aspect, stating: Stating) -> DraftSentence:
    """Say whose figures can be set side by side, and whose cannot."""
    first = [(row, clauses[:1]) for row, clauses in stating]
    measured = [(row, clauses) for row, clauses in first if row.seen.figures[clauses[0].sentence]]
    if not measured:
        opening = "Neither gives a figure" if len(first) == 2 else "None gives a figure"
        return _side_by_side(f"{opening} for its results: ", first)
    if len(measured) == 1:
        return _side_by_side(f"Only {measured[0][0].name} gives a figure for its results: ", first)
    return _side_by_side(_comparability(measured), measured)


def _comparability(measured: Stating) -> str:
    """Say which of the papers that give figures name the same data."""
    held = [(row, _data_names(row)) for row, _ in measured]
    if common := set.intersection(*(names for _, names in held)):
        who = "both" if len(held) == 2 else "all"
        return f"{_SIDE_BY_SIDE}, for {who} name {listed(sorted(common)[:2])}: "
    for place, (row, names) in enumerate(held):
        for other, others in held[place + 1 :]:
            if shared_data := names & others:
                pair = (
                    f"those of {row.name} and {other.name}, which both name {listed(sorted(shared_data)[:2])}"
                )
                return f"Of their figures, {pair}, can be set side by side as far as the settings agree: "
    return "Their figures are not to be set side by side, for no two of the abstracts name the same data: "


def _data_names(row: Row) -> set[str]:
    """Return the names of what a paper says it was tried on."""
    own = fold_name(row.name)
    names = set().union(*(named_data(text) for text in row.seen.texts))
    return {name for name in names if fold_name(name) != own and name.casefold().rstrip("s") not in _NO_DATA}


def _limits(aspect: Aspect, stating: Stating) -> DraftSentence:
    return _side_by_side("As to what they need or are limited by, ", stating)


def _own(aspect: Aspect, stating: Stating) -> DraftSentence:
    return _side_by_side(f"On {aspect.name}, ", stating)


_WOVEN: Mapping[str, Callable[[Aspect, Stating], DraftSentence]] = {
    "problem": _problem,
    "approach": _approach,
    "results": _results,
    "limits": _limits,
    "own": _own,
}


def _alike(stating: Stating) -> bool:
    vectors = np.stack([row.seen.candidate.vectors[clauses[0].sentence] for row, clauses in stating])
    return float((vectors @ vectors.T).min()) >= _SIMILAR


def _side_by_side(opening: str, stating: Iterable[tuple[Row, Sequence[Clause]]]) -> DraftSentence:
    """Quote each paper in turn: `A writes “…”, whereas B writes “…”`."""
    papers = list(stating)
    words = _BRIEF if len(papers) < _MANY else _BRIEFER
    weave = Weave().say(opening)
    for number, (row, clauses) in enumerate(papers):
        weave.say(_link(number, len(papers))).say(f"{row.name} writes ")
        for place, found in enumerate(clauses if len(papers) < _MANY else clauses[:1]):
            weave.say(" and " if place else "")
            weave.quote(_words(row, found, words), row.span(found.sentence))
    return weave.say(".").done()


def _link(number: int, count: int) -> str:
    if not number:
        return ""
    return ", whereas " if count == 2 else "; " if number < count - 1 else "; and "


def _words(row: Row, found: Clause, most: int = 0) -> str:
    """Return the words of a clause; with `most`, about so many of them, its first figure among them."""
    text = row.seen.texts[found.sentence][found.start : found.end]
    if not most:
        return text
    figures = [q for q in row.seen.figures[found.sentence] if found.start <= q.start < q.end <= found.end]
    keep = [(figures[0].start - found.start, figures[0].end - found.start)] if figures else []
    start, end = clause(text, keep, most)
    return text[start:end]
