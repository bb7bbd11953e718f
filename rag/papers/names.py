"""An abstract (and its title, if any) in, the names the paper can be called by out, best first."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from rag.papers.phrases import INTRODUCTION, MAX_LENGTH, MAX_READ, noun_phrases, shortened
from rag.papers.vocabulary import COMMON, NOT_NAMES
from rag.text.sentences import spans
from rag.text.words import STOP_WORDS, fold_name

THRESHOLD = 6.0

_COINED = r"[^\W_][\w⁺²³¹⁰⁴-⁹₀-₉]*(?:[-‐‑./][\w²³¹⁰⁴-⁹]+)*(?:\+{1,2}|\*|#)?"
_CAPITALISED = r"[A-Z][\w-]+(?:\s(?:of|the|for)?\s?[A-Z][\w-]+){0,3}"
_TOKEN = re.compile(rf"(?<![\w@/.\-]){_COINED}")
_HEADS = (
    r"(?:system|method|framework|model|approach|algorithm|tool|toolkit|technique|architecture|network|benchmark|"
    r"dataset|data set|corpus|library|pipeline|protocol|agent|platform|language|engine|strategy|paradigm|"
    r"scheme|suite|optimizer|estimator|procedure|variant|solution|prototype|package|software|task|loss|metric|measure|interface)s?"
)
_DIRECT = re.compile(
    rf"(?:using\s+|the\s+|a\s+|an\s+|our\s+|novel\s+|new\s+|here\s+|[^,.;()]{{0,60}}\b{_HEADS},?\s+)?"
    rf"[“\"‘']?(?P<name>{_CAPITALISED}|{_COINED})[”\"’']?"
)
_FOLLOWS_NAME = re.compile(
    r"\s*(?:[,:;.(—–]|$|\s(?:is|are|which|that|to|for|and|with|as|by|on|in|uses|via|where|whose|using|—|–|-)\b)"
)
_ENDS_NAME = re.compile(r"\s*(?:[,:;.(—–]|$|\s(?:which|that)\b)")
_SPELLED_OUT = re.compile(
    rf"(?P<short>(?<![\w-]){_COINED})"
    r"(?=\s\((?P<inside>[A-Z][^()]{4,70})\)|,\s(?:an?\s|the\s)?(?P<after>[^,.;:()]{6,90}))"
)
_OWN_DATA = re.compile(
    rf"\b(?:curated?|collect(?:ed)?|construct(?:ed)?|new(?:ly)?|novel|own|our|build|built|created?|introduced?)\b"
    rf"[^.;]{{0,60}}\b{_HEADS},?\s+(?P<name>{_COINED})(?=[,.;:]|\s\(|$)"
)
_DESCRIPTIVE = re.compile(
    r"-(?:based|free|like|style|driven|aware|guided|oriented|related|specific|level|enabled|trained|wise|type|only)$"
)
_HEADED = re.compile(
    rf"\b(?:an?|our)\s(?:[\w-]+\s){{0,6}}?{_HEADS}(?:,)?\s[(“\"]?(?P<name>{_COINED}|[A-Z][a-z]+[A-Z\d]?\w*)[)”\"]?"
    rf"(?=\s(?:that|which|is|was|to|for|and)\b|[,.;:]|$)"
)
_CALLED = re.compile(
    r"(?P<ours>\b(?:[Ww]e|[Oo]ur|[Ww]hich we)\b[^.;]{0,160}?)?"
    r"\b(?:called|named|termed|dubbed|coined|denoted(?: as| by)?|"
    r"referred to as|refer to as|nicknamed|call(?: it| this(?: \w+){0,3}| our \w+| them)?|"
    r"(?:term|name|dub)(?: it| this(?: \w+){0,3}| our \w+)|known as|abbreviated(?: as| to)?)"
    rf"(?:\s+the)?\s+[“\"‘']?(?P<name>{_CAPITALISED}|{_COINED})"
)
_OURS = re.compile(
    rf"\b[Oo]ur\s+(?:proposed\s+|new\s+|novel\s+|[\w-]+\s+){{0,3}}?{_HEADS}\s*(?:,|\(|—|is|–)\s*(?:called\s+|named\s+)?"
    rf"(?P<name>{_COINED}|{_CAPITALISED})|\b(?:[Oo]ur|[Tt]he)\s+proposed\s+(?P<other>{_COINED})"
)
_THE_SYSTEM = re.compile(rf"\b(?:[Tt]he|[Oo]ur)\s+(?:[\w-]+\s+){{0,2}}?{_HEADS}, (?P<name>{_COINED}),")
_APPOSED = re.compile(
    rf"(?P<name>{_COINED}),\s+(?:a|an|our|the first|the)\s+(?:\w+ly\s+)?(?:[\w-]+\s+){{0,7}}?{_HEADS}\b"
)
_IS_NEW = re.compile(
    rf"^(?:[^()]{{3,80}}\s)?\(?(?P<name>{_COINED})\)?\s+is\s+(?:such\s+)?an?\s+(?:\w+ly\s+)?(?:new|novel|[\w-]+\s+){{0,5}}?{_HEADS}\b"
)
_EXPANDED = re.compile(r"(?<=[\w'’)\"”*]) ?\((?P<short>[^()\s;,]{2,16})(?:[;,][^()]*)?\)")
_SUBJECT = re.compile(
    rf"(?:^|,\s+|\bthat\s+|\bhow\s+)(?P<name>{_COINED})(?:\s+(?:can|also|further|first|consistently|significantly|\w+ly))?\s+"
    r"(?!(?:and|or|of|in|for|to|on|with|models?|methods?|networks?|is|are|has|have)\b)[a-z]+s\b"
)
_BOLD = re.compile(r"(?:\\text(?:bf|sc|tt)\{|\\emph\{|\\textit\{|\*\*|\*|_)([^{}*_\n]{2,40})(?:\}|\*\*|\*|_)")
_URL = re.compile(r"https?://\S+")
_PLAIN_SLIP = re.compile(r"\W+")
_BETWEEN = re.compile(
    r"\b(?:for|of|in|to|with|on|that|which|by|from|via|into|where|based|within|through|when|between|against|under|as)\b"
)


@dataclass(frozen=True, slots=True)
class _Evidence:
    name: str
    score: float
    long_form: str = ""


def candidates(text: str, title: str = "", original: str = "") -> list[str]:
    """Return what the paper may be called, best first: its system, its title, else noun phrases.

    `original` is the text with its LaTeX or Markdown marks, which show what the authors set apart.
    """
    systems = [found for found in _systems(text, original) if found.score >= THRESHOLD]
    long_forms = [found.long_form for found in systems[:1] if len(found.long_form) <= MAX_LENGTH]
    shown = [_shown(found) for found in systems]
    names = [*_from_title(title), *shown[:1], *long_forms, *shown[1:]]
    return _distinct([*names, *([] if title else noun_phrases(text))])


def aliases(text: str, title: str = "", original: str = "") -> tuple[str, ...]:
    """Return every name the paper itself introduces: its system, the long form, its parts and data sets."""
    found = [entry for entry in _systems(text, original) if entry.score >= THRESHOLD - 2]
    spelled = [form for entry in found for form in (entry.name, entry.long_form) if form]
    return tuple(_distinct([*_from_title(title)[:1], *spelled]))


def choose(names: Iterable[str], taken: Container[str]) -> str:
    """Return the best of `names` whose folded form is not in `taken`.

    A second `EVA` is told apart by its next name, `EVA: Evidence-seeking Visual Agent`; a number comes last.
    """
    names = [shortened(name) for name in names if fold_name(name)] or ["untitled paper"]
    apart = [f"{names[0]}: {other}" for other in names[1:] if _has_coined(names[0])]
    for name in [names[0], *(name for name in apart if len(name) <= MAX_LENGTH), *names[1:]]:
        if fold_name(name) not in taken:
            return name
    # Only the name as it will be read tells whether it is free: cutting may make two long ones equal.
    numbered = (f"{shortened(names[0], MAX_LENGTH - len(str(n)) - 3)} ({n})" for n in count(2))
    return next(name for name in numbered if fold_name(name) not in taken)


def _from_title(title: str) -> list[str]:
    if not title.strip():
        return []
    head, colon, _ = title.partition(":")
    is_name = colon and len(head.split()) <= 4 and (len(head.split()) == 1 or _is_coined(head.split()[0]))
    return [*([head.strip()] if is_name else []), shortened(title)]


def _distinct(names: Iterable[str]) -> list[str]:
    kept: dict[str, str] = {}
    for name in names:
        if fold_name(name):
            kept.setdefault(fold_name(name), name)
    return list(kept.values())


def _shown(found: _Evidence) -> str:
    """Return the abbreviation, or the long form where the abbreviation is too short to tell apart."""
    too_short = len(fold_name(found.name)) <= 2 and 0 < len(found.long_form) <= MAX_LENGTH
    return found.long_form if too_short else found.name


def _systems(text: str, original: str) -> list[_Evidence]:
    """Return the names the authors introduce, with a score for how clearly they do."""
    sentences = [text[start:end] for start, end in spans(text[:MAX_READ])]
    found: dict[str, _Evidence] = {}
    opened = False
    for sentence in sentences:
        entries = [*_introduced(sentence), *(_definite(sentence) if opened else ())]
        opened = opened or INTRODUCTION.search(sentence) is not None
        for entry in entries:
            key = fold_name(entry.name)
            if not key or key in COMMON or key in NOT_NAMES:
                continue
            before = found.get(key)
            best = max(entry, before, key=lambda e: e.score) if before else entry
            long_form = entry.long_form or (before.long_form if before else "")
            found[key] = _Evidence((before or best).name, best.score, long_form)
    bonus = _Bonus(sentences, text[:MAX_READ], original[: 2 * MAX_READ])
    scored = [_Evidence(e.name, e.score + bonus.of(e), e.long_form) for e in found.values()]
    return sorted(scored, key=lambda e: -e.score)


def _introduced(sentence: str) -> Iterator[_Evidence]:
    """Yield the names one sentence introduces."""
    sentence = _URL.sub(" ", sentence)
    for opening in INTRODUCTION.finditer(sentence):
        yield from _after_verb(sentence, opening.end())
    yield from _other_verbs(sentence)
    for match in _CALLED.finditer(sentence):
        value = 8.0 if match["ours"] or INTRODUCTION.search(sentence) else 4.0
        yield from _if_name(match["name"], value, loose=True)
    for match in _OURS.finditer(sentence):
        yield from _if_name(match["name"] or match["other"], 8.0, loose=False)
    for match in _THE_SYSTEM.finditer(sentence):
        yield from _if_name(match["name"], 6.0, loose=False)
    for match in _APPOSED.finditer(sentence):
        yield from _if_name(match["name"], 4.5, loose=False)
    for match in _IS_NEW.finditer(sentence):
        yield from _if_name(match["name"], 6.0, loose=False)
    for match in _OWN_DATA.finditer(sentence):
        yield from _if_name(match["name"], 4.5, loose=False)
    for match in _HEADED.finditer(sentence):
        yield from _if_name(match["name"], 4.5, loose=True)
    for match in _SPELLED_OUT.finditer(sentence):
        long_form = _spelled_out(match)
        if long_form:
            yield from _if_name(match["short"], 4.0, loose=False, long_form=long_form)
    for long_form, match in _expansions(sentence):
        yield from _if_name(match["short"], 1.5, loose=False, long_form=long_form)


def _definite(sentence: str) -> Iterator[_Evidence]:
    """Yield `The Full Name (FN) uses …`, which after an introduction says what was introduced."""
    for long_form, match in _expansions(sentence):
        if sentence[: match.start() - len(long_form)].strip() in ("The", "Our"):
            yield from _if_name(match["short"], 6.0, loose=False, long_form=long_form)


def _spelled_out(match: re.Match[str]) -> str:
    """Return the words after a name that spell it: `EVA, an Evidence-seeking Visual Agent`."""
    if match["inside"]:
        is_long_form = _long_form(match["short"], match["inside"]) or match["inside"].istitle()
        return match["inside"] if is_long_form and len(match["inside"].split()) <= 9 else ""
    letters = [char for char in fold_name(match["short"]) if char.isalpha()]
    words = match["after"].split()[: len(letters)]
    spelled = len(letters) > 2 and [word[0].casefold() for word in words] == letters
    return " ".join(words) if spelled else ""


def _after_verb(sentence: str, start: int) -> Iterator[_Evidence]:
    match = _DIRECT.match(sentence, start)
    if match and (_FOLLOWS_NAME if _has_coined(match["name"]) else _ENDS_NAME).match(sentence, match.end()):
        yield from _if_name(match["name"], 8.0, loose=True)
    elif match and _is_coined(match["name"].split()[0]) and not match["name"].endswith("based"):
        yield from _if_name(match["name"].split()[0], 4.5, loose=False)
    for long_form, expansion in _expansions(sentence):
        at = expansion.start() - len(long_form)
        if at >= start and not _BETWEEN.search(sentence, start, at):
            yield from _if_name(expansion["short"], 8.0, loose=False, long_form=long_form)


_OTHER_VERBS = re.compile(
    r"\b(?:propose|present|introduce|develop|describe|derive|devise|release|motivate|yield|lead to|"
    r"resulting in|build|construct|incorporate|contribute|formulate|obtain|call)(?:s|d|ing)?\s+"
    r"(?:a\s+|an\s+|the\s+)?"
)


def _other_verbs(sentence: str) -> Iterator[_Evidence]:
    """Yield names after a verb whose subject is not plainly the authors."""
    for verb in _OTHER_VERBS.finditer(sentence):
        found = _TOKEN.match(sentence, verb.end())
        if found and re.match(r",\s+(?:a|an|our|the)\b|\s*\(", sentence[found.end() :]):
            yield from _if_name(found[0], 6.0, loose=False)
        for long_form, expansion in _expansions(sentence):
            at = expansion.start() - len(long_form)
            if 0 <= at - verb.end() <= 40 and not _BETWEEN.search(sentence, verb.end(), at):
                yield from _if_name(expansion["short"], 6.0, loose=False, long_form=long_form)


def _if_name(name: str, value: float, *, loose: bool, long_form: str = "") -> Iterator[_Evidence]:
    """Yield `name` if it looks coined; a plain capitalised word counts only where `loose`."""
    name = name.strip(" .,;:'’\"“”*")
    name = re.sub(r"['’]s$", "", name)
    first = name.split()[0] if name else ""
    if (
        not first
        or first.lower() in NOT_NAMES | STOP_WORDS
        or len(name) > MAX_LENGTH
        or len(fold_name(name)) < 2
    ):
        return
    if _has_coined(name):
        yield _Evidence(name, value, long_form)
    elif loose and first[0].isupper() and not _DESCRIPTIVE.search(first):
        yield _Evidence(name, value - (1.0 if len(name.split()) > 1 else 0.0), long_form)


def _has_coined(name: str) -> bool:
    return any(_is_coined(word) for word in name.split())


def _is_coined(word: str) -> bool:
    """Tell whether a word looks made up: capitals inside, or letters with digits."""
    letters = [char for char in word if char.isalpha()]
    if len(word) < 2 or not letters or _DESCRIPTIVE.search(word):
        return False
    capitals_inside = any(char.isupper() for char in word[1:]) and not _ordinary_compound(word)
    with_digits = any(char.isdigit() for char in word) and (letters[0].isupper() or not letters[0].isascii())
    return capitals_inside or with_digits


def _ordinary_compound(word: str) -> bool:
    """Tell whether `word` is plain capitalised words joined by hyphens: `Markov-Chain`."""
    parts = re.split(r"[-‐‑/]", word)
    return len(parts) > 1 and all(
        part.isalpha() and (part.istitle() or part.islower()) and len(part) > 3 for part in parts
    )


def _expansions(sentence: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each `Long Form (LF)` as the long form and the match of its bracket."""
    for match in _EXPANDED.finditer(sentence):
        short = match["short"].strip("*“”\"'")
        if not any(char.isupper() for char in short) or not short[0].isalnum():
            continue
        before = sentence[max(0, match.start() - 140) : match.start()]
        long_form = _long_form(short, before)
        if long_form:
            yield _with_capitals_before(long_form, before), match


def _with_capitals_before(long_form: str, before: str) -> str:
    """Take in the capitalised words that stand before a capitalised long form."""
    words = before.split()
    size = len(long_form.split())
    while (
        long_form[0].isupper()
        and len(words) > size + 1
        and re.fullmatch(r"[A-Z][a-z][\w-]*", words[-size - 1])
    ):
        size += 1
    return " ".join(words[-size:]) if size > len(long_form.split()) else long_form


def _long_form(short: str, before: str) -> str:
    """Find the words `short` abbreviates at the end of `before` (Schwartz and Hearst 2003)."""
    letters = [
        char
        for char in fold_name(short.removesuffix("s") if short[:-1].isupper() else short)
        if char.isalpha()
    ]
    at = len(before)
    for index in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not (
            before[at].casefold() == letters[index] and (index or at == 0 or not before[at - 1].isalnum())
        ):
            at -= 1
        if at < 0:
            return ""
    start = before.rfind(" ", 0, at) + 1 if at and before[at - 1] in "-‐" else at
    long_form = before[start:].strip()
    limit = min(len(letters) + 6, len(letters) * 2 + 2)
    return (
        long_form
        if 1 < len(long_form.split()) + long_form.count("-") and len(long_form.split()) <= limit
        else ""
    )


class _Bonus:
    """What the rest of the abstract says for a name: repeated as a subject, set apart, in an address."""

    def __init__(self, sentences: list[str], text: str, original: str) -> None:
        self._subjects = [fold_name(m["name"]) for s in sentences for m in _SUBJECT.finditer(s)]
        self._words = [fold_name(word) for word in re.split(r"[\s,;:()]+", text)]
        self._apart = {fold_name(_PLAIN_SLIP.sub(" ", apart)) for apart in _BOLD.findall(original)}
        self._addresses = fold_name(" ".join(_URL.findall(text)))

    def of(self, entry: _Evidence) -> float:
        key = fold_name(entry.name)
        value = min(self._subjects.count(key), 3) * 0.8 + min(self._words.count(key), 6) * 0.25
        value += 1.5 if key in self._apart or fold_name(entry.long_form) in self._apart - {""} else 0.0
        return value + (2.0 if len(key) > 2 and key in self._addresses else 0.0)
