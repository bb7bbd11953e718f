"""Checked sentences as a page: what was found comes in, one self-contained HTML file goes out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from rag.outputs.check_text import SYMBOLS, summary
from rag.outputs.printable import one_line
from rag.outputs.terminal import where

if TYPE_CHECKING:
    from rag.jobs.check import Checked, Found

# Colours that stay apart for the colour-blind, each with its own underline and word.
_STYLE = """
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
.sentence { position: relative; margin: .6rem 0; padding: .2rem .5rem; border-left: .3rem solid; }
.supported { border-color: #0072b2; background: #e8f3fa; text-decoration: none; }
.partial { border-color: #b8860b; background: #fdf6e3; border-left-style: dashed; }
.unsupported { border-color: #b3380a; background: #fdece6; border-left-style: double; }
.verdict { font-weight: 600; }
.line, .reason { color: #444; font-size: .9rem; }
.quote { display: none; margin: .3rem 0 0; padding: .4rem .6rem; background: #fff; border: 1px solid #888; }
.sentence:hover .quote, .sentence:focus .quote, .sentence:focus-within .quote { display: block; }
.sentence:focus { outline: 3px solid #000; }
@media print { .quote { display: block; } }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #151515; } .line, .reason { color: #bbb; } .quote { background: #222; }
  .supported { background: #10283a; } .partial { background: #33290c; }
  .unsupported { background: #3a1a10; } }
"""


def check_html(checked: Sequence[Checked], title: str) -> str:
    """Return the page; everything from the draft and the papers is escaped."""
    items = "\n".join(_sentence(item, number) for number, item in enumerate(checked, 1))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_safe(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{_safe(title)}</h1>\n"
        f"<p>{_safe(summary(checked))}. Point at a sentence, or move to it with Tab, to see the quote.</p>\n"
        f"<main>\n{items}\n</main>\n</body>\n</html>\n"
    )


def _sentence(item: Checked, number: int) -> str:
    quotes = _quote("From", item.found) + _quote("Better", item.better)
    return (
        f'<div class="sentence {item.verdict}" tabindex="0" aria-describedby="q{number}">\n'
        f'<span class="verdict">{SYMBOLS[item.verdict]} {item.verdict}</span> '
        f'<span class="line">line {item.line}</span><br>\n{_safe(item.text)}\n'
        f'<div class="reason">{_safe(item.reason)}</div>\n'
        f'<div class="quote" id="q{number}">{quotes}</div>\n</div>'
    )


def _quote(label: str, found: Found | None) -> str:
    if found is None:
        return ""
    return f"<p><strong>{label} {_safe(where(found.paper))}</strong><br>“{_safe(found.quote)}”</p>"


def _safe(text: str) -> str:
    return escape(one_line(text), quote=True)
