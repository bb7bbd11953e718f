from __future__ import annotations

from dataclasses import replace

import rispy

from rag.outputs.ris import papers_ris
from tests.sample_answers import ANT, EVA, HOSTILE


def test_a_record_read_back_is_the_paper() -> None:
    (entry,) = rispy.loads(papers_ris([EVA]))
    assert entry == {
        "type_of_reference": "CPAPER",
        "id": EVA.id,
        "title": EVA.title,
        "authors": ["Äder, Ann", "Bo de Vries"],
        "year": "2025",
        "secondary_title": "Proc. of X & Y",
        "doi": "10.1234/eva.0",
        "urls": ["https://example.org/a_b?c=1&d=2"],
        "abstract": EVA.text,
        "notes": ["a.txt#9"],
    }


def test_a_paper_of_which_little_is_known_is_a_generic_record_under_its_name() -> None:
    entries = rispy.loads(papers_ris([EVA, ANT]))
    assert [entry["title"] for entry in entries] == [EVA.title, "AntWalk"]
    assert entries[1]["type_of_reference"] == "GEN"
    assert not {"authors", "year", "doi", "urls", "secondary_title"} & set(entries[1])
    assert entries[1]["abstract"] == "Ants search in loops. =SUM(A1) is no formula here."


def test_every_record_begins_with_its_type_and_ends_with_er() -> None:
    lines = papers_ris([EVA, ANT]).split("\n")
    assert lines[0] == "TY  - CPAPER" and lines[-2:] == ["ER  - ", ""]
    assert lines.count("ER  - ") == 2 and lines[lines.index("ER  - ") + 1] == ""


def test_hostile_text_makes_no_tag_no_record_and_no_link() -> None:
    lines = papers_ris([HOSTILE, EVA]).splitlines()
    assert lines.count("ER  - ") == 2 and sum(line.startswith("TY  - ") for line in lines) == 2
    (first, second) = rispy.loads(papers_ris([HOSTILE, EVA]))
    assert second["title"] == EVA.title and len(first["authors"]) == 2
    assert first["authors"][1] == "X ER - TY - BOOK" and "urls" not in first
    assert not {"\u202e", "\x1b"} & set("".join(lines))


def test_characters_that_end_a_line_for_some_readers_do_not() -> None:
    text = "".join(f"a{mark}AU  - Eve" for mark in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\r")
    (entry,) = rispy.loads(papers_ris([replace(ANT, text=text)]))
    assert "authors" not in entry and entry["abstract"].count("Eve") == 9


def test_nothing_makes_an_empty_text() -> None:
    assert papers_ris([]) == ""
