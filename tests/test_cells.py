from __future__ import annotations

import pytest

from rag.generate.cells import Group, WrittenCell, read_cells, read_groups
from rag.generate.replies import Unreadable, Written

CELL = WrittenCell(1, "data", Written("12,000 images", ("1.2",)))


def test_cells_are_read_from_json() -> None:
    reply = '{"cells": [{"paper": 1, "aspect": "data", "text": "12,000 images", "cites": ["1.2"]}]}'
    assert read_cells(reply, "json_schema") == (CELL,)
    assert read_cells(f"```json\n{reply}\n```", "json_object") == (CELL,)


def test_cells_are_read_from_lines() -> None:
    reply = "Here is the table:\n1 | data | 12,000 images [1.2]\n2 | data | –\n| 3 | results | fast [3.1] |"
    found = read_cells(reply, "text")
    assert found[0] == CELL and found[1] == WrittenCell(2, "data", None)
    assert found[2].paper == 3 and found[2].said is not None and found[2].said.cites == ("3.1",)


@pytest.mark.parametrize("text", [None, "", "-", "not stated", "Not stated.", "null", "N/A"])
def test_what_is_not_stated_has_no_words(text: str | None) -> None:
    shown = "null" if text is None else f'"{text}"'
    (cell,) = read_cells(
        f'{{"cells": [{{"paper": "2", "aspect": "data", "text": {shown}, "cites": []}}]}}', "json_object"
    )
    assert cell == WrittenCell(2, "data", None)


@pytest.mark.parametrize("reply", ["", "hello", "{}", '{"cells": 3}', '{"cells": []}', '{"cells": ["x"]}'])
def test_a_reply_without_cells_cannot_be_read(reply: str) -> None:
    for form in ("json_object", "text"):
        with pytest.raises(Unreadable):
            read_cells(reply, form)  # type: ignore[arg-type]


def test_hostile_values_are_made_plain() -> None:
    reply = (
        '{"cells": [{"paper": true, "aspect": 7, "text": "<b>x</b> [y](http://z)", "cites": "1.1"},'
        ' {"paper": -1, "aspect": "data", "text": 5, "cites": null}]}'
    )
    first, second = read_cells(reply, "json_object")
    assert first.said == Written("x y", ("1.1",)) and second.said is None


def test_groups_are_read_from_json_and_lines() -> None:
    wanted = (Group("Learning", (1, 4)), Group("Seeing", (2,)))
    reply = (
        '{"sections": [{"heading": "Learning", "papers": [1, "4"]}, {"heading": "Seeing", "papers": [2]}]}'
    )
    assert read_groups(reply, "json_schema") == wanted
    assert read_groups("Learning: 1, 4\nSeeing: 2\nNothing:\n", "text") == wanted


@pytest.mark.parametrize(
    "reply", ["", "x", '{"sections": []}', '{"sections": [{"heading": "A", "papers": []}]}']
)
def test_a_reply_without_groups_cannot_be_read(reply: str) -> None:
    with pytest.raises(Unreadable):
        read_groups(reply, "json_object")


def test_numbers_without_end_are_no_paper() -> None:
    huge = "9" * 5000
    assert [
        cell.paper for cell in read_cells(f"[{huge}] | data | ten dogs\n1 | data | nine dogs", "text")
    ] == [1]
    groups = read_groups(f"Dogs: {huge}, 2", "text")
    assert groups[0].papers == (2,)
