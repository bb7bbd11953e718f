"""What every command that answers shares: a job comes in, its answer goes out on stdout as it is made."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from rag.cli.session import is_quiet, note

if TYPE_CHECKING:
    from rag.domain import Answer, AnswerSentence
    from rag.settings import Settings

NOT_FOUND_CODE = 3
KEY_FOUND = (
    "OPENAI_API_KEY is set and was not used: answers are quoted from the papers."
    " To have a chat model write them, use --model auto (RAG_MODEL)."
)

Job = Callable[["Callable[[AnswerSentence], None] | None"], "Answer"]
"""What makes an answer; it is given what is to be told of each sentence, if anything is."""


def print_as_it_comes(job: Job) -> Answer:
    """Print sentences as a model finishes them when a person watches, and the rest at the end."""
    from rag.outputs.terminal import answer_lines, closing_lines, print_lines, sentence_lines

    shown: list[AnswerSentence] = []

    def show(sentence: AnswerSentence) -> None:
        shown.append(sentence)
        print_lines(sentence_lines(sentence), sys.stdout)
        sys.stdout.flush()

    answer = job(show if sys.stdout.isatty() else None)
    # Quotations, and answers that are found wanting, come all at once.
    whole = not shown or tuple(shown) != answer.sentences
    print_lines(answer_lines(answer) if whole else closing_lines(answer), sys.stdout)
    return answer


def tell_cost(answer: Answer) -> None:
    """Say on stderr what an answer has cost, if a model was called."""
    from rag.generate.pricing import told

    if answer.usage.calls:
        note(told(answer.engine, answer.usage))


def tell_of_key(settings: Settings) -> None:
    """Say that there is a key for a chat model and that none was chosen."""
    if settings.openai_api_key and settings.origins.get("model") == "default" and not is_quiet():
        note(KEY_FOUND)
