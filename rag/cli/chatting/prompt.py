"""The line a person types on: a prompt comes in, the line typed goes out; with history and completion."""

from __future__ import annotations

import contextlib
import os
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.cli.chatting.commands import COMMANDS
from rag.cli.chatting.loop import Emptied
from rag.cli.chatting.typed import quoted
from rag.outputs.printable import one_line
from rag.text.words import fold_name

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyBindings

HISTORY_FILE = "chat_history"
_HISTORY_BYTES = 200_000
_OFFERED = 12
_LEAST_TYPED = 2
_COMMAND = re.compile(r"/\S*$")
_OPEN_QUOTE = re.compile(r"""["“]([^"”]*)$""")
_LAST_WORD = re.compile(r"\S*$")

Masked = Callable[[str], str]


class KnownNames:
    """The names of papers by their beginnings, for completion."""

    def __init__(self, names: Iterable[str]) -> None:
        self._sorted = sorted((fold_name(name), one_line(name)) for name in set(names))

    def beginning(self, typed: str, *, with_spaces: bool) -> Iterator[str]:
        """Yield the first names that begin as `typed`, whatever their case and hyphens."""
        folded = fold_name(typed)
        if len(folded) < _LEAST_TYPED:
            return
        found = 0
        for place in range(bisect_left(self._sorted, (folded, "")), len(self._sorted)):
            key, name = self._sorted[place]
            if not key.startswith(folded) or found == _OFFERED:
                return
            if with_spaces or " " not in name:
                found += 1
                yield name


def offers(text: str, names: KnownNames) -> list[tuple[str, int]]:
    """Return what may stand at the end of `text`, each with how many characters it takes the place of."""
    if _COMMAND.fullmatch(text):
        return [(f"{name} ", len(text)) for name in COMMANDS if name.startswith(text.lower())]
    command = COMMANDS.get(text.split(maxsplit=1)[0].lower()) if text.strip() else None
    if command is not None and not command.names_papers:
        return []
    if command is not None and (opened := _OPEN_QUOTE.search(text)) and text.count('"') % 2:
        return [(f'"{n}"', len(opened[0])) for n in names.beginning(opened[1], with_spaces=True)]
    word = _LAST_WORD.search(text)
    typed = word[0] if word else ""
    # In a question every word would call up phrases that begin with it.
    found = names.beginning(typed, with_spaces=command is not None)
    return [(quoted(name) if command is not None else name, len(typed)) for name in found]


def reader(folder: Path, names: Sequence[str], masked: Masked) -> Callable[[str], str]:
    """Return what shows a prompt and reads a line; lines typed are kept in `folder` if it can be written.

    The line reader raises Emptied on Ctrl-C, EOFError on Ctrl-D.
    """
    from prompt_toolkit import PromptSession

    session: PromptSession[str] = PromptSession(
        history=_history(folder, masked),
        completer=_completer(KnownNames(names)),
        key_bindings=_keys(),
        multiline=True,
        prompt_continuation="...> ",
        enable_history_search=False,
    )

    def read(prompt: str) -> str:
        try:
            return session.prompt(prompt)
        except KeyboardInterrupt as pressed:
            raise Emptied(not session.default_buffer.text.strip()) from pressed

    return read


def _keys() -> KeyBindings:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _send(event: Any) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline()
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter")
    def _new_line(event: Any) -> None:
        event.current_buffer.newline()

    return keys


def _completer(names: KnownNames) -> Completer:
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class Offers(Completer):
        """Offers commands and the names of papers."""

        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
            for text, length in offers(document.text_before_cursor, names):
                yield Completion(text, -length)

    return Offers()


def _history(folder: Path, masked: Masked) -> History:
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    path = folder / HISTORY_FILE
    if not os.access(path if path.exists() else folder, os.W_OK):
        return InMemoryHistory()

    class Kept(FileHistory):
        """Keeps lines without secrets; one that cannot be kept is no reason to stop."""

        def store_string(self, string: str) -> None:
            with contextlib.suppress(OSError):
                super().store_string(masked(string.encode("utf-8", "replace").decode("utf-8")))

    with contextlib.suppress(OSError):
        _shorten(path)
    return Kept(str(path))


def _shorten(path: Path) -> None:
    """Drop the older half of a history that has grown long; an entry begins with an empty line."""
    if path.exists() and path.stat().st_size > _HISTORY_BYTES:
        data = path.read_bytes()[-_HISTORY_BYTES // 2 :]
        path.write_bytes(data[max(data.find(b"\n\n"), 0) :])
