"""Understand a question: its kind, and its topic without the words people put around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from rag.text.latex import readable

# More than this of a question, in characters, is not read.
LONGEST = 2000

Kind = Literal["fact", "find", "compare", "topic"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# The words people put around a topic ("Which of these papers are about …"). They are taken off the
# front of the question for as long as they last; what they were tells the kind.
_WORKS = _words(
    "papers paper works work studies study articles article abstracts publications research literature"
)
_ANYTHING = _words("anything something ones one")
_SUMMARY = _words("summarise summarize summary overview survey review recap state")
_SAYING = _words("contribute contributes say says tell offer offers report bring teach know known new")
_SHOWING = _words("list find show give name recommend write provide looking searching")
_ASKING = _words(
    "which what who where how is are was were do does did can could has have please any all some other else"
)
_FILLING = _words(
    "i i'm i'd im me us you like want need am a an the this these those that it there here of on in from for "
    "to about with by at among and library collection list pile short brief quick general topic topics "
    "subject kind regarding "
    "concerning touching whats what's"
)
_TOPICAL = _words(
    "deal deals dealing discuss discusses address addresses cover covers tackle tackles investigate "
    "investigates explore explores look looks into involve involves involving consider considers focus "
    "focuses working treat contain contains include includes use uses using make studying"
)
_FRAME = _WORKS | _ANYTHING | _SUMMARY | _SAYING | _SHOWING | _ASKING | _FILLING | _TOPICAL
# "Which methods use …" asks for the papers that brought them.
_MADE = _words("methods approaches techniques algorithms systems frameworks")
_AUXILIARY = _words("is are was were do does did has have had can could will would")
_PLURAL = _words(
    "papers works studies articles abstracts publications ones anything something research literature"
)

_COMPARES = re.compile(
    r"\b(?:compare|comparing|contrast|versus|vs\.?|differ|differs|difference|differences|in common"
    r"|similarit(?:y|ies))(?=\W|$)",
    re.IGNORECASE,
)
_THESE_PAPERS = re.compile(
    r"\b(?:according to|across|in|among)\s+(?:these|the)\s+(?:papers|abstracts|works|studies)\b",
    re.IGNORECASE,
)
_LATER_QUESTION = re.compile(
    r"[.!;:]\s+((?:which|what)\s+(?:papers|works|studies)\b.*)$", re.IGNORECASE | re.DOTALL
)
_COURTESY = re.compile(
    r"(?:(?:ok(?:ay)?|thanks?|thank you|thx|cheers|great|cool|nice|good|perfect|excellent|wonderful|awesome"
    r"|hi|hello|hey|good (?:morning|afternoon|evening)|got it|i see|so much|very much|a lot"
    r"|well done|that helps|good ?bye|bye|see you|very|that['’]s|that is)(?:[\s,;.!…:)]+|$))+",
    re.IGNORECASE,
)
_LONGEST_COURTESY = 80
_TOKEN = re.compile(r"[^\s,:;?!]+")
_TAIL = re.compile(
    r"\s*\b(?:come up|in (?:the|this|my) (?:library|collection|list|pile)|in these papers|in some way"
    r"|here)\s*$",
    re.IGNORECASE,
)
# "a frozen or pretrained model" is one thing: the noun belongs to both words.
_SHARED_NOUN = re.compile(r"\b(?:an?|the)\s+[\w-]+$", re.IGNORECASE)
_OR = re.compile(r",?\s+or\s+|\s*;\s*|\s+/\s+")


# "Test-time scaling, adaptation and evolution": short members, the last one after an "and".
_MEMBER = r"[\w-]+(?: [\w-]+){0,3}"
_LIST = re.compile(rf"(?P<members>{_MEMBER}(?:, {_MEMBER})*,? (?:and|or) {_MEMBER})")
_MEMBERS = re.compile(r",? (?:and|or) |, ")


@dataclass(frozen=True, slots=True)
class Question:
    """A question as asked, its kind, and its topic: the words left when the frame is taken off.

    `alternatives` are the topics of an "either … or …"; a plain topic is its own only alternative.
    """

    text: str
    kind: Kind
    topic: str
    alternatives: tuple[str, ...]
    compares: bool = False


def understand(text: str) -> Question:
    """Read the kind and the topic of a question off its wording; an unframed question asks a fact."""
    clean = " ".join(readable(text[:LONGEST]).split())
    later = _LATER_QUESTION.search(clean)
    framed = later[1] if later else clean
    frame, rest = _unframe(_without_made(framed))
    compares = bool(_COMPARES.search(clean))
    kind = _kind(frame, framed, compares)
    stripped = rest if kind in ("find", "topic") else framed
    topic = _TAIL.sub("", stripped.rstrip(" ?!.")).strip(" ,:;") or clean
    return Question(clean, kind, topic, _ALTERNATIVES.get(kind, _alone)(topic), compares)


def is_courtesy(text: str) -> bool:
    """Tell whether a text is nothing but "thank you", "ok, great!" or "hello", and asks for nothing."""
    words = text.strip()
    return len(words) <= _LONGEST_COURTESY and bool(_COURTESY.fullmatch(words))


def _alone(topic: str) -> tuple[str, ...]:
    return (topic,)


def enumerated(topic: str) -> tuple[str, ...]:
    """Return a topic with each member of a list in it as a topic of its own, under what they share.

    "Test-time scaling, adaptation and evolution" is also test-time scaling, test-time adaptation, and
    test-time evolution.
    """
    match = _LIST.fullmatch(topic)
    if match is None:
        return (topic,)
    first, *others = [part for part in _MEMBERS.split(match["members"]) if part]
    head, _, _ = first.rpartition(" ")
    named = [first, *(part if " " in part or not head else f"{head} {part}" for part in others)]
    return (topic, *named)


def _alternatives(topic: str) -> tuple[str, ...]:
    parts = [part.strip() for part in _OR.split(topic) if part.strip()]
    if any(_SHARED_NOUN.search(part) for part in parts[:-1]):
        return (topic,)
    return tuple(parts) or (topic,)


_ALTERNATIVES: Mapping[Kind, Callable[[str], tuple[str, ...]]] = {
    "find": _alternatives,
    "topic": enumerated,
}


def _without_made(text: str) -> str:
    """Read "which methods use …" as "which papers use …"."""
    words = text.split(maxsplit=3)
    asks = len(words) > 3 and words[0].casefold() == "which" and words[1].casefold() in _MADE
    if not asks or words[2].casefold() in _AUXILIARY:
        return text
    return f"{words[0]} papers {words[2]} {words[3]}"


def _unframe(text: str) -> tuple[tuple[str, ...], str]:
    """Split a question into the frame words at its front and the rest."""
    frame: list[str] = []
    for token in _TOKEN.finditer(text):
        word = token[0].casefold().strip("'\"().")
        if word not in _FRAME:
            return tuple(frame), text[token.start() :]
        frame.append(word)
    return tuple(frame), ""


def _kind(frame: tuple[str, ...], text: str, compares: bool) -> Kind:
    words = frozenset(frame)
    if compares and not _SUMMARY.intersection(frame[:1]):
        return "compare"
    if words & _SUMMARY or _THESE_PAPERS.search(text):
        return "topic"
    if words & _PLURAL and words & (_SAYING | {"how"}) and not words & {"which", "there"}:
        return "topic"
    if words & {"new", "known"} and "what" in words:
        return "topic"
    if _asks_for_papers(frame, words, text):
        return "find"
    return "fact"


def _asks_for_papers(frame: tuple[str, ...], words: frozenset[str], text: str) -> bool:
    works = words & (_WORKS | _ANYTHING)
    # "What does the paper on X do?" asks about one paper; "which paper does X?" asks for one.
    if works and (words & _PLURAL or words & {"which", "any", "find", "show", "work"}):
        return True
    starts_choosing = frame[:2] == ("which", "of") or frame[:1] == ("who",) and "working" in words
    return (
        starts_choosing
        or ("there" in words and bool(words & {"on", "about"}))
        or text.rstrip(" ?").endswith("come up")
    )
