"""Measure how many papers a second each reader gives: sources in, no embedding.

Use: .venv/bin/python bench/read_formats.py [--papers N]
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import random
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from rag.domain import Record
from rag.sources import read

WORDS = """
    model method data learning network graph training language image result show propose large small robust
    efficient accuracy baseline sample noise gradient kernel protein cell patient trial theorem bound proof
    query retrieval agent policy reward transformer attention token layer sparse dense causal private
    """.split()
Paper = dict[str, str]


def papers(number: int) -> list[Paper]:
    chance = random.Random(7)

    def sentence(words: int) -> str:
        return " ".join(chance.choices(WORDS, k=words)).capitalize()

    return [
        {
            "id": f"p{n}",
            "title": f"{sentence(7)} {n}",
            "abstract": " ".join(f"{sentence(18)}." for _ in range(9)),
            "first": f"Ada {sentence(1)}",
            "second": f"Alan {sentence(1)}",
            "year": str(2000 + n % 25),
            "venue": sentence(4),
            "doi": f"10.1234/{n}",
        }
        for n in range(number)
    ]


def as_json(found: list[Paper]) -> str:
    return json.dumps({"papers": [fields(p) for p in found]}, indent=1)


def as_lines(found: list[Paper]) -> str:
    return "".join(json.dumps(fields(p)) + "\n" for p in found)


def fields(p: Paper) -> dict[str, object]:
    plain = {name: p[name] for name in ("id", "title", "abstract", "year", "venue", "doi")}
    return {**plain, "authors": [{"name": p["first"]}, {"name": p["second"]}]}


def as_csv(found: list[Paper]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(found[0]))
    writer.writeheader()
    writer.writerows(found)
    return stream.getvalue()


def as_bibtex(found: list[Paper]) -> str:
    form = "@article{{{id},\n  title = {{{{{title}}}}},\n  author = {{{first} and {second}}},\n"
    form += "  year = {year},\n"
    form += "  journal = {{{venue}}},\n  doi = {{{doi}}},\n  abstract = {{{abstract}}}\n}}\n\n"
    return "".join(form.format(**p) for p in found)


def as_ris(found: list[Paper]) -> str:
    form = (
        "TY  - JOUR\nTI  - {title}\nAU  - {first}\nAU  - {second}\nPY  - {year}\nJO  - {venue}\nDO  - {doi}\n"
    )
    return "".join(f"{form}AB  - {{abstract}}\nER  - \n\n".format(**p) for p in found)


def as_medline(found: list[Paper]) -> str:
    form = "PMID- {year}\nTI  - {title}\nFAU - {first}\nFAU - {second}\nDP  - {year}\nJT  - {venue}\n"
    form += "AB  - {abstract}\n\n"
    return "".join(form.format(**p) for p in found)


def as_pubmed(found: list[Paper]) -> str:
    form = (
        "<PubmedArticle><MedlineCitation><PMID>{year}</PMID><Article><Journal><JournalIssue><PubDate><Year>{year}"
        "</Year></PubDate></JournalIssue><Title>{venue}</Title></Journal><ArticleTitle>{title}</ArticleTitle>"
        "<Abstract><AbstractText>{abstract}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>\n"
    )
    body = "".join(form.format(**p) for p in found)
    return f"<?xml version='1.0'?>\n<PubmedArticleSet>{body}</PubmedArticleSet>\n"


def as_atom(found: list[Paper]) -> str:
    form = (
        "<entry><id>http://arxiv.org/abs/2401.01234v1</id><published>{year}-01-01T00:00:00Z</published>"
        "<title>{title}</title><summary>{abstract}</summary><author><name>{first}</name></author></entry>\n"
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'>{''.join(form.format(**p) for p in found)}</feed>\n"


def as_list(found: list[Paper]) -> str:
    return "Papers\n\n" + "".join(f"{p['abstract']}\n\n" for p in found)


def as_markdown(found: list[Paper]) -> str:
    return "# Papers\n\n" + "".join(f"## {p['title']}\n\n{p['abstract']}\n\n" for p in found)


def zipped(text: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("papers.jsonl", text)
    return stream.getvalue()


def plain(text: str) -> bytes:
    return text.encode()


FORMATS: dict[str, tuple[Callable[[list[Paper]], str], Callable[[str], bytes]]] = {
    "JSON lines": (as_lines, plain),
    "JSON lines, gzipped": (as_lines, lambda text: gzip.compress(text.encode())),
    "JSON lines in a zip": (as_lines, zipped),
    "JSON": (as_json, plain),
    "CSV": (as_csv, plain),
    "BibTeX": (as_bibtex, plain),
    "RIS": (as_ris, plain),
    "MEDLINE": (as_medline, plain),
    "PubMed XML": (as_pubmed, plain),
    "arXiv feed": (as_atom, plain),
    "list": (as_list, plain),
    "Markdown with titles": (as_markdown, plain),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=5000)
    found = papers(parser.parse_args().papers)
    print("| format | papers a second | MB |\n|---|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "papers")
        for name, (written, packed) in FORMATS.items():
            path.write_bytes(packed(written(found)))
            began = time.perf_counter()
            number = sum(isinstance(item, Record) for item in read(path))
            rate = number / (time.perf_counter() - began)
            assert number == len(found), f"{name}: {number} of {len(found)}"
            print(f"| {name} | {rate:,.0f} | {path.stat().st_size / 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    main()
