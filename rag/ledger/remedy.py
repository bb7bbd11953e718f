"""A damaged library's folder in, what may be done about it out: the last backup is remembered for this."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

LAST_BACKUP = "backup.json"
_ANEW = "ingest the papers again into another folder: `rag --library DIR ingest PATH`"


def remember(folder: Path, backup: Path, made: str) -> None:
    """Note in a library where its last backup lies, and since when. Raises OSError."""
    draft = folder / f"{LAST_BACKUP}.new"
    draft.write_text(json.dumps({"file": str(backup.absolute()), "made": made}), encoding="utf-8")
    os.replace(draft, folder / LAST_BACKUP)


def last_backup(folder: Path) -> tuple[str, str] | None:
    """Return where the last backup of a library was put, and when, for people; None if none is known of."""
    try:
        note = json.loads((folder / LAST_BACKUP).read_text(encoding="utf-8"))
        return str(note["file"]), for_people(str(note["made"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def for_people(made: str) -> str:
    """Return an ISO time as people write it: `2026-11-30 22:59`."""
    return made[:16].replace("T", " ")


def remedy(folder: Path) -> str:
    """Say what to do about a library whose ledger cannot be used: which backup to restore, and how."""
    known = last_backup(folder)
    if known is None:
        return f"Restore a backup, if there is one: `rag restore FILE`; or {_ANEW}."
    file, made = known
    return f"Restore the backup of {made}: `rag restore {shlex.quote(file)}`; or {_ANEW}."
