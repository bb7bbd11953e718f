"""Draw docs/picture.svg: a question on the seed abstracts and its answer, as they look in a terminal.

Run it with `.venv/bin/python docs/make_picture.py`.
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rag.domain import Answer
from rag.library import Library
from rag.outputs.terminal import STYLES, answer_lines
from rag.resources import seeds

PICTURE = Path(__file__).with_name("picture.svg")
QUESTION = "How much faster than FOA is EVA-0?"
WIDTH = 96
# The picture must not fetch a font from elsewhere when it is looked at.
REMOTE_FONT = re.compile(r"\s*@font-face \{[^}]*\}")


def answered(question: str) -> Answer:
    """Ask the question of a throw-away library that holds the seed abstracts."""
    with (
        tempfile.TemporaryDirectory() as place,
        Library.open(Path(place) / "library", write=True) as library,
    ):
        library.ingest([seeds()])
        return library.ask(question)


def drawn(answer: Answer) -> str:
    """Return the picture of the answer as SVG."""
    console = Console(record=True, file=io.StringIO(), width=WIDTH, force_terminal=True, highlight=False)
    console.print(Text.assemble(("$ ", "dim"), (f'rag ask "{answer.question}"', "bold")))
    for line in answer_lines(answer):
        console.print(Padding(Text(line.text, STYLES[line.style]), (0, 0, 0, line.indent)))
    svg = console.export_svg(title="rag ask", unique_id="answer")
    return REMOTE_FONT.sub("", svg)


if __name__ == "__main__":
    PICTURE.write_text(drawn(answered(QUESTION)), encoding="utf-8")
