"""Checked sentences as a page: what was found comes in, one self-contained HTML file goes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.outputs.check_text import SYMBOLS, summary
from rag.outputs.page import page, safe
from rag.outputs.terminal import where

if TYPE_CHECKING:
    from rag.domain import Quotation
    from rag.jobs.check import Checked

# Each verdict has its own line and word beside its colour.
STYLE = """
.sentence { position: relative; margin: .6rem 0; padding: .3rem .7rem; border-left: .3rem solid; }
.supported { border-color: var(--good); background: var(--good-back); }
.partial { border-color: var(--some); background: var(--some-back); border-left-style: dashed; }
.unsupported { border-color: var(--bad); background: var(--bad-back); border-left-style: double; }
.verdict { font-weight: 600; }
.line, .reason { color: var(--soft); font-size: .9rem; }
.quote { display: none; margin: .3rem 0 0; padding: .4rem .6rem; background: var(--paper);
  border: 1px solid var(--line); }
.sentence:hover .quote, .sentence:focus .quote, .sentence:focus-within .quote { display: block; }
@media print { .quote { display: block; } }
"""


def check_html(checked: Sequence[Checked], title: str) -> str:
    """Return the page; everything from the draft and the papers is escaped."""
    body = (
        f"<h1>{safe(title)}</h1>\n"
        f"<p>{safe(summary(checked))}. Point at a sentence, or move to it with Tab, to see the quote.</p>\n"
        f"<main>\n{check_body(checked)}\n</main>"
    )
    return page(title, body, STYLE)


def check_body(checked: Sequence[Checked]) -> str:
    """Return what of a page is about the sentences."""
    return "\n".join(_sentence(item, number) for number, item in enumerate(checked, 1))


def _sentence(item: Checked, number: int) -> str:
    quotes = _quote("From", item.found) + _quote("Better", item.better)
    return (
        f'<div class="sentence {item.verdict}" tabindex="0" aria-describedby="q{number}">\n'
        f'<span class="verdict">{SYMBOLS[item.verdict]} {item.verdict}</span> '
        f'<span class="line">line {item.line}</span><br>\n{safe(item.text)}\n'
        f'<div class="reason">{safe(item.reason)}</div>\n'
        f'<div class="quote" id="q{number}">{quotes}</div>\n</div>'
    )


def _quote(label: str, found: Quotation | None) -> str:
    if found is None:
        return ""
    return f"<p><strong>{label} {safe(where(found.paper))}</strong><br>“{safe(found.quote)}”</p>"
