"""Keep the turns of a chat beside the library: turns come in, a warning goes out when they cannot be kept."""

from __future__ import annotations

from collections.abc import Sequence

from rag.cli.session import warn
from rag.errors import RagError
from rag.ledger.conversations import Conversation, Conversations, Turn, new_conversation


class Keeper:
    """Writes each turn of one conversation as it ends; what cannot be written is tried again with the next.

    `kept` is how many turns of the conversation are there already.
    """

    def __init__(self, store: Conversations, conversation: Conversation | None = None, kept: int = 0) -> None:
        self._store = store
        self._warned = False
        self.conversation = conversation or new_conversation()
        self.kept = kept

    def begin(self) -> None:
        """Take what comes next as a new conversation."""
        self.conversation, self.kept = new_conversation(), 0

    def keep(self, turns: Sequence[Turn]) -> None:
        """Keep the turns that are not kept yet; warn once when that cannot be done."""
        try:
            self.conversation = self._store.add(self.conversation, turns[self.kept :])
        except RagError as error:
            if not self._warned:
                self._warned = True
                warn([f"This conversation is not kept: {error.message} /export FILE saves it elsewhere."])
        else:
            self.kept = len(turns)
