"""Make claims from abstracts by rule, true and broken, and measure `rag.verify` on them; or fit its weights.

    python bench/claims.py --csabstruct DIR --beir DIR            measure
    python bench/claims.py --csabstruct DIR --beir DIR --fit      fit, and write the weights
    python bench/claims.py --claims FILE --papers LIST            measure on claims with their verdicts

LIST is a file of papers or a folder of such files.

DIR of CSAbstruct holds train.jsonl and dev.jsonl, DIR of BEIR one folder per data set with corpus.jsonl.
The set is made anew each time from a fixed seed, and is not kept.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.domain import Paper, Record, Sentence
from rag.embedders import Embedder, open_embedder
from rag.errors import SourceError
from rag.evidence.candidates import Candidate, candidate
from rag.papers import make_paper
from rag.papers.identity import paper_id
from rag.sources import find as find_sources
from rag.sources import read as read_source
from rag.text.quantities import quantities
from rag.text.sentences import spans
from rag.verify import judge as judging
from rag.verify.weights import FEATURES

ABSTRACTS, SEED = 420, 7
SHORTEST, LONGEST = 8, 32
WEIGHTS_FILE = Path(__file__).parent.parent / "rag" / "verify" / "weights.py"

# Replacements that keep the meaning; written for this script, so that the checker's own table is tested.
SYNONYMS = {
    "propose": "introduce",
    "proposes": "introduces",
    "present": "describe",
    "presents": "describes",
    "show": "demonstrate",
    "shows": "demonstrates",
    "demonstrate": "show",
    "approach": "method",
    "method": "technique",
    "methods": "approaches",
    "algorithm": "procedure",
    "outperforms": "beats",
    "outperform": "surpass",
    "improves": "enhances",
    "improve": "boost",
    "reduces": "lowers",
    "reduce": "decrease",
    "increases": "raises",
    "increase": "rise",
    "achieves": "attains",
    "achieve": "reach",
    "obtained": "acquired",
    "uses": "employs",
    "use": "utilize",
    "using": "by means of",
    "based on": "built on",
    "large": "big",
    "small": "little",
    "important": "crucial",
    "significant": "substantial",
    "significantly": "considerably",
    "problem": "task",
    "results": "findings",
    "experiments": "tests",
    "investigate": "examine",
    "study": "investigate",
    "evaluate": "assess",
    "performance": "quality",
    "fast": "quick",
    "efficient": "economical",
    "accurate": "precise",
    "novel": "new",
    "data set": "dataset",
    "several": "various",
    "many": "numerous",
    "requires": "needs",
    "require": "need",
    "allows": "lets",
    "enables": "makes possible",
    "compute": "calculate",
    "determine": "find",
    "construct": "build",
    "select": "choose",
    "users": "people",
    "images": "pictures",
    "errors": "mistakes",
    "cost": "expense",
    "difficult": "hard",
    "simple": "easy",
    "entire": "whole",
    "help": "aid",
    "start": "begin",
    "combines": "merges",
    "explore": "look into",
    "develop": "design",
    "analyze": "study",
}
OPPOSITES = {
    "increases": "decreases",
    "increase": "decrease",
    "increased": "decreased",
    "reduces": "increases",
    "reduce": "increase",
    "reduced": "increased",
    "improves": "worsens",
    "improve": "degrade",
    "improved": "degraded",
    "higher": "lower",
    "lower": "higher",
    "better": "worse",
    "faster": "slower",
    "more": "less",
    "less": "more",
    "larger": "smaller",
    "smaller": "larger",
    "high": "low",
    "low": "high",
    "outperforms": "underperforms",
    "simple": "complicated",
    "efficient": "inefficient",
    "robust": "fragile",
    "effective": "ineffective",
    "accurate": "inaccurate",
    "before": "after",
    "positive": "negative",
    "similar": "different",
    "supervised": "unsupervised",
    "successfully": "unsuccessfully",
}
OPENINGS = re.compile(
    r"^(?:In this (?:paper|article|work|study|letter),? |(?:Our"
    r"|The) (?:experimental )?results (?:show|demonstrate|indicate) that "
    r"|(?:We|Experiments) (?:also |further |then )?(?:show|demonstrate|find) that |(?:Moreover"
    r"|Furthermore|Finally|Additionally|"
    r"However|In addition|Specifically|In particular|First|Second|Then|Thus|Therefore|Hence),? )",
    re.IGNORECASE,
)
ADVERBS = re.compile(
    r"\b(?:very|also|then|extensively|successfully|efficiently|effectively|directly|automatically"
    r"|clearly|recently"
    r"|typically|generally|usually|often|further|substantially|greatly|highly) "
)
FRONTED = re.compile(
    r"^(?P<front>(?:In|On|For|With|Using|Under|By|At|From) [^,]{8,70}), (?P<main>[a-z][^,;:]+)\.?$"
)
PASSIVE = re.compile(
    r"^(?:We|The authors) (?P<verb>propose|present|introduce|describe|develop|evaluate|investigate"
    r"|study|consider|discuss)"
    r" (?P<what>(?:an?|the) [^,;:]+?)(?P<rest> (?:that|which|for|to|in|by|using|with) [^;:]+)?\.?$"
)
PARTICIPLES = {"study": "studied"}
FIGURES = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}
AUXILIARY = re.compile(r"\b(?P<aux>is|are|was|were|can|will|could|may|has been|have been)\b(?! not)")
VERB = re.compile(
    r"\b(?P<subject>[Ww]e|[a-z]+) (?P<verb>achieves?|outperforms?|improves?|reduces?|increases?"
    r"|requires?|allows?|enables?"
    r"|provides?|uses?|shows?|captures?|supports?|depends?|produces?|yields?)\b"
)
SWAPS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?P<head>.*?\b)(?P<a>(?:the |our |this "
        r"|an? )?(?:[\w-]+ ){0,2}[\w-]+) (?P<mid>(?:significantly |clearly |always )?"
        r"(?:outperforms?|surpass(?:es)?|exceeds?|precedes?|replaces?|causes?|leads? to|is followed by)) "
        r"(?P<b>(?:the |our |an? )?(?:[\w-]+ ){0,3}?[\w-]+)(?P<tail>[ ,.].*|)$",
        r"^(?P<head>.*?\b)(?P<a>(?:[\w-]+ )?[\w-]+) (?P<mid>rather than"
        r"|instead of) (?P<b>(?:[\w-]+ )?[\w-]+)(?P<tail>\b.*)$",
        r"^(?P<head>)(?P<a>(?:[\w-]+ ){1,3}?[\w-]+) (?P<mid>(?:is|are|was|were) (?:\w+ )?(?:more"
        r"|less|better|worse|higher|lower|"
        r"larger|smaller|faster"
        r"|slower)(?: \w+)?(?: \w+)? than) (?P<b>(?:[\w-]+ ){0,3}[\w-]+)(?P<tail>[.,].*|)$",
    )
)
NAME = re.compile(r"(?<![.!?] )(?<!^)\b(?:[A-Z][a-z]*[A-Z][\w-]*|[A-Z]{2,}[\w-]*|[A-Z][a-z]+\d+)\b")


MADE_COUNTS = 0.4
Rows = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim about a paper, with the right verdict and what was done to the sentence it was made from."""

    text: str
    paper: Paper
    verdict: str
    kind: str


@dataclass(frozen=True, slots=True)
class Base:
    """A sentence of a paper that claims are made from, and the whole library to borrow from."""

    text: str
    paper: Paper
    others: Sequence[Paper]
    chance: random.Random


# -- keep the meaning ---------------------------------------------------------------------------------


def reworded(base: Base) -> str | None:
    """Return the sentence in other words: synonyms, voice, order of clauses, fewer adverbs, numerals."""
    text = OPENINGS.sub("", base.text)
    text = ADVERBS.sub("", text)
    text = _passive(_reordered(text))
    text = _synonyms(text, base.chance)
    text = re.sub(r"\b[Ww]e\b", "the authors", text)
    text = _other_numerals(text)
    text = text[:1].upper() + text[1:]
    return text if text != base.text else None


def _reordered(text: str) -> str:
    match = FRONTED.match(text)
    return f"{match['main']} {match['front'][0].lower()}{match['front'][1:]}." if match else text


def _passive(text: str) -> str:
    match = PASSIVE.match(text)
    if not match:
        return text
    verb = match["verb"]
    participle = PARTICIPLES.get(verb) or (
        verb + "d" if verb.endswith("e") else verb + ("ed" if not verb.endswith("p") else "ed")
    )
    return f"{match['what'][0].upper()}{match['what'][1:]}{match['rest'] or ''} is {participle}."


def _synonyms(text: str, chance: random.Random) -> str:
    present = [w for w in SYNONYMS if re.search(rf"\b{w}\b", text)]
    for word in chance.sample(present, min(3, len(present))):
        text = re.sub(rf"\b{word}\b", SYNONYMS[word], text, count=1)
    return text


def _other_numerals(text: str) -> str:
    text = re.sub(r"(\d)\s?%", r"\1 percent", text)
    return re.sub(r"(?<![\w.,-])([2-9]|10)(?= [a-z])", lambda m: FIGURES[int(m[1])], text)


# -- break it -----------------------------------------------------------------------------------------


def number_changed(base: Base) -> str | None:
    """Change one number."""
    found = [q for q in quantities(base.text) if q.value >= 2 and not _YEAR(q.value)]
    if not found:
        return None
    q = base.chance.choice(found)
    written = base.text[q.start : q.end]
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", written)
    if digits:
        value = float(digits[0].replace(",", ""))
        new = (
            value * base.chance.choice((0.6, 0.75, 1.3, 1.5))
            if value > 10
            else value + base.chance.choice((2, 3))
        )
        places = len(digits[0].partition(".")[2])
        return base.text[: q.start] + written.replace(digits[0], f"{new:.{places}f}", 1) + base.text[q.end :]
    words = {word: value for value, word in FIGURES.items()}
    first = re.split(r"[\s-]", written.lower())[0]
    if first not in words:
        return None
    other = FIGURES[words[first] % 9 + 2]
    return (
        base.text[: q.start] + other + written[len(first) :] + base.text[q.end :] if other != first else None
    )


def _YEAR(value: float) -> bool:
    return 1800 <= value <= 2100


def number_moved(base: Base) -> str | None:
    """Put another number of the abstract, of the same unit, in the place of one."""
    here = [q for q in quantities(base.text) if q.value >= 2]
    there = [q for q in quantities(base.paper.text) if q.value >= 2]
    pairs = [
        (one, other)
        for one in here
        for other in there
        if one.unit == other.unit
        and one.value != other.value
        and one.noun != other.noun
        and not _YEAR(other.value)
    ]
    if not pairs:
        return None
    one, other = base.chance.choice(pairs)
    return base.text[: one.start] + base.paper.text[other.start : other.end] + base.text[one.end :]


def names_swapped(base: Base) -> str | None:
    """Exchange two names where the sentence compares them or gives each a number."""
    if not re.search(
        r"\b(?:than|over|outperform\w*|respectively|whereas|while|instead|against|from|to)\b", base.text
    ):
        return None
    names = list({m[0]: m for m in NAME.finditer(base.text)}.values())
    if len(names) < 2 or re.search(r"\band\b|\bor\b|,", base.text[names[0].end() : names[1].start()]):
        return None
    first, second = names[0][0], names[1][0]
    return re.sub(
        rf"\b(?:{re.escape(first)}|{re.escape(second)})\b",
        lambda m: second if m[0] == first else first,
        base.text,
    )


def order_swapped(base: Base) -> str | None:
    """Exchange the two sides of a comparison or a cause."""
    for pattern in SWAPS:
        match = pattern.match(base.text.rstrip("."))
        if match and not set(match["a"].lower().split()) & set(match["b"].lower().split()):
            one, other = match["b"], match["a"]
            return f"{match['head']}{one} {match['mid']} {other}{match['tail']}."
    return None


def negated(base: Base) -> str | None:
    """Put in a negation, or take one out."""
    if " not " in base.text:
        return base.text.replace(" does not ", " does ").replace(" do not ", " do ").replace(" not ", " ", 1)
    if " without " in base.text:
        return base.text.replace(" without ", " with ", 1)
    if match := AUXILIARY.search(base.text):
        return base.text[: match.end()] + " not" + base.text[match.end() :]
    if (match := VERB.search(base.text)) and match["subject"].lower() not in ("to", "and", "that"):
        plural = match["subject"].lower() == "we" or match["subject"].endswith("s")
        verb = match["verb"] if plural else match["verb"].removesuffix("s")
        return (
            base.text[: match.start("verb")]
            + f"{'do' if plural else 'does'} not {verb}"
            + base.text[match.end() :]
        )
    return None


def direction_turned(base: Base) -> str | None:
    """Put the opposite of one word in its place."""
    present = [w for w in OPPOSITES if re.search(rf"\b{w}\b", base.text)]
    if not present:
        return None
    word = base.chance.choice(present)
    return re.sub(rf"\b{word}\b", OPPOSITES[word], base.text, count=1)


def other_thing(base: Base) -> str | None:
    """Put a noun phrase of another abstract in the place of one."""
    phrase = re.compile(
        r"(?:(?<=the )|(?<=for )|(?<=with )|(?<=via ))([a-z]{5,} [a-z]{5,}s?)(?= (?:and|for|in|of"
        r"|to|is|are|that)\b|[,.])"
    )
    here = list(phrase.finditer(base.text))
    other = base.chance.choice(base.others)
    there = [
        m for m in phrase.finditer(other.text) if not any(w[:5] in base.paper.text for w in m[0].split())
    ]
    if not here or not there:
        return None
    one, borrowed = base.chance.choice(here), base.chance.choice(there)
    return base.text[: one.start()] + borrowed[0] + base.text[one.end() :]


def other_paper(base: Base) -> str | None:
    """Leave the sentence; it is held against another paper."""
    return base.text


BROKEN: dict[str, Callable[[Base], str | None]] = {
    "number_changed": number_changed,
    "number_moved": number_moved,
    "names_swapped": names_swapped,
    "order_swapped": order_swapped,
    "negated": negated,
    "direction_turned": direction_turned,
    "other_thing": other_thing,
    "other_paper": other_paper,
}
AT_MOST = 70


def make_claims(papers: Sequence[Paper]) -> list[Claim]:
    """Return claims made from the papers' sentences: each reworded once, and broken where a rule fits."""
    chance = random.Random(SEED)
    made: list[Claim] = []
    count: Counter[str] = Counter()
    for paper in papers:
        for text in _usable(paper):
            base = Base(text, paper, papers, chance)
            true = reworded(base)
            if true and count["reworded"] < 6 * AT_MOST:
                made.append(Claim(true, paper, "supported", "reworded"))
                count["reworded"] += 1
            for kind, rule in sorted(BROKEN.items(), key=lambda item: count[item[0]]):
                false = rule(base) if count[kind] < AT_MOST else None
                if false and false != text:
                    text_of = reworded(Base(false, paper, papers, chance)) or false
                    made.append(Claim(text_of, paper, "unsupported", kind))
                    count[kind] += 1
                    break
                if kind == "other_paper" and count[kind] < AT_MOST:
                    made.append(Claim(true or text, chance.choice(papers), "unsupported", kind))
                    count[kind] += 1
                    break
    return made


def _usable(paper: Paper) -> Iterator[str]:
    for start, end in spans(paper.text)[1:]:
        text = paper.text[start:end].strip()
        if (
            SHORTEST <= len(text.split()) <= LONGEST
            and text[:1].isupper()
            and "(" not in text
            and text.endswith(".")
        ):
            yield text


# -- the papers ---------------------------------------------------------------------------------------


def abstracts(csabstruct: Path | None, beir: Path | None) -> list[Paper]:
    """Return papers from CSAbstruct and from BEIR folders, mixed."""
    texts: list[str] = []
    if csabstruct:
        for file in sorted(csabstruct.glob("*.jsonl")):
            texts += [" ".join(json.loads(line)["sentences"]) for line in file.open(encoding="utf-8")]
    if beir:
        for file in sorted(beir.glob("*/corpus.jsonl")):
            texts += [_tidy(json.loads(line)["text"]) for line in list(file.open(encoding="utf-8"))[:400]]
    random.Random(SEED).shuffle(texts)
    chosen = [t for t in texts if len(t) > 400][:ABSTRACTS]
    return [Paper(paper_id(t), f"paper {i}", t) for i, t in enumerate(chosen)]


def _tidy(text: str) -> str:
    """Give text that was broken into words its capitals and marks back."""
    text = re.sub(r"\s+([.,;:)])", r"\1", text).replace("( ", "(")
    return re.sub(r"(^|[.] )([a-z])", lambda m: m[1] + m[2].upper(), text)


def listed(claims: Path, papers: Path) -> list[Claim]:
    """Return the claims of a JSON lines file with `claim`, `source`, `verdict` and `kind`."""
    by_source = _by_source(papers)
    found = []
    with claims.open(encoding="utf-8") as lines:
        rows = [(number, json.loads(line)) for number, line in enumerate(lines, 1) if line.strip()]
    for number, row in rows:
        lacking = [key for key in ("claim", "source", "verdict", "kind") if key not in row]
        if lacking:
            raise SystemExit(f"{claims}, line {number}: nothing under {', '.join(lacking)}")
        if row["source"] not in by_source:
            raise SystemExit(f"{claims}, line {number}: no paper {row['source']} in {papers}")
        found.append(Claim(row["claim"], by_source[row["source"]], row["verdict"], row["kind"]))
    return found


def _by_source(papers: Path) -> dict[str, Paper]:
    """Return the papers of a file, or of each file of a folder, by their sources."""
    taken: set[str] = set()
    by_source: dict[str, Paper] = {}
    top = papers if papers.is_dir() else papers.parent
    try:
        read = [r for file in find_sources([papers]) for r in read_source(file, str(file.relative_to(top)))]
    except SourceError as error:
        raise SystemExit(f"{papers}: {error}") from error
    for record in (r for r in read if isinstance(r, Record)):
        paper = make_paper(record, taken)
        taken.add(paper.name)
        by_source.update(dict.fromkeys(paper.sources, paper))
    return by_source


def prepared(paper: Paper, embedder: Embedder) -> Candidate:
    """Split and embed a paper."""
    sentences = [Sentence(paper.id, i, a, b) for i, (a, b) in enumerate(spans(paper.text))]
    vectors = embedder.embed_documents([paper.text[s.start : s.end] for s in sentences])
    return candidate(paper, sentences, vectors, vectors[:1])


# -- measuring and fitting ----------------------------------------------------------------------------


def measure(claims: Sequence[Claim], embedder: Embedder) -> None:
    """Print accuracy by kind, the confusion table and the time a claim takes."""
    if not claims:
        raise SystemExit(
            "there are no claims to measure: name --claims and --papers, or --csabstruct, --beir"
        )
    ready = {p.id: prepared(p, embedder) for p in {c.paper.id: c.paper for c in claims}.values()}
    vectors = [embedder.embed_query(c.text) for c in claims]
    # The first look at a paper reads its abstract; what is told below is the time of the second.
    for claim, vector in zip(claims, vectors, strict=True):
        judging.judge(claim.text, ready[claim.paper.id], vector)
    started = time.perf_counter()
    found = [judging.judge(c.text, ready[c.paper.id], v) for c, v in zip(claims, vectors, strict=True)]
    took = (time.perf_counter() - started) / max(len(claims), 1) * 1e3
    right, total, table = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for claim, judgement in zip(claims, found, strict=True):
        right[claim.kind] += judgement.verdict == claim.verdict
        total[claim.kind] += 1
        table[claim.verdict, judgement.verdict] += 1
    for kind in total:
        print(f"{kind:36} {right[kind]:4}/{total[kind]:<4} {right[kind] / total[kind]:.2f}")
    print(f"{'all':36} {sum(right.values()):4}/{len(claims):<4} {sum(right.values()) / len(claims):.3f}")
    verdicts = ("supported", "partial", "unsupported")
    print("\nright ↓  said →   " + "  ".join(f"{v:>11}" for v in verdicts))
    for row in ("supported", "unsupported"):
        print(f"{row:17} " + "  ".join(f"{table[row, v]:11}" for v in verdicts))
    print(f"\n{took:.2f} ms a claim beyond the embedding")


def fit(made: Sequence[Claim], hand: Sequence[Sequence[Claim]], embedder: Embedder) -> None:
    """Fit logistic weights and write them; print what they do on each hand-written set left out in turn."""
    made_rows = _rows(made, embedder)
    sets = [_rows(claims, embedder) for claims in hand]
    for held, rows in enumerate(sets):
        weights = _logistic([*(r for i, r in enumerate(sets) if i != held)], made_rows)
        said = rows[0] @ weights[:-1] + weights[-1] >= 0
        missed = float((~said & (rows[1] > 0)).sum() / rows[1].sum())
        right = float((said == (rows[1] > 0)).mean())
        print(f"set {held}: right {right:.3f}, supported called unsupported {missed:.2f}")
    w = _logistic(sets, made_rows)
    text = WEIGHTS_FILE.read_text("utf-8")
    numbers = ", ".join(f"{value:.3f}" for value in w[:-1])
    text = re.sub(r"(?m)^WEIGHTS = .*$", f"WEIGHTS = ({numbers})", text)
    text = re.sub(r"(?m)^BIAS = .*$", f"BIAS = {w[-1]:.3f}", text)
    WEIGHTS_FILE.write_text(text, "utf-8")
    print(dict(zip((*FEATURES, "bias"), w.round(3), strict=True)))


def _rows(claims: Sequence[Claim], embedder: Embedder) -> Rows:
    """Return the features of claims, `(n, features)`, and 1 for each that is supported."""
    ready = {p.id: prepared(p, embedder) for p in {c.paper.id: c.paper for c in claims}.values()}
    rows = []
    for claim in claims:
        case, support = judging.prepare(claim.text, ready[claim.paper.id], embedder.embed_query(claim.text))
        found = [f for _, layer in judging.LAYERS for f in layer(case)]
        rows.append(judging.features(case, support, found))
    return np.array(rows), np.array([float(c.verdict == "supported") for c in claims])


def _logistic(sets: Sequence[Rows], made: Rows) -> NDArray[np.float64]:
    """Fit by Newton's method on standardised features; a claim made by rule counts less than a written one.

    Return weights for the features as they are, and the bias last.
    """
    rows = np.concatenate([made[0], *(r for r, _ in sets)])
    y = np.concatenate([made[1], *(labels for _, labels in sets)])
    counts = np.concatenate(
        [np.full(len(made[1]), MADE_COUNTS), *(np.ones(len(labels)) for _, labels in sets)]
    )
    mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    x = np.column_stack([(rows - mean) / scale, np.ones(len(rows))])
    w = np.zeros(x.shape[1])
    ridge = np.diag([1.0] * (x.shape[1] - 1) + [0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (counts * (p - y)) + ridge @ w
        hessian = (x * (counts * p * (1 - p))[:, None]).T @ x + ridge
        w -= np.linalg.solve(hessian, gradient)
    raw = w[:-1] / scale
    return np.append(raw, w[-1] - raw @ mean)


def main(arguments: Sequence[str]) -> None:
    """Make or read the claims, then measure or fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name in ("csabstruct", "beir", "claims", "papers"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--fit", nargs="*", metavar="PAPERS=CLAIMS", help="hand-written sets to fit on")
    options = parser.parse_args(arguments)
    if options.claims and not options.papers:
        parser.error("--claims needs --papers, the file or folder its sources name")
    embedder = open_embedder("minilm")
    if options.claims:
        measure(listed(options.claims, options.papers), embedder)
        return
    claims = make_claims(abstracts(options.csabstruct, options.beir))
    if options.fit is None:
        measure(claims, embedder)
        return
    pairs = [pair.split("=") for pair in options.fit]
    fit(claims, [listed(Path(written), Path(papers)) for papers, written in pairs], embedder)


if __name__ == "__main__":
    main(sys.argv[1:])
