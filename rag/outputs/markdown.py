"""Markdown output: an answer comes in, a Markdown text with numbered references goes out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.domain import Answer, AnswerSentence, Citation, Reference
from rag.outputs.printable import clean, one_line
from rag.outputs.terminal import NEAREST, NEAREST_SHOWN, NOT_FOUND, PARTIAL, VERDICTS, quotes_of, where

_INLINE = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
_NUMBERED = re.compile(r"^(\s*\d+)([.)])", re.MULTILINE)


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is: no emphasis, links, HTML, formulas or lists."""
    text = _INLINE.sub(r"\\\1", clean(text))
    return _NUMBERED.sub(r"\1\\\2", re.sub(r"^(\s*)([-+=])", r"\1\\\2", text, flags=re.MULTILINE))


def answer_markdown(answer: Answer) -> str:
    """Return the answer as Markdown: question, sentences with markers, numbered references with quotes."""
    return "\n".join(_blocks(answer)).rstrip() + "\n"


def _blocks(answer: Answer) -> Iterator[str]:
    yield f"## {escaped(one_line(answer.question))}\n"
    if answer.status == "not_found":
        yield f"{NOT_FOUND}\n"
    elif answer.status == "partial":
        yield f"{PARTIAL}\n"
    if answer.sentences:
        yield "\n".join(_sentence(sentence) for sentence in answer.sentences) + "\n"
    if answer.references:
        yield "### References\n"
        yield from (_reference(reference, answer) for reference in answer.references)
    if answer.status == "not_found" and answer.hits:
        yield f"{NEAREST}\n"
        yield from (f"- {escaped(where(hit.paper))}" for hit in answer.hits[:NEAREST_SHOWN])


def _sentence(sentence: AnswerSentence) -> str:
    seen = dict.fromkeys(citation.marker for citation in sentence.citations)
    marks = "".join(rf"\[{marker}\]" for marker in seen)
    doubts = "".join(_doubt(citation) for citation in sentence.citations if citation.verdict in VERDICTS)
    return f"{escaped(one_line(sentence.text))}{' ' + marks if marks else ''}{doubts}"


def _doubt(citation: Citation) -> str:
    reason = f": {escaped(one_line(citation.reason))}" if citation.reason else ""
    return f" *({VERDICTS[citation.verdict]} by \\[{citation.marker}\\]{reason})*"


def _reference(reference: Reference, answer: Answer) -> str:
    lines = [f"{reference.marker}. {escaped(where(reference.paper))}"]
    if reference.paper.url.startswith(("http://", "https://")):
        lines[0] += f" <{_address(reference.paper.url)}>"
    lines += [f"   > {escaped(one_line(quote))}\n" for quote in quotes_of(reference.marker, answer)]
    return "\n".join(lines)


def _address(url: str) -> str:
    return re.sub(r"[\s<>\\]", "", clean(url))
