"""Follow a reply as it comes: growing text → each sentence once, when it has ended."""

from __future__ import annotations

from collections.abc import Callable

from rag.generate.replies import Unreadable, Written, read_answer
from rag.prompting import Form

# Only these can end a sentence of a reply; without one in what is new there is nothing to read again.
_ENDS = {"json_schema": "}", "json_object": "}", "text": "\n"}


class SentenceFeed:
    """Hands on the sentences of a growing reply, each as soon as it has ended.

    `on_begin` is told when another reply begins, in place of the one before.
    """

    def __init__(self, on_sentence: Callable[[Written], None], on_begin: Callable[[], None]) -> None:
        self._on_sentence = on_sentence
        self._on_begin = on_begin
        self._ended = 0
        self._told = 0

    def begin(self) -> None:
        """Take what comes next as a new reply."""
        self._ended = self._told = 0
        self._on_begin()

    def update(self, text: str, form: Form) -> None:
        """Take the whole text so far."""
        # By count, not by place: what is masked later makes the text shorter.
        before, self._ended = self._ended, text.count(_ENDS[form])
        if self._ended == before:
            return
        try:
            sentences = read_answer(text, form, complete=False).sentences
        except Unreadable:
            return
        for sentence in sentences[self._told :]:
            self._told += 1
            self._on_sentence(sentence)
