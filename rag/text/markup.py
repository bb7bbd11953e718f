"""Text as web pages, publishers and PDF files hold it in, without tags, entities and damaged letters out."""

from __future__ import annotations

import html
import re

_TAG = re.compile(
    r"</?(?:jats:|mml:|m:)?(?:p|i|b|u|em|strong|it|bold|italic|sub|sup|sc|br|hr|div|span|a|ul|ol|li|sec|title|"
    r"abstract|abstracttext|h[1-6]|tt|code|pre|font|small|big|named-content|monospace|underline|xref|ext-link|"
    r"inline-formula|tex-math|disp-formula|alternatives|math|mrow|mi|mo|mn|msub|msup|msubsup|mtext|mstyle|"
    r"mfrac|msqrt|mover|munder|mfenced|semantics|annotation|inf|scp|list|list-item|label|styled-content)"
    r"(?:\s+[\w:-]{1,40}\s?=[^<>]{0,500})?\s?/?>",
    re.IGNORECASE,
)
_BLOCK = re.compile(
    r"(?:jats:|mml:)?(?:p|div|br|hr|li|ul|ol|sec|h[1-6]|abstract|abstracttext|list|list-item)\b", re.I
)
_HEADING = re.compile(r"<(jats:)?title>\s?([^<>]{0,100}?)\s?:?\s?</(?:jats:)?title>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--[^<>]{0,500}-->|<!\[CDATA\[|\]\]>")
_SCRIPT = re.compile(r"<(sub|sup|inf|jats:sub|jats:sup)>\s?([0-9+\-−]{1,12})\s?</\1>", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_LOWERED = str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Marks that are not seen: zero width, order of writing, soft hyphen, variation selectors, tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
# What UTF-8 looks like when it is taken for Latin letters.
_MOJIBAKE = re.compile(
    "[\u00c2-\u00f4\u0102\u0103\u0139\u013a][\u0080-\u00bf\u0152-\u0192\u02c6-\u02dc\u2013-\u2122]|â€|ï»¿"
)
_LABEL = re.compile(r"\s*(?:Abstract\s?[:.—–]|ABSTRACT\b[:.—–-]?|Abstract-)\s*(?=\S)")


def plain(raw: str) -> str:
    """Return `raw` without tags, entities, invisible marks and the label `Abstract:`; mended where damaged.

    A `<` that begins no known tag stays. Never raises.
    """
    text = raw
    if not text.isascii():
        text = _mended(_INVISIBLE.sub("", text).translate(_LIGATURES))
    if "&" in text:
        text = _ENTITY.sub(_unescaped, _ENTITY.sub(_unescaped, text))
    if "<" in text:
        text = _untagged(text)
    return _LABEL.sub("", _CONTROL.sub("", text), count=1) if _LABEL.match(text) else _CONTROL.sub("", text)


def _untagged(text: str) -> str:
    text = _HEADING.sub(_heading, _COMMENT.sub("", text))
    text = _SCRIPT.sub(_script, text)
    return _TAG.sub(lambda m: " " if _BLOCK.match(m[0].lstrip("</")) else "", text)


def _heading(match: re.Match[str]) -> str:
    """Return the heading of a part of an abstract as it reads in running text."""
    words = match[2].strip()
    return "" if words.lower() in ("abstract", "summary", "") else f" {words}: "


def _script(match: re.Match[str]) -> str:
    return match[2].translate(_RAISED if match[1].lower().endswith("sup") else _LOWERED)


def _unescaped(match: re.Match[str]) -> str:
    # An unknown name stays as it is.
    return _INVISIBLE.sub("", html.unescape(match[0]))


def _mended(text: str) -> str:
    """Repair text whose UTF-8 was once taken for another encoding."""
    if not _MOJIBAKE.search(text):
        return text
    import ftfy

    return ftfy.fix_encoding(text)
