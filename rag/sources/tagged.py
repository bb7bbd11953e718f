"""A MEDLINE, EndNote or Web of Science export in, its lines tagged, a record for each reference out."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rag.domain import Notice, Record
from rag.sources import ends
from rag.sources.fields import Row, papers
from rag.sources.opening import Source, text_of
from rag.sources.ris import END, blocks


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How one program writes tags: where a reference begins, what a tagged line is, and what tags mean."""

    start: re.Pattern[str]
    tag: re.Pattern[str]
    meaning: Mapping[str, str]


_MEDLINE = _Dialect(
    re.compile(r"(?:^|\n)PMID- ?\d+"),
    re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)"),
    {
        "PMID": "pmid", "TI": "title", "AB": "abstract", "FAU": "authors", "AU": "short", "DP": "year",
        "JT": "venue", "TA": "journal", "LID": "doi", "AID": "doi", "OT": "keywords", "MH": "keywords",
    },
)  # fmt: skip
_ENDNOTE = _Dialect(
    re.compile(r"(?:^|\n)%0 \w"),
    re.compile(r"%([0-9A-Z@!~?*+>]) ?(.*)"),
    {
        "T": "title", "X": "abstract", "A": "authors", "D": "year", "J": "venue", "B": "journal", "R": "doi",
        "U": "url", "K": "keywords", "M": "id",
    },
)  # fmt: skip
_WEB_OF_SCIENCE = _Dialect(
    re.compile(r"(?:^|\n)PT [A-Z]\b"),
    re.compile(r"([A-Z][A-Z0-9])(?: (.*)|$)"),
    {
        "TI": "title", "AB": "abstract", "AF": "authors", "AU": "short", "PY": "year", "SO": "venue",
        "DI": "doi", "DE": "keywords", "UT": "id",
    },
)  # fmt: skip
_DIALECTS = (_MEDLINE, _ENDNOTE, _WEB_OF_SCIENCE)
_LISTS = frozenset(("authors", "short", "keywords", "doi", "url"))
_MOST_LINES = 5000


def detects(source: Source) -> bool:
    """Tell whether a reference begins near the start, with more tagged lines below it."""
    return _dialect(source.sample) is not None


def reads(source: Source) -> Iterator[Record | Notice]:
    """Yield the paper of each reference."""
    text, repairs = text_of(source)
    yield from repairs
    dialect = _dialect(text[:70_000]) or _MEDLINE
    yield from papers(_rows(text, dialect), source.name)
    yield from ends.cut(source.name, text, ends.in_a_reference(text, dialect.start, END))


def _dialect(sample: str) -> _Dialect | None:
    for dialect in _DIALECTS:
        found = dialect.start.search(sample)
        if found and found.start() < 500:
            lines = sample[found.start() : found.start() + 5000].split("\n")
            if sum(dialect.tag.match(line) is not None for line in lines) > 2:
                return dialect
    return None


def _rows(text: str, dialect: _Dialect) -> Iterator[Row]:
    for line, block in blocks(text, dialect.start):
        if block.count("\n") > _MOST_LINES:
            yield line, f"a reference of more than {_MOST_LINES:,} lines"
        else:
            yield line, _fields(_tagged(block, dialect), dialect)


def _tagged(block: str, dialect: _Dialect) -> Mapping[str, list[str]]:
    """Return the values of each tag; a line without a tag goes on with the one above."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    tag = ""
    for line in block.split("\n"):
        found = dialect.tag.match(line)
        if found:
            tag = found[1]
            values[tag].append((found[2] or "").strip())
        elif tag and line.strip():
            if dialect is _WEB_OF_SCIENCE and tag in ("AF", "AU"):
                values[tag].append(line.strip())
            else:
                values[tag][-1] = f"{values[tag][-1]} {line.strip()}".strip()
    return values


def _fields(values: Mapping[str, list[str]], dialect: _Dialect) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for tag, name in dialect.meaning.items():
        found = [value for value in values.get(tag, ()) if value]
        if found and name in _LISTS:
            fields.setdefault(name, []).extend(found)
        elif found:
            fields.setdefault(name, found[0])
    fields["doi"] = next((v for v in fields.get("doi", ()) if v.startswith("10.") and "[pii]" not in v), "")
    fields.setdefault("authors", fields.pop("short", []))
    fields.pop("short", None)
    if "pmid" in fields:
        fields.setdefault("url", f"https://pubmed.ncbi.nlm.nih.gov/{fields['pmid'].strip()}/")
    return fields
