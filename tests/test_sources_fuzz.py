"""Any bytes, and valid files with changes, give records and notices or an error in words, in bounded time."""

from __future__ import annotations

import gzip
import json
import random
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.domain import Notice, Record
from rag.errors import SourceError
from rag.papers import make_paper
from rag.sources import FORMATS, read
from rag.text.markup import plain
from tests.test_sources_archives import PAPERS, zipped
from tests.test_sources_bibtex import LIBRARY
from tests.test_sources_json import ARXIV, CROSSREF, OPENALEX, OPENREVIEW
from tests.test_sources_pdf import pdf
from tests.test_sources_tables import table
from tests.test_sources_tagged import ENDNOTE, MEDLINE, RIS, WEB_OF_SCIENCE
from tests.test_sources_xml import ATOM, BILLION_LAUGHS, PUBMED

SEEDS: dict[str, bytes] = {
    "list": f"# A\n\n{'We try. ' * 20}\n\n## B\n\n1. {'We win! ' * 20}\n\nTitle: x\nAbstract: y\n".encode(),
    "json": json.dumps([OPENREVIEW, OPENALEX, CROSSREF], indent=1).encode(),
    "jsonl": f"{json.dumps(ARXIV)}\n{json.dumps(ARXIV)}\n".encode(),
    "table": table([["title", "abstract", "year"], ["A", "We try, " * 20, "2020"]]).encode(),
    "bibtex": LIBRARY.encode(),
    "ris": RIS.encode(),
    "tagged": MEDLINE.encode(),
    "endnote": ENDNOTE.encode(),
    "wos": WEB_OF_SCIENCE.encode(),
    "pubmed": PUBMED.encode(),
    "laughs": BILLION_LAUGHS.encode(),
    "atom": ATOM.encode(),
    "pdf": pdf(),
    "gzip": gzip.compress(PAPERS.encode()),
    "zip": zipped(("a.json", PAPERS), ("b.bib", LIBRARY)),
}
INSERTS = [
    b"{",
    b"}",
    b"[",
    b'"',
    b"\\",
    b",",
    b"\n",
    b"\x00",
    b"\xff",
    b"<",
    b"&",
    b"@a{",
    b"TY  - ",
    b"#",
    b"\r",
    b" " * 50,
]
MOST_SECONDS = 5.0
MOST_MEMORY = 60e6


def outcome(path: Path, form: str = "") -> None:
    """Read a file as any program would; fail if it takes long or raises what is not told in words."""
    began = time.process_time()
    try:
        found = list(read(path, form=form))
    except SourceError as error:
        assert error.reason
    else:
        assert found and all(isinstance(item, Record | Notice) for item in found)
        for item in found:
            if isinstance(item, Record):
                assert item.source.startswith(path.name) and item.text and make_paper(item).id
    assert time.process_time() - began < MOST_SECONDS


def changed(data: bytes, chance: random.Random) -> bytes:
    """Return the data with a few bytes cut out, put in, doubled or overwritten."""
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((1, 3, 20, 400)))
        data = chance.choice(
            (
                data[:at] + data[end:],
                data[:at] + chance.choice(INSERTS) + data[at:],
                data[:end] + data[at:],
                data[:at] + chance.randbytes(end - at) + data[end:],
                data[:at] or data,
            )
        )
    return data


@pytest.mark.slow
@pytest.mark.parametrize("form", ["", *(form.name for form in FORMATS)])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.one_of(
        st.binary(max_size=3000), st.text(max_size=2000).map(lambda t: t.encode("utf-8", "replace"))
    )
)
def test_any_bytes_as_any_format(tmp_path: Path, form: str, data: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(data)
    outcome(path, form)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEEDS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_changed_files(tmp_path: Path, kind: str, seed: int) -> None:
    chance = random.Random(seed)
    data = changed(SEEDS[kind], chance)
    if chance.random() < 0.2:
        data = gzip.compress(data)
    elif chance.random() < 0.2:
        data = zipped(("x", data))
    path = tmp_path / "changed"
    path.write_bytes(data)
    outcome(path)


@pytest.mark.parametrize("kind", SEEDS)
def test_a_few_changed_files(tmp_path: Path, kind: str) -> None:
    for seed in range(15):
        path = tmp_path / "changed"
        path.write_bytes(changed(SEEDS[kind], random.Random(seed)))
        outcome(path)


HOSTILE = {
    "open braces": b"@article{" + b"{" * 200_000,
    "many entries": b"@a{" * 100_000,
    "spaces before an entry": b"@article{a, title={x" + b"\n" + b" " * 100_000 + b"@" * 2000,
    "quotes": b'title,abstract\n"' + b'""' * 200_000,
    "one long word": b"x" * 2_000_000,
    "headings": b"# a\n" * 100_000,
    "numbers": b"1. a\n" * 100_000,
    "labels": b"Title: a\nAbstract: b\n" * 50_000,
    "tags": b"TY  - JOUR\n" * 50_000,
    "tags of one": b"TY  - JOUR\n" + b"AU  - a\n" * 100_000,
    "pmids": b"PMID- 1\nTI  - a\nAB  - b\n" * 30_000,
    "ampersands": b'{"title": "a", "abstract": "' + b"&" * 100_000 + b'"}',
    "commas": b'{"title": "a", "authors": "'
    + b"a b, " * 100_000
    + b'", "abstract": "'
    + b"we try " * 20
    + b'"}',
    "index": b'{"title": "a", "abstract_inverted_index": {"a": [' + b"1," * 200_000 + b"999999999]}}",
    "lines": b'{"a":1}\n' * 100_000,
    "dollars": b'{"title": "' + b"$a$ " * 400 + b'", "abstract": "' + b"$x_{1}$ " * 2000 + b'"}',
    "elements": b"<PubmedArticleSet>" + b"<PubmedArticle/>" * 100_000,
    "attributes": b"<feed xmlns='http://www.w3.org/2005/Atom' " + b"a='1' " * 50_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_files_made_to_take_long(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(HOSTILE[kind])
    outcome(path)


@pytest.mark.parametrize(
    "raw",
    ["<" * 20_000, "<i " * 7000, "&" * 20_000, "&amp;" * 4000, "<title>" * 3000, "Ã" * 20_000, "<!--" * 5000],
)
def test_markup_made_to_take_long(raw: str) -> None:
    began = time.process_time()
    plain(raw)
    assert time.process_time() - began < 2


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    line = json.dumps({"title": "A", "abstract": "We try this and that. " * 50})
    with path.open("w") as file:
        file.writelines(f"{line}\n" for _ in range(100_000))
    tracemalloc.start()
    try:
        count = sum(1 for _ in read(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 100_000 and peak < MOST_MEMORY
