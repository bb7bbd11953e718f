"""Checked sentences for people: what was found comes in, lines for a terminal or a pipe go out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rag.outputs.printable import one_line, to_json
from rag.outputs.terminal import Line, where

if TYPE_CHECKING:
    from rag.jobs.check import Checked

# A symbol beside the colour, for those who do not tell colours apart.
SYMBOLS: Mapping[str, str] = {"supported": "✓", "partial": "~", "unsupported": "✗"}
STYLES: Mapping[str, str] = {"supported": "name", "partial": "doubt", "unsupported": "doubt"}
VERDICTS = ("supported", "partial", "unsupported")
NOTHING = "No sentence cites a paper. With --find every sentence that states something is checked."


def check_lines(checked: Sequence[Checked]) -> Iterator[Line]:
    """Lay out each sentence with verdict, reason and quote, and a count at the end."""
    if not checked:
        yield Line(NOTHING)
        return
    for item in checked:
        yield Line(f"{SYMBOLS[item.verdict]} {item.verdict}  line {item.line}", STYLES[item.verdict])
        yield Line(one_line(item.text), "plain", 2)
        yield Line(one_line(item.reason), "heading", 4)
        if item.found:
            yield Line(f"{where(item.found.paper)}: “{one_line(item.found.quote)}”", "quote", 4)
        if item.better:
            yield Line(f"better: {where(item.better.paper)}: “{one_line(item.better.quote)}”", "name", 4)
        yield Line()
    yield Line(summary(checked), "heading")


def summary(checked: Sequence[Checked]) -> str:
    """Return how many sentences have each verdict."""
    counts = {v: sum(c.verdict == v for c in checked) for v in VERDICTS}
    return f"{len(checked)} checked: " + ", ".join(f"{n} {v}" for v, n in counts.items())


def check_json(checked: Sequence[Checked]) -> str:
    """Return one JSON object with every sentence and the counts."""
    counts = {v: sum(c.verdict == v for c in checked) for v in VERDICTS}
    return to_json({"counts": counts, "sentences": [c.to_dict() for c in checked]})


def check_jsonl(checked: Sequence[Checked]) -> str:
    """Return one JSON object a line for each sentence."""
    return "".join(to_json(c.to_dict(), indent=None) + "\n" for c in checked)
