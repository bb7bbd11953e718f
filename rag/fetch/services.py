"""arXiv, OpenAlex, OpenReview: a place in their results in, a page of papers and the next place out."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar, Protocol, cast

from rag.errors import SourceError
from rag.fetch.client import Client
from rag.settings import Settings
from rag.sources import atom
from rag.sources.opening import source
from rag.sources.xml_elements import BadXml, elements, text_in
from rag.text.digits import whole
from rag.text.identifiers import are_arxiv_numbers


@dataclass(frozen=True, slots=True)
class Page:
    """Papers as the service describes them, the place of the next page or "", and how many there are."""

    papers: list[Mapping[str, Any]]
    following: str
    total: int


class Service(Protocol):
    """What can be asked for pages of papers."""

    name: ClassVar[str]
    page_size: ClassVar[int]

    def page(self, client: Client, place: str, size: int) -> Page:
        """Return the page at `place`, which is "" at first; raise SourceError if it cannot be had."""


class Arxiv:
    """Papers of arXiv by their numbers, or by a query such as `cat:cs.LG AND diffusion`."""

    name: ClassVar[str] = "arxiv"
    page_size: ClassVar[int] = 100

    def __init__(self, asked: str, settings: Settings) -> None:
        self._address = settings.arxiv_url
        by_number = are_arxiv_numbers(asked)
        self._asked = {"id_list": re.sub(r"\s", "", asked)} if by_number else {"search_query": asked}

    def page(self, client: Client, place: str, size: int) -> Page:
        """Return the entries from number `place` on."""
        start = int(place or 0)
        sorting = {"sortBy": "submittedDate", "sortOrder": "descending"}
        body = client.get(
            self._address, {**self._asked, **sorting, "start": str(start), "max_results": str(size)}
        )
        read = source("arxiv", body[:1000], len(body), lambda: cast(BinaryIO, io.BytesIO(body)))
        try:
            found = [element for _, element in elements(read, frozenset(("entry", "totalResults")))]
        except BadXml as error:
            raise _not_understood(self.name, body) from error
        entries = [element for element in found if len(element)]
        total = next((number for e in found if not len(e) and (number := whole(e.text or ""))), 0)
        for entry in entries:
            if text_in(entry, "title") == "Error":
                raise _refused(self.name, text_in(entry, "summary"))
        end = start + len(entries)
        return Page([atom.fields(entry) for entry in entries], _next(end, total, len(entries)), total)


class OpenAlex:
    """Works of OpenAlex that a search finds."""

    name: ClassVar[str] = "openalex"
    page_size: ClassVar[int] = 200

    def __init__(self, asked: str, settings: Settings) -> None:
        self._address, self._asked = f"{settings.openalex_url}/works", asked

    def page(self, client: Client, place: str, size: int) -> Page:
        """Return the works at a cursor."""
        asked = {"search": self._asked, "per-page": str(size), "cursor": place or "*"}
        answer = _json(self.name, client.get(self._address, asked))
        meta = answer.get("meta") if isinstance(answer.get("meta"), dict) else {}
        works = _list(self.name, answer, "results")
        following = str(meta.get("next_cursor") or "") if works and meta else ""
        return Page(works, following, _count(meta or {}))


class OpenReview:
    """Submissions to a venue of OpenReview, such as `ICLR.cc/2024/Conference`."""

    name: ClassVar[str] = "openreview"
    page_size: ClassVar[int] = 1000

    def __init__(self, asked: str, settings: Settings) -> None:
        self._address, self._asked = f"{settings.openreview_url}/notes", asked

    def page(self, client: Client, place: str, size: int) -> Page:
        """Return the notes from number `place` on."""
        start = int(place or 0)
        asked = {"content.venueid": self._asked, "limit": str(size), "offset": str(start)}
        answer = _json(self.name, client.get(self._address, asked))
        notes = _list(self.name, answer, "notes")
        total = _count(answer)
        return Page(notes, _next(start + len(notes), total, len(notes), size), total)


SERVICES: Mapping[str, Callable[[str, Settings], Service]] = {
    "arxiv": Arxiv,
    "openalex": OpenAlex,
    "openreview": OpenReview,
}


def _next(end: int, total: int, got: int, size: int = 0) -> str:
    """Return the number of the next result, "" after the last; without a total, a short page is the last."""
    is_more = end < total if total else bool(size) and got >= size
    return str(end) if got and is_more else ""


def _json(name: str, body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _not_understood(name, body) from error
    if not isinstance(answer, dict):
        raise _not_understood(name, body)
    return answer


def _list(name: str, answer: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = answer.get(key)
    if not isinstance(found, list):
        raise _refused(
            name, str(answer.get("message") or answer.get("error") or f"there is no {key!r} in it")
        )
    return [one for one in found if isinstance(one, dict)]


def _count(answer: Mapping[str, Any]) -> int:
    count = answer.get("count")
    return count if isinstance(count, int) else 0


def _refused(name: str, said: str) -> SourceError:
    return SourceError(f"it answers: {' '.join(said.split())[:200]}.", source=name, hint="Check the query.")


def _not_understood(name: str, body: bytes) -> SourceError:
    shown = " ".join(body[:200].decode("utf-8", "replace").split())[:80]
    hint = "Try again later; `rag config` shows which address is asked."
    return SourceError(f"the answer is not what was asked for: {shown}", source=name, hint=hint)
