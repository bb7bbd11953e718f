"""Terminal output: answers, hits and papers come in, printed lines go out, styled when a person watches.

Away from a terminal the same lines come out plain and unwrapped, so that pipes get whole sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from rag.counting import counted
from rag.domain import Answer, AnswerSentence, Hit, Paper, Reference, Section
from rag.outputs.grid import Layout, block, fits, grid
from rag.outputs.printable import clean, one_line
from rag.outputs.wording import ALSO_RELATED, NEAREST, NEAREST_SHOWN, PARTIAL, STATUS, UNCITED, VERDICTS
from rag.text.words import fold_name

FIRST_WORDS = 80
TWO_LINES = 140
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


def print_answer(answer: Answer, stream: IO[str]) -> None:
    """Write an answer: its table if it has one, its sentences, and its references with their quotations."""
    from rag.outputs.comparison import print_comparison

    print_lines(_status_lines(answer), stream)
    print_comparison(answer, stream)
    print_lines((*_body_lines(answer), *reference_lines(answer)), stream)


def answer_lines(answer: Answer) -> Iterator[Line]:
    """Lay out an answer: sentences with markers, then each reference with the sentences quoted from it.

    The table of a comparison is not among the lines: its layout needs the width of the terminal.
    """
    yield from _status_lines(answer)
    yield from _body_lines(answer)
    yield from reference_lines(answer)


def _status_lines(answer: Answer) -> Iterator[Line]:
    if answer.status in STATUS:
        yield Line(STATUS[answer.status], "heading" if answer.status == "not_found" else "doubt")


def _body_lines(answer: Answer) -> Iterator[Line]:
    """Lay out the sentences, under headings where there are sections, and what is also related."""
    sections = answer.sections if len(answer.sections) > 1 else ()
    headings = {s.sentence_indexes[0]: s for s in sections if s.sentence_indexes}
    for place, sentence in enumerate(answer.sentences):
        if (section := headings.get(place)) is not None:
            yield Line()
            yield Line(_heading(section), "heading")
        yield from sentence_lines(sentence)
    if answer.also_related:
        yield Line()
        yield Line(ALSO_RELATED, "heading")
    for related in answer.also_related:
        yield Line(f"- {where(related.paper)}", "name", hang=2)
        yield Line(f"“{one_line(related.quote)}”", "quote", 4)


def _heading(section: Section) -> str:
    papers = counted(section.papers, "paper")
    return f"{one_line(section.heading)} ({papers})"


def sentence_lines(sentence: AnswerSentence) -> Iterator[Line]:
    """Lay out one sentence with its markers, and what is doubtful about it."""
    yield Line(f"{clean(sentence.text)}{markers(sentence)}")
    yield from _doubts(sentence)


def closing_lines(answer: Answer) -> Iterator[Line]:
    """Lay out what remains of an answer whose sentences have been shown already."""
    if answer.status == "partial":
        yield Line(PARTIAL, "doubt")
    yield from reference_lines(answer)


def reference_lines(answer: Answer) -> Iterator[Line]:
    """Lay out each reference with the sentences quoted from it, or else the nearest papers."""
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
    return tuple(dict.fromkeys(c.quote for c in answer.citations() if c.marker == marker and c.quote))


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


def paper_lines(paper: Paper, quoted: Collection[tuple[int, int]] = ()) -> Iterator[Line]:
    """Lay out one paper: name, what is known of it, and the whole abstract.

    What stands in the abstract between the offsets of `quoted`, end excluded, is marked.
    """
    yield Line(one_line(paper.name), "name")
    for label, value in _facts(paper):
        yield Line(f"{label}: {one_line(value)}")
    yield Line()
    if quoted:
        yield from _marked(paper.text, quoted)
        return
    for paragraph in clean(paper.text).splitlines():
        yield Line(paragraph)


def _marked(text: str, quoted: Collection[tuple[int, int]]) -> Iterator[Line]:
    """Lay out a text with what is quoted of it on lines of its own, marked `>`."""
    at = 0
    for start, end in sorted(quoted):
        # Quotations may overlap: what stands in one already is not shown again.
        start = max(start, at)
        yield from _unmarked(text[at:start])
        if start < end:
            yield Line(f"> {one_line(text[start:end])}", "heading", hang=2)
        at = max(at, end)
    yield from _unmarked(text[at:])


def _unmarked(text: str) -> Iterator[Line]:
    return (Line(line.strip(), indent=2) for line in clean(text).splitlines() if line.strip())


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
        line = " · ".join(map(one_line, parts))
        # Where no author or year is known, the title is all there is to cite by.
        if line != one_line(paper.cited_as):
            yield Line(line, "plain", 4)
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
