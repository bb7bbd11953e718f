"""A whole conversation: its turns come in, lines, Markdown, one HTML page or JSON goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import IO

from rag.errors import UsageError
from rag.ledger.conversations import Conversation, Turn
from rag.outputs.conversation_html import conversation_html
from rag.outputs.files import write_whole
from rag.outputs.markdown import answer_markdown, escaped
from rag.outputs.printable import one_line, to_json
from rag.outputs.terminal import Line, print_answer, print_lines


def print_turns(turns: Sequence[Turn], stream: IO[str]) -> None:
    """Write what was typed and what was answered, turn by turn."""
    for place, turn in enumerate(turns):
        print_lines(
            [*([Line()] if place else []), Line(f"rag> {one_line(turn.question)}", "heading")], stream
        )
        print_answer(turn.answer, stream)


def conversation_markdown(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the conversation as Markdown: its title, then each question with its answer."""
    heading = f"# {escaped(one_line(conversation.title)) or 'Conversation'}\n"
    return "\n".join([heading, *(answer_markdown(turn.answer) for turn in turns)])


def conversation_json(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the conversation as one JSON object; each turn holds its answer as `--json` gives it."""
    return to_json({**conversation.to_dict(), "turns": [turn.to_dict() for turn in turns]}) + "\n"


Write = Callable[[Conversation, Sequence[Turn]], str]
FORMATS: Mapping[str, Write] = {
    "markdown": conversation_markdown,
    "html": conversation_html,
    "json": conversation_json,
}
_SUFFIXES: Mapping[str, str] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}


def format_of(path: str) -> str:
    """Return the name of the format that a file's ending stands for; raise UsageError if for none."""
    suffix = PurePath(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise UsageError(
            f"the ending of {path!r} does not tell how to write it", hint="Use .md, .html or .json."
        )
    return _SUFFIXES[suffix]


def write_new(path: Path, text: str, *, again: bool = False) -> None:
    """Write a file that is not there yet; with `again` also over one that is.

    Raises UsageError if it is there, OutputError if it cannot be written.
    """
    if path.exists() and not again:
        raise UsageError(f"{path} is there already", hint="Name another file.")
    write_whole(path, text)
