"""JSON documents and JSON lines: whose fields they are, where the papers lie, what is broken in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.domain import Notice, Record
from rag.errors import SourceError, UnknownFormat
from rag.papers import make_paper
from rag.sources import read
from rag.sources.json_lines import MAX_LINE
from tests.reading import ALPHA, BETA, items, records, told

OPENREVIEW = {
    "notes": [
        {
            "id": "aB3xY",
            "forum": "aB3xY",
            "cdate": 1695440000000,
            "content": {
                "title": {"value": "Alpha: a method"},
                "authors": {"value": ["Ada Lovelace", "Alan Turing"]},
                "abstract": {"value": ALPHA},
                "keywords": {"value": ["methods", "firsts"]},
                "venue": {"value": "ICLR 2024 poster"},
            },
        }
    ],
    "count": 1,
}
CONFERENCE = [
    {
        "title": "Alpha: a method",
        "abstract": ALPHA,
        "author": "Ada Lovelace;Alan Turing;Kurt Gödel",
        "track": "main",
        "status": "Poster",
        "site": "https://openreview.net/forum?id=aB3xY",
        "keywords": "methods;firsts",
    }
]
SEMANTIC_SCHOLAR = {
    "total": 1,
    "offset": 0,
    "data": [
        {
            "paperId": "649def34f8be52c8b66281af98ae884c09aef38b",
            "externalIds": {"ArXiv": "2401.01234", "DOI": "10.18653/V1/P19-1001", "CorpusId": 1},
            "url": "https://www.semanticscholar.org/paper/649def34",
            "title": "Alpha: a method",
            "abstract": ALPHA,
            "venue": "ACL",
            "year": 2024,
            "authors": [{"authorId": "1", "name": "Ada Lovelace"}, {"authorId": "2", "name": "Alan Turing"}],
            "fieldsOfStudy": ["Computer Science"],
            "openAccessPdf": {"url": "https://example.org/a.pdf"},
        }
    ],
}
OPENALEX = {
    "meta": {"count": 1},
    "results": [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1234/ABC",
            "display_name": "Alpha: a method",
            "publication_year": 2023,
            "abstract_inverted_index": {
                "We": [0],
                "propose": [1],
                "Alpha,": [2],
                "a": [3, 9],
                "method": [4],
                "that": [5],
                "does": [6],
                "well": [7],
                "in": [8],
                "measure.": [10],
            },
            "authorships": [
                {"author_position": "first", "author": {"display_name": "Ada Lovelace"}, "institutions": []}
            ],
            "primary_location": {"source": {"display_name": "Journal of Methods"}, "landing_page_url": "x"},
            "concepts": [{"display_name": "Method"}],
        }
    ],
}
CROSSREF = {
    "status": "ok",
    "message": {
        "total-results": 1,
        "items": [
            {
                "DOI": "10.1234/ABC",
                "title": ["Alpha: a <i>method</i>"],
                "abstract": "<jats:title>Abstract</jats:title>"
                f"<jats:p>{ALPHA} CO<jats:sub>2</jats:sub> &amp; more.</jats:p>",
                "author": [
                    {"given": "Ada", "family": "Lovelace", "sequence": "first"},
                    {"name": "The Group"},
                ],
                "issued": {"date-parts": [[2022, 5, 1]]},
                "container-title": ["Journal of Methods"],
                "URL": "http://dx.doi.org/10.1234/abc",
            }
        ],
    },
}
CSL = [
    {
        "id": "lovelace2022",
        "type": "article-journal",
        "title": "Alpha: a method",
        "abstract": ALPHA,
        "author": [{"family": "Lovelace", "given": "Ada"}],
        "issued": {"date-parts": [["2022", 5]]},
        "container-title": "Journal of Methods",
        "DOI": "10.1234/ABC",
    }
]
ARXIV = {
    "id": "0704.0001",
    "submitter": "Ada",
    "authors": 'Ada Lovelace, A. Turing and K. G\\"odel',
    "title": "Alpha:\n  a method",
    "journal-ref": "Phys.Rev.D76:013009,2007",
    "doi": "10.1103/PhysRevD.76.013009",
    "categories": "hep-ph",
    "abstract": f"  {ALPHA}\n",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
    "update_date": "2008-11-26",
    "authors_parsed": [["Lovelace", "Ada", ""], ["Turing", "A.", ""], ["Gödel", "K.", ""]],
}


def one(folder: Path, document: object, name: str = "papers.json") -> Record:
    (record,) = records(folder, json.dumps(document), name)
    return record


def test_notes_of_openreview(tmp_path: Path) -> None:
    record = one(tmp_path, OPENREVIEW)
    assert (record.title, record.text) == ("Alpha: a method", ALPHA)
    assert record.authors == ("Ada Lovelace", "Alan Turing")
    assert (record.year, record.venue) == (2023, "ICLR 2024 poster")
    assert record.url == "https://openreview.net/forum?id=aB3xY"
    assert record.extra == {"source_id": "aB3xY", "keywords": ["methods", "firsts"]}
    assert (record.source, record.line) == ("papers.json#1", 1)


def test_a_list_of_a_conference(tmp_path: Path) -> None:
    record = one(tmp_path, CONFERENCE)
    assert record.authors == ("Ada Lovelace", "Alan Turing", "Kurt Gödel")
    assert record.url == "https://openreview.net/forum?id=aB3xY"
    assert record.extra == {"track": "main", "status": "Poster", "keywords": ["methods", "firsts"]}


def test_a_search_at_semantic_scholar(tmp_path: Path) -> None:
    record = one(tmp_path, SEMANTIC_SCHOLAR)
    assert (record.year, record.venue, record.doi) == (2024, "ACL", "10.18653/v1/p19-1001")
    assert record.authors == ("Ada Lovelace", "Alan Turing")
    assert record.url == "https://www.semanticscholar.org/paper/649def34"
    assert record.extra["arxiv"] == "2401.01234"


def test_works_of_openalex_have_their_words_put_in_order(tmp_path: Path) -> None:
    record = one(tmp_path, OPENALEX)
    assert record.text == "We propose Alpha, a method that does well in a measure."
    assert (record.title, record.year, record.doi) == ("Alpha: a method", 2023, "10.1234/abc")
    assert (record.venue, record.authors) == ("Journal of Methods", ("Ada Lovelace",))


def test_works_of_crossref_lose_their_tags_in_the_readable_text_only(tmp_path: Path) -> None:
    record = one(tmp_path, CROSSREF)
    assert (record.year, record.venue, record.doi) == (2022, "Journal of Methods", "10.1234/abc")
    assert (record.title, record.authors) == ("Alpha: a method", ("Ada Lovelace", "The Group"))
    paper = make_paper(record)
    assert paper.text == f"{ALPHA} CO₂ & more."
    assert paper.original.startswith("<jats:title>Abstract</jats:title><jats:p>We propose")


def test_a_csl_export_of_zotero(tmp_path: Path) -> None:
    record = one(tmp_path, CSL)
    assert (record.authors, record.year, record.doi) == (("Ada Lovelace",), 2022, "10.1234/abc")
    assert record.extra["source_id"] == "lovelace2022"


def test_the_snapshot_of_arxiv(tmp_path: Path) -> None:
    first, second = records(
        tmp_path, f"{json.dumps(ARXIV)}\n{json.dumps({**ARXIV, 'id': 'hep-th/9901001'})}\n"
    )
    assert (first.title, first.text) == ("Alpha: a method", ALPHA)
    assert first.authors == ("Ada Lovelace", "A. Turing", "K. Gödel")
    assert (first.year, first.venue) == (2007, "Phys.Rev.D76:013009,2007")
    assert (first.extra["arxiv"], second.extra["arxiv"]) == ("0704.0001", "hep-th/9901001")
    assert (first.source, second.source, second.line) == ("papers#1", "papers#2", 2)


@pytest.mark.parametrize("nest", ["papers", "data", "results", "items", "records", "Papers"])
def test_papers_are_found_under_the_usual_keys(tmp_path: Path, nest: str) -> None:
    record = one(tmp_path, {"count": 1, nest: [{"title": "Alpha", "abstract": ALPHA}], "next": None})
    assert record.text == ALPHA


@pytest.mark.parametrize(
    ("document", "field", "value"),
    [
        ({"hits": {"hits": [{"_id": "9", "_source": {"title": "T", "abstract": ALPHA}}]}}, "venue", ""),
        ([{"paper": {"title": "T", "summary": ALPHA, "publishedAt": "2024-01-02T00:00:00Z"}}], "year", 2024),
        ({"resultList": {"result": [{"title": "T", "abstractText": ALPHA, "authorString": "Doe A, Roe B."}]}},
         "authors", ("A Doe", "B. Roe")),
        ([{"name": "T", "abstract": ALPHA, "authors": [{"fullname": "Ada Lee"}]}], "authors", ("Ada Lee",)),
        ([{"title": "T", "abstract": ALPHA, "authors": "['Ada Lee', \"Sean O'C\"]"}],
         "authors", ("Ada Lee", "Sean O'C")),
    ],
    ids=["elastic", "hugging face", "europe pmc", "conference site", "written-out list"],
)  # fmt: skip
def test_other_sites(tmp_path: Path, document: object, field: str, value: object) -> None:
    record = one(tmp_path, document)
    assert (record.title, record.text, getattr(record, field)) == ("T", ALPHA, value)


def test_papers_by_their_ids_and_one_paper_alone(tmp_path: Path) -> None:
    by_id = one(tmp_path, {"p1": {"title": "Alpha", "abstract": ALPHA}})
    assert by_id.extra == {"source_id": "p1"}
    assert one(tmp_path, {"title": "Alpha", "abstract": ALPHA, "authors": [{"name": "Ada Lee"}]}).authors == (
        "Ada Lee",
    )


def test_lines_of_a_retrieval_corpus(tmp_path: Path) -> None:
    record = one(tmp_path, {"_id": "d1", "title": "Alpha", "text": ALPHA}, "corpus.jsonl")
    assert (record.text, record.extra["source_id"]) == (ALPHA, "d1")


def test_what_stands_before_a_break_is_kept_and_its_line_is_told(tmp_path: Path) -> None:
    whole = json.dumps([{"title": "A", "abstract": ALPHA}, {"title": "B", "abstract": BETA}], indent=1)
    found = items(tmp_path, whole[: whole.index("second")], "half.json")
    assert [item.text for item in found if isinstance(item, Record)] == [ALPHA]
    assert told(found) == [("unreadable", 8, "half.json#2")]
    assert isinstance(found[1], Notice) and found[1].reason == (
        "not JSON from here on (unterminated string starting at); the rest is not read"
    )


def test_a_broken_line_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = [json.dumps({"abstract": ALPHA}), '{"abstract": "cut', "[1]", json.dumps({"abstract": BETA})]
    found = items(tmp_path, "\n".join(lines), "papers.jsonl")
    assert [item.source for item in found if isinstance(item, Record)] == ["papers.jsonl#1", "papers.jsonl#4"]
    assert told(found) == [("unreadable", 2, "papers.jsonl#2"), ("unreadable", 3, "papers.jsonl#3")]


def test_a_giant_line_is_told_and_never_held(tmp_path: Path) -> None:
    giant = b'{"abstract": "' + b"x" * (MAX_LINE + 5000) + b'"}'
    lines = [json.dumps({"abstract": ALPHA}).encode(), giant, json.dumps({"abstract": BETA}).encode()]
    found = items(tmp_path, b"\n".join(lines))
    assert [item.line for item in found if isinstance(item, Record)] == [1, 3]
    assert told(found) == [("unreadable", 2, "papers#2")]


@pytest.mark.parametrize(
    ("abstract", "kind"),
    [
        ("", "no abstract"),
        (None, "no abstract"),
        ("No abstract available.", "no abstract"),
        ("N/A", "no abstract"),
        ("[Abstract not available]", "no abstract"),
        ("[Abstract withdrawn]", "withdrawn"),
        ("This paper has been withdrawn by the author due to a crucial error in equation 1.", "withdrawn"),
        ("Short.", "too short"),
        ("word " * 5000, "too long"),
    ],
)
def test_a_paper_without_an_abstract_is_skipped_and_its_kind_told(
    tmp_path: Path, abstract: str | None, kind: str
) -> None:
    rows = [{"title": "A title", "abstract": abstract}, {"title": "B", "abstract": BETA}]
    found = items(tmp_path, json.dumps(rows))
    assert told(found) == [(kind, 1, "papers#1")]
    assert isinstance(found[1], Record) and found[1].source == "papers#2"


def test_a_method_that_withdraws_is_no_withdrawn_paper(tmp_path: Path) -> None:
    text = "Withdrawing a paper is costly. We study when users have withdrawn consent, and forgetting."
    assert one(tmp_path, {"title": "T", "abstract": text}).text == text


@pytest.mark.parametrize(
    "document", ["[]", "{}", '{"name": "app", "version": "1"}', '[{"a": 1}]', "[[[[]]]]"]
)
def test_json_without_papers_is_of_another_kind(tmp_path: Path, document: str) -> None:
    with pytest.raises(UnknownFormat, match=r"no abstract found in it, read as JSON"):
        items(tmp_path, document, "package.json")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("lines", [False, True])
def test_other_encodings(tmp_path: Path, encoding: str, lines: bool) -> None:
    rows = [{"title": "Größe – naïve", "abstract": f"Für „{n}“ gilt: {ALPHA}"} for n in range(2)]
    text = (
        "\n".join(json.dumps(r, ensure_ascii=False) for r in rows)
        if lines
        else json.dumps(rows, ensure_ascii=False)
    )
    found = items(tmp_path, text.encode(encoding))
    assert [item.title for item in found if isinstance(item, Record)] == ["Größe – naïve"] * 2


def test_content_wins_over_a_wrong_ending(tmp_path: Path) -> None:
    text = json.dumps([{"title": "A", "abstract": ALPHA}])
    for name in ("papers.txt", "papers.bib", "papers.csv", "papers"):
        assert [r.text for r in records(tmp_path, text, name)] == [ALPHA]


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '[{"abstract":' + "9" * 6000 + "}]", "{", '{"a"']
)
def test_hostile_nesting_and_numbers_end_in_words(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceError):
        list(read_checked(tmp_path, text))


def read_checked(folder: Path, text: str) -> list[Record | Notice]:
    path = folder / "bad.json"
    path.write_text(text)
    return list(read(path))


def test_what_is_not_a_number_is_nothing(tmp_path: Path) -> None:
    (found,) = records(tmp_path, f'[{{"title": NaN, "venue": Infinity, "abstract": "{ALPHA}"}}]', "p.json")
    assert (found.title, found.venue) == ("", "")
