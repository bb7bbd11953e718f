"""A query such as `arxiv:2401.01234` in, a file of JSON lines with the papers found out; resumable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rag.errors import SourceError, UsageError
from rag.fetch.client import TRIES, Client
from rag.fetch.services import SERVICES, Page, Service
from rag.fetch.spool import Spool
from rag.settings import Settings

LIMIT = 1000
MOST = 100_000


def is_query(word: str) -> bool:
    """Say whether a word names a service and what to ask it for."""
    name, mark, asked = word.partition(":")
    return bool(mark) and name.lower() in SERVICES and bool(asked.strip())


def fetch(
    word: str,
    folder: Path,
    settings: Settings,
    *,
    limit: int = LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Path, int, int]:
    """Fetch what a query finds, at most `limit` papers, into a file in `folder`; what was begun goes on.

    Returns the file, how many papers are in it and how many there are in all. `progress` is told both.

    Raises UsageError for a query that names no service, SourceError when the service cannot be reached or
    refuses; what came before is kept, and the same query goes on from there.
    """
    if not is_query(word):
        raise UsageError(f"{word!r} is no query", hint=f"Begin it with one of: {', '.join(SERVICES)}.")
    name, _, asked = word.partition(":")
    service = SERVICES[name.lower()](asked.strip(), settings)
    spool = Spool.open(folder, name.lower(), asked.strip(), limit)
    if not spool.complete:
        _fill(spool, service, settings, limit, progress)
    if not spool.count:
        raise SourceError("nothing was found.", source=word, hint="Check the query.")
    return spool.finish(), spool.count, max(spool.total, spool.count)


def _fill(
    spool: Spool,
    service: Service,
    settings: Settings,
    limit: int,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Ask for page after page and store each."""
    with Client(service.name, settings.fetch_pause_s, settings.timeout_s) as client:
        while spool.count < limit and not spool.complete:
            page = _page(client, service, spool, min(service.page_size, limit - spool.count))
            spool.add(page.papers[: limit - spool.count], page.following, page.total)
            if progress is not None:
                progress(spool.count, min(limit, max(spool.total, spool.count)))


def _page(client: Client, service: Service, spool: Spool, size: int) -> Page:
    """Return the next page; an empty one where there should be more, as arXiv has, is asked for again."""
    for _ in range(TRIES):
        page = service.page(client, spool.place, size)
        if page.papers or page.total <= spool.count:
            return page
    reason = f"its pages are empty from {spool.count} of {page.total} papers on."
    raise SourceError(reason, source=service.name, hint="Try again later: what was fetched is kept.")
