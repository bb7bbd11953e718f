"""Words that tell what a sentence states: what is hard, what is proposed, tried on, found or needed."""

from __future__ import annotations

import re


def _any(words: str, *phrases: str) -> re.Pattern[str]:
    """Return a pattern of words (`*` for any ending) and of phrases, which are patterns themselves."""
    parts = [word.replace("*", r"\w*") for word in words.split()]
    return re.compile(rf"\b(?:{'|'.join([*phrases, *parts])})\b", re.IGNORECASE)


PROBLEM = _any(
    "challeng* remain* limit* suffer* lack* difficult* costly expensive prohibitive* fail fails failure*"
    " problem* dilemma bottleneck* overlook* neglect* hard obstacle* unclear unknown gap* incur* struggl*"
    " unreliable inefficien* insufficien* barrier* tradeoff* degrad* poor* cannot rarely without ignor*"
    " little severe* untested instab* unstable burden*",
    r"high [\w\s]{0,25}(?:cost|usage|memory)",
    r"trade-offs?",
)
ADVERSATIVE = _any("however yet but nevertheless conversely although despite")
PROPOSES = _any(
    "propos* introduc* present* develop* devis* design* formulat* deriv* creat* build releas* construct*"
)
# Material that something is tried on, and things that are material only where something is tried.
_MATERIAL = (
    r"(?:data-?sets?|benchmarks?|corp(?:us|ora)|(?<!these )tasks?|suites?|competitions?|trials?"
    r"|cohorts?|simulators?|databases?|patients|participants|subjects|recordings|streams|settings on)"
)
_THINGS = (
    r"(?:environments?|images?|samples?|queries|domains?|documents|records|instances|models?|experiments?"
    r"|videos?)"
)
_PLACED = r"\b(?:on|across|over|in|from|using|with|spanning|comprising|containing|of)\s[^.;:]{0,70}?"
MATERIAL = re.compile(rf"{_PLACED}\b{_MATERIAL}\b", re.IGNORECASE)
THINGS = re.compile(rf"{_PLACED}\b{_THINGS}\b", re.IGNORECASE)
EVALUATES = re.compile(
    r"\b(?:experiments?|evaluat\w+|results|tested|trained?|validat\w+|simulations|pretrain\w*|collected"
    r"|conduct\w*|curated?|compris\w+|benchmark\w*|ablations?|achiev\w+|outperform\w*)\b[^.;]{0,80}?"
    r"\b(?:on|across|over|in|using|with|of|from)\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:\b(?:[Oo]n|[Aa]cross|[Ii]n|[Ff]rom|[Uu]sing)|,| and)\s(?:the\s)?[A-Z][\w+-]*[A-Z\d][\w+-]*"
)
OWN_DATA = re.compile(
    rf"{PROPOSES.pattern}[^.;]{{0,60}}\b(?:data-?sets?|benchmarks?|corp(?:us|ora)|suite)\b", re.IGNORECASE
)
DATA_ENDS = re.compile(
    r",?\s(?:show|demonstrate|indicate|confirm|reveal|suggest|validate|find|verify|support)s?\b"
)
BETTER = _any(
    "outperform* achiev* improv* reduc* surpass* exceed* match* reach* attain* superior state-of-the-art"
    " faster better higher lower increas* decreas* gain gains comparable competitive recover* prov* converge*"
    " guarantee* speedup*",
    "speed-ups?",
)
NEEDS = _any(
    "requir* need needs needing limitation* assum* overhead GPU unless whenever training-free",
    r"limited to|restricted to|at the (?:cost|expense|price) of|depends? on|rel(?:y|ies) on|cannot|does not",
    r"only (?:requires?|needs?|works?|holds?|when|if)|provided that|as long as|fails? (?:to|when|if)",
    r"under [\w\s-]{0,30}(?:assumptions?|budgets?|conditions?)|(?:no|zero) (?:additional|extra|further)",
    r"without (?:requiring|relying|the need|any|additional|full|further|access)",
    r"(?:peak|GPU) memory|memory (?:usage|overhead|footprint|cost|requirements?)",
    r"within (?:only )?\w+ (?:forward|passes)",
)
# What is needed stands at the end of a longer sentence: "… with zero additional peak memory overhead".
CONDITION = re.compile(
    r"\b(?:(?:with|at)\s)?(?:without (?:requiring|relying|the need|any|additional|full|further|access)"
    r"|(?:no|zero) (?:additional|extra|further)|at the (?:cost|expense|price) of"
    r"|under [\w\s-]{0,30}(?:assumptions?|budgets?|conditions?))\b",
    re.IGNORECASE,
)
PROPER_NAME = re.compile(r"(?<![\w-])(?:[A-Z][\w+-]*[A-Z\d][\w+-]*|[A-Z][a-z]+[A-Z]\w*)")
# "… works well, yet most methods are costly": what follows is the problem, if it says of what.
TURN = re.compile(r",\s(?:yet|but)\s(?!(?:it|its|they|their|this|these|those|that|such)\b)", re.IGNORECASE)
SHOWS = re.compile(
    r"\bwe\s+(?:\w+\s+){0,2}(?:show|prove|demonstrate|find|derive|establish|obtain|observe|identify)\b", re.I
)
ELSE = re.compile(r"^(?:in addition|moreover|furthermore|additionally|further|also|besides)\b", re.IGNORECASE)
OUTLOOK = re.compile(
    r"\b(?:(?:these|our|the|this) (?:\w+ )?(?:results?|findings?|work|analysis) (?:\w+ )?"
    r"(?:suggest|highlight|open|provide|offer|point|pave|emphasi[sz]e|demonstrate a path|underscore)"
    r"|step towards?|path towards?|opportunit|promising (?:direction|paradigm)|future (?:work|research))\w*",
    re.IGNORECASE,
)
