"""An XML file in, its elements of some names out, one after the other; entities are never expanded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rag.sources.opening import MAX_BYTES, Source, too_large

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_BLOCK = 65536
_MOST_DEPTH = 200


class BadXml(Exception):
    """The file is no XML from some place on, or holds what is refused."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


def elements(source: Source, names: frozenset[str]) -> Iterator[tuple[int, Element]]:
    """Yield the line and the content of each element with one of the `names`, prefixes left out.

    Raises BadXml where the file breaks off, is no XML, or defines entities.
    """
    from xml.etree.ElementTree import ParseError

    from defusedxml.ElementTree import DefusedXMLParser

    builder = _Builder(names)
    parser: Any = DefusedXMLParser(
        target=builder, forbid_dtd=False, forbid_entities=True, forbid_external=True
    )
    builder.line = lambda: int(parser.parser.CurrentLineNumber)
    read = 0
    with source.open() as stream:
        while block := stream.read(_BLOCK):
            read += len(block)
            if read > MAX_BYTES:
                raise too_large(source.name, read)
            try:
                parser.feed(block)
            except (ParseError, ValueError, LookupError, RecursionError, OverflowError) as error:
                # What ended before the fault, in the same block, is whole.
                yield from builder.taken()
                raise _bad(error, builder.line()) from error
            yield from builder.taken()
    if builder.depth or not builder.any_element:
        raise BadXml("the file breaks off before its end", builder.line())


def _bad(error: Exception, line: int) -> BadXml:
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException

    if isinstance(error, ParseError):
        return BadXml(f"not XML from here on ({str(error).partition(':')[0]})", error.position[0])
    if isinstance(error, DefusedXmlException):
        return BadXml("it defines entities, which are not read", line)
    return BadXml(f"not XML that can be read from here on ({error})", line)


def local(tag: object) -> str:
    """Return the name of an element without its namespace."""
    return str(tag).rpartition("}")[2]


def children(parent: Element, *path: str) -> list[Element]:
    """Return the elements that a path of names leads to, prefixes left out."""
    found = [parent]
    for name in path:
        found = [child for element in found for child in element if local(child.tag) == name]
    return found


def text_in(parent: Element, *path: str) -> str:
    """Return the text, with that of elements within, of the first element a path leads to, or ""."""
    return next((content(element) for element in children(parent, *path)), "")


def content(element: Element) -> str:
    """Return all text in an element on one line, raised and lowered digits marked as such."""
    return " ".join("".join(_pieces(element, 0)).split())


def _pieces(element: Element, depth: int) -> Iterator[str]:
    yield element.text or ""
    for child in element if depth < _MOST_DEPTH else ():
        name = local(child.tag)
        opening, closing = (f"<{name}>", f"</{name}>") if name in ("sub", "sup", "inf") else ("", "")
        yield opening
        yield from _pieces(child, depth + 1)
        yield closing
        yield child.tail or ""


class _Builder:
    """Builds the elements that are wanted and forgets the others, so that memory stays small."""

    def __init__(self, names: frozenset[str]) -> None:
        from xml.etree.ElementTree import TreeBuilder

        self._names = names
        self._new = TreeBuilder
        self._tree: TreeBuilder | None = None
        self._within = 0
        self._line = 0
        self._ready: list[tuple[int, Element]] = []
        self.depth = 0
        self.any_element = False
        self.line: Callable[[], int] = int

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take the start of an element."""
        self.depth += 1
        self.any_element = True
        if self.depth > _MOST_DEPTH:
            raise ValueError("elements are nested too deep")
        if self._tree is None and local(tag) in self._names:
            self._tree, self._line = self._new(), self.line()
        if self._tree is not None:
            self._within += 1
            self._tree.start(tag, attributes)

    def data(self, text: str) -> None:
        """Take text."""
        if self._tree is not None:
            self._tree.data(text)

    def end(self, tag: str) -> None:
        """Take the end of an element."""
        self.depth -= 1
        if self._tree is None:
            return
        self._tree.end(tag)
        self._within -= 1
        if not self._within:
            self._ready.append((self._line, self._tree.close()))
            self._tree = None

    def close(self) -> None:
        """Take the end of the file."""

    def taken(self) -> list[tuple[int, Element]]:
        """Return the elements that have ended since this was last asked."""
        ready, self._ready = self._ready, []
        return ready
