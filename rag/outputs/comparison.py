"""A comparison's table comes in, a table that fits the terminal goes out; tab-separated rows elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING

from rag.domain import Answer, Cell, Table
from rag.outputs.printable import one_line
from rag.outputs.wording import NOT_STATED

if TYPE_CHECKING:
    import rich.table

# A column of text in fewer columns of the terminal is no pleasure to read.
_LEAST_TEXT = 26
_LABEL = 10


def print_comparison(answer: Answer, stream: IO[str]) -> None:
    """Write the table of an answer: one column a paper where that fits, else one block an aspect."""
    if answer.table is None:
        return
    names = paper_names(answer)
    if not stream.isatty():
        stream.writelines("\t".join(row) + "\n" for row in _rows(answer.table, names))
        return
    from rich.console import Console

    console = Console(file=stream, highlight=False)
    side_by_side = console.width >= _LABEL + len(names) * (_LEAST_TEXT + 3)
    console.print(_columns(answer.table, names) if side_by_side else _blocks(answer.table, names))


def paper_names(answer: Answer) -> dict[str, str]:
    """Return what each paper of the table is called, with its number: `EVA-0 [1]`."""
    found = {r.paper.id: f"{one_line(r.paper.name)} [{r.marker}]" for r in answer.references}
    ids = answer.table.papers if answer.table is not None else ()
    return {paper_id: found.get(paper_id, paper_id) for paper_id in ids}


def cell_text(cell: Cell) -> str:
    """Return what a cell says, on one line; a doubt about it is marked."""
    if cell.text is None:
        return NOT_STATED
    doubtful = any(citation.verdict != "supported" for citation in cell.citations) or not cell.citations
    return f"{one_line(cell.text)}{' (!)' if doubtful else ''}"


def _rows(table: Table, names: dict[str, str]) -> Iterator[Sequence[str]]:
    yield ("paper", *map(one_line, table.aspects))
    for paper_id in table.papers:
        row = table.cells[paper_id]
        yield (names[paper_id], *(cell_text(row[aspect]) for aspect in table.aspects))


def _columns(table: Table, names: dict[str, str]) -> rich.table.Table:
    """Draw aspects as rows and papers as columns."""
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=box.SIMPLE_HEAD, show_lines=True, expand=True, padding=(0, 1))
    drawn.add_column("", style="bold", max_width=18)
    for name in names.values():
        drawn.add_column(Text(name, "cyan"), ratio=1)
    for aspect in table.aspects:
        cells = [_styled(table.cells[paper_id][aspect]) for paper_id in table.papers]
        drawn.add_row(Text(one_line(aspect)), *cells)
    return drawn


def _blocks(table: Table, names: dict[str, str]) -> rich.table.Table:
    """Draw a block for each aspect, with a row for each paper."""
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=box.SIMPLE_HEAD, show_header=False, expand=True, padding=(0, 1))
    drawn.add_column("", style="cyan", max_width=24, overflow="fold")
    drawn.add_column("", ratio=1)
    for aspect in table.aspects:
        drawn.add_row(Text(one_line(aspect), "bold"), "")
        for paper_id in table.papers:
            drawn.add_row(Text(names[paper_id], "cyan"), _styled(table.cells[paper_id][aspect]))
        drawn.add_section()
    return drawn


def _styled(cell: Cell) -> rich.text.Text:
    from rich.text import Text

    # Text, not markup: brackets in a paper must not be read as styles.
    return Text(cell_text(cell), "dim" if cell.text is None else "")
