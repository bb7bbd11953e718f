"""Measure how well papers that are one are told from papers that only look alike, on pairs made for it.

    .venv/bin/python bench/duplicates.py COLLECTION.jsonl … [--each N] [--wrong]

A collection is a file of JSON lines: `sentences` (CSAbstruct), or `title` and `text` (BEIR). Every pair is
made from its abstracts by a rule that says whether the two are one paper; the draw is seeded. The first ones
of all pairs are stored in a library, then the second of each is looked up in it, as an ingest would.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rag.domain import Chunk, Paper, Sentence
from rag.embedders import EmbedderIdentity
from rag.ledger import Ledger, PreparedPaper
from rag.papers.identity import paper_id
from rag.text.latex import readable
from rag.twins import Twins

SEED = 11
LEAST_WORDS = 60
AUTHORS = ("Ada Lovelace", "Emmy Noether", "Kurt Gödel")
LICENCES = (
    "© 2019 Elsevier B.V. All rights reserved.",
    "Copyright (c) 2021 by the authors. This article is licensed under a CC BY 4.0 licence.",
    "(C) 2015 The Authors. Published by Wiley.",
    "Copyright © 2008 IEEE. Personal use of this material is permitted.",
)


@dataclass(frozen=True)
class Text:
    """An abstract with its title, from a collection or made up."""

    title: str
    text: str


@dataclass(frozen=True)
class Pair:
    """Two papers, and whether they are one."""

    rule: str
    one: Paper
    two: Paper
    same: bool


def words(text: str) -> list[str]:
    return text.split()


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text.strip())


def paper(text: Text, titled: bool = False, **more: object) -> Paper:
    plain, title = readable(text.text), text.title if titled else ""
    values = {"name": paper_id(plain, title), "original": text.text, "title": title, **more}
    return Paper(id=paper_id(plain, title), text=plain, **values)  # type: ignore[arg-type]


# -- one paper, written twice ---------------------------------------------------------------------


def latex(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    marks = ("\\emph{{{}}}", "\\textbf{{{}}}", "{{\\it {}}}", "\\textsc{{{}}}")
    out = []
    for word in words(a.text.replace("%", "\\%").replace(" - ", " -- ")):
        plain = re.fullmatch(r"[A-Za-z]{4,}", word) and rng.random() < 0.12
        number = re.fullmatch(r"\d+", word) and rng.random() < 0.7
        out.append(rng.choice(marks).format(word) if plain else f"${word}$" if number else word)
    return paper(a), paper(replace(a, text=" ".join(out)))


def case_and_marks(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    text = a.text.upper() if rng.random() < 0.3 else a.text.lower() if rng.random() < 0.5 else a.text
    text = text.replace(",", " ,").replace("-", rng.choice(["-", "‐", " "])).replace("'", "’")
    return paper(a), paper(
        replace(a, text=text.replace(". ", " . ") if rng.random() < 0.5 else text.replace(";", ","))
    )


def cut_short(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    keep = max(25, int(len(words(a.text)) * rng.uniform(0.35, 0.85)))
    cut = " ".join(words(a.text)[:keep])
    end = rng.choice(["...", "…", "", " [truncated]"])
    return paper(a), paper(replace(a, text=(cut[:-2] if rng.random() < 0.5 else cut) + end))


def typos(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    return paper(a), paper(replace(a, text=" ".join(_mistyped(w, rng) for w in words(a.text))))


def _mistyped(word: str, rng: random.Random) -> str:
    if rng.random() > 0.04 or not re.fullmatch(r"[a-z]{5,}[.,]?", word):
        return word
    at = rng.randrange(1, len(word) - 3)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return rng.choice([swapped, word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]])


def other_title(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    changed = rng.choice([f"{a.title}: an extended study", a.title.upper(), b.title, f"On {a.title.lower()}"])
    return paper(a, True), paper(replace(a, title=changed), True)


def licence(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    line = rng.choice(LICENCES)
    return paper(a), paper(replace(a, text=f"{a.text} {line}" if rng.random() < 0.8 else f"{line} {a.text}"))


def tags(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    text = a.text.replace("&", "&amp;").replace(" < ", " &lt; ")
    text = re.sub(r"\b([A-Z][a-z]{3,})\b", r"<i>\1</i>", text, count=3)
    whole = rng.choice(
        ["<p>{}</p>", "<jats:p>{}</jats:p>", "<jats:title>Abstract</jats:title><jats:p>{}</jats:p>"]
    )
    return paper(a), paper(replace(a, text=whole.format(text)))


def label(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    return paper(a), paper(
        replace(a, text=f"{rng.choice(['Abstract: ', 'ABSTRACT. ', 'Summary — '])}{a.text}")
    )


def revised(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    parts = sentences(a.text)
    if len(parts) < 6:
        return None
    parts.pop(rng.randrange(1, len(parts) - 1))
    return paper(a), paper(replace(a, text=" ".join([*parts, "Our code and data are available online."])))


def arxiv_versions(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    parts = sentences(a.text)
    if len(parts) < 4:
        return None
    text = " ".join([*parts[1:], "It improves on the first version by 12.5 points."])
    number = f"2{rng.randrange(100, 400)}.{rng.randrange(10000, 99999)}"
    one = paper(a, extra={"arxiv": f"{number}v1"})
    forms: list[dict[str, object]] = [
        {"extra": {"arxiv": f"{number}v2"}},
        {"url": f"https://arxiv.org/abs/{number}v3"},
        {"doi": f"10.48550/arxiv.{number}"},
    ]
    return one, paper(replace(a, text=text), **rng.choice(forms))


def same_doi(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    parts = sentences(a.text)
    if len(parts) < 5:
        return None
    text = " ".join([*parts[: len(parts) // 2], *sentences(b.text)[-1:]])
    doi = f"10.1000/{rng.randrange(10**6)}"
    return paper(a, True, doi=doi), paper(replace(a, text=text), doi=doi)


def same_title_rewritten(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    parts = sentences(a.text)
    if len(parts) < 5:
        return None
    rng.shuffle(parts)
    return paper(a, True), paper(replace(a, text=" ".join(parts[:-1]), title=f"{a.title.upper()}."), True)


def preprint_and_published(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    one = paper(a, True, doi="10.48550/arxiv.2401.0" + str(rng.randrange(1000, 9999)), venue="arXiv")
    return one, paper(
        replace(a, text=a.text + " Code is available."), True, doi=f"10.1109/{rng.randrange(10**6)}"
    )


# -- two papers that look alike -------------------------------------------------------------------


def follow_up(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    head = words(a.text)[: int(len(words(a.text)) * rng.uniform(0.2, 0.6))]
    return paper(a), paper(replace(a, text=" ".join([*head, *words(b.text)[15:]])))


def other_number(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    # A number in square brackets is a citation.
    found = list(re.finditer(r"(?<![\w.,\[])\d+(?:\.\d+)?(?![^\[]*\])(?![\w,])", a.text))
    if not found:
        return None
    match = rng.choice(found)
    changed = str(round(float(match[0]) * rng.choice([2, 3]) + 1, 1)).removesuffix(".0")
    return paper(a), paper(replace(a, text=a.text[: match.start()] + changed + a.text[match.end() :]))


def other_count(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    found = list(re.finditer(r"\b(?:two|three|four|five|six|seven|eight|ten)\b", a.text))
    if not found:
        return None
    match = rng.choice(found)
    changed = "nine" if match[0] != "nine" else "six"
    return paper(a), paper(replace(a, text=a.text[: match.start()] + changed + a.text[match.end() :]))


def other_name(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    names = re.findall(r"(?<=[a-z,] )([A-Z][\w-]*[A-Z]\w*|[A-Z][a-z]{4,})\b", a.text)
    if not names:
        return None
    name = rng.choice(names)
    made = rng.choice([f"{name}-Cap", f"{name}2", "QuorzNet", f"Delta{name}"])
    return paper(a), paper(replace(a, text=re.sub(rf"\b{re.escape(name)}\b", made, a.text)))


def own_system(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    one, two = rng.sample(["EVA", "EVA-0", "EVA-Cap", "Eva2", "EVAL", "EvaNet"], 2)
    return tuple(  # type: ignore[return-value]
        paper(
            replace(a, text=f"We propose {name}, a method for this problem. {a.text} In short, {name} works.")
        )
        for name in (one, two)
    )


def same_title_only(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    title = rng.choice(["Introduction to the special issue", "Editorial: recent advances", a.title])
    return paper(replace(a, title=title), True), paper(replace(b, title=title), True)


def same_authors(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    more = {"authors": AUTHORS, "year": 2020, "venue": "NeurIPS"}
    return paper(a, True, **more), paper(b, True, **more)


def wrong_doi(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    doi = f"10.1000/{rng.randrange(10**6)}"
    return paper(a, True, doi=doi), paper(b, rng.random() < 0.5, doi=doi)


def boilerplate(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    text = "No abstract is available for this entry; please see the article itself, or the publisher's page."
    return paper(Text(a.title, text), True), paper(Text(b.title, text), True)


def another_paper(a: Text, b: Text, rng: random.Random) -> tuple[Paper, Paper] | None:
    return paper(a), paper(b)


Rule = Callable[[Text, Text, random.Random], "tuple[Paper, Paper] | None"]
SAME: tuple[Rule, ...] = (
    latex, case_and_marks, cut_short, typos, other_title, licence, tags, label, revised, arxiv_versions,
    same_doi, same_title_rewritten, preprint_and_published,
)  # fmt: skip
APART: tuple[Rule, ...] = (
    follow_up, other_number, other_count, other_name, own_system, same_title_only, same_authors, wrong_doi,
    boilerplate, another_paper,
)  # fmt: skip


def read(path: Path) -> Iterator[Text]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = " ".join(row["sentences"]) if "sentences" in row else row["text"]
        text = " ".join(text.split())
        # Where a collection has no titles, the first words stand for one.
        title = (row.get("title") or " ".join(words(text)[:9])).strip(" .")
        if len(words(text)) >= LEAST_WORDS and len(title) > 20:
            yield Text(title, text)


def made(texts: list[Text], each: int) -> list[Pair]:
    """Return up to `each` pairs of every rule, as abstracts fit; no abstract is used twice."""
    rng = random.Random(SEED)
    rng.shuffle(texts)
    left = iter(texts)
    pairs: list[Pair] = []
    for rule in (*SAME, *APART):
        count = tries = 0
        while count < each and tries < 8 * each:
            tries += 1
            a, b = next(left, None), next(left, None)
            if a is None or b is None:
                raise SystemExit("too few abstracts for so many pairs; give more, or a smaller --each")
            two = rule(a, b, rng)
            if two is not None and (rule in SAME or two[0].id != two[1].id):
                pairs.append(Pair(rule.__name__, *two, same=rule in SAME))
                count += 1
    return pairs


def stored(one: Paper) -> PreparedPaper:
    vector = np.ones((1, 1), dtype=np.float32)
    span = (Sentence(one.id, 0, 0, len(one.text)),)
    return PreparedPaper(one, span, (Chunk(one.id, 0, 0, len(one.text), 1),), vector, vector)


def judged(pairs: list[Pair]) -> Iterator[tuple[Pair, str, str]]:
    """Yield each pair with the id its second paper is taken for, or "", and why."""
    with tempfile.TemporaryDirectory() as folder, Ledger.open(folder, "write") as ledger:
        ledger.set_identity(EmbedderIdentity("none", 1, "none"))
        ledger.add([stored(pair.one) for pair in pairs])
        twins = Twins(ledger)
        for pair in pairs:
            if pair.one.id == pair.two.id:
                yield pair, pair.one.id, "the same id"
                continue
            found = twins.find(pair.two)
            best = next((match for match in found if match.comparison.same), None)
            closest = next((m for m in found if m.paper.id == pair.one.id), None)
            why = closest.comparison if closest else None
            told = f"{why.score:.2f} {why.why}" if why else "not among those that come near"
            other = f"; taken for: {best.paper.text[:200]}" if best and best.paper.id != pair.one.id else ""
            yield pair, best.paper.id if best else "", told + other


def report(results: list[tuple[Pair, str, str]], wrong: bool) -> None:
    right: Mapping[str, list[bool]] = defaultdict(list)
    hits = merges = positives = 0
    for pair, taken, why in results:
        correct = taken == pair.one.id if pair.same else not taken
        right[pair.rule].append(correct)
        positives += pair.same
        merges += bool(taken)
        hits += pair.same and taken == pair.one.id
        if wrong and not correct:
            print(f"\n{pair.rule}: {why}\n  {pair.one.text[:300]}\n  {pair.two.text[:300]}")
    print(f"\n{len(results)} pairs: precision {hits / max(merges, 1):.3f}, recall {hits / positives:.3f}")
    for rule, outcomes in right.items():
        print(f"  {rule:<24}{sum(outcomes):>4} of {len(outcomes)} right")


def main() -> None:
    """Read the command line and print precision and recall."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collections", type=Path, nargs="+")
    parser.add_argument("--each", type=int, default=15, help="pairs of each rule")
    parser.add_argument("--wrong", action="store_true", help="show the pairs that are judged wrongly")
    args = parser.parse_args()
    texts = [text for path in args.collections for text in read(path)]
    report(list(judged(made(texts, args.each))), args.wrong)


if __name__ == "__main__":
    main()
