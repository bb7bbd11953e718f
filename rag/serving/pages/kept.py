"""Answers at addresses of their own: an answer comes in and is kept, its address leads back to it.

An answer is a turn of a kept conversation; its address names the conversation and the place in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rag.domain import Answer, Cell, Table
from rag.endpoint import address as server_of
from rag.endpoint import without_key
from rag.ledger.conversations import Conversation, Conversations, Kind, Turn, new_conversation
from rag.serving.pages.shell import NotThere
from rag.serving.state import State
from rag.text.latex import readable

_ADDRESS = re.compile(r"(?P<conversation>[0-9a-f]{1,64})-(?P<place>[1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation and its turns, and which of them (from 1) is looked at."""

    conversation: Conversation
    turns: tuple[Turn, ...]
    place: int
    warnings: tuple[str, ...] = ()

    @property
    def turn(self) -> Turn:
        """The turn that is looked at."""
        return self.turns[self.place - 1]

    @property
    def answer(self) -> Answer:
        """The answer that is looked at, as a page shows it."""
        return legible(self.turn.answer)

    @property
    def history(self) -> tuple[Answer, ...]:
        """The answers up to this one: what a follow-up looks back on."""
        return tuple(turn.answer for turn in self.turns[: self.place])


class Keeping:
    """The answers kept beside a library."""

    def __init__(self, state: State) -> None:
        server = server_of(state.settings)
        self.store = Conversations(state.settings.library, lambda text: without_key(text, server))
        self._state = state

    def keep(self, kind: Kind, question: str, answer: Answer, after: Kept | None = None) -> str:
        """Keep an answer, in the conversation it follows up or in a new one; return its address.

        One that follows up an earlier turn than the last begins a conversation of its own, with the turns it
        looks back on. Raises LibraryError when it cannot be written.
        """
        conversation, earlier = self._before(after)
        kept = self.store.add(conversation, [*earlier, Turn(kind, question, answer)])
        return f"/a/{kept.id}-{kept.turns}"

    def _before(self, after: Kept | None) -> tuple[Conversation, tuple[Turn, ...]]:
        """Return the conversation that what follows a turn is added to, and what must be added before it."""
        now = self._find(after.conversation.id) if after is not None else None
        if after is None or now is None:
            return new_conversation(), ()
        if now.turns == after.place:
            return now, ()
        return new_conversation(), after.turns[: after.place]

    def at(self, address: str) -> Kept:
        """Return what stands at an address; raise NotThere if nothing does."""
        match = _ADDRESS.fullmatch(address)
        conversation = self._find(match["conversation"]) if match else None
        if match is None or conversation is None or int(match["place"]) > conversation.turns:
            raise NotThere(
                "No answer is kept at this address.",
                hint="It may have been deleted; History lists the others.",
            )
        return self._whole(conversation, int(match["place"]))

    def conversation(self, conversation_id: str) -> Kept:
        """Return a conversation at its last turn; raise NotThere if there is none."""
        found = self._find(conversation_id)
        if found is None or not found.turns:
            raise NotThere("There is no such conversation.", hint="History lists those that are kept.")
        return self._whole(found, found.turns)

    def _find(self, conversation_id: str) -> Conversation | None:
        return next((c for c in self.store.all() if c.id == conversation_id), None)

    def _whole(self, conversation: Conversation, place: int) -> Kept:
        restored = self.store.restored(conversation.id, self._state.library.papers)
        return Kept(conversation, restored.turns, place, restored.warnings)


def legible(answer: Answer) -> Answer:
    """Return an answer without raw LaTeX in what a person typed or a model wrote; quotes stay as they are."""
    return replace(
        answer,
        question=readable(answer.question),
        standalone_question=readable(answer.standalone_question),
        sentences=tuple(replace(sentence, text=readable(sentence.text)) for sentence in answer.sentences),
        table=_legible_table(answer.table) if answer.table is not None else None,
    )


def _legible_table(table: Table) -> Table:
    cells = {
        paper: {aspect: _legible_cell(cell) for aspect, cell in row.items()}
        for paper, row in table.cells.items()
    }
    return replace(table, cells=cells)


def _legible_cell(cell: Cell) -> Cell:
    return cell if cell.text is None else replace(cell, text=readable(cell.text))
