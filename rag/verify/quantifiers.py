"""Does the claim say all where the abstract says some: quantifiers, and "only"."""

from __future__ import annotations

from collections.abc import Sequence

from rag.verify.alignment import SURE
from rag.verify.findings import Case, Finding
from rag.verify.lexicon import ALL, HIGH, LOW, NUMBER_WORDS, SOME
from rag.verify.negation import signs
from rag.verify.reading import WEIGHTS, Reading

# "Per sample" is "for each sample".
_PER = frozenset(("per",))
_ONLY = frozenset("only merely solely exclusively".split())


def check_quantifiers(case: Case) -> list[Finding]:
    """Return a finding where one side says all or most and the other, of the same thing, few or only some."""
    for i, word in enumerate(case.claim.words):
        for claimed, against in ((ALL, SOME), (HIGH, LOW), (LOW, HIGH)):
            if word.lower in claimed and signs(case.claim).sign[i] > 0:
                said = _quantified(case, i, against, claimed)
                if said:
                    return [Finding("quantifier", f"the abstract says “{said}”, not “{word.lower}”")]
    return []


def check_only(case: Case) -> list[Finding]:
    """Return a finding where the abstract says "only exact search" and the claim has another search."""
    for i, word in enumerate(case.claim.words[1:], 1):
        kind = case.claim.words[i - 1]
        if word.weight < WEIGHTS["noun"] or kind.weight < WEIGHTS["noun"] or kind.clause != word.clause:
            continue
        start = i - 1
        for link in (k for k in case.links[i] if k.sure >= SURE["form"] and case.within(k.at)):
            only = _before_noun(case.abstract, link.at, _ONLY, reach=4)
            own = range(only + 1, link.at)
            if only < 0 or not own or not all(case.abstract.words[j].content for j in own):
                continue
            linked = {k.at for links in case.links for k in links}
            missing = not any(
                case.abstract.words[k.at].sentence == case.abstract.words[only].sentence
                for k in case.links[start]
            )
            if missing and not linked & set(own):
                said = case.abstract.quote(only, link.at)
                return [
                    Finding("quantifier", f"the abstract says “{said}”, not “{case.claim.quote(start, i)}”")
                ]
    return []


def _quantified(case: Case, i: int, against: frozenset[str], claimed: frozenset[str]) -> str:
    for link in (k for j in _following(case.claim, i) for k in case.links[j] if case.within(k.at)):
        other = _before_noun(case.abstract, link.at, against)
        if link.sign > 0 and other >= 0 and _before_noun(case.abstract, link.at, claimed | _PER) < 0:
            return case.abstract.quote(other, link.at)
    return ""


def _before_noun(reading: Reading, at: int, table: frozenset[str], reach: int = 6) -> int:
    """Return the position of a word of `table` in the few words before another, in its clause; -1 if none."""
    for k in range(at - 1, max(at - reach - 1, -1), -1):
        if reading.words[k].clause != reading.words[at].clause:
            return -1
        if reading.words[k].lower in table and not _counts(reading, k):
            return k
    return -1


def _counts(reading: Reading, k: int) -> bool:
    """Tell whether "only" says how many: "only two passes" are no part of the passes."""
    after = reading.words[k + 1].lower
    return reading.words[k].lower == "only" and (after in NUMBER_WORDS or after[:1].isdigit())


def _following(claim: Reading, i: int) -> Sequence[int]:
    return [j for j in range(i + 1, min(i + 4, len(claim.words))) if claim.words[j].content]
