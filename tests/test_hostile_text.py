"""Texts made to be slow: what reads a value or a text of a source goes through it about once."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from rag.outputs.markdown import escaped
from rag.papers.phrases import phrase_at
from rag.sources.values import keywords, people
from rag.text.latex import readable
from rag.text.markup import plain
from rag.text.quantities import quantities

READERS: tuple[Callable[[str], object], ...] = (
    escaped,
    keywords,
    people,
    plain,
    quantities,
    readable,
    lambda text: phrase_at(text, 0),
)
RUNS = (" ", "\n", "- ", "a and ", "1,", ";", "(", "[", "{", "$", "<", "\\", "&", "10.1000/", "中")


@pytest.mark.parametrize("reads", READERS, ids=lambda reads: reads.__name__)
def test_fifty_thousand_of_one_kind_are_read_in_one_go(reads: Callable[[str], object]) -> None:
    began = time.process_time()
    for run in RUNS:
        reads(f"x{run * (50_000 // len(run))}☃")
    # About two seconds for all of them; whoever starts again at each place takes four for one.
    assert time.process_time() - began < 10
