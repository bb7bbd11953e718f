"""Doctor: settings come in, a finding for each thing that must be in order goes out, and repairs are made."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rag.counting import counted
from rag.errors import LibraryError, LibraryLocked, RagError
from rag.settings import Settings, mask_password

if TYPE_CHECKING:
    from rag.ledger import Ledger

Severity = Literal["ok", "warn", "fail"]
DISTRIBUTION = "askpapers"
SHOWN = 3
REPAIR = "rag doctor --repair"
REEMBED = "rag doctor --reembed"
BACK_UP = "rag backup FILE"


@dataclass(frozen=True, slots=True)
class Check:
    """A finding: what was looked at, how it stands, the command that helps, and what it was made up of."""

    name: str
    severity: Severity
    message: str
    remedy: str = ""
    details: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the finding as JSON values."""
        return {
            "name": self.name,
            "severity": self.severity,
            "message": self.message,
            "remedy": self.remedy,
            "details": list(self.details),
        }


def examine(settings: Settings) -> Iterator[Check]:
    """Run every check in turn; a check that fails does not keep the next from running."""
    for name, check in CHECKS.items():
        try:
            yield check(settings)
        except RagError as error:
            yield _failed(name, error, settings)
    yield from _examine_library(settings)


def repair(settings: Settings) -> str:
    """Make the indexes again from the ledger; return what was done.

    Raises LibraryLocked while another process writes, LibraryDamaged if the ledger itself is not sound.
    """
    from rag.indexes.healing import open_indexes
    from rag.ledger import Ledger

    if not settings.library.is_dir():
        raise LibraryError(
            f"there is no library at {settings.library}", hint="Make one with: rag ingest PATH"
        )
    with Ledger.open(settings.library, "write") as ledger:
        indexes = open_indexes(ledger, chroma_url=settings.chroma_url)
        try:
            indexes.rebuild()
        finally:
            indexes.close()
        return f"the indexes were made again from the ledger: {counted(ledger.count(), 'paper')}"


def reembed(settings: Settings, progress: Callable[[int, int], None] | None = None) -> str:
    """Embed every paper again with the embedder that is set; return what was done.

    `progress` is told papers done and papers in all. If it is interrupted, the library has what it had.
    """
    from rag.library import Library

    with Library.open(settings.library, settings) as library:
        done = library.reembed(progress)
    return f"{counted(done, 'paper')} embedded again with {settings.embedder}"


def check_python(settings: Settings) -> Check:
    """Tell which Python runs the program."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", "ok", f"Python {version} on {sys.platform}")


def check_packages(settings: Settings) -> Check:
    """Tell whether every package the program needs is installed."""
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        needed = [name for name in map(_required_name, requires(DISTRIBUTION) or ()) if name]
    except PackageNotFoundError:
        return Check("packages", "warn", f"{DISTRIBUTION} itself is not installed", "pip install -e .")
    found: dict[str, str] = {}
    for name in needed:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    missing = [name for name in needed if name not in found]
    if missing:
        return Check("packages", "fail", f"missing: {', '.join(missing)}", f"pip install {' '.join(missing)}")
    message = f"{DISTRIBUTION} {version(DISTRIBUTION)} with {counted(len(found), 'package')}"
    return Check(
        "packages", "ok", message, details=tuple(f"{name} {number}" for name, number in found.items())
    )


def check_embedder(settings: Settings) -> Check:
    """Tell whether the embedding model loads and is the one expected."""
    from rag.embedders import open_embedder

    identity = open_embedder(settings.embedder, settings).identity
    return Check(
        "embedder", "ok", f"{identity.name}, {identity.dimension} dimensions, weights {identity.digest}"
    )


def check_files(settings: Settings) -> Check:
    """Tell whether the seed abstracts and the prompts that travel with the program are there."""
    from rag.resources import prompts, seeds

    folders = {"seeds": seeds(), "prompts": prompts()}
    empty = [name for name, path in folders.items() if not any(p.is_file() for p in path.iterdir())]
    if empty:
        return Check("files", "warn", f"no files in {', '.join(str(folders[name]) for name in empty)}")
    return Check("files", "ok", f"seeds in {folders['seeds']}, prompts in {folders['prompts']}")


def check_lock(settings: Settings) -> Check:
    """Tell whether another process is writing to the library."""
    from rag.ledger import WriterLock

    if not settings.library.is_dir():
        return Check("writer", "ok", "nobody is writing")
    try:
        with WriterLock(settings.library).acquire():
            return Check("writer", "ok", "nobody is writing")
    except LibraryLocked as error:
        return Check("writer", "warn", error.message, error.hint)


def check_ledger(ledger: Ledger, settings: Settings) -> Check:
    """Tell whether the ledger passes its own checks."""
    from rag.ledger.remedy import remedy

    problems = ledger.check()
    if problems:
        return Check("ledger", "fail", _some(problems), remedy(ledger.folder))
    return Check("ledger", "ok", "passes its own checks")


def check_backup(ledger: Ledger, settings: Settings) -> Check:
    """Tell where the last backup lies."""
    from rag.ledger.remedy import last_backup

    known = last_backup(ledger.folder)
    if known is None:
        return Check("backup", "ok", "none was made yet", BACK_UP)
    file, made = known
    if not Path(file).is_file():
        return Check("backup", "warn", f"that of {made} is no longer in {file}", BACK_UP)
    return Check("backup", "ok", f"of {made}, in {file}")


def check_vectors(ledger: Ledger, settings: Settings) -> Check:
    """Tell whether the stored vectors are those of the embedder that is set."""
    from rag.embedders import open_embedder

    stored = ledger.identity
    if stored is None:
        return Check("vectors", "ok", "none stored yet")
    wanted = open_embedder(settings.embedder, settings).identity
    if stored != wanted:
        message = f"made by {stored.name} ({stored.digest}), but {wanted.name} ({wanted.digest}) is set"
        return Check("vectors", "fail", message, f"{REEMBED}, or set RAG_EMBEDDER={stored.name}")
    return Check("vectors", "ok", f"made by {stored.name}")


def check_indexes(ledger: Ledger, settings: Settings) -> Check:
    """Tell whether the indexes agree with the ledger, after what opening could heal."""
    from rag.indexes.healing import open_indexes

    indexes = open_indexes(ledger, chroma_url=settings.chroma_url)
    try:
        problems, healed = indexes.problems(), list(indexes.warnings)
    finally:
        indexes.close()
    if problems:
        return Check("indexes", "fail", _some(problems), REPAIR)
    if healed:
        return Check("indexes", "warn", _some(healed))
    where = f"; vectors on {mask_password(settings.chroma_url)}" if settings.chroma_url else ""
    return Check("indexes", "ok", f"agree with the ledger{where}")


def check_conversations(ledger: Ledger, settings: Settings) -> Check:
    """Tell whether the conversations that were kept can be read."""
    from rag.ledger.conversations import CONVERSATIONS_FILE, Conversations

    problems = Conversations(ledger.folder).check()
    if problems:
        hint = f"Move {ledger.folder / CONVERSATIONS_FILE} away: chats begin anew, papers are not touched."
        return Check("conversations", "fail", _some(problems), hint)
    return Check("conversations", "ok", "can be read")


CHECKS: dict[str, Callable[[Settings], Check]] = {
    "python": check_python,
    "packages": check_packages,
    "embedder": check_embedder,
    "files": check_files,
    "writer": check_lock,
}
LEDGER_CHECKS: dict[str, Callable[[Ledger, Settings], Check]] = {
    "ledger": check_ledger,
    "vectors": check_vectors,
    "indexes": check_indexes,
    "conversations": check_conversations,
    "backup": check_backup,
}


def _examine_library(settings: Settings) -> Iterator[Check]:
    from rag.ledger import Ledger

    if not settings.library.is_dir():
        message = f"there is no library at {settings.library} yet"
        yield Check("library", "warn", message, "rag ingest PATH")
        return
    try:
        ledger = Ledger.open(settings.library)
    except LibraryError as error:
        yield _failed("library", error, settings)
        return
    with ledger:
        try:
            held = f"{counted(ledger.count(), 'paper')} in {counted(ledger.chunk_count(), 'chunk')}"
            yield Check("library", "ok", f"{settings.library} holds {held}")
        except LibraryError as error:
            yield _failed("library", error, settings)
        for name, check in LEDGER_CHECKS.items():
            try:
                yield check(ledger, settings)
            except RagError as error:
                yield _failed(name, error, settings)


def _failed(name: str, error: RagError, settings: Settings) -> Check:
    """Return the finding for an error; whoever already runs the doctor is not sent to it."""
    from rag.ledger.remedy import remedy

    is_here = error.hint.startswith("Run `rag doctor`")
    return Check(name, "fail", error.message, remedy(settings.library) if is_here else error.hint)


def _required_name(requirement: str) -> str:
    """Return the package a requirement names; nothing for one that only an extra needs."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    return name.group() if name and "extra ==" not in requirement else ""


def _some(lines: list[str]) -> str:
    more = len(lines) - SHOWN
    return "; ".join(lines[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
