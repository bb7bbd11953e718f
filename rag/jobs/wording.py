"""Have a chat model reword: a follow-up → a question in English, an answer → the language of the asker."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from rag.domain import Answer, AnswerSentence
from rag.evidence.fencing import as_data, fence
from rag.generate.chat import Chat
from rag.generate.pricing import Bill
from rag.generate.replies import read_question, read_texts
from rag.jobs.followup import Standalone
from rag.prompting import PromptShelf

_TURNS, _SENTENCES, _CHARS = 3, 3, 300
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def rewritten(text: str, history: Sequence[Answer], chat: Chat, prompts: PromptShelf, bill: Bill) -> str:
    """Return the last question of a conversation as one that stands alone, in English."""
    conversation = "\n".join(line for answer in history[-_TURNS:] for line in _turn(answer))
    values = {"conversation": conversation, "question": as_data(text), "fence": fence(conversation)}
    return chat.ask(prompts.prompt("rewrite"), values, read_question, bill).value


def in_english(text: str, chat: Chat, prompts: PromptShelf, bill: Bill) -> str:
    """Return a question in English."""
    (english,) = _translated([text], "English", chat, prompts, bill)
    return english


def standing(asked: Standalone, text: str, names_papers: Callable[[str], bool]) -> Standalone:
    """Return a rewritten question: bound to the papers it was bound to, unless it names papers itself."""
    return Standalone(text, () if names_papers(text) else asked.only)


def in_language(
    sentences: Sequence[AnswerSentence], language: str, chat: Chat, prompts: PromptShelf, bill: Bill
) -> tuple[tuple[AnswerSentence, ...], tuple[str, ...]]:
    """Return checked sentences in another language, and warnings.

    A sentence whose figures or paper names the translation changes stays in English.
    """
    texts = _translated([s.text for s in sentences], language, chat, prompts, bill)
    done, kept = [], 0
    for sentence, text in zip(sentences, texts, strict=True):
        faithful = bool(text) and _figures(text) == _figures(sentence.text)
        kept += not faithful
        done.append(replace(sentence, text=text) if faithful else sentence)
    warnings = [f"The answer was checked in English and then translated into {language} by the model."]
    if kept:
        warnings.append(f"{kept} of its sentences stay in English: the translation changed their figures.")
    return tuple(done), tuple(warnings)


def _translated(
    texts: Sequence[str], language: str, chat: Chat, prompts: PromptShelf, bill: Bill
) -> tuple[str, ...]:
    lines = "\n".join(f"{number}. {as_data(text)}" for number, text in enumerate(texts, 1))
    values = {"language": language, "texts": lines, "fence": fence(lines)}
    reader = _as_many(len(texts))
    return chat.ask(prompts.prompt("translate"), values, reader, bill).value


def _as_many(count: int) -> Callable[..., tuple[str, ...]]:
    from rag.generate.replies import Unreadable
    from rag.prompting import Form

    def read(text: str, form: Form, complete: bool = True) -> tuple[str, ...]:
        found = read_texts(text, form, complete)
        if len(found) != count or not all(found):
            raise Unreadable(f"it has {len(found)} lines for {count}")
        return found

    return read


def _turn(answer: Answer) -> list[str]:
    said = " ".join(s.text for s in answer.sentences[:_SENTENCES])[:_CHARS]
    named = ", ".join(as_data(r.paper.name) for r in answer.references)
    return [
        f"Q – {as_data(answer.question)}",
        f"A – {as_data(said) or '(not found)'}",
        *([f"Papers – {named}"] if named else []),
    ]


def _figures(text: str) -> list[str]:
    return sorted(found.replace(",", "") for found in _FIGURE.findall(text))
