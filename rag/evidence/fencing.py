"""Make text of papers safe to show to a chat model as data: text → one line without marks of our own.

What a paper says stays readable; what could be taken for a fence, a citation number, a role or a tag of
the prompt loses its form.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_BRACKETED = re.compile(r"[\[【〔［](?=[\s.,;–-]{0,80}\d)(?P<inner>[\s\d.,;–-]{1,80})[\]】〕］]")
_TAG = re.compile(r"[<＜](?=[/|!?a-zA-Z＜<｜])")
_TAG_END = re.compile(r"(?<=[\w/|\"'｜])[>＞]")
_RULE = re.compile(r"(?P<mark>[=\-_*#~`+])(?P=mark){2,}")
_HEADING = re.compile(r"^[#>\s]+(?=\w)")
_ROLE = re.compile(
    r"(?P<role>\b(?:system|user|assistant|developer|human|ai|instructions?|question)\b)\s*[:：]",
    re.IGNORECASE,
)
_IMAGE_OR_LINK = re.compile(r"!?\[(?P<label>[^\]\[]*)\]\((?P<target>[^()\s]*)[^()]*\)")
_INST = re.compile(r"\[(?=/?(?:inst|sys|system|user|assistant)\b)", re.IGNORECASE)
_SENTENCE_NUMBER = re.compile(r"^(?P<number>\d+)\.(?P<part>\d+)(?=\s)")
# Formatting and control characters carry nothing to read, and can hide text or turn it around.
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_FENCE_DIGITS = 8


def as_data(text: str) -> str:
    """Return `text` as one line in which no fence, number in brackets, role or tag keeps its form."""
    line = " ".join("".join(c if _seen(c) else " " if c.isspace() else "" for c in text).split())
    line = _IMAGE_OR_LINK.sub(lambda m: f"{m['label']} ({m['target']})", line)
    line = _BRACKETED.sub(lambda m: f"({m['inner'].strip()})", line)
    line = _INST.sub("(", line)
    line = _TAG.sub("‹", line)
    line = _TAG_END.sub("›", line)
    line = _RULE.sub(lambda m: m["mark"], line)
    line = _HEADING.sub("", line)
    line = _ROLE.sub(lambda m: f"{m['role']} –", line)
    return _SENTENCE_NUMBER.sub(lambda m: f"({m['number']}.{m['part']})", line)


def fence(text: str) -> str:
    """Return the mark that fences `text`: a digest of it, which no text can know of itself."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_FENCE_DIGITS]


def _seen(char: str) -> bool:
    return char == " " or unicodedata.category(char) not in _UNSEEN
