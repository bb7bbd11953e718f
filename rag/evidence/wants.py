"""What sort of thing a question asks for, and whether a sentence holds one: a number, a name, a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from rag.text.quantities import Quantity, quantities
from rag.text.words import content_terms

Sort = Literal[
    "weight",
    "length",
    "money",
    "span",
    "count",
    "measure",
    "date",
    "person",
    "place",
    "expansion",
    "named",
    "reason",
    "thing",
]

_METRIC = (
    r"accuracy|precision|recall|perplexity|throughput|speed-?up|learning rate|batch size|page size|dropout"
    r"|latency|dimensions?|costs?|prices?"
    r"|f-?(?:1|measure|score)|auc|auroc|rmse|mae|mse|m?ap|m?iou|bleu|rouge|dice|fid|psnr|wer|ndcg|parameters"
)
_VALUE = (
    r"percent\w*|share|fraction|proportion|factor|size|rate|gain|improvement|reduction|correlation|value"
    r"|score|error|ratio"
)
_THING = (
    r"data-?sets?|benchmarks?|corp(?:us|ora)|competitions?|simulators?|frameworks?|tools?|software"
    r"|languages?|metrics?"
)

_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|has|have|had|will|would|should)\b"
# What is gained is told in as many ways as there are verbs.
_GAIN = (
    r"(?:more|less|fewer|worse|of|improvements?|gains?|speed-?ups?|reductions?|increases?|decreases?|benefits?"
    r"|advantages?|money|it|he|she|they|we"
    r"|(?:bett|bigg|cheap|deep|easi|fast|great|hard|high|larg|long|low|quick|short|slow|small|strong)er)\b"
)
_WHICH = r"\b(?:which|what|whose) (?:(?:kind|type|sort|form)s? of )?"

# The first pattern that matches decides. A group called noun* is what is counted.
_PATTERNS: tuple[tuple[Sort, str], ...] = (
    ("weight", r"\bhow heavy\b|\bweighs?\b|\bwhat weight\b"),
    ("length", r"\bhow (?:tall|high|wide|deep)\b"),
    ("money", r"\bhow expensive\b|\bwhat (?:price|budget)\b|\bhow much money\b"),
    (
        "span",
        r"\bhow (?:long|quickly|soon|old|much time)\b"
        r"|\b(?:runtime|mean age|seconds|minutes|hours|milliseconds)\b",
    ),
    (
        "count",
        r"\bhow many (?P<noun1>[^?,;.]+)|\b(?:number|count) of (?P<noun2>[^?,;.]+)"
        r"|\bhow large (?:an?|is|are|was|were) (?P<noun3>[^?,;.]+)",
    ),
    ("measure", rf"\b(?P<noun4>{_METRIC})\b"),
    ("measure", rf"\bhow much (?P<noun8>(?!{_GAIN}|{_AUXILIARY})[a-z-]+(?: [a-z-]+)?) (?={_AUXILIARY})"),
    (
        "measure",
        rf"\bhow much\b|\bby how\b|\bhow (?:large|big|fast|accurate|well|faithful|close|often)\b"
        rf"|\b(?:what|which) (?:[\w-]+ ){{0,4}}(?:{_VALUE})s?\b|\bpercent\b",
    ),
    ("date", r"\bwhen (?:was|were|did|will)\b|\b(?:what|which) (?:year|date|month)\b"),
    (
        "person",
        r"^who\b|\bauthors?\b(?=.*\b(?:who|name|affiliat|from)\b)"
        r"|\b(?:which|what) (?:compan|universit|hospital|institution)\w*",
    ),
    ("place", r"\b(?:which|what) (?:countr\w+|cit(?:y|ies)|capital)\b|\bcapital of\b"),
    ("expansion", r"\bstands? for\b|\b(?:abbreviat\w+|acronym)\b"),
    ("named", rf"\b(?:which|what) (?P<noun5>(?:[\w-]+ ){{0,3}}(?:{_THING}))\b"),
    ("reason", r"^why\b|\bfor what reason\b"),
    (
        "thing",
        rf"{_WHICH}(?P<noun6>(?!{_AUXILIARY})(?:[\w-]+ ){{1,4}}?)(?={_AUXILIARY})"
        rf"|{_WHICH}(?P<noun7>(?!{_AUXILIARY})[\w-]+(?: [\w-]+)?)",
    ),
)
_ASKED = tuple((sort, re.compile(pattern, re.IGNORECASE)) for sort, pattern in _PATTERNS)
# A capitalised or mixed-case name that is not just the first word of its sentence.
_NAME = re.compile(
    r"(?<!^)(?<![.!?:]\s)\b(?:[A-Z][\w-]*[A-Z0-9][\w+-]*|[a-z]+[A-Z]\w*|[A-Z][a-z]+(?:\s[A-Z][a-z]+)*)\b"
)
_DEFINED = re.compile(
    r"\bwhere \S+ (?:is|are|denotes?|represents?)\b|"
    r"\([A-Z][\w-]{1,14}\)|\b[A-Z][\w-]{1,14} \([A-Z][a-z]+[ -]"
)
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_REASON = re.compile(
    r"\b(?:because|due to|since|owing to|so that|to (?:avoid|reduce|prevent|overcome|address)|thereby"
    r"|therefore|caus\w+|stems? from|lead(?:s|ing)? to)\b",
    re.IGNORECASE,
)
_UNITS: dict[Sort, frozenset[str]] = {
    "span": frozenset({"s", "ms", "min", "h", "day", "year"}),
    "weight": frozenset({"kg"}),
    "length": frozenset({"m"}),
    "money": frozenset({"$"}),
}
# "Reaches 75.7% on code" tells an accuracy without the word, "needs 12 MB" a memory.
_TOLD_BY_UNIT: Mapping[str, frozenset[str]] = {
    stem: frozenset(units.split())
    for words, units in (
        ("accuracy precision recall f1 score", "% pp"),
        ("memory storage disk space size", "kb mb gb tb bytes kilobytes terabytes"),
        ("energy", "j kj mj joules wh kwh mwh"),
        ("power", "w mw kw watts milliwatts kilowatts"),
        ("latency delay", "s ms min"),
        ("frequency", "hz"),
        ("weight mass", "kg"),
        ("distance", "m"),
    )
    for stem in content_terms(words)
}
# How far, in characters, what is counted may stand from its number.
_REACH = 45


@dataclass(frozen=True, slots=True)
class Want:
    """The sort of thing asked for, the stems of what is counted, and the numbers the question gives."""

    sort: Sort
    noun: tuple[str, ...] = ()
    given: frozenset[float] = frozenset()


def wanted(question: str) -> Want | None:
    """Return what `question` asks for, or None when it asks for an explanation or for yes or no."""
    for sort, pattern in _ASKED:
        match = pattern.search(question)
        if match:
            noun = next((group for group in match.groupdict().values() if group), "")
            given = frozenset(q.value for q in quantities(question))
            return Want(sort, tuple(content_terms(noun)[:3]), given)
    return None


def holds(want: Want, sentence: str) -> float:
    """Return how well `sentence` holds the thing wanted, from 0 (not at all) to 1 (the very thing)."""
    return _HOLDS[want.sort](want, sentence)


def _count(want: Want, sentence: str) -> float:
    new = _new_quantities(want, sentence)
    if not new:
        return 0.0
    near = max(_near(want.noun, sentence, quantity) for quantity in new)
    mentioned = bool(set(want.noun) & set(content_terms(sentence)))
    return near or (0.4 if mentioned else 0.2)


def _near(noun: tuple[str, ...], sentence: str, quantity: Quantity) -> float:
    after = content_terms(sentence[quantity.start : quantity.end + _REACH])
    before = content_terms(sentence[max(0, quantity.start - _REACH) : quantity.end])
    if any(stem in after for stem in noun):
        return 1.0
    return 0.7 if any(stem in before for stem in noun) else 0.0


def _measure(want: Want, sentence: str) -> float:
    new = _new_quantities(want, sentence)
    if not new:
        return 0.0
    if want.noun and not set(want.noun) <= set(content_terms(sentence)):
        units = frozenset().union(*(_TOLD_BY_UNIT.get(stem, frozenset()) for stem in want.noun))
        told = any((q.unit or q.noun).lower() in units for q in new)
        return 0.7 if told else 0.3
    return 1.0 if any(q.unit or not q.value.is_integer() for q in new) else 0.7


def _with_unit(want: Want, sentence: str) -> float:
    new = _new_quantities(want, sentence)
    if any(q.unit in _UNITS[want.sort] or "$" in sentence[q.start : q.end] for q in new):
        return 1.0
    return 0.3 if new else 0.0


def _named(_want: Want, sentence: str) -> float:
    # Where datasets or tools are told, they mostly stand in a row.
    names = len(set(_NAME.findall(sentence)))
    return min(0.4 + 0.2 * names, 1.0) if names else 0.0


def _new_quantities(want: Want, sentence: str) -> list[Quantity]:
    return [q for q in quantities(sentence) if q.value not in want.given]


def _matching(pattern: re.Pattern[str], found: float = 1.0) -> Callable[[Want, str], float]:
    return lambda _want, sentence: found if pattern.search(sentence) else 0.0


_HOLDS: dict[Sort, Callable[[Want, str], float]] = {
    "count": _count,
    "measure": _measure,
    "span": _with_unit,
    "weight": _with_unit,
    "length": _with_unit,
    "money": _with_unit,
    "date": _matching(_YEAR),
    # Abstracts hardly ever name people, institutions or places: a capitalised word is weak evidence.
    "person": _matching(_NAME, 0.3),
    "place": _matching(_NAME, 0.3),
    "named": _named,
    "expansion": _matching(_DEFINED),
    "reason": _matching(_REASON),
    # "Which law …" is answered by "Dale's Law", but "which technique …" by the name of one: no form tells.
    "thing": lambda _want, _sentence: 0.6,
}
