"""A conversation as a page: its turns come in, one self-contained HTML file goes out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.ledger.conversations import Conversation, Turn
from rag.outputs.answer_html import ANSWER_STYLE, answer_body
from rag.outputs.page import page, safe
from rag.outputs.printable import one_line

_STYLE = """
article { margin-top: 2.5rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article h2 { overflow-wrap: anywhere; }
"""
# In a page of answers these stand in its own marks alone: text has its quotes and brackets escaped.
_PLACE = re.compile(r'(?P<mark> (?:id|aria-describedby)="| href="#)')
_HEADING = re.compile(r"(?P<mark></?h)(?P<level>[1-3])(?=[\s>])")


def conversation_html(conversation: Conversation, turns: Sequence[Turn]) -> str:
    """Return the page; everything from questions, answers and papers is escaped."""
    title = one_line(conversation.title) or "Conversation"
    articles = "\n".join(_turn(turn, number) for number, turn in enumerate(turns, 1))
    body = f'<main>\n<h1 dir="auto">{safe(title)}</h1>\n{articles}\n</main>'
    return page(title, body, ANSWER_STYLE + _STYLE)


def _turn(turn: Turn, number: int) -> str:
    """Return one answer, its places told apart from those of the others and its headings one level down."""
    body = _PLACE.sub(lambda m: f"{m['mark']}t{number}-", answer_body(turn.answer))
    lower = _HEADING.sub(lambda m: f"{m['mark']}{int(m['level']) + 1}", body)
    return f"<article>\n{lower}\n</article>"
