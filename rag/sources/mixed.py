"""A list that is labelled in part in, its labelled lines and its other lines out, each at its place.

Some entries say what their lines are (`Title: …`, `Abstract: …`), others are plain abstracts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.sources.fields import MIN_LENGTH
from rag.sources.labelled import is_abstract, is_first, label_of


@dataclass(frozen=True, slots=True)
class Divided:
    """The same lines twice, those of the other part empty in each, so that numbers of lines stay.

    `before` holds where plain paragraphs as long as an abstract stand before the first label; `after` counts
    those behind a labelled abstract.
    """

    labelled: str
    plain: str
    entries: int
    before: tuple[tuple[int, str], ...]
    after: int

    @property
    def is_mixed(self) -> bool:
        """Whether the plain paragraphs are abstracts too, and no preface or further paragraphs of one."""
        count = len(self.before)
        return count > 1 or count >= self.entries or self.after >= 2 * self.entries


def divide(text: str) -> Divided:
    """Tell the labelled lines of a list from the others."""
    lines = text.split("\n")
    owned = list(_owned(lines))
    plain = [line if not own else "" for line, own in zip(lines, owned, strict=True)]
    first = owned.index(True) if True in owned else len(lines)
    long = [(line, said) for line, said in _paragraphs(plain) if len(said) >= MIN_LENGTH]
    before = tuple((line, said) for line, said in long if line <= first)
    return Divided(
        "\n".join(line if own else "" for line, own in zip(lines, owned, strict=True)),
        "\n".join(plain),
        sum(is_abstract(label_of(line)[0]) for line in lines),
        before,
        len(long) - len(before),
    )


def _owned(lines: Sequence[str]) -> Iterator[bool]:
    """Yield for each line whether it belongs to a labelled entry.

    An entry lasts until an empty line behind its abstract is not followed by another label.
    """
    is_open, filled, was_empty = False, 0, True
    for n, line in enumerate(lines):
        label, value = label_of(line)
        if not line.strip():
            was_empty = True
            yield is_open
            continue
        if is_first(label) or (is_heading(line) and _leads_to_label(lines, n)):
            is_open, filled = True, len(value) if is_abstract(label) else 0
        elif not label and is_open:
            is_open = not (is_heading(line) or (was_empty and filled >= MIN_LENGTH))
            filled += len(line.strip())
        was_empty = False
        yield is_open


def is_heading(line: str) -> bool:
    """Tell whether a line is a heading of Markdown."""
    return line.lstrip().startswith("#")


def _leads_to_label(lines: Sequence[str], n: int) -> bool:
    following = next((line for line in lines[n + 1 :] if line.strip()), "")
    return bool(label_of(following)[0])


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the first line and the text of each paragraph, headings left out."""
    said: list[str] = []
    for number, line in enumerate((*lines, ""), 1):
        if line.strip() and not is_heading(line):
            said.append(line.strip())
        elif said:
            yield number - len(said), " ".join(said)
            said = []
