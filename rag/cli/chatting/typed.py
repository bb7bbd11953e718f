"""What stands behind a command: text as typed comes in, the words and quoted names in it go out."""

from __future__ import annotations

import re

_WORD = re.compile(r"""["“„”]([^"“„”]*)(?:["“„”]|$)|(\S+)""")
# "/compare EVA and EVA-0", "/compare EVA vs. EVA-0"
_BETWEEN = frozenset({"and", "vs", "vs.", "versus", "with", "&", ","})


def words_of(text: str) -> list[str]:
    """Return the words, or what stands in quotation marks; commas and `and` between them are dropped."""
    found = [(match[1] is not None, (match[1] or match[2] or "").strip()) for match in _WORD.finditer(text)]
    words = [word if quoted else word.strip(",;") for quoted, word in found if quoted or word not in _BETWEEN]
    return [word for word in words if word]


def quoted(name: str) -> str:
    """Return a name as it has to be typed behind a command."""
    return f'"{name}"' if " " in name or name.casefold() in _BETWEEN else name
