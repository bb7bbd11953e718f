"""An abstract in, short noun phrases out that say what the paper is about, best first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rag.papers.vocabulary import ENDERS, GENERIC, LEADING, LINKS, NOUNS_TOO, VERBISH
from rag.text.sentences import spans
from rag.text.words import STOP_WORDS, content_terms

MAX_LENGTH = 60
# An abstract is shorter; what stands beyond it is not read for a name.
MAX_READ = 4000

_AUTHORS = (
    r"(?:\b[Ww]e|(?:\b[Tt]h(?:is|e(?: present)?)|\b[Oo]ur) "
    r"(?:paper|work|article|study|report|thesis|chapter|note|survey|research|letter|memo|document|investigation))"
)
_ADVERB = r"(?:(?:here|also|then|further|first|now|therefore|thus|hence|additionally|\w+ly)\s+)?"
MAKING = (
    r"(?:propose|present|introduce|develop|describe|devise|design|build|derive|construct|formulate|offer|provide|"
    r"release|contribute|establish|outline|create|built|implement|puts? forward|suggest)(?:s|ed|d)?"
)
_STUDYING = (
    r"(?:study|studies|studied|investigate|examine|explore|analy[sz]e|consider|address|addresses|review|survey|"
    r"discuss|discusses|evaluate|compare|deals? with|dealt with|focus(?:es)? on|concentrates? on|"
    r"characteri[sz]e|apply|applies|revisit|reports?(?: on)?|tackle|model|audit|summari[sz]e|identify|"
    r"identifies|test|explain|assess|aims? (?:at|to)|look(?:s)? at)(?:s|d|ed)?"
)
# A verb before `and` shares its object with the next: `introduce and motivate`.
_AND_VERB = r"(?:and\s+(?:\w+ly\s+)?[a-z]+\s+)?"
INTRODUCTION = re.compile(rf"{_AUTHORS}\s+(?:have\s+)?{_ADVERB}{MAKING}\s+{_AND_VERB}")
_STUDY = re.compile(rf"{_AUTHORS}\s+(?:have\s+)?{_ADVERB}{_STUDYING}\s+{_AND_VERB}")
_CLAIM = re.compile(
    rf"{_AUTHORS}\s+{_ADVERB}(?:show|demonstrate|argue|find|prove|observe)s?,?\s+(?:\w+ly,?\s+)?that\s+"
)
_TASK = re.compile(
    r"\b(?:problem|task|issue|question|challenge|theory|process|concept|field|effects?|role|use|performance|"
    r"design|development|analysis|review|survey|study|investigation) of\s+"
)
_PASSIVE = re.compile(
    r"\s(?:is|are|was|were|has been|have been)\s+(?:\w+ly\s+)?(?:presented|proposed|described|developed|"
    r"introduced|investigated|studied|examined|discussed|reviewed|given|made|derived|analy[sz]ed|considered|reported|carried|"
    r"conducted|performed|obtained|determined|designed|measured|addressed|compared|outlined|formulated|used|applied)\b"
)
_AMOUNTS = (
    r"(?:number|set|variety|range|series|family|class|level|degree|extent|amount|lack|kind|type|version)s?"
)
_GENERIC_NOUNS = (
    r"(?:problem|task|question|issue|concept|notion|idea|topic|use|usage|challenge|field|case|impact|possibility|"
    r"review|overview|survey|literature|application|content|summary|discussion|implication|motivation|influence|"
    r"effect|performance|theory|analyses|analysis|applicability|role|importance|study|evaluation|research|"
    r"investigation|process|comparison|need|feasibility|results|evidence|context|requirement|demand|practice|art)s?"
)
_GENERIC_OPENING = re.compile(
    r"(?:(?:an?|the|our|some|some of the|several|many|first|key|various)\s+)?(?:[\w-]+\s+){0,2}?"
    rf"(?:(?:{_GENERIC_NOUNS} and )?(?:{_GENERIC_NOUNS}|{_AMOUNTS})\s(?:of|on|into|about)\s|"
    r"(?:task|framework|method|model|approach|algorithm|technique|system|concept|problem|benchmark|dataset),\s)"
    r"(?!an?\s\w+\s(?:that|which)|that\b|which\b)"
)
_AMOUNT = re.compile(rf"(?:(?:an?|the|some)\s)?(?:[\w-]+\s)?{_AMOUNTS} of\b", re.IGNORECASE)
_OPENING = re.compile(
    r"(?:^(?:In|Throughout|Within)|(?<=\w) (?:in|throughout|within))"
    r" (?:this|the|our)(?: present)? (?:paper|work|article|study|report)\b,?(?: |(?=\.))"
)
_CLAUSE = re.compile(
    r"(?:the ways?|how|whether|why|what|that|if|when|where|these|those|this|it|both)\b", re.IGNORECASE
)
_NAMED_TASK = re.compile(
    r"\b(?:for|of|in|on|address|tackle|study|called) ([^,.;:]{8,70}), "
    r"(?:a|an|the) (?:[\w-]+ ){0,2}(?:task|problem|setting)\b"
)
_DEFINITION = re.compile(r"^(.{5,70}?)(?:,| \([^)]*\))? (?:is|are) (?:a|an|the|one)\b")

_WORD = re.compile(r"[^\s,;:()\[\]{}<>“”\"‘|=—–]+|[,;:()\[\]{}<>“”\"‘|=—–]")
_BASED = re.compile(r" based(?! (?:on|upon|in)\b)")
_ABBREVIATED = re.compile(r"\s*\(([A-Z][\w-]{1,9}|[A-Za-z][\w-]{0,8}[A-Z][\w-]{0,3})\)")
_ASIDE = re.compile(r" \([a-z][a-z ,-]{1,40}\)(?= \w)")
_JOINED = re.compile(r"(?<=[^\W\d_])–(?=[^\W\d_])")
_TWO_PEOPLE = re.compile(r"[A-Z][a-z]+ and [A-Z][a-z]+")
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|may|will|we|does|do|did|been|be|it|they|must|should|would|could)\b"
)
# What is used or applied is seldom what a paper is about.
_MEANS = ("used", "applied", "made", "given", "obtained", "performed", "conducted", "carried")
_TRAILING_JUNK = " .,;:!?-–—'’`*/&"


_PLACES = ((INTRODUCTION, 5.0), (_STUDY, 4.5), (_TASK, 2.2), (_CLAIM, 2.4))


def noun_phrases(text: str) -> list[str]:
    """Return phrases of `text` that say what it is about, best first, each at most 60 characters."""
    sentences = [text[start:end] for start, end in spans(text[:MAX_READ])]
    weights = Counter(content_terms(text[:MAX_READ]))
    found: dict[str, float] = {}
    for phrase, value in _offered(sentences):
        if _readable_as_name(phrase):
            score = value + _weight(phrase, weights)
            found[phrase] = max(score, found.get(phrase, 0.0))
    ranked = sorted(found, key=lambda phrase: -found[phrase])
    if ranked and _is_vague(ranked[0], weights):
        ranked = [*_with_topic(ranked, weights), *ranked]
    return ranked


def _offered(sentences: list[str]) -> Iterator[tuple[str, float]]:
    """Yield phrases with the value of the place they stand at."""
    if sentences and _is_heading(sentences[0]):
        yield _heading(sentences[0]), 9.0
    for number, sentence in enumerate(sentences):
        bare = _bare(sentence)
        late = min(number, 10) * 0.05
        for pattern, value in _PLACES:
            yield from ((_past_generic(bare, at), value - late) for at in _starts(pattern, bare))
        passive = _PASSIVE.search(bare)
        if passive and not _CLAUSE.match(bare):
            is_means = passive[0].endswith(_MEANS)
            yield _past_generic(bare[: passive.start()], 0), (2.2 if is_means else 3.2) - late
        named = _NAMED_TASK.search(bare)
        if named:
            yield phrase_at(re.split(r" (?:for|of|in|on) ", named[1])[-1], 0), 4.5
    yield from ((phrase, 1.5 if phrase.count(" ") > 1 else 0.3) for phrase in _repeated(sentences))
    yield from _from_first(sentences[0] if sentences else "")
    yield from ((run, -1.5) for sentence in sentences for run in _runs(sentence))


def _bare(sentence: str) -> str:
    """Return the sentence without `in this paper`, abbreviations in brackets and other asides."""
    return _JOINED.sub("-", _OPENING.sub(_gap, _ASIDE.sub("", _ABBREVIATED.sub("", sentence))))


def _gap(opening: re.Match[str]) -> str:
    return " " if opening.start() else ""


def _heading(sentence: str) -> str:
    """Return a heading without the words that a name does not begin with."""
    words = re.sub(r"\s?\.\.\s", ": ", sentence).split()
    while words and words[0].lower() in LEADING | STOP_WORDS:
        words = words[1:]
    return shortened(" ".join(words))


def _starts(pattern: re.Pattern[str], sentence: str) -> Iterator[int]:
    match = pattern.search(sentence)
    if match and not _CLAUSE.match(sentence, match.end()):
        yield match.end()


def _from_first(sentence: str) -> Iterator[tuple[str, float]]:
    """Yield what the first sentence is about."""
    bare = _bare(sentence)
    definition = _DEFINITION.match(bare)
    yield (phrase_at(definition[1], 0), 3.0) if definition else (phrase_at(bare, 0), 1.2)


def _repeated(sentences: list[str]) -> Iterator[str]:
    """Yield runs of two to five words, joined by `and` or `of` too, that the abstract says twice or more."""
    counts: Counter[str] = Counter()
    for sentence in sentences:
        words = re.findall(r"[^\W_](?:[\w.-]*[^\W_])?|[^\w\s]", sentence)
        for size in (2, 3, 4, 5):
            counts.update({" ".join(words[i : i + size]) for i in range(len(words) - size + 1)})
    repeated = [phrase for phrase, count in counts.items() if count > 1 and _is_solid(phrase.split())]
    for phrase in repeated:
        if not any(phrase in longer and phrase != longer for longer in repeated):
            yield phrase


def _is_solid(words: list[str]) -> bool:
    links = {"and", "of"}
    loose = STOP_WORDS | ENDERS | LEADING | VERBISH
    ends_well = words[0] not in links and words[-1] not in links and not words[-1].endswith("ly")
    return ends_well and all(w in links or (w.lower() not in loose and w[0].isalnum()) for w in words)


def _past_generic(sentence: str, start: int) -> str:
    """Return the phrase at `start`, or what `a novel task, …` and `the problem of …` stand before."""
    phrase = phrase_at(sentence, start)
    for _ in range(3):
        before = _GENERIC_OPENING.match(sentence, start)
        further = phrase_at(sentence, before.end()) if before else ""
        if not before or not _readable_as_name(further):
            break
        phrase, start = further, before.end()
    return "" if _AMOUNT.match(phrase) and phrase.count(" ") < 3 else phrase


def _is_heading(sentence: str) -> bool:
    words = sentence.split()
    return 2 <= len(words) <= 30 and not _FINITE.search(sentence) and sentence.rstrip().endswith((" .", " ."))


def _weight(phrase: str, weights: Counter[str]) -> float:
    """Score up to 4: words the abstract repeats, and a length that says something."""
    terms = {term for term in content_terms(phrase) if term not in GENERIC}
    repeated = sum(min(weights[term], 4) - 1 for term in terms) / max(len(terms), 1)
    words = len(phrase.split())
    central = repeated if repeated > 0 else -1.0
    return central + (0.0 if words < 2 else 1.0 if words < 3 else 2.0)


def _is_vague(phrase: str, weights: Counter[str]) -> bool:
    words = phrase.lower().split()
    special = [weights[term] for word in words if word not in GENERIC for term in content_terms(word)]
    is_short = len(words) < 3 or sum(special) < 3 * max(len(special), 1)
    return len(words) < 4 and words[-1] in GENERIC and is_short


def _with_topic(ranked: list[str], weights: Counter[str]) -> Iterator[str]:
    """Yield `vague phrase: topic` for the topics that say most."""
    vague = ranked[0]
    topics = [
        phrase for phrase in ranked[1:12] if not set(phrase.lower().split()) & set(vague.lower().split())
    ]
    for topic in sorted(topics, key=lambda phrase: -_weight(phrase, weights)):
        if len(vague) + len(topic) + 2 <= MAX_LENGTH:
            yield f"{vague}: {topic}"


def phrase_at(text: str, start: int) -> str:
    """Return the noun phrase of `text` that begins at `start`, cut only where a phrase may end."""
    taken: list[str] = []
    best = 0
    for match in _WORD.finditer(_BASED.sub(r"-based", text) if "based" in text else text, start):
        word = match[0]
        lower = word.lower().strip(".?!")
        if not taken and (lower in LEADING or word in '“"‘('):
            continue
        # Dashes and the like do not count, so that their number needs a limit of its own.
        length = len(" ".join([*taken, word]).rstrip(_TRAILING_JUNK))
        if not _continues(lower, taken) or max(length, len(taken)) > MAX_LENGTH:
            best = _cut(taken, best) if _continues(lower, taken) else len(taken)
            break
        if lower in LINKS and taken and taken[-1].lower() not in LINKS | LEADING:
            best = len(taken)
        taken.append(word)
        if word.endswith((".", "?", "!")):
            best = len(taken)
            break
    else:
        best = len(taken)
    return _closed(taken[:best])


def _cut(taken: list[str], best: int) -> int:
    """Move a cut before `of` back where it would leave one bare word: `techniques for the detection`."""
    if best < len(taken) and taken[best].lower() != "of":
        return best
    links = [i for i in range(1, best) if taken[i].lower() in LINKS]
    if links and best - links[-1] <= 3 and links[-1] >= 2:
        return links[-1]
    return best


def _continues(lower: str, taken: list[str]) -> bool:
    if (
        not lower
        or (taken and lower in ("our", "this", "these"))
        or lower in ',;:()[]{}<>“”"‘|=—–'
        or lower in ENDERS
    ):
        return False
    if taken and taken[-1].lower() == "and" and (_is_verb(lower) or lower.endswith("ing")):
        return False
    return not (taken and taken[-1].lower() == "to" and (lower in VERBISH or lower not in LEADING))


def _is_verb(word: str) -> bool:
    return word in VERBISH or (word.endswith("s") and word[:-1] in VERBISH and word[:-1] not in NOUNS_TOO)


def _closed(words: list[str]) -> str:
    """Drop what cannot end a phrase: links, articles, a dangling adverb."""
    while words and (_cannot_end(words[-1].strip(_TRAILING_JUNK))):
        words = words[:-1]
    return " ".join(words).strip(_TRAILING_JUNK)


def _cannot_end(word: str) -> bool:
    loose = LINKS | LEADING | (VERBISH - NOUNS_TOO) | ENDERS
    is_participle = word.endswith("ed") and not word.endswith("eed") and len(word) > 4 and word.islower()
    return word.lower() in loose or word.endswith("ly") or is_participle or (len(word) < 2 and word.islower())


def _readable_as_name(phrase: str) -> bool:
    words = phrase.split()
    if not words or len(phrase) > MAX_LENGTH or not any(char.isalpha() for char in phrase):
        return False
    lower = words[0].lower()
    if lower in ENDERS or lower in LEADING or lower in VERBISH or lower in STOP_WORDS:
        return False
    says_nothing = all(word.lower() in GENERIC | LINKS | {"and"} for word in words)
    return len(words) > 1 and not says_nothing and not _TWO_PEOPLE.fullmatch(phrase)


def _runs(sentence: str) -> Iterator[str]:
    """Yield the runs of two to five words without a stop word, verb or mark between."""
    run: list[str] = []
    for match in [*_WORD.findall(sentence), "."]:
        word = match.lower().strip(".?!")
        if (
            word
            and word not in STOP_WORDS | ENDERS | LEADING | VERBISH
            and word[0].isalnum()
            and "ly" != word[-2:]
        ):
            run.append(match)
            if not match.endswith((".", "?", "!")):
                continue
        if 2 <= len(run) <= 5:
            yield " ".join(run).strip(_TRAILING_JUNK)
        run = []


def shortened(phrase: str, limit: int = MAX_LENGTH) -> str:
    """Return `phrase` cut to at most `limit` characters: between its parts, or else between words."""
    phrase = " ".join(phrase.split()).strip(_TRAILING_JUNK)
    if len(phrase) <= limit:
        return phrase
    if " " not in phrase[: limit + 1]:
        return phrase[:limit]
    words = phrase.split()
    size = most = len(phrase[: limit + 1].rsplit(" ", 1)[0].split())
    while size and _is_inside(words, size):
        size = _last_joint(words[:size])
    return _closed(words[: size or most]) or phrase[:limit]


def _is_inside(words: list[str], size: int) -> bool:
    """Tell whether words cut to the first `size` are cut within a part of the phrase."""
    following = words[size].lower().strip(_TRAILING_JUNK)
    if words[size - 1].endswith((",", ":", ";")):
        return False
    if following == "and":
        return size > 1 and words[size - 2].lower() in LINKS
    return following == "of" or following not in LINKS | ENDERS


def _last_joint(words: list[str]) -> int:
    """Return where the last part of a phrase begins, or 0 if too little would be left."""
    joints = [n for n, word in enumerate(words) if word.lower() in LINKS | ENDERS | {"and"}]
    joints += [n + 1 for n, word in enumerate(words) if word.endswith((",", ":", ";"))]
    last = max(joints, default=0)
    is_bare_head = last < 4 and last < len(words) and words[last].lower() == "of"
    return last if not is_bare_head and len(" ".join(words[:last])) >= MAX_LENGTH // 3 else 0
