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
    r"(?:environments?|images?|samples?|queries|domains?|documents|records|instances|experiments?|videos?|tiles"
    r"|tokens|sites|plots|colonies|volunteers|sentences|hours|users|students|participants|species|fragments)"
)
_PLACED = r"\b(?:on|across|over|in|at|from|using|with|spanning|comprising|containing|of)\s[^.;:]{0,70}?"
MATERIAL = re.compile(rf"{_PLACED}\b{_MATERIAL}\b", re.IGNORECASE)
THINGS = re.compile(rf"{_PLACED}\b{_THINGS}\b", re.IGNORECASE)
EVALUATES = re.compile(
    r"\b(?:experiments?|evaluat\w+|results|tested|trained?|validat\w+|simulations|pretrain\w*|collected"
    r"|conduct\w*|curated?|compris\w+|benchmark\w*|ablations?|achiev\w+|outperform\w*|attain\w*|obtain\w*|reach\w*|score[sd]?)\b[^.;]{0,80}?"
    r"\b(?:on|across|over|in|using|with|of|from)\b",
    re.IGNORECASE,
)
OWN_DATA = re.compile(
    rf"{PROPOSES.pattern}[^.;]{{0,60}}\b(?:data-?sets?|benchmarks?|corp(?:us|ora)|suite)\b", re.IGNORECASE
)
DATA_ENDS = re.compile(
    r",?\s(?:show|demonstrate|indicate|confirm|reveal|suggest|validate|find|verify|support)s?\b"
)
BETTER = _any(
    "outperform* achiev* improv* reduc* surpass* exceed* match* reach* attain* obtain* superior faster"
    " better state-of-the-art higher lower increas* decreas* gain gains comparable competitive recover*"
    " prov* converge* guarantee* speedup* surviv* rose fell kept doubled halved twice agreed covered"
    " explain*",
    r"speed-ups?|\w+ times (?:more|less|as)|(?:more|less|fewer) \w+ than|compared (?:to|with)",
)
# What is measured: a figure beside one of these is a result, whatever the verb.
METRIC = _any(
    "accuracy precision recall auc auroc map miou bleu rouge f1 rmse mae perplexity ndcg dice psnr fid wer"
    " odds correlation throughput survival error errors rate rates",
    r"f1[ -]scores?|percentage points?",
)
NEEDS = _any(
    "needs needing limitation* unless overestimat* underestimat* faded",
    r"(?<!without )(?<!not )(?:requires?|requiring|required)",
    r"needs? (?!for\b)|limited (?:to|by)|restricted to|at the (?:cost|expense|price) of|depends? on",
    r"cannot|fails? (?:to|when|if|where|on|for)|does not (?:generali[sz]e|scale|work|extend|apply|hold)",
    r"only (?:requires?|needs?|works?|holds?|when|if)|provided that|under the assumption",
    r"assum(?:es|ing)|(?:is|are|was|were) (?:slow|slower|costly|expensive|limited)",
    r"takes? (?:\w+ ){0,2}\d[\d.,]* ?(?:GPUs?|TPUs?|hours?|days?|GB)|\d+ ?(?:GB|GPUs?|TPUs?)",
    r"under [\w\s-]{0,30}(?:assumptions?|budgets?|conditions?)",
)
# What another paper needs is no need of this one.
OF_OTHERS = re.compile(
    r"\b(?:unlike|in contrast to|compared (?:to|with)|whereas)\b[^,;]*(?:,\s*which[^,;]*)?,?", re.I
)
# A condition stands beside the main clause: "under a fixed budget, …".
CONDITION = re.compile(
    r"\b(?:at the (?:cost|expense|price) of|under [\w\s-]{0,30}(?:assumptions?|budgets?|conditions?))\b"
    r"[^,;.]*",
    re.IGNORECASE,
)
DENIES = re.compile(
    r"\b(?:do|does|did|is|are) not\b|\bno (?:new|limitations?)\b|^(?:unlike|no)\b", re.IGNORECASE
)
# "We cut …", "we exposed …": what was done, whatever the verb, but for verbs of finding and thinking.
DOES = re.compile(
    r"\bwe\s+(?:\w+ly\s+|then\s+|also\s+|first\s+)?(?!show|find|found|prove|demonstrat|observ|believ|argu|hope|know"
    r"|discuss|conclud|not|do|did|are|were|can|also|further|then)[a-z]{2,}",
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
    r"\b(?:provides? the [\w-]+ community"
    r"|(?:these|our|the|this) (?:\w+ )?(?:results?|findings?|work|analysis) (?:\w+ )?"
    r"(?:suggest|highlight|open|provide|offer|point|pave|emphasi[sz]e|demonstrate a path|underscore)"
    r"|step towards?|path towards?|opportunit|promising (?:direction|paradigm)|future (?:work|research))\w*",
    re.IGNORECASE,
)
_NAMES = r"(?:[A-Z][\w+-]*[A-Z\d][\w+-]*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{3,}[\w-]*)"
# "… on CIFAR-10 and ImageNet", but not "… and not on WMT14" nor "… gains over FOA".
_ON_NAMES = re.compile(
    rf"(?<!not )\b(?:[Oo]n|[Aa]cross|[Ii]n|[Ff]rom|[Uu]sing|[Ww]ith)\s+(?:the\s+|a\s+|both\s+)?"
    rf"(?P<names>{_NAMES}(?:(?:,\s*(?:and\s+)?|\s+and\s+|&){_NAMES})*)"
)


def named_data(text: str) -> set[str]:
    """Return the names of what a text says something was tried on: GSM8K, ImageNet-C."""
    return {name for found in _ON_NAMES.finditer(text) for name in re.findall(_NAMES, found["names"])}
