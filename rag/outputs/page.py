"""Pages: a title and what goes below it come in, one self-contained HTML file without scripts goes out."""

from __future__ import annotations

from html import escape

from rag.outputs.printable import clean, one_line

# Nothing is loaded or run, whatever a paper or a model smuggles in.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

# Colours that stay apart for the colour-blind; each verdict also has a line style, a symbol and words.
STYLE = """
:root { color-scheme: light dark;
  --ink: #1c1e21; --soft: #54595f; --paper: #fff; --card: #f6f7f9; --line: #d3d7dc; --link: #0b57a4;
  --focus: #0b57a4; --mark: #ffe58a; --mark-ink: #1c1e21; --shade: rgb(0 0 0 / .16);
  --good: #0072b2; --good-back: #e8f3fa; --some: #8a6100; --some-back: #fdf4dc; --bad: #b3380a;
  --bad-back: #fdece6; }
@media screen and (prefers-color-scheme: dark) { :root {
  --ink: #e9eaec; --soft: #b1b6bc; --paper: #15171a; --card: #1f2226; --line: #41464d; --link: #8fc4ff;
  --focus: #8fc4ff; --mark: #6b5200; --mark-ink: #fff6d9; --shade: rgb(0 0 0 / .6);
  --good: #6bb8e8; --good-back: #10283a; --some: #e8bf55; --some-back: #302708; --bad: #ff9d7a;
  --bad-back: #3a1a10; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 1.0625rem/1.6 system-ui, sans-serif;
  overflow-wrap: break-word; }
.page { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; text-wrap: balance; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 2.25rem 0 .6rem; }
a { color: var(--link); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: .2rem; }
.soft { color: var(--soft); font-size: .9rem; }
blockquote { margin: .4rem 0 0; padding-left: .8rem; border-left: .2rem solid var(--line);
  font-size: .95rem; }
@media print { :root { --ink: #000; --soft: #333; --paper: #fff; --card: #fff; --link: #000; }
  body { font-size: 10.5pt; } .page { max-width: none; padding: 0; } h2 { break-after: avoid; } }
"""


def page(title: str, body: str, style: str = "") -> str:
    """Return the file; `title` is any text, `body` and `style` are HTML and CSS of our own making."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="referrer" content="no-referrer">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n"
        f'<div class="page">\n{body}\n</div>\n</body>\n</html>\n'
    )


def safe(text: str) -> str:
    """Return text of unknown origin as HTML on one line, for an element or a quoted attribute."""
    return escape(one_line(text), quote=True)


def safe_piece(text: str) -> str:
    """Return a piece of a longer text as HTML; its spaces and newlines stay."""
    return escape(clean(text), quote=True)
