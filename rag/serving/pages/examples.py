"""Example questions: the papers of a library come in, a few questions they can answer go out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice

from rag.domain import Paper
from rag.outputs.printable import one_line
from rag.text.words import content_terms

_LONGEST_NAME = 24
# So many papers are compared with each other to find two that have something in common.
_COMPARED = 30


def examples(papers: Sequence[Paper]) -> tuple[str, ...]:
    """Return questions about papers that have a short name of their own, such as that of a system."""
    named = list(islice((paper for paper in papers if _is_short(one_line(paper.name))), _COMPARED))
    names = [one_line(paper.name) for paper in named]
    questions = [f"What is {names[0]}?"] if names else []
    if len(names) > 1:
        questions.append(f"What are the results of {names[1]}?")
    if len(names) > 3:
        one, other = _most_alike(named)
        questions.append(f"How does {names[one]} differ from {names[other]}?")
    return tuple(questions)


def _most_alike(papers: Sequence[Paper]) -> tuple[int, int]:
    """Return the places of the two papers that share the largest part of their words (Jaccard)."""
    words = [frozenset(content_terms(paper.text)) for paper in papers]

    def alike(pair: tuple[int, int]) -> float:
        one, other = (words[place] for place in pair)
        return len(one & other) / max(len(one | other), 1)

    return max(combinations(range(len(papers)), 2), key=alike)


def _is_short(name: str) -> bool:
    """Tell a name such as `EVA-0` from the words that stand for a paper without one."""
    return len(name) <= _LONGEST_NAME and " " not in name and any(char.isupper() for char in name)
