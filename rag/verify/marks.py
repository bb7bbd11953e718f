"""The marks of a text that cites: taken out and held, each with the keys it cites.

Marks are [1], [2, 5], [3-5], [@key], every \\cite command, and authors with a year. Private-use characters
stand in for a mark while the text around it is made readable and cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from rag.text.latex import readable
from rag.verify.authoryear import AuthorYear, Fits, marks

# Every gap is bounded and every closer is looked for once, so that no draft takes more than linear time.
MARK = re.compile(
    r"\\(?:[a-zA-Z]{0,20}?cite[a-zA-Z]{0,20})\*?(?:\[[^\]]{0,1000}\]){0,2}\{(?P<tex>[^{}\\]{0,4000})\}"
    r"|\[(?P<numbers>\d{1,9}(?:\s{0,9}[,;–-]\s{0,9}\d{1,9})*)\](?!\()"
    r"|\[(?P<pandoc>[^@\[\]\n]{0,60}(?<![\w.])@\w[^\[\]]{0,1000})\](?!\()"
)
_PANDOC_KEY = re.compile(r"(?<![\w.])@\{?(\w(?:[\w:./+-]{0,200}\w)?)")
# Notes, raised numbers, labels, lost labels, keys without brackets, works without a year.
_UNREAD = re.compile(
    r"\[\^[\w-]{1,40}\](?!:)|\^\[[^\[\]]{1,300}\]|\^\d{1,3}(?:,\s?\d{1,3}){0,9}\^"
    r"|<sup>\s?\[?\d[\d,\s–-]{0,20}\]?\s?</sup>|\[[A-Z][A-Za-z+]{1,7}\d\d[a-z]?\](?!\()|\[\?{1,3}\]"
    r"|(?<![\w@./[;-])@[a-z][\w:-]{1,60}\d{4}\w{0,40}"
    r"|\([^()\d]{2,80},\s(?:in press|in prep(?:aration)?\.?|n\.\s?d\.|submitted|unpublished(?: data)?"
    r"|forthcoming|pers(?:onal|\.) comm(?:unication|\.)?)\)"
)
_RANGE = re.compile(r"(?<!\d)(\d{1,9})\s{0,9}[–-]\s{0,9}(\d{1,9})")
_LONGEST_RANGE = 30
_OPEN, _CLOSE, _NAMED = "\ue200", "\ue201", "\ue203"
_TAKEN = str.maketrans(dict.fromkeys((_OPEN, _CLOSE, _NAMED)))
# Authors who are words of the sentence are held by a capital: a sentence may begin with them.
_HELD = re.compile(rf"(?:(?<![\s~])[\s~]*|(?P<named>Q{_NAMED})){_OPEN}(?P<nth>\d+){_CLOSE}")
_LEADING = re.compile(rf"(?:[\s~]*{_OPEN}\d+{_CLOSE})+\s*")


@dataclass(frozen=True, slots=True)
class Held:
    """A mark taken out of a text: the keys it cites, and the words it stands for in the sentence."""

    keys: tuple[str, ...]
    written: str = ""


def fits_nothing(cited: AuthorYear) -> bool:
    """Tell that no paper fits, where there is no library."""
    return False


def without_stand_ins(text: str) -> str:
    """Return a text without the characters that stand in for marks."""
    return text.translate(_TAKEN)


def take_out(block: str, fits: Fits) -> tuple[str, list[Held]]:
    """Return readable text with its marks held, and what they hold."""
    held: list[Held] = []
    text = readable(MARK.sub(partial(_hold, held=held), block))
    return _hold_authors(text, held, fits), held


def without_marks(text: str, fits: Fits) -> str:
    """Return a text as it is but for its marks."""
    held: list[Held] = []
    return _HELD.sub("", _hold_authors(MARK.sub(partial(_hold, held=held), text), held, fits))


def bare(piece: str) -> str:
    """Return a piece without what it holds."""
    return _tidy(_HELD.sub("", piece))


def written(piece: str, held: Sequence[Held]) -> str:
    """Return a piece with the authors who are words of it."""
    return _tidy(_HELD.sub(lambda match: held[int(match["nth"])].written, piece))


def _tidy(text: str) -> str:
    return re.sub(r"(?<=\w) (?=[.,;:](?:\s|$))", "", " ".join(text.split()))


def keys_in(piece: str, held: Sequence[Held]) -> Iterator[str]:
    """Return the keys that the marks of a piece cite."""
    return (key for match in _HELD.finditer(piece) for key in held[int(match["nth"])].keys)


def leading(piece: str) -> str:
    """Return the marks that a piece begins with: they belong to the sentence before it."""
    match = _LEADING.match(piece)
    return match[0] if match else ""


def unread(text: str) -> tuple[str, ...]:
    """Return the citations of a text in forms that are not understood."""
    return tuple(match[0] for match in _UNREAD.finditer(text))


def _hold(match: re.Match[str], held: list[Held]) -> str:
    held.append(Held(tuple(_keys(match))))
    return f"{_OPEN}{len(held) - 1}{_CLOSE}"


def _hold_authors(text: str, held: list[Held], fits: Fits) -> str:
    """Take the citations by author and year out of a text too."""
    pieces: list[str] = []
    at = 0
    for mark in marks(text, fits):
        written = text[mark.start : mark.end] if mark.running else ""
        held.append(Held(tuple(map(str, mark.cited)), written))
        opened = f"Q{_NAMED}" if mark.running else f"({mark.kept})" if mark.kept else ""
        pieces += [text[at : mark.start], f"{opened}{_OPEN}{len(held) - 1}{_CLOSE}"]
        at = mark.end
    return "".join(pieces) + text[at:]


def _keys(match: re.Match[str]) -> Iterator[str]:
    if match["numbers"]:
        wide = _RANGE.sub(_every, match["numbers"])
        yield from (number for number in re.split(r"[,;\s]+", wide) if number)
    elif match["pandoc"]:
        yield from _PANDOC_KEY.findall(match["pandoc"])
    else:
        yield from (key.strip().lstrip("@") for key in re.split(r"[,;]", match["tex"]) if key.strip())


def _every(match: re.Match[str]) -> str:
    first, last = int(match[1]), int(match[2])
    return ",".join(str(n) for n in range(first, min(last, first + _LONGEST_RANGE) + 1))
