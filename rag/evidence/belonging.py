"""Evidence on a topic in, the papers that belong to it out, and those that only touch on it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rag.evidence.gather import Evidence
from rag.question import Kind

# Below this chance the library is said to have nothing on the topic.
_ANSWERS = 0.4
# A paper belongs from these chances on, and touches on a topic from these.
_BELONGS: Mapping[Kind, float] = {"find": 0.35, "topic": 0.25}
_TOUCHES = 0.08
_MOST_RELATED = 5


def has_topic(evidence: Evidence) -> bool:
    """Tell whether the library has papers on the topic at all."""
    return bool(evidence.candidates) and evidence.answered >= _ANSWERS


def belonging(evidence: Evidence) -> list[int]:
    """Return the papers that belong to the topic, by place in the evidence, surest first; at least one."""
    order = _order(evidence)
    least = _BELONGS[evidence.reading.question.kind]
    return [i for i in order if evidence.belongs[i] >= least] or order[:1]


def related(evidence: Evidence) -> list[int]:
    """Return a few papers that touch on the topic without belonging to it, nearest first."""
    inside = set(belonging(evidence))
    order = [i for i in _order(evidence) if i not in inside]
    return [i for i in order if evidence.belongs[i] >= _TOUCHES][:_MOST_RELATED]


def _order(evidence: Evidence) -> list[int]:
    return [int(i) for i in np.argsort(-evidence.belongs, kind="stable")]
