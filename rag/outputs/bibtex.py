"""BibTeX output: papers come in, entries with unique keys go out."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Literal

from rag.citing import family_name
from rag.domain import Paper
from rag.outputs.printable import one_line

Kind = Literal["misc", "inproceedings", "article"]
_CONTAINERS: Mapping[Kind, str] = {
    "misc": "howpublished",
    "inproceedings": "booktitle",
    "article": "journal",
}
ESCAPES: Mapping[str, str] = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{mark: "\\" + mark for mark in "&%$#_{}"},
}
_BRACES: Mapping[str, str] = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
_SPECIAL = re.compile("[" + re.escape("".join(ESCAPES)) + "]")
_PREPRINT = re.compile(r"\b(?:arxiv|biorxiv|medrxiv|preprint|corr)\b", re.IGNORECASE)
# What says that a venue is a meeting; of those known by letters, the ones that read like journals.
_MEETING = re.compile(
    r"\b(?:(?i:proc(?:eedings|\.)?|conference|conf\.|symposium|workshop|meeting|congress|colloquium)"
    r"|NeurIPS|NIPS|ICML|ICLR|AAAI|IJCAI|UAI|AISTATS|COLT|CVPR|ICCV|ECCV|WACV|BMVC|N?A?E?A?ACL|EMNLP|CoNLL"
    r"|COLING|LREC|INTERSPEECH|ICASSP|KDD|SIGIR|CIKM|WSDM|WWW|RecSys|ECIR|ICRA|IROS|CoRL|RSS|CHI|UIST"
    r"|SIGMOD|VLDB|ICDE|OSDI|SOSP|NSDI|USENIX|ISCA|MICRO|ASPLOS|PLDI|POPL|ICSE|FSE|STOC|FOCS|SODA|MICCAI)\b",
)
_VALID_KEY = re.compile(r"[^\W_][\w.:/+-]{0,199}")
_KEY_CHARACTERS = re.compile(r"[^A-Za-z0-9]+")


def papers_bibtex(papers: Iterable[Paper]) -> str:
    """Return one entry for each paper; keys are unique ignoring case.

    A paper keeps the key of the file it came from; others get one of plain letters and digits.
    """
    papers = list(papers)
    counts = Counter(_own_key(paper).casefold() for paper in papers)
    own = [key if counts[key.casefold()] == 1 else "" for key in map(_own_key, papers)]
    taken = {key.casefold() for key in own if key}
    given: Counter[str] = Counter()
    keys = (key or _unique(_key(paper), taken, given) for paper, key in zip(papers, own, strict=True))
    return "\n".join(_entry(paper, key) for paper, key in zip(papers, keys, strict=True))


def escaped(text: str) -> str:
    """Return text on one line that BibTeX and LaTeX show as it is."""
    line = one_line(text)
    # BibTeX counts braces, also those behind a backslash.
    marks = ESCAPES if _is_balanced(line) else {**ESCAPES, **_BRACES}
    return _SPECIAL.sub(lambda match: marks[match.group()], line)


def _is_balanced(text: str) -> bool:
    depths = list(accumulate((char == "{") - (char == "}") for char in text if char in "{}"))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _entry(paper: Paper, key: str) -> str:
    kind = kind_of(paper.venue)
    container = _CONTAINERS[kind]
    fields = "".join(f",\n  {name} = {{{value}}}" for name, value in _fields(paper, container))
    return f"@{kind}{{{key}{fields}\n}}\n"


def kind_of(venue: str) -> Kind:
    """Return the type of an entry, by where the paper appeared."""
    if not venue or _PREPRINT.search(venue):
        return "misc"
    return "inproceedings" if _MEETING.search(venue) else "article"


def _fields(paper: Paper, container: str) -> Iterator[tuple[str, str]]:
    # The inner braces keep the capitals of names such as EVA-0.
    yield "title", f"{{{escaped(paper.title or paper.name)}}}"
    if paper.authors:
        # A whole name in braces is not split at a comma or an "and" inside it.
        yield "author", " and ".join(_author(author) for author in paper.authors)
    if paper.venue:
        yield container, escaped(paper.venue)
    if paper.year is not None:
        yield "year", str(paper.year)
    for name, value in (("doi", paper.doi), ("url", paper.url)):
        if value:
            yield name, _verbatim(value)
    keywords = paper.extra.get("keywords")
    if isinstance(keywords, (list, tuple)) and keywords:
        yield "keywords", ", ".join(escaped(str(keyword)) for keyword in keywords)
    if paper.source:
        yield "note", escaped(paper.source)
    yield "abstract", escaped(paper.text)


def _author(author: str) -> str:
    text = escaped(author)
    return f"{{{text}}}" if re.search(r"\band\b", text, re.IGNORECASE) or text.count(",") > 2 else text


def _verbatim(value: str) -> str:
    return re.sub(r"[\s{}\\]", "", one_line(value))


def _own_key(paper: Paper) -> str:
    """Return the key a paper has in the user's file, if it may stand in BibTeX: a manuscript cites it."""
    key = str(paper.extra.get("source_id") or "").strip()
    return key if _VALID_KEY.fullmatch(key) and any(c.isalpha() for c in key) and "//" not in key else ""


def _key(paper: Paper) -> str:
    words = (_family_name(paper), "" if paper.year is None else str(paper.year), paper.name)
    key = "".join(_ascii(word) for word in words)
    # Of a name in another script no more than the year may be left, which many papers share.
    return key if any(char.isalpha() for char in key) else f"paper{_ascii(paper.id)}"


def _family_name(paper: Paper) -> str:
    return family_name(paper.authors[0]) if paper.authors else ""


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return _KEY_CHARACTERS.sub("", plain)[:40]


def _unique(key: str, taken: set[str], given: Counter[str]) -> str:
    """Return the key, numbered on from where those `given` before have come to."""
    folded = key.casefold()
    candidate = key
    while candidate.casefold() in taken:
        given[folded] += 1
        candidate = f"{key}x{given[folded] + 1}"
    taken.add(candidate.casefold())
    return candidate
