"""Question files: JSON lines with questions and what is right come in, cases go out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from rag.errors import UsageError

TYPES = ("fact", "find", "compare", "topic", "none", "noisy", "lang", "followup")


@dataclass(frozen=True, slots=True)
class Case:
    """One question of a set; `turns` ends with the one that is scored."""

    id: str
    type: str
    turns: tuple[str, ...]
    gold: frozenset[str] = frozenset()
    must: tuple[tuple[str, ...], ...] = ()


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read a question file; raise UsageError naming the line that is not a question."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    cases = tuple(_case(line, f"{path}, line {n}") for n, line in enumerate(lines, 1) if line.strip())
    if not cases:
        raise UsageError(f"{path} holds no questions")
    return cases


def _case(line: str, where: str) -> Case:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{where}: not a JSON object")
    turns = value.get("turns") or [value.get("question")]
    gold, must = value.get("gold", []), value.get("must", [])
    checks = {
        "`question` (or `turns`) must hold text": _texts(turns) and all(turn.strip() for turn in turns),
        "`gold` must be a list of sources": _texts(gold),
        "`must` must be a list of lists of strings": isinstance(must, list)
        and all(_texts(options) and options for options in must),
        f"`type` must be one of {', '.join(TYPES)}": value.get("type", "fact") in TYPES,
    }
    for complaint, fine in checks.items():
        if not fine:
            raise UsageError(f"{where}: {complaint}")
    return Case(
        id=str(value.get("id") or where.rpartition(" ")[2]),
        type=value.get("type", "fact"),
        turns=tuple(turns),
        gold=frozenset(gold),
        must=tuple(tuple(options) for options in must),
    )


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
