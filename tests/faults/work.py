"""What is done to a library in a process of its own, which tells through a pipe what it has finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path

from rag.indexes.healing import open_indexes
from rag.ingest import Progress
from rag.ledger import Ledger
from rag.library import Library
from rag.settings import Settings
from tests.fakes import HashEmbedder

Tell = Callable[[object], None]
READY = "ready"
OTHER = "other"


def opened(folder: Path, *, write: bool = False, embedder: str = "hash") -> Library:
    """Open a library that asks Chroma however small it is, with a quick embedder."""
    settings = Settings(library=folder, exact_up_to=0)
    return Library.open(folder, settings, write=write, embedder=HashEmbedder(name=embedder))


def ingest(folder: Path, tell: Tell) -> None:
    """Read the files beside the library, one after the other; tell of each batch and each file."""
    with opened(folder, write=True) as library:
        for file in sorted(folder.parent.glob("list-*.txt")):
            before = library.count()

            def heard(now: Progress, before: int = before) -> None:
                tell(before + now.added)

            library.ingest([file], progress=heard)
            tell(library.count())


def remove(folder: Path, tell: Tell) -> None:
    """Remove all papers, a few at a time; tell which are gone."""
    with opened(folder, write=True) as library:
        ids = [paper.id for paper in library.papers()]
        for start in range(0, len(ids), 6):
            library.remove(ids[start : start + 6])
            tell(ids[start : start + 6])


def reembed(folder: Path, tell: Tell) -> None:
    """Embed all papers with another embedder; tell how many are done."""
    with opened(folder, write=True, embedder=OTHER) as library:
        library.reembed(lambda done, _: tell(done))


def heal(folder: Path, tell: Tell) -> None:
    """Open the indexes, which makes them again."""
    tell(0)
    with Ledger.open(folder) as ledger:
        open_indexes(ledger).close()
        tell(1)


def read(folder: Path, tell: Tell) -> None:
    """Search until told all papers are in, through one open library; tell what was seen at the end."""
    seen = [0]
    with opened(folder) as library:
        while not (folder.parent / "stop").exists():
            hits = library.search("How does the method study octopus memory?")
            assert all(hit.paper.text for hit in hits)
            seen.append(library.count())
        assert seen == sorted(seen)
        ids = {hit.paper.id for hit in library.search("accurate and quick experiments", k=1000)}
    tell((len(seen), seen[-1], len(ids)))


WORK: Mapping[str, Callable[[Path, Tell], None]] = {
    "ingest": ingest,
    "remove": remove,
    "reembed": reembed,
    "heal": heal,
    "read": read,
}


def run(kind: str, folder: Path, pipe: Connection) -> None:
    """Do one kind of work and tell through `pipe`, beginning with READY."""
    pipe.send(READY)
    WORK[kind](folder, pipe.send)
