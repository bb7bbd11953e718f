"""Read what a chat model replied: text, whole or cut → sentences with the numbers they cite, or other values.

The same reading serves replies in JSON and plain ones with [2.3] markers. What a person will see is made
plain here: no links, images, tags or hidden characters come through.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rag.prompting import Form

NOT_FOUND = "NOT FOUND"

_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_CODE_FENCE = re.compile(r"\A\s*```\w*\s*|(?<!\s)\s*```\s*\Z")
_NUMBER = r"\d+(?:\.\d+)?"
_MARKERS = re.compile(rf"(?<!\s)\s*[\[【](?P<cites>\s*{_NUMBER}(?:\s*[,;]\s*{_NUMBER})*\s*)[\]】]")
_AFTER_MARKER = re.compile(r"(?<=[\]】])(?:[.])?\s+(?=[^\s\[【])")
_LIST_MARK = re.compile(r"\A\s*(?:[-*•]\s+|#+\s+)")
_NUMBERED = re.compile(r"\A\s*(?P<number>\d+)[.):]\s*(?P<text>.*)\Z", re.DOTALL)
_VERDICT = re.compile(
    r"\A(?P<verdict>supported|partial|unsupported)\b[\s:–-]*(?P<reason>.*)\Z", re.IGNORECASE
)
# A label stops at the next bracket and a target at a length: a run of either is not read again and again.
_IMAGE = re.compile(r"!\[(?P<label>[^\[\]]*)\]\([^)]{0,2000}\)")
_LINK = re.compile(r"\[(?P<label>[^\[\]]*)\]\([^)]{0,2000}\)")
_TAG = re.compile(r"</?[a-zA-Z|!][^<>]{0,200}>")
_BOLD = re.compile(r"(\*\*|__)(?=\S)(?P<inner>(?:(?!\1).)+)(?<=\S)\1")
_JSON_START = re.compile(r'(?:```\w*\s*)?(?:\{|\[\s*["{\[])')
_JSON_MARK = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}]', re.DOTALL)
# A terminal's control sequences go as a whole: without its first character the rest would be read.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"


class Unreadable(Exception):
    """A reply is not in the form that was asked for."""


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence a model wrote and the numbers it cites; `number` is that of the sentence it replaces."""

    text: str
    cites: tuple[str, ...]
    number: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model says to a question: does the evidence answer it, and in which sentences."""

    answerable: bool
    sentences: tuple[Written, ...] = ()


def read_answer(text: str, form: Form, complete: bool = True) -> Reply:
    """Read an answer. Raises Unreadable when it is not in the form asked for.

    `complete` False: the text may stop anywhere, and only sentences that surely ended are returned.
    """
    if form == "text":
        return _plain_answer(text, complete)
    value = json_value(text, complete)
    if not isinstance(value.get("sentences", []), list) or not (
        "sentences" in value or "answerable" in value
    ):
        raise Unreadable("it has no list of sentences")
    sentences = tuple(written(item) for item in finished(value.get("sentences", []), text, complete))
    answerable = value.get("answerable", bool(sentences) or not complete)
    return Reply(bool(answerable), tuple(s for s in sentences if s.text))


def read_numbered(text: str, form: Form, complete: bool = True) -> tuple[Written, ...]:
    """Read sentences that answer numbered ones. Raises Unreadable as `read_answer` does."""
    if form != "text":
        items = json_value(text, complete).get("sentences")
        if not isinstance(items, list):
            raise Unreadable("it has no list of sentences")
        return tuple(written(item) for item in finished(items, text, complete))
    lines = (_NUMBERED.match(line) for line in body_of(text).splitlines())
    found = tuple(marked(m["text"], int(m["number"])) for m in lines if m)
    if not found:
        raise Unreadable("it has no numbered lines")
    return found


def read_question(text: str, form: Form, complete: bool = True) -> str:
    """Read one rewritten question. Raises Unreadable when there is none, or more than a question."""
    value = body_of(text).strip() if form == "text" else json_value(text, complete).get("question")
    if not isinstance(value, str) or not plain(value):
        raise Unreadable("it has no question")
    return plain(value)


def read_texts(text: str, form: Form, complete: bool = True) -> tuple[str, ...]:
    """Read a list of texts. Raises Unreadable when there is none."""
    if form == "text":
        lines = [line for line in body_of(text).splitlines() if line.strip()]
        return tuple(plain(m["text"] if (m := _NUMBERED.match(line)) else line) for line in lines)
    texts = json_value(text, complete).get("texts")
    if not isinstance(texts, list) or not all(isinstance(item, str) for item in texts):
        raise Unreadable("it has no list of texts")
    return tuple(plain(item) for item in texts)


def read_verdicts(text: str, form: Form, complete: bool = True) -> dict[int, tuple[str, str]]:
    """Read verdicts with their reasons by number. Raises Unreadable when there are none."""
    if form == "text":
        lines = (_NUMBERED.match(line) for line in body_of(text).splitlines())
        pairs = ((int(m["number"]), _VERDICT.match(m["text"].strip())) for m in lines if m)
        return {n: (v["verdict"].lower(), plain(v["reason"])) for n, v in pairs if v}
    items = json_value(text, complete).get("verdicts")
    if not isinstance(items, list):
        raise Unreadable("it has no list of verdicts")
    return {
        int(item["number"]): (str(item.get("verdict", "")).lower(), plain(str(item.get("reason", ""))))
        for item in items
        if isinstance(item, Mapping) and isinstance(item.get("number"), int)
    }


def json_value(text: str, complete: bool = True) -> dict[str, Any]:
    """Return the JSON object in a reply; with `complete` False, as much of it as has come."""
    import jiter

    body = _CODE_FENCE.sub("", body_of(text))
    start = body.find("{")
    if start < 0:
        raise Unreadable("it is not JSON")
    body = body[start : body.rfind("}") + 1] if complete else body[start:]
    try:
        value = jiter.from_json(body.encode("utf-8", "replace"), partial_mode=not complete)
    except ValueError as error:
        raise Unreadable(f"it is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise Unreadable("it is not a JSON object")
    return value


def finished(items: list[Any], text: str, complete: bool) -> list[Any]:
    """Return the items that have ended: all of a complete reply, else those whose object is closed."""
    return items if complete else items[: _closed(text)]


def _closed(text: str) -> int:
    """Return how many objects inside the outermost one are closed."""
    depth = closed = 0
    for found in _JSON_MARK.finditer(body_of(text)):
        mark = found[0]
        depth += (mark == "{") - (mark == "}")
        closed += mark == "}" and depth == 1
    return closed


def plain(text: str) -> str:
    """Return what a model wrote as one line of plain text."""
    line = _IMAGE.sub(lambda m: m["label"], _ESCAPES.sub("", text))
    line = _LINK.sub(lambda m: m["label"], line)
    line = _TAG.sub("", line)
    line = _BOLD.sub(lambda m: m["inner"], line)
    kept = (
        c if c in _JOINERS or unicodedata.category(c) not in _UNSEEN else " " if c.isspace() else ""
        for c in line
    )
    return " ".join("".join(kept).split())


def body_of(text: str) -> str:
    """Return a reply without what a model thinks aloud before it."""
    return _THOUGHTS.sub("", text)


def written(item: Any) -> Written:
    """Read one sentence with its numbers. Raises Unreadable when it is none."""
    if isinstance(item, str):
        return marked(item)
    if not isinstance(item, Mapping):
        raise Unreadable("a sentence is not an object")
    text = item.get("text")
    cites = item.get("cites", item.get("papers", []))
    number = item.get("number", 0)
    if not isinstance(cites, list):
        cites = [cites]
    found = marked(text if isinstance(text, str) else "", number if isinstance(number, int) else 0)
    return Written(found.text, _distinct([*map(_number_text, cites), *found.cites]), found.number)


def _number_text(cite: Any) -> str:
    return plain(str(cite)).strip("[]() ")


def _plain_answer(text: str, complete: bool) -> Reply:
    body = body_of(text).strip()
    if not body:
        raise Unreadable("it is empty")
    if _JSON_START.match(body):
        return read_answer(text, "json_object", complete)
    if body.strip("\"'.* ").upper().startswith(NOT_FOUND):
        return Reply(False)
    lines = list(_lines(body))
    if not complete and lines and not text.endswith("\n"):
        lines.pop()
    sentences = tuple(s for s in map(marked, lines) if s.text)
    return Reply(True, sentences)


def _lines(body: str) -> Iterator[str]:
    for line in body.splitlines():
        bare = _LIST_MARK.sub("", line)
        numbered = _NUMBERED.match(bare)
        yield from filter(str.strip, _AFTER_MARKER.split(numbered["text"] if numbered else bare))


def marked(text: str, number: int = 0) -> Written:
    """Take the markers out of a sentence: what they cite is kept beside it."""
    text = _ESCAPES.sub("", text)
    cites = [part for m in _MARKERS.finditer(text) for part in re.split(r"[\s,;]+", m["cites"].strip())]
    return Written(plain(_MARKERS.sub("", text)), _distinct(cites), number)


def _distinct(cites: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cite for cite in cites if cite))
