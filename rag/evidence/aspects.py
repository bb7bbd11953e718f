"""A paper and the aspects it is compared by in, the clauses of its abstract that state each of them out.

An aspect is one of the usual five, which are told by the role a sentence plays and the words it uses, or any
words of the asker, which a sentence must hold or come close to in meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rag.embedders import Vectors
from rag.evidence.candidates import Candidate
from rag.evidence.linear import Floats
from rag.evidence.roles import ROLES
from rag.evidence.signs import (
    ADVERSATIVE,
    BETTER,
    CONDITION,
    DATA_ENDS,
    ELSE,
    EVALUATES,
    MATERIAL,
    NAMED,
    NEEDS,
    OUTLOOK,
    OWN_DATA,
    PROBLEM,
    PROPER_NAME,
    PROPOSES,
    SHOWS,
    THINGS,
    TURN,
)
from rag.evidence.telling import contributions, notes
from rag.papers.vocabulary import COMMON
from rag.text.clauses import SHORT, Span, clause
from rag.text.quantities import Quantity, quantities
from rag.text.words import content_terms, fold_name

Kind = Literal["problem", "approach", "data", "results", "limits", "own"]

# What people call the usual aspects.
_CALLED: Mapping[Kind, str] = {
    "problem": "problem problems challenge challenges motivation gap",
    "approach": "approach approaches method methods methodology technique techniques idea contribution",
    "data": "data dataset datasets benchmark benchmarks corpus corpora",
    "results": "result results finding findings outcome outcomes numbers",
    "limits": "limits limit limitation limitations needs requirements assumptions",
}
_KINDS: Mapping[str, Kind] = {word: kind for kind, words in _CALLED.items() for word in words.split()}
USUAL = ("problem", "approach", "data", "results", "limits")

# Sentences are scored by sums of signs; below these sums an abstract is said not to state the aspect.
_LEAST: Mapping[Kind, float] = {
    "problem": 0.75,
    "approach": 0.6,
    "data": 0.9,
    "results": 0.55,
    "limits": 0.9,
    "own": 0.0,
}
_NEARLY = 0.9  # how good, compared with the best, a second sentence on results must be
# A clause on the approach of fewer characters is a mere name; how sure the sentence that explains it must be.
_TELLING, _EXPLAINS = 75, 0.6
_OWN_COVERED, _OWN_CLOSE = 0.5, 0.45
# What a paper is about takes more words than the rest.
_WORDS: Mapping[Kind, int] = {"approach": 36}
_KEPT: Mapping[Kind, re.Pattern[str]] = {"problem": PROBLEM, "data": MATERIAL, "limits": NEEDS}


@dataclass(frozen=True, slots=True)
class Aspect:
    """What papers are compared by: name as asked, kind, and of the asker's own words terms and vector."""

    name: str
    kind: Kind
    terms: tuple[str, ...] = ()
    vector: Vectors | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a sentence that states an aspect: the sentence, and code points within its text."""

    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class View:
    """A paper as aspects are read off it; `roles` is `(sentences, 5) float64`, the chance of each role."""

    candidate: Candidate
    texts: tuple[str, ...]
    roles: Floats
    contributing: tuple[int, ...]
    notes: tuple[bool, ...]
    figures: tuple[tuple[Quantity, ...], ...]

    def role(self, name: str) -> Floats:
        """Return the chance of a role for each sentence."""
        return np.asarray(self.roles[:, ROLES.index(name)])


def aspect(words: str, embed: Callable[[str], Vectors]) -> Aspect:
    """Return the aspect that the asker's words name."""
    name = " ".join(words.split())
    kind = _KINDS.get(name.casefold())
    if kind is not None:
        return Aspect(name, kind)
    return Aspect(name, "own", tuple(content_terms(name)), embed(name))


def view(candidate: Candidate, roles: Floats) -> View:
    """Prepare a paper, given the chances of its sentences' roles."""
    texts = tuple(candidate.text(i) for i in range(len(candidate.sentences)))
    return View(
        candidate,
        texts,
        roles,
        tuple(contributions(candidate)),
        tuple(notes(candidate)),
        tuple(tuple(q for q in quantities(text) if is_measured(q)) for text in texts),
    )


def is_measured(quantity: Quantity) -> bool:
    """Tell whether a number was measured, rather than counted off: it has a unit or decimals."""
    return bool(quantity.unit) or not quantity.value.is_integer()


def stated(seen: View, wanted: Aspect) -> tuple[Clause, ...]:
    """Return the clauses that state an aspect, most telling first; none when the abstract does not say."""
    if not seen.texts:
        return ()
    scores = _SCORES[wanted.kind](seen, wanted)
    best = int(np.argmax(scores))
    if scores[best] < _LEAST[wanted.kind]:
        return ()
    first = _clause(seen, best, wanted)
    second = _SECOND[wanted.kind](seen, scores, first) if wanted.kind in _SECOND else []
    return (first, *(_clause(seen, i, wanted) for i in second))


def _problem(seen: View, wanted: Aspect) -> Floats:
    """Score what stands in front of the contribution and speaks of what is hard, missing or costly."""
    approach = _approach_sentence(seen)
    before = np.array([i < approach for i in range(len(seen.texts))], dtype=float)
    own = _closeness(seen, seen.candidate.chunk_vectors[0])
    scores = 0.5 * before + 0.4 * (seen.role("background") + seen.role("objective")) + 0.3 * own
    scores += _signs(seen, PROBLEM, 0.5) + _signs(seen, ADVERSATIVE, 0.15)
    return np.asarray(scores - 2.0 * _is(seen, [approach]) - 0.8 * seen.role("result"))


def _approach(seen: View, wanted: Aspect) -> Floats:
    scores = 0.5 * (seen.role("method") + seen.role("objective")) + 0.5 * _is(seen, seen.contributing)
    scores += _signs(seen, PROPOSES, 0.4) + 0.3 * _names_itself(seen)
    # Of several steps the first is what the others belong to.
    return np.asarray(scores - 0.02 * np.arange(len(seen.texts)) - np.array(seen.notes))


def _data(seen: View, wanted: Aspect) -> Floats:
    scores = np.maximum(_signs(seen, MATERIAL, 0.6), _signs(seen, THINGS, 0.3))
    scores += _signs(seen, EVALUATES, 0.45)
    scores += _signs(seen, NAMED, 0.35) + _signs(seen, OWN_DATA, 0.7)
    scores += 0.3 * (seen.role("method") + seen.role("result")) + 0.35 * _names_others(seen)
    scores -= _signs(seen, OUTLOOK, 0.5)
    return np.asarray(scores - 0.9 * seen.role("background") - np.array(seen.notes))


def _results(seen: View, wanted: Aspect) -> Floats:
    measured = np.array([bool(found) for found in seen.figures], dtype=float)
    scores = (
        0.8 * seen.role("result") + 0.4 * measured + _signs(seen, BETTER, 0.25) + _signs(seen, SHOWS, 0.2)
    )
    scores -= 0.8 * (seen.role("background") + seen.role("objective")) + np.array(seen.notes)
    # What else was found comes after what was found, and what it may be good for is no finding.
    scores -= _signs(seen, ELSE, 0.15) + _signs(seen, OUTLOOK, 0.35)
    return np.asarray(scores - 0.4 * _is(seen, [_approach_sentence(seen)]))


def _limits(seen: View, wanted: Aspect) -> Floats:
    first = seen.contributing[0] if seen.contributing else 0
    own = np.array([i >= first for i in range(len(seen.texts))], dtype=float)
    scores = _signs(seen, NEEDS, 0.7) + 0.4 * own - 0.9 * seen.role("background") + 0.1 * _names_itself(seen)
    return np.asarray(scores - np.array(seen.notes) - 0.5 * _is(seen, [_approach_sentence(seen)]))


def _own(seen: View, wanted: Aspect) -> Floats:
    """Score by shared words and meaning; a sentence with too little of both is out."""
    close = _closeness(seen, wanted.vector) if wanted.vector is not None else np.zeros(len(seen.texts))
    share = np.array([len(w & set(wanted.terms)) for w in seen.candidate.words]) / max(len(wanted.terms), 1)
    scores = np.asarray(share + close - 0.2 * seen.role("background"))
    return np.where((share >= _OWN_COVERED) | (close >= _OWN_CLOSE), np.maximum(scores, 0.0), -1.0)


_SCORES: Mapping[Kind, Callable[[View, Aspect], Floats]] = {
    "problem": _problem,
    "approach": _approach,
    "data": _data,
    "results": _results,
    "limits": _limits,
    "own": _own,
}


def _approach_sentence(seen: View) -> int:
    return int(np.argmax(_approach(seen, Aspect("", "approach"))))


def _more_figures(seen: View, scores: Floats, first: Clause) -> list[int]:
    """Return another sentence that gives other figures, if it is nearly as telling."""
    told = {(q.value, q.unit) for q in seen.figures[first.sentence]}
    for i in map(int, np.argsort(-scores, kind="stable")):
        new = {(q.value, q.unit) for q in seen.figures[i]} - told
        if i != first.sentence and new and scores[i] >= _NEARLY * scores[first.sentence]:
            return [i]
    return []


def _explanation(seen: View, scores: Floats, first: Clause) -> list[int]:
    """Return the sentence that says how it works, where the first says little more than a name."""
    if first.end - first.start >= _TELLING:
        return []
    later = np.array([float(i > first.sentence) for i in range(len(seen.texts))])
    how = seen.role("method") * later + 0.5 * _closeness(seen, seen.candidate.chunk_vectors[0])
    how = np.where((later == 0) | np.array(seen.notes), 0.0, how)
    return [int(np.argmax(how))] if how.max() >= _EXPLAINS else []


_SECOND: Mapping[Kind, Callable[[View, Floats, Clause], list[int]]] = {
    "results": _more_figures,
    "approach": _explanation,
}


def _clause(seen: View, i: int, wanted: Aspect) -> Clause:
    text = seen.texts[i]
    if wanted.kind == "data" and (end := DATA_ENDS.search(text)):
        start, _ = clause(text)
        if MATERIAL.search(text, start, end.start()) or NAMED.search(text, start, end.start()):
            return Clause(i, start, end.start())
    start, stop = clause(text, _kept(seen, i, wanted), _WORDS.get(wanted.kind, SHORT))
    if wanted.kind == "problem" and (turn := TURN.search(text, start)) and PROBLEM.search(text, turn.end()):
        start, stop = _from_turn(text, turn.end())
    if wanted.kind == "limits" and (condition := CONDITION.search(text, start, stop)):
        start = condition.start()
    return Clause(i, start, stop)


def _from_turn(text: str, start: int) -> Span:
    """Return the clause that begins where a sentence turns from what is well to what is not."""
    found = PROBLEM.search(text, start)
    keep = [(found.start() - start, found.end() - start)] if found else []
    first, last = clause(text[start:], keep)
    return start + first, start + last


def _kept(seen: View, i: int, wanted: Aspect) -> Sequence[Span]:
    """Return what must stay in a clause: the figures of a result, the words that told the aspect."""
    if wanted.kind == "results":
        return [(q.start, q.end) for q in seen.figures[i]]
    if wanted.kind == "own":
        words = re.finditer(r"[\w-]+", seen.texts[i])
        return [word.span() for word in words if set(content_terms(word[0])) & set(wanted.terms)]
    pattern = _KEPT.get(wanted.kind)
    found = pattern.search(seen.texts[i]) if pattern is not None else None
    return [found.span()] if found else []


def _signs(seen: View, pattern: re.Pattern[str], worth: float) -> Floats:
    return np.array([worth if pattern.search(text) else 0.0 for text in seen.texts])


def _is(seen: View, places: Sequence[int]) -> Floats:
    return np.array([float(i in places) for i in range(len(seen.texts))])


def _closeness(seen: View, vector: Vectors) -> Floats:
    return np.asarray(seen.candidate.vectors @ vector, dtype=float)


def _names_itself(seen: View) -> Floats:
    name = fold_name(seen.candidate.paper.name)
    return np.array([float(bool(name) and name in fold_name(text)) for text in seen.texts])


def _names_others(seen: View) -> Floats:
    """Tell which sentences hold a proper name that is not the paper's own: most often data or a rival."""
    own = fold_name(seen.candidate.paper.name)
    found = [{fold_name(name) for name in proper_names(text)} - {own} for text in seen.texts]
    return np.array([float(bool(names)) for names in found])


def proper_names(text: str) -> list[str]:
    """Return the names a text holds, such as GSM8K or ImageNet-C, but for those every reader knows."""
    names = PROPER_NAME.findall(text)
    return [name for name in names if name.casefold().rstrip("s") not in COMMON]
