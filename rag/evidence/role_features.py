"""A sentence in, out what its role is read off: words, pairs of words, signs; its place in the abstract."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

# Longer "sentences" are lists or broken text: their beginning says enough.
MAX_CHARS = 4_000

_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)?|\d+(?:[.,]\d+)*|[^\w\s]")
_SIGNS = (
    ("#share", re.compile(r"\d\s?(?:%|percent\b|x\b|times\b)")),
    ("#link", re.compile(r"https?:|www\.|\.com\b|\.org\b|github", re.IGNORECASE)),
    ("#rights", re.compile(r"©|elsevier|rights reserved|copyright|\bdoi\b|published by", re.IGNORECASE)),
    ("#heading", re.compile(r"^(?:[A-Z][A-Za-z/&-]{0,30}\s?){1,4}\s?[:—–-]")),
    ("#cut_start", re.compile(r"^[^A-Z]")),
    ("#cut_end", re.compile(r"[^.!?\s]\s*$")),
)
_OPENING, _EARLY, _AFTER_WE = 4, 8, 3
_FIRST, _LAST, _EIGHTHS, _SIZES, _LONGEST = 6, 5, 8, 4, 10


def word_features(text: str) -> set[str]:
    """Return the words and pairs of words of a sentence, those near its start once more, and other signs.

    Every number is written 0. `^` marks the start, `we>` the words after "we", `#` what is no word.
    """
    text = text[:MAX_CHARS]
    words = ["0" if word[0].isdigit() else word for word in _TOKEN.findall(text.lower())]
    found = set(words)
    found.update(map(" ".join, zip(["^", *words], words, strict=False)))
    found.update("^" + word for word in words[:_OPENING])
    found.update("^^" + word for word in words[:_EARLY])
    if len(words) >= 3:
        found.add("^ " + " ".join(words[:3]))
    if "we" in words:
        after = words.index("we") + 1
        found.update("we>" + word for word in words[after : after + _AFTER_WE])
    found.update(name for name, sign in _SIGNS if sign.search(text))
    found.add(f"#length{min(len(words) // 6, 8)}")
    return found


def places(count: int) -> NDArray[np.float64]:
    """Return `(count, 25) float64`: how far each sentence is from both ends, and the abstract's length."""
    index = np.arange(count)
    share = index / max(count - 1, 1)
    size = np.full(count, min(count, _LONGEST) // 3)
    columns = (
        _one_of(index, _FIRST),
        _one_of(count - 1 - index, _LAST),
        _one_of((share * _EIGHTHS).astype(np.int64), _EIGHTHS),
        _one_of(size, _SIZES),
        np.stack([share, share**2], axis=1),
    )
    return np.hstack(columns)


def _one_of(values: NDArray[np.int64], kinds: int) -> NDArray[np.float64]:
    """Return a column per kind, 1 where the value is of that kind; the last kind takes what is above it."""
    return np.asarray(np.minimum(values, kinds - 1)[:, None] == np.arange(kinds), dtype=np.float64)
