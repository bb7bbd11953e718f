"""A library in, one file out, and back: the ledger and the conversations, checked on both ways.

The file is a zip archive of the two databases with a small description. The indexes are not in it: they are
made again from the ledger.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rag.errors import LibraryDamaged, LibraryError, OutputError, UsageError
from rag.ledger.conversations import CONVERSATIONS_FILE, Conversations
from rag.ledger.lock import WriterLock
from rag.ledger.opening import Ledger
from rag.ledger.reading import LEDGER_FILE
from rag.ledger.remedy import remember
from rag.ledger.store import Store

FORMAT = "askpapers-backup/1"
MANIFEST = "backup.json"
_MEMBERS = (LEDGER_FILE, CONVERSATIONS_FILE)
_MOST_MANIFEST = 100_000
_STAGE = "restoring"
_ASIDE = "replaced"
# What belongs to a database that is moved: its writes that are not in it yet.
_BESIDE = ("", "-wal", "-shm", "-journal")
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds, when it was made (with the zone of its clock), and how many bytes the file has."""

    file: Path
    made: str
    papers: int
    conversations: int
    size: int


def back_up(folder: Path, file: Path) -> Backup:
    """Write the library in `folder` to `file`; others may read and write the library meanwhile.

    The copy is checked and read again before it takes its place; an earlier backup there stays until then.
    Raises LibraryDamaged if the ledger fails its checks, OutputError if the file cannot be written or is
    none of ours.
    """
    file = file.absolute()
    _check_place(file)
    made = datetime.now().astimezone().isoformat(timespec="seconds")
    with _writing(file), TemporaryDirectory(prefix=".backup-", dir=file.parent) as staging:
        stage = Path(staging)
        with Ledger.open(folder) as ledger:
            ledger.copy_to(stage / LEDGER_FILE)
        Conversations(folder).copy_to(stage / CONVERSATIONS_FILE)
        papers, conversations = _checked(stage, "the library")
        draft = stage / "draft"
        _pack(stage, {"made": made, "papers": papers, "conversations": conversations}, draft)
        _check_whole(draft)
        os.replace(draft, file)
    with contextlib.suppress(OSError):
        remember(folder, file, made)
    return Backup(file, made, papers, conversations, file.stat().st_size)


def restore(file: Path, folder: Path, *, replace: bool = False) -> tuple[Backup, Path | None]:
    """Put the library in `file` into `folder`; what was there is moved aside, within the folder.

    Returns what was restored, and where the earlier library is now. Without `replace`, a folder that holds a
    library is refused with UsageError. Raises LibraryDamaged for a damaged backup, LibraryError for a file
    that is none or is newer than this program, LibraryLocked while another process writes to the folder.
    """
    found = _described(file)
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with WriterLock(folder), _writing(folder):
        if not replace:
            _check_free(folder)
        stage = folder / _STAGE
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir()
        try:
            _unpack(file, stage)
            if _checked(stage, str(file)) != (found.papers, found.conversations):
                raise LibraryDamaged(f"{file} does not hold what it says.", hint=_ANOTHER)
            with _set_aside(folder) as aside:
                # The ledger comes last: until it is there, there is no library, and never half of one.
                for name in reversed(_MEMBERS):
                    if (stage / name).exists():
                        os.replace(stage / name, folder / name)
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    with contextlib.suppress(OSError):
        remember(folder, file, found.made)
    return found, aside


_ANOTHER = "Give another backup: `rag restore FILE`."


# -- writing a backup -------------------------------------------------------------------------------------


def _check_place(file: Path) -> None:
    """Raise OutputError unless a backup can be written to `file` without harm to anything else."""
    if file.is_dir():
        raise OutputError(f"{file} is a folder.", hint="Give a file: `rag backup FILE`.")
    if not file.parent.is_dir():
        raise OutputError(f"There is no folder {file.parent}.", hint="Make it, or give another file.")
    if file.exists():
        try:
            _described(file)
        except LibraryError as error:
            # Of a damaged archive it cannot be told whose it was.
            what = "is damaged" if isinstance(error, LibraryDamaged) else "is no backup"
            raise OutputError(
                f"{file} is there already, and {what}.", hint="Give another file, or remove it first."
            ) from error


def _pack(stage: Path, facts: dict[str, Any], draft: Path) -> None:
    with draft.open("wb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(MANIFEST, json.dumps({"format": FORMAT, **facts}))
            for name in _MEMBERS:
                if (stage / name).exists():
                    archive.write(stage / name, name)
        file.flush()
        os.fsync(file.fileno())


def _check_whole(draft: Path) -> None:
    with _reading(draft), zipfile.ZipFile(draft) as archive:
        bad = archive.testzip()
    if bad is not None:
        raise LibraryError(
            "The backup could not be read again.", hint="Check the disk, or give another place."
        )


# -- reading one ------------------------------------------------------------------------------------------


def _described(file: Path) -> Backup:
    """Return what a backup says of itself; raise LibraryError if it is none."""
    if not file.is_file():
        raise LibraryError(f"There is no file {file}.", hint=_ANOTHER)
    if not zipfile.is_zipfile(file):
        raise _foreign(file)
    with _reading(file), zipfile.ZipFile(file) as archive:
        if MANIFEST not in archive.namelist() or archive.getinfo(MANIFEST).file_size > _MOST_MANIFEST:
            raise _foreign(file)
        facts = json.loads(archive.read(_member(archive, MANIFEST)))
    written = str(facts.get("format", "")) if isinstance(facts, dict) else ""
    if not written.startswith(FORMAT.partition("/")[0]):
        raise _foreign(file)
    if written != FORMAT:
        raise LibraryError(f"{file} was written by a newer version of this program.", hint=_UPGRADE)
    try:
        papers, conversations = int(facts["papers"]), int(facts["conversations"])
        return Backup(file, str(facts["made"]), papers, conversations, file.stat().st_size)
    except (KeyError, TypeError, ValueError) as error:
        raise LibraryDamaged(f"{file} is damaged: its description is incomplete.", hint=_ANOTHER) from error


_UPGRADE = "Upgrade with `pip install -U askpapers`."


def _foreign(file: Path) -> LibraryError:
    return LibraryError(f"{file} is no backup of a library.", hint="Backups are made by `rag backup FILE`.")


def _unpack(file: Path, stage: Path) -> None:
    with _reading(file), zipfile.ZipFile(file) as archive:
        held = [name for name in _MEMBERS if name in archive.namelist()]
    for name in held:
        with (stage / name).open("wb") as out:
            for block in _blocks(file, name):
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
    if not (stage / LEDGER_FILE).exists():
        raise LibraryDamaged(f"{file} is damaged: there is no ledger in it.", hint=_ANOTHER)


def _blocks(file: Path, name: str) -> Iterator[bytes]:
    """Yield what is packed under a name; what fails in writing it elsewhere is no fault of the file."""
    with _reading(file), zipfile.ZipFile(file) as archive, archive.open(_member(archive, name)) as packed:
        while block := packed.read(1 << 20):
            yield block


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return what is packed under a name, in a way that we pack; others raise errors of their own kinds."""
    found = archive.getinfo(name)
    if found.compress_type not in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        raise NotImplementedError(f"{name} is packed in another way")
    return found


def _checked(stage: Path, what: str) -> tuple[int, int]:
    """Check the databases in `stage` whole; return how many papers and conversations they hold."""
    with Store(stage) as store:
        problems = store.check()
        if problems:
            raise LibraryDamaged(f"{what} is damaged: {problems[0]}.", hint="Run `rag doctor`.")
        papers = store.count()
    talks = Conversations(stage)
    problems = talks.check()
    if problems:
        raise LibraryDamaged(f"{what} has damaged conversations: {problems[0]}.", hint="Run `rag doctor`.")
    return papers, len(talks.all())


# -- the folder -------------------------------------------------------------------------------------------


def _check_free(folder: Path) -> None:
    """Raise UsageError if a library is there that would be replaced."""
    held = [name for name in _MEMBERS if (folder / name).exists()]
    if not held:
        return
    try:
        with Ledger(folder, "read", None) as ledger:
            papers = ledger.count()
    except LibraryError:
        what = "a library that cannot be read"
    else:
        if not papers and CONVERSATIONS_FILE not in held:
            return
        what = f"a library of {papers} paper{'' if papers == 1 else 's'}"
    raise UsageError(
        f"{folder} holds {what}", hint="Replace it with --yes, or restore elsewhere with --library DIR."
    )


@contextlib.contextmanager
def _set_aside(folder: Path) -> Iterator[Path | None]:
    """Move the databases in `folder` into a folder of their own in it, and give that; None without any.

    When what is done then fails, they are where they were; else the error says where they are.
    """
    held = [folder / f"{name}{end}" for name in _MEMBERS for end in _BESIDE]
    held = [path for path in held if path.exists()]
    aside = _new_aside(folder) if held else None
    try:
        if aside is not None:
            for path in held:
                os.replace(path, aside / path.name)
        yield aside
    except BaseException:
        for name in _MEMBERS:
            if folder / name not in held:
                (folder / name).unlink(missing_ok=True)
        if aside is not None:
            _put_back(aside, folder)
        raise


def _new_aside(folder: Path) -> Path:
    now = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    names = (f"{_ASIDE}-{now}{more}" for more in ("", *(f"-{n}" for n in range(2, 1000))))
    aside = next(folder / name for name in names if not (folder / name).exists())
    aside.mkdir()
    return aside


def _put_back(aside: Path, folder: Path) -> None:
    """Move what was set aside to where it was, in the place of what has come there since."""
    try:
        # Writes that are not in a database yet come before it: never it without them.
        for path in sorted(aside.iterdir(), reverse=True):
            os.replace(path, folder / path.name)
        aside.rmdir()
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(
            f"{folder} cannot be written: {reason}. The library that was there is in {aside}.",
            hint=f"Move the files in {aside} back to {folder}, or restore again.",
        ) from error


# -- errors -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _writing(place: Path) -> Iterator[None]:
    """Turn what the disk raises into OutputError."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{place} cannot be written: {reason}.", hint="Give another place.") from error


@contextlib.contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Turn what a damaged archive raises into LibraryDamaged, naming the file."""
    try:
        yield
    except OSError as error:
        # An address in a damaged archive may lead before its beginning, which the system refuses.
        reason = error.strerror or str(error)
        raise LibraryDamaged(f"{file} is damaged or cannot be read: {reason}.", hint=_ANOTHER) from error
    except _UNREADABLE as error:
        reason = str(error) or "it is cut short"
        raise LibraryDamaged(f"{file} is damaged: {reason}.", hint=_ANOTHER) from error
