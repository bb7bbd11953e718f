"""Make a follow-up stand alone: question and earlier answers → question, and the papers it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rag.domain import Answer, Reference
from rag.jobs.pointing import LAST, Kind, Pointer, pointers
from rag.question import is_courtesy, understand
from rag.retrieve.naming import Mention
from rag.text.latex import readable

Names = Callable[[str], Sequence[Mention]]
"""What finds the names of papers in a text."""

_AGAIN = re.compile(
    r"^(?:(?:ok(?:ay)?|and|but|so|now|or|also|then),? +)*"
    r"(?:(?:what|how) about|what of|(?:the )?same (?:question )?(?:for|with|of|about)|and|or|also|now)"
    r"(?: (?:for|on|about|with|in))? +(?P<rest>[^?!]{1,200}?)[\s?!.]*$",
    re.IGNORECASE,
)
_BETWEEN_NAMES = re.compile(r"\b(?:and|or|the|papers?|by|in)\b|[\s,&()'’]|’s|'s", re.IGNORECASE)
_CONTINUES = re.compile(r"^(?:and|but|so|also|what about|how about|why|how so|i mean)\b", re.IGNORECASE)
_CONJUNCTION = re.compile(r"^(?:(?:and|but|so|also|then|ok(?:ay)?),? +)+", re.IGNORECASE)
# "What is the batch size?" is asked of a paper, "what is dropout?" of nobody before.
_DEFINES = re.compile(
    r"^(?:what|who)(?:['’]s| is| are| was| were) (?!the\b|its\b|their\b|this\b|that\b)", re.I
)
_STANDS_FOR_A_NAME = re.compile(r"it|its|(?:this|that|the) (?!authors?\b)\w+", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:who|what|which|how|why|when|where|do|does|did|is|are|was|were|can|has|have|it|its|they|them|their"
    r"|this|that|these|those|one|ones)\b",
    re.IGNORECASE,
)
# "Which of them is faster?" is answered by what each of them says.
_RANKS = re.compile(
    r"\b(?:better|best|worse|worst|(?:fast|slow|cheap|larg|small|high|low|bigg|strong|old|new|light|simpl)"
    r"(?:er|est)|(?:more|most|less|least|fewer|fewest) (?!than\b)\w+)\b",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SHORT = 4  # words
_SHORT_CJK = 6  # characters
_NAMED = 3  # papers whose names are still put into the question


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that needs no history: its text, and the ids of the papers it is about (empty: any)."""

    text: str
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Past:
    """Earlier answers: the references of each that has any, the latest first, and what was asked last."""

    lists: tuple[tuple[Reference, ...], ...]
    asked: str

    @property
    def last(self) -> tuple[Reference, ...]:
        return self.lists[0]

    def with_at_least(self, count: int) -> tuple[Reference, ...]:
        """Return the references of the latest answer that has so many; () if none has."""
        return next((some for some in self.lists if len(some) >= count), ())


def standalone(question: str, history: Sequence[Answer], names: Names = lambda text: ()) -> Standalone:
    """Bind "it", "the second one", "which of them", "and EVA?" to the papers and the question before.

    `names` finds names of papers: what names its papers itself needs no history for them.
    """
    history = [answer for answer in history if not is_courtesy(answer.question)]
    if not history:
        return Standalone(question)
    # Names are found in readable text, and stand at other places where there was LaTeX.
    question = readable(question)
    latest = history[-1]
    lists = tuple(some for answer in reversed(history) if (some := _spoken_of(answer, names)))
    past = _Past(lists, readable(latest.standalone_question or latest.question))
    again = _asked_again(question, past.asked, names)
    if again is not None or not lists:
        return again or Standalone(question)
    if joined := _compared_too(question, past, names):
        return joined
    pointed = list(pointers(question))
    named = [mention for mention in names(question) if mention.certain]
    if named:
        return _beside_names(question, pointed, named, past)
    return _pointing(question, pointed, past) or _unmarked(question, past)


def _spoken_of(answer: Answer, names: Names) -> tuple[Reference, ...]:
    """Return the papers an answer cites; when it found nothing, those that its question names."""
    if answer.references:
        return answer.references
    asked = readable(answer.standalone_question or answer.question)
    ids = [paper_id for mention in names(asked) if mention.certain for paper_id in mention.paper_ids]
    papers = {hit.paper.id: hit.paper for hit in answer.hits if hit.paper.id in ids}
    ordered = sorted(papers.values(), key=lambda paper: ids.index(paper.id))
    return tuple(Reference(place, paper) for place, paper in enumerate(ordered, 1))


# -- "and EVA?": the question before, asked of another paper or topic -------------------------------


def _asked_again(question: str, before: str, names: Names) -> Standalone | None:
    match = _AGAIN.match(question)
    if match is None:
        return None
    rest = match["rest"]
    mentions = names(rest)
    if mentions and not _BETWEEN_NAMES.sub("", _without(rest, mentions)):
        return _of_another_paper(rest, mentions, before, names)
    is_topic = not mentions and not _ASKS.search(rest) and not list(pointers(rest))
    if is_topic and understand(before).kind == "find":
        return Standalone(f"Which papers are about {rest}?")
    return None


def _of_another_paper(rest: str, mentions: Sequence[Mention], before: str, names: Names) -> Standalone | None:
    """Put the papers of `rest` in place of the one paper that the question before was about."""
    ids = tuple(dict.fromkeys(paper_id for mention in mentions for paper_id in mention.paper_ids))
    earlier = names(before)
    if understand(before).compares:
        return None
    if not earlier:
        return Standalone(f"{before.rstrip(' ?')} ({rest})?", ids)
    if len({mention.paper_ids for mention in earlier}) > 1:
        return None
    text = before
    for mention in reversed(earlier):
        text = f"{text[: mention.start]}{rest}{text[mention.end :]}"
    return Standalone(text, ids)


def _compared_too(question: str, past: _Past, names: Names) -> Standalone | None:
    """Take "and EVA?" after a comparison as one more paper to compare."""
    match = _AGAIN.match(question)
    if match is None or not understand(past.asked).compares or len(past.last) > _NAMED:
        return None
    mentions = names(match["rest"])
    if not mentions or _BETWEEN_NAMES.sub("", _without(match["rest"], mentions)):
        return None
    return Standalone(f"Compare {' and '.join(r.paper.name for r in past.last)} and {match['rest']}")


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for mention in reversed(mentions):
        text = text[: mention.start] + text[mention.end :]
    return text


# -- words that point back --------------------------------------------------------------------------


def _beside_names(
    question: str, pointed: Sequence[Pointer], named: Sequence[Mention], past: _Past
) -> Standalone:
    """Put names in place of words that point at papers besides those that are named.

    A pronoun behind a name means what is named: "does EVA use its own data?".
    """
    known = dict.fromkeys(paper_id for mention in named for paper_id in mention.paper_ids)
    first = min(mention.start for mention in named)
    for pointer in pointed:
        if pointer.kind in ("plural", "singular") and pointer.start > first:
            continue
        meant = _meant(pointer, past)
        if meant and not all(r.paper.id in known for r in meant) and len(meant) <= _NAMED:
            ids = dict.fromkeys([*(r.paper.id for r in meant), *known])
            return Standalone(_put(question, pointer, meant), tuple(ids))
    return Standalone(question)


def _pointing(question: str, pointed: Sequence[Pointer], past: _Past) -> Standalone | None:
    """Return the question bound to what it points at; None when it points at nothing."""
    compares = understand(question).compares
    for pointer in pointed:
        same = [p for p in pointed if p.kind == pointer.kind]
        meant = _united(same if pointer.kind == "place" else [pointer], past)
        if compares and pointer.kind in ("place", "pair", "other"):
            # "Compare it with the second one"
            meant = _united([p for p in pointed if p.kind in (pointer.kind, "singular")], past)
        if not meant and pointer.kind == "place":
            # There is no such place: nothing else is meant by it.
            return Standalone(question)
        if not meant:
            continue
        ids = tuple(r.paper.id for r in meant)
        ranks = pointer.kind == "choice" and bool(_RANKS.search(question))
        if ranks and 1 < len(meant) <= _NAMED:
            return _compared(question, meant)
        if pointer.kind in ("choice", "described"):
            return Standalone(question, ids)
        put = _put(question, pointer, meant) if _STANDS_FOR_A_NAME.fullmatch(pointer.text) else ""
        if _seeks(put or f"{question[: pointer.start]}{question[pointer.end :]}"):
            # "Which papers are similar to it?" looks for other papers.
            return Standalone(put or _about(question, meant).text)
        if put:
            return Standalone(put, ids)
        if compares and 1 < len(meant) <= _NAMED:
            return _compared(question, meant)
        return _about(question, meant)
    return None


def _compared(question: str, meant: Sequence[Reference]) -> Standalone:
    joined = " and ".join(r.paper.name for r in meant)
    return Standalone(f"Compare {joined}: {question}", tuple(r.paper.id for r in meant))


def _unmarked(question: str, past: _Past) -> Standalone:
    """Bind a question that goes on or is too short to stand alone; any other is a new one."""
    if _seeks(question) or _DEFINES.match(_CONJUNCTION.sub("", question)):
        return Standalone(question)
    if _CONTINUES.match(question) or _is_short(question):
        several = understand(question).compares and len(past.last) > 1
        return _about(question, past.last if several else past.last[:1])
    return Standalone(question)


def _seeks(question: str) -> bool:
    """Tell whether papers are looked for: then it is about any, whatever was said before."""
    return understand(_CONJUNCTION.sub("", question)).kind == "find"


def _is_short(question: str) -> bool:
    if _CJK.search(question):
        return len(question) <= _SHORT_CJK
    return len(question.split()) <= _SHORT


def _united(pointed: Sequence[Pointer], past: _Past) -> tuple[Reference, ...]:
    every = (r for pointer in sorted(pointed, key=lambda p: p.start) for r in _meant(pointer, past))
    return tuple({r.paper.id: r for r in every}.values())


# -- which papers a pointer means -------------------------------------------------------------------


def _meant(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    return _MEANT[pointer.kind](pointer, past)


def _run(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    some = past.with_at_least(pointer.count)
    return some[: pointer.count] if pointer.groups["end"].lower() == "first" else some[-pointer.count :]


def _place(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    # After "which papers …" and "tell me of the first", "the second" is the second of the papers listed.
    some = past.with_at_least(max(pointer.place, 2)) or past.with_at_least(max(pointer.place, 1))
    if pointer.place == LAST:
        return some[-1:]
    return some[pointer.place - 1 : pointer.place]


def _pair(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    some = past.with_at_least(2)
    return some[:1] if pointer.groups["which"].lower() == "former" else some[1:2]


def _other(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    some = past.with_at_least(2)
    # What was last spoken of is not "the other"; of two just named, the second is.
    spoken = {r.paper.id for r in (past.last if some is not past.last else some[:1])}
    others = tuple(r for r in some if r.paper.id not in spoken)
    return others if "many" in pointer.groups else others[:1]


def _any(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    return past.with_at_least(2) or past.last


def _described(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    return tuple({r.paper.id: r for some in past.lists for r in some}.values())


def _plural(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    # "They" may be the authors of one paper; "both" and "these papers" are never one.
    said = pointer.text.lower().split()
    return past.last if said[0] in ("they", "their", "theirs", "them") else _any(pointer, past)


def _singular(pointer: Pointer, past: _Past) -> tuple[Reference, ...]:
    return past.last[:1]


_MEANT: Mapping[Kind, Callable[[Pointer, _Past], tuple[Reference, ...]]] = {
    "run": _run,
    "place": _place,
    "pair": _pair,
    "other": _other,
    "choice": _any,
    "described": _described,
    "plural": _plural,
    "singular": _singular,
}


def _put(question: str, pointer: Pointer, meant: Sequence[Reference]) -> str:
    owns = "'s" if pointer.text.lower() in ("its", "their", "theirs") else ""
    space = "" if owns or not question[pointer.end :][:1].isalnum() else " "
    joined = " and ".join(r.paper.name for r in meant)
    return f"{question[: pointer.start]}{joined}{owns}{space}{question[pointer.end :]}"


def _about(question: str, references: Sequence[Reference]) -> Standalone:
    ids = tuple(r.paper.id for r in references)
    if len(references) > _NAMED:
        return Standalone(question, ids)
    names = ", ".join(r.paper.name for r in references)
    return Standalone(f"{question.rstrip(' ?')} ({names})?", ids)
