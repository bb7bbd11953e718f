"""Terminal output: answers, hits and papers come in, printed lines go out, styled when a person watches.

Away from a terminal the same lines come out plain and unwrapped, so that pipes get whole sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from rag.domain import Answer, AnswerSentence, Hit, Paper, Reference
from rag.outputs.grid import Layout, block, fits, grid
from rag.outputs.printable import clean, one_line
from rag.text.words import fold_name

NEAREST_SHOWN = 5
FIRST_WORDS = 80
TWO_LINES = 140
NOT_FOUND = "These papers do not answer this."
NEAREST = "Nearest papers (they do not answer the question):"
PARTIAL = "The papers answer this only in part."
UNCITED = "not supported: it cites nothing"
VERDICTS: Mapping[str, str] = {
    "partial": "only partly supported",
    "unsupported": "not supported",
}
STYLES: Mapping[str, str] = {
    "plain": "",
    "heading": "bold",
    "name": "cyan",
    "quote": "dim",
    "doubt": "yellow",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line to print; `style` is a key of STYLES.

    `indent` is in columns; where the line wraps, what follows stands `hang` columns further in.
    """

    text: str = ""
    style: str = "plain"
    indent: int = 0
    hang: int = 0


def print_lines(lines: Iterable[Line], stream: IO[str]) -> None:
    """Write the lines: wrapped and styled on a terminal (NO_COLOR is respected), plain elsewhere."""
    if stream.isatty():
        _print_styled(lines, stream)
    else:
        stream.writelines(f"{' ' * line.indent}{line.text}\n" for line in lines)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], stream: IO[str], layout: Layout | None = None
) -> None:
    """Write a table: a grid or blocks on a terminal, by its width, tab-separated whole cells elsewhere.

    A `layout` that lets cells be cut is always a grid.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    if stream.isatty():
        _print_grid(columns, cells, stream, layout or Layout())
    else:
        stream.writelines("\t".join(row) + "\n" for row in cells)


def answer_lines(answer: Answer) -> Iterator[Line]:
    """Lay out an answer: sentences with markers, then each reference with the sentences quoted from it."""
    if answer.status == "not_found":
        yield Line(NOT_FOUND, "heading")
    elif answer.status == "partial":
        yield Line(PARTIAL, "doubt")
    for sentence in answer.sentences:
        yield from sentence_lines(sentence)
    yield from _references(answer)


def sentence_lines(sentence: AnswerSentence) -> Iterator[Line]:
    """Lay out one sentence with its markers, and what is doubtful about it."""
    yield Line(f"{clean(sentence.text)}{markers(sentence)}")
    yield from _doubts(sentence)


def closing_lines(answer: Answer) -> Iterator[Line]:
    """Lay out what remains of an answer whose sentences have been shown already."""
    if answer.status == "partial":
        yield Line(PARTIAL, "doubt")
    yield from _references(answer)


def _references(answer: Answer) -> Iterator[Line]:
    if answer.references:
        yield Line()
        yield Line("References", "heading")
        for reference in answer.references:
            yield from _reference(reference, answer)
    if answer.status == "not_found" and answer.hits:
        yield from _nearest(answer.hits)


def markers(sentence: AnswerSentence) -> str:
    """Return the markers of a sentence, such as ` [1][3]`, each once."""
    seen = dict.fromkeys(citation.marker for citation in sentence.citations)
    return " " + "".join(f"[{marker}]" for marker in seen) if seen else ""


def quotes_of(marker: int, answer: Answer) -> tuple[str, ...]:
    """Return what the answer quotes from one reference, each quote once, in the order of use."""
    return tuple(
        dict.fromkeys(
            c.quote for s in answer.sentences for c in s.citations if c.marker == marker and c.quote
        )
    )


def where(paper: Paper) -> str:
    """Return a paper's name and where it was read, `EVA-0 · file.txt#9`."""
    return " · ".join(one_line(part) for part in (paper.name, place(paper, paper.source)) if part)


def place(paper: Paper, source: str) -> str:
    """Return one source of a paper, marked when it no longer holds the paper: `file.txt#9 (gone)`."""
    return f"{source} (gone)" if source in paper.gone else source


def why(hit: Hit) -> str:
    """Return the ranks that brought a hit up, `vectors 1 · words 2 · name`."""
    return " · ".join(key if key == "name" else f"{key} {rank}" for key, rank in hit.ranks.items())


def hit_rows(hits: Iterable[Hit]) -> Iterator[tuple[str, ...]]:
    """Return table rows for hits: rank, name, source, score, why, first words."""
    for rank, hit in enumerate(hits, 1):
        words = one_line(hit.paper.title or hit.paper.text, FIRST_WORDS)
        yield (
            str(rank),
            hit.paper.name,
            place(hit.paper, hit.paper.source),
            f"{hit.score:.4f}",
            why(hit),
            words,
        )


def hit_lines(hits: Iterable[Hit]) -> Iterator[Line]:
    """Lay out hits for a person: rank, name and source; score and why; first words."""
    for rank, hit in enumerate(hits, 1):
        yield Line(f"{rank:>2}  {where(hit.paper)}", "name", hang=4)
        yield Line(f"{hit.score:.4f} · {why(hit)}", "plain", 4)
        yield Line(one_line(_about(hit.paper), TWO_LINES), "quote", 4)


def _about(paper: Paper) -> str:
    """Return what tells a person which paper it is, where its name is told already."""
    title = paper.title if paper.title != paper.name else ""
    return " · ".join(filter(None, (paper.cited_as if paper.authors else "", title))) or paper.text


def paper_lines(paper: Paper) -> Iterator[Line]:
    """Lay out one paper: name, what is known of it, and the whole abstract."""
    yield Line(one_line(paper.name), "name")
    for label, value in _facts(paper):
        yield Line(f"{label}: {one_line(value)}")
    yield Line()
    for paragraph in clean(paper.text).splitlines():
        yield Line(paragraph)


def _facts(paper: Paper) -> Iterator[tuple[str, str]]:
    facts = (
        ("cited as", paper.cited_as if paper.authors or paper.title else ""),
        ("title", paper.title),
        ("authors", ", ".join(paper.authors)),
        ("year", "" if paper.year is None else str(paper.year)),
        ("venue", paper.venue),
        ("url", paper.url),
        ("doi", paper.doi),
        ("source", ", ".join(place(paper, source) for source in paper.sources)),
        ("id", paper.id),
        *((str(key), _fact(value)) for key, value in paper.extra.items()),
    )
    return (fact for fact in facts if fact[1])


def _fact(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {' | '.join(map(_other, others))}" for key, others in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _other(value: object) -> str:
    """Return another value of a field; of another text, its beginning."""
    return one_line(_fact(value), FIRST_WORDS)


def _doubts(sentence: AnswerSentence) -> Iterator[Line]:
    if not sentence.citations:
        yield Line(f"! {UNCITED}", "doubt", 4)
    # One marker stands once for every sentence quoted from its paper: a doubt is told once.
    doubts = dict.fromkeys(
        (c.verdict, c.marker, c.reason) for c in sentence.citations if c.verdict in VERDICTS
    )
    for verdict, marker, reason in doubts:
        because = f": {one_line(reason)}" if reason else ""
        yield Line(f"! {VERDICTS[verdict]} by [{marker}]{because}", "doubt", 4)


def _reference(reference: Reference, answer: Answer) -> Iterator[Line]:
    paper = reference.paper
    yield Line(f"[{reference.marker}] {one_line(paper.cited_as)}", "name", hang=4)
    if paper.title:
        name = "" if fold_name(paper.name) in fold_name(paper.title) else paper.name
        parts = filter(None, (name, paper.title, place(paper, paper.source)))
        yield Line(" · ".join(map(one_line, parts)), "plain", 4)
    for quote in quotes_of(reference.marker, answer):
        yield Line(f"“{one_line(quote)}”", "quote", 4)


def _nearest(hits: Sequence[Hit]) -> Iterator[Line]:
    yield Line()
    yield Line(NEAREST, "heading")
    for hit in hits[:NEAREST_SHOWN]:
        yield Line(f"- {where(hit.paper)}", "plain", 2, hang=2)


def _print_styled(lines: Iterable[Line], stream: IO[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    for line in lines:
        # Text, not markup: brackets in a paper must not be read as styles.
        text = Text(line.text, STYLES[line.style])
        width = max(console.width - line.indent - line.hang, 1)
        fits = not line.text or text.cell_len <= width + line.hang
        for number, row in enumerate((text,) if fits else text.wrap(console, width)):
            row.rstrip()
            console.print(" " * (line.indent + (line.hang if number else 0)), row, sep="")


def _print_grid(
    columns: Sequence[str], cells: Sequence[Sequence[str]], stream: IO[str], layout: Layout
) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    if layout.lines or fits(columns, cells, console.width):
        lines = list(grid(columns, cells, console.width, layout))
        heading = 1
    else:
        blocks = [block(row, console.width) for row in (columns, *cells)]
        lines = [line for some in blocks for line in some]
        heading = len(blocks[0])
    for number, line in enumerate(lines):
        console.print(Text(line, "bold" if number < heading else ""), soft_wrap=True)
