"""Who does what to whom: are two things exchanged between the claim and the abstract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.text.words import fold_name
from rag.verify.alignment import SURE, Link
from rag.verify.comparing import exchanged_comparison, turned_comparison
from rag.verify.contrast import contrasted
from rag.verify.findings import Case, Finding
from rag.verify.lexicon import CLAUSE_STARTS
from rag.verify.polarity import clashes, turned
from rag.verify.reading import WEIGHTS, Reading, Word

_BE = frozenset("is are was were be been being gets get".split())
_GAP_IN_A_BLOCK = 4.0
_ARGUMENT = 4
_PAIRS = 4
# How far "to B" stands behind "from", and how many words B has, at most.
_WAY, _END = 9, 3
_JOINING = frozenset("while whereas but and".split())
_FRAMES = frozenset("for to in with on from by".split())
_OURS = frozenset("our ours we proposed".split())
_TURNING = frozenset("before after over".split())
_ARTICLES = frozenset("the a an its their our this these".split())
Counts = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring words of a claim that stand together in the abstract too."""

    words: tuple[int, ...]
    place: float


def exchanged_roles(case: Case) -> str:
    """Return what the abstract says when a verb of the claim has its two sides the other way round there."""
    for i, word in enumerate(case.claim.words):
        if not (word.weight == WEIGHTS["verb"] or word.lower in _TURNING):
            continue
        if not _governs(case.claim, i):
            continue
        same = [k for k in case.links[i] if k.sure >= SURE["form"] and case.within(k.at)]
        same = [k for k in same if case.abstract.words[k.at].weight == word.weight]
        told = [_sides(case, i, link) for link in same]
        crossed = [k for k, sides in zip(same, told, strict=True) if _roles_crossed(case, i, k, sides)]
        # What stands the same way round at another place is not exchanged.
        if crossed and not any(any(straight) and not any(across) for straight, across in told):
            return case.abstract.quote(*_edges(case, i, crossed[0].at))
    return ""


def _governs(reading: Reading, i: int) -> bool:
    """Tell whether a word could be a verb with an object: not "is lower", nor "filtering" with none."""
    word = reading.words[i]
    if word.lower in _TURNING:
        return True
    after = reading.words[i + 1] if i + 1 < len(reading.words) else None
    if word.lower.endswith("ing"):
        return (
            after is not None and after.clause == word.clause and (after.content or after.lower in _ARTICLES)
        )
    be = any(w.lower in _BE for w in reading.words[max(i - 2, 0) : i])
    return not be or _participle(word)


def _roles_crossed(case: Case, i: int, link: Link, sides: tuple[Counts, Counts]) -> bool:
    if not _governs(case.abstract, link.at):
        return False
    if _turned_voice(case, i, link) and not (_by_agent(case.claim, i) or _by_agent(case.abstract, link.at)):
        return False
    straight, crossed = sides
    return link.sign > 0 and not any(straight) and all(crossed)


def _turned_voice(case: Case, i: int, link: Link) -> bool:
    return _passive(case.claim, i) != _passive(case.abstract, link.at)


def _sides(case: Case, i: int, link: Link) -> tuple[Counts, Counts]:
    """Count what stands on the same side of a verb in claim and abstract, and on the other side."""
    ours = [_arguments(case.claim, i, step) for step in (-1, 1)]
    theirs = [_arguments(case.abstract, link.at, step) for step in (-1, 1)]
    left, right = (case.own(frozenset(a), frozenset(b)) for a, b in (ours, reversed(ours)))
    straight = case.count(left, theirs[0]), case.count(right, theirs[1])
    crossed = case.count(left, theirs[1]), case.count(right, theirs[0])
    return (crossed, straight) if _turned_voice(case, i, link) else (straight, crossed)


def _arguments(reading: Reading, i: int, step: int) -> list[int]:
    """Return the few words of meaning on one side of a verb, in its clause."""
    found: list[int] = []
    j = i + step
    while 0 <= j < len(reading.words) and len(found) < _ARGUMENT:
        outside = found and reading.words[j].clause != reading.words[found[0]].clause
        outside = outside or (step > 0 and reading.words[j].lower in CLAUSE_STARTS)
        if outside or reading.words[j].sentence != reading.words[i].sentence:
            break
        if reading.words[j].content:
            found.append(j)
        j += step
    return found


def _passive(reading: Reading, i: int) -> bool:
    words = reading.words
    by = any(w.lower == "by" for w in words[i + 1 : i + 4])
    be = any(w.lower in _BE for w in words[max(i - 2, 0) : i])
    return _participle(words[i]) and (by or be)


def _participle(word: Word) -> bool:
    return word.lower.endswith(("ed", "en", "wn", "ught", "uilt"))


def _by_agent(reading: Reading, i: int) -> bool:
    return any(word.lower == "by" for word in reading.words[i + 1 : i + 3])


def _edges(case: Case, i: int, at: int) -> tuple[int, int]:
    both = [*_arguments(case.abstract, at, -1), at, *_arguments(case.abstract, at, 1)]
    return min(both), max(both)


def exchanged_ends(case: Case) -> str:
    """Return what the abstract says when something goes "from B to A" there, and from A to B in the claim."""
    for ours in _ways(case.claim):
        for theirs in _ways(case.abstract):
            first, second = case.own(ours[0], ours[1]), case.own(ours[1], ours[0])
            moved = [j for j in first if case.count([j], theirs[1]) and not case.count([j], theirs[0])]
            back = [j for j in second if case.count([j], theirs[0]) and not case.count([j], theirs[1])]
            straight = case.count(first, theirs[0]) + case.count(second, theirs[1])
            if moved and back and straight < len(moved) + len(back):
                return case.abstract.quote(min(theirs[0]) - 1, max(theirs[1]))
    return ""


def _ways(reading: Reading) -> Iterator[tuple[list[int], list[int]]]:
    """Return the words of A and of B for each "from A to B"."""
    words = reading.words
    for i, word in enumerate(words):
        reach = [j for j in range(i + 1, min(i + _WAY, len(words))) if words[j].clause == word.clause]
        to = next((j for j in reach if words[j].lower in ("to", "into")), -1) if word.lower == "from" else -1
        first = [j for j in reach if j < to and words[j].content]
        second = [j for j in reach if to < j <= to + _END and words[j].content]
        if to > 0 and first and second:
            yield first, second


def other_subject(case: Case) -> str:
    """Return the name of which the nearest sentence says all that the claim says of another.

    Both must be names, and the claim's must stand elsewhere in the abstract.
    """
    contents = [i for i, word in enumerate(case.claim.words) if word.content]
    if not contents:
        return ""
    subject = case.claim.words[contents[0]]
    elsewhere = [k for k in case.links[contents[0]] if k.sure >= SURE["form"] and k.sign > 0]
    here = _sentence_at(case, case.best)
    if subject.weight < WEIGHTS["name"] or not elsewhere or fold_name(subject.lower) in case.known:
        return ""
    if any(k.at in here for k in elsewhere) or not all(_is_told(case, i, here) for i in contents[1:]):
        return ""
    head = next((case.abstract.words[i] for i in here if case.abstract.words[i].content), None)
    linked = {k.at for links in case.links for k in links}
    if head is None or head.weight < WEIGHTS["name"] or fold_name(head.lower) in case.known:
        return ""
    return "" if any(case.abstract.words[at] is head for at in linked) else head.written


def _is_told(case: Case, i: int, here: Sequence[int]) -> bool:
    return case.claim.words[i].weight < WEIGHTS["verb"] or any(k.at in here for k in case.links[i])


def _sentence_at(case: Case, sentence: int) -> list[int]:
    return [i for i, word in enumerate(case.abstract.words) if word.sentence == sentence]


def exchanged_blocks(case: Case) -> str:
    """Return what the abstract says when exchanging two phrases of the claim gives its order of words.

    The order of blocks must be the abstract's but for one exchange, with something between the two.
    """
    blocks = _blocks(case)
    order = sorted(range(len(blocks)), key=lambda b: blocks[b].place)
    moved = [b for b, other in enumerate(order) if b != other]
    if len(moved) != 2 or order[moved[0]] != moved[1] or moved[1] - moved[0] < 2:
        return ""
    between = [case.claim.words[i] for b in blocks[moved[0] + 1 : moved[1]] for i in b.words]
    verbs = [w for w in between if w.weight == WEIGHTS["verb"] or w.weight == 0]
    if not verbs and len(blocks) < 5:
        return ""
    if _passives(case.claim, None) != _passives(case.abstract, case.sentences):
        return ""
    positions = [_position(case, i) for b in (blocks[moved[0]], blocks[moved[1]]) for i in b.words]
    return case.abstract.quote(min(positions), max(positions))


def _passives(reading: Reading, sentences: Sequence[int] | None) -> bool:
    """Tell whether anything in some sentences is said in the passive."""
    return any(
        _passive(reading, i)
        for i, word in enumerate(reading.words)
        if sentences is None or word.sentence in sentences
    )


def _blocks(case: Case) -> list[Block]:
    blocks: list[Block] = []
    end = 0.0
    for i, word in enumerate(case.claim.words):
        if word.weight < WEIGHTS["verb"] and not _turning(case, i):
            continue
        position = _position(case, i)
        if position < 0:
            continue
        place = case.abstract.words[position].place
        if blocks and 0 < place - end <= _GAP_IN_A_BLOCK:
            blocks[-1] = Block((*blocks[-1].words, i), blocks[-1].place)
        elif not (blocks and place == end):
            blocks.append(Block((i,), place))
        end = place
    return blocks


def _turning(case: Case, i: int) -> bool:
    return case.claim.words[i].lower in ("before", "after", "over", "into", "from", "to") and bool(
        case.links[i]
    )


def _position(case: Case, i: int) -> int:
    """Return the only place in the sentences where a word of the claim stands; -1 if none or several."""
    found = [k for k in case.links[i] if case.within(k.at) and k.sign > 0]
    best = [k for k in found if k.sure >= 1.0] or found
    return best[0].at if len(best) == 1 else -1


def exchanged_subjects(case: Case) -> str:
    """Return what the abstract says when a claim of two parts gives each subject what the other has.

    "A is fast, while B is exact" against "A is exact, while B is fast".
    """
    for first, second in _subjects(case.claim, case.known):
        parts = _part(case.claim, first, second), _part(case.claim, second, len(case.claim.words))
        for places in _located(case, first, second):
            regions = _regions(case, *places)
            if _given_away(case, parts[0], parts[1], regions) and _given_away(
                case, parts[1], parts[0], regions[::-1]
            ):
                return case.abstract.quote(min(map(min, regions)), max(map(max, regions)))
    return ""


def _subjects(claim: Reading, known: frozenset[str]) -> list[tuple[int, int]]:
    """Return the first words of the two subjects of a claim that joins two statements."""
    words = claim.words
    joints = [i for i, word in enumerate(words) if word.lower in _JOINING and 2 < i < len(words) - 2]
    first = next((i for i, word in enumerate(words) if _can_be_subject(word, known)), -1)
    pairs = []
    for joint in joints:
        after = range(joint + 1, min(joint + 6, len(words)))
        second = next((i for i in after if _can_be_subject(words[i], known)), -1)
        # "… and beats B" goes on about the same subject.
        infinitive = words[joint + 1].lower == "to"
        if not infinitive and any(words[i].weight == WEIGHTS["verb"] for i in range(joint + 1, second)):
            continue
        if (
            0 <= first < joint
            and second > 0
            and _has_verb(claim, first, joint)
            and (
                _has_verb(claim, second, _statement_end(claim, second))
                or _same_frame(claim, first, joint, second)
            )
        ):
            pairs.append((first, second))
    return pairs


def _statement_end(claim: Reading, second: int) -> int:
    """Return where the statement about a second subject ends: at a mark or the next joining word."""
    words = claim.words
    inside = range(second + 1, len(words))
    ends = (i for i in inside if words[i].clause != words[second].clause or words[i].lower in _JOINING)
    return next(ends, len(words))


def _has_verb(claim: Reading, start: int, end: int) -> bool:
    return any(w.weight == WEIGHTS["verb"] or w.lower in _BE for w in claim.words[start + 1 : end])


def _same_frame(claim: Reading, first: int, joint: int, second: int) -> bool:
    """Tell whether a second statement leaves its verb out: "A is used for X and B for Y"."""
    one, other = ({w.lower for w in claim.words[a:b]} & _FRAMES for a, b in ((first, joint), (second, None)))
    return bool(one & other)


def _can_be_subject(word: Word, known: frozenset[str]) -> bool:
    return word.weight >= WEIGHTS["noun"] or word.lower in _OURS or fold_name(word.lower) in known


def _part(claim: Reading, start: int, end: int) -> list[int]:
    """Return the words of one statement, without its subject's own."""
    return [i for i in range(start + 1, end) if claim.words[i].content]


def _located(case: Case, first: int, second: int) -> list[tuple[int, int]]:
    """Return the places in the abstract of two subjects, where each has one."""
    one, other = _subject_places(case, first), _subject_places(case, second)
    return [(a, b) for a in one for b in other if a != b][:_PAIRS]


def _subject_places(case: Case, i: int) -> list[int]:
    word = case.claim.words[i]
    if word.lower in _OURS or fold_name(word.lower) in case.known:
        own = [
            j
            for j, w in enumerate(case.abstract.words)
            if case.within(j) and (w.lower in _OURS or fold_name(w.lower) in case.known)
        ]
        return own[:_PAIRS]
    return [k.at for k in case.links[i] if case.within(k.at) and k.sign > 0 and k.sure >= SURE["form"]]


def _regions(case: Case, one: int, other: int) -> tuple[list[int], list[int]]:
    """Return the words told of each subject: to the other or the sentence's end, or its whole sentence."""
    words = case.abstract.words
    if words[one].sentence != words[other].sentence:
        return _sentence(case, one), _sentence(case, other)
    early, late = min(one, other), max(one, other)
    regions = list(range(early, late)), [i for i in _sentence(case, late) if i >= late]
    return regions if one < other else regions[::-1]


def _sentence(case: Case, at: int) -> list[int]:
    words = case.abstract.words
    return [i for i, word in enumerate(words) if word.sentence == words[at].sentence]


def _given_away(
    case: Case, part: Sequence[int], other: Sequence[int], regions: Sequence[Sequence[int]]
) -> bool:
    """Tell whether a word said of one subject alone stands with the other subject alone."""
    shared = {case.claim.words[j].stem for j in other}
    own, others = frozenset(regions[0]), frozenset(regions[1])
    return any(
        case.claim.words[j].stem not in shared
        and case.claim.words[j].weight > WEIGHTS["generic"]
        and (
            places := [
                k.at for k in case.links[j] if k.sign > 0 and k.sure >= SURE["form"] and case.within(k.at)
            ]
        )
        and any(at in others for at in places)
        and not any(at in own for at in places)
        for j in part
    )


def check_order(case: Case) -> list[Finding]:
    """Return a finding where two things stand the other way round in the abstract."""
    told = exchanged_comparison(case)
    turned_too = turned_comparison(case)
    if told and (turned_too or any(c.opposite and turned(case, c) for c in clashes(case))):
        told = ""
    looks = (exchanged_ends, exchanged_roles, exchanged_blocks, exchanged_subjects)
    for look in looks[-1:] if turned_too else looks:
        told = told or look(case)
    if not told and (said := contrasted(case)):
        return [Finding("order", f"the abstract says this of something else: “{said}”")]
    if not told and (name := other_subject(case)):
        return [Finding("order", f"the abstract says this of {name}")]
    return [Finding("order", f"the abstract has it the other way round: “{told}”")] if told else []
