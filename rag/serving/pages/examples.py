"""Example questions: the papers of a library come in, a few questions they can answer go out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from rag.domain import Paper
from rag.outputs.printable import one_line

_LONGEST_NAME = 24


def examples(papers: Sequence[Paper]) -> tuple[str, ...]:
    """Return questions about papers that have a short name of their own, such as that of a system."""
    named = list(islice((one_line(p.name) for p in papers if _is_short(p.name)), 4))
    questions = [f"What is {named[0]}?"] if named else []
    if len(named) > 1:
        questions.append(f"What are the results of {named[1]}?")
    if len(named) > 3:
        questions.append(f"How does {named[2]} differ from {named[3]}?")
    return tuple(questions)


def _is_short(name: str) -> bool:
    """Tell a name such as `EVA-0` from the words that stand for a paper without one."""
    return len(name) <= _LONGEST_NAME and " " not in name and any(char.isupper() for char in name)
