"""Files in, records and notices out: one module per format, one line each in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rag.domain import Notice, Record
from rag.errors import SourceError, UnknownFormat, UsageError
from rag.sources import (
    archives,
    atom,
    bibtex,
    json_lines,
    json_records,
    lists,
    pdf,
    pubmed,
    ris,
    tables,
    tagged,
)
from rag.sources.decoding import refuse_binary
from rag.sources.finding import exists as exists
from rag.sources.finding import find as find
from rag.sources.finding import is_folder as is_folder
from rag.sources.finding import is_pattern as is_pattern
from rag.sources.opening import MAX_BYTES as MAX_BYTES
from rag.sources.opening import Source, opened, too_large, unreadable

# Lines are read one by one, so that a file of them may be large.
MAX_LINES_BYTES = 50 * 1024**3
_HINT = "docs/how-to.md lists the formats that can be read."
_STRANGE = "not a file of papers that can be read here."
# Text of other kinds, which is never a list of abstracts.
_OTHER_SUFFIXES = frozenset(
    """
    .html .htm .xhtml .py .js .ts .c .h .cpp .java .rs .go .r .yaml .yml .toml .ini .cfg .log .sql .css .sh
    .svg    .xml .rss .ipynb .tex .cls .sty .bst .aux .lock
    """.split()
)


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: how to tell it by its beginning, else by the ending of its name, and how to read it."""

    name: str
    label: str
    suffixes: frozenset[str]
    detects: Callable[[Source], bool]
    reads: Callable[[Source], Iterator[Record | Notice]]
    most_bytes: int = MAX_BYTES


def _ends(*suffixes: str) -> frozenset[str]:
    return frozenset(suffixes)


FORMATS: tuple[Format, ...] = (
    Format("pdf", "a PDF", _ends(".pdf"), pdf.detects, pdf.reads),
    Format("pubmed", "PubMed XML", _ends(), pubmed.detects, pubmed.reads),
    Format("atom", "an arXiv feed", _ends(".atom"), atom.detects, atom.reads),
    Format(
        "jsonl",
        "JSON lines",
        _ends(".jsonl", ".ndjson"),
        json_lines.detects,
        json_lines.reads,
        MAX_LINES_BYTES,
    ),
    Format("json", "JSON", _ends(".json"), json_records.detects, json_records.reads),
    Format("bibtex", "BibTeX", _ends(".bib", ".bibtex"), bibtex.detects, bibtex.reads),
    Format("ris", "RIS", _ends(".ris"), ris.detects, ris.reads),
    Format(
        "tagged", "tagged lines", _ends(".nbib", ".enw", ".medline", ".ciw"), tagged.detects, tagged.reads
    ),
    Format("table", "a table", _ends(".csv", ".tsv", ".tab"), tables.detects, tables.reads),
    Format("list", "a list of abstracts", _ends(), lists.detects, lists.reads),
)
"""In this order a file is looked at; the first whose `detects` knows it reads it."""


def read(path: Path, name: str = "", form: str = "") -> Iterator[Record | Notice]:
    """Yield the records of the file at `path`, and a notice for each item skipped or repaired.

    `name` stands before the `#` of every record's source; by default the file's own name. `form` is the name
    of a format the file is read as, whatever it looks like. The files of a zip archive are read in turn.

    Raises SourceError for a file that cannot be read or holds no abstract, UnknownFormat for one of another
    kind.
    """
    name = name or path.name
    try:
        whole = opened(path, name)
        if not form and archives.detects(whole):
            yield from _members(whole)
        else:
            yield from _one(whole, _chosen(whole, form))
    except OSError as error:
        raise unreadable(name, error) from error
    except SourceError as error:
        raise error if error.source else type(error)(error.reason, source=name, hint=error.hint) from error


def check(path: Path, name: str, form: str = "") -> None:
    """Look at the beginning of the file at `path`, called `name`, to see whether it can be read.

    Raises SourceError if it is no file, empty or too large, UnknownFormat if it is of another kind.
    """
    whole = opened(path, name)
    if form or not archives.detects(whole):
        _chosen(whole, form)


def _one(source: Source, form: Format) -> Iterator[Record | Notice]:
    """Read one file; a file that gives neither a paper nor a reason is an error."""
    papers = skipped = False
    for item in form.reads(source):
        papers = papers or isinstance(item, Record)
        skipped = skipped or (isinstance(item, Notice) and item.skipped)
        yield item
    for fault in source.faults:
        yield Notice(source.name, 0, fault, kind="unreadable")
    if not papers and not source.faults:
        is_list = form.name == "list"
        kind = SourceError if skipped or is_list else UnknownFormat
        reason = "no abstract found in it" + ("" if is_list else f", read as {form.label}")
        raise kind(f"{reason}.", source=source.name, hint=_HINT)


def _members(archive: Source) -> Iterator[Record | Notice]:
    """Read the files of an archive; what is in it but cannot be read is told, and the rest goes on."""
    papers = skipped = False
    for item in _items(archive):
        papers = papers or isinstance(item, Record)
        skipped = skipped or (isinstance(item, Notice) and item.skipped)
        yield item
    if not papers:
        kind = SourceError if skipped else UnknownFormat
        raise kind("no abstract found in this archive.", source=archive.name, hint=_HINT)


def _items(archive: Source) -> Iterator[Record | Notice]:
    for member in archives.members(archive):
        if isinstance(member, Notice):
            yield member
            continue
        try:
            yield from _one(member, _chosen(member))
        except SourceError as error:
            yield Notice(member.name, 0, error.reason, skipped=not isinstance(error, UnknownFormat))


def _chosen(source: Source, name: str = "") -> Format:
    """Return the format to read a source with; raise UnknownFormat or SourceError if there is none."""
    form = _named(name) if name else _detected(source)
    if source.size > form.most_bytes:
        raise too_large(source.name, source.size, form.most_bytes)
    return form


def _named(name: str) -> Format:
    found = next((form for form in FORMATS if form.name == name), None)
    if found is None:
        raise UsageError(
            f"there is no format {name!r}", hint=f"Give one of: {', '.join(f.name for f in FORMATS)}."
        )
    return found


def _detected(source: Source) -> Format:
    """Return the first format that knows the content, else the one the ending of the name tells."""
    is_other = source.suffix in _OTHER_SUFFIXES
    # A program or a log may hold a paragraph of prose too.
    known = (form for form in FORMATS if not (is_other and form.name == "list"))
    found = next((form for form in known if form.detects(source)), None)
    if found is not None:
        return found
    try:
        refuse_binary(source.head)
    except UnknownFormat as error:
        raise UnknownFormat(error.reason, source=source.name, hint=_HINT) from error
    found = next((form for form in FORMATS if source.suffix in form.suffixes), None)
    if found is None and not is_other:
        found = _named("list")
    if found is None or _is_web_page(source):
        raise UnknownFormat(_STRANGE, source=source.name, hint=_HINT)
    return found


def _is_web_page(source: Source) -> bool:
    return source.sample[:2000].lstrip().lower().startswith(("<!doctype html", "<html"))
