"""Prompts: a file in `prompts/` comes in, messages with every variable filled go out.

A prompt file has front matter that names its variables, and sections: what the model is told (`system`,
`user`), what is added to `system` when the server cannot be bound to a schema (`json_object`, `text`), and
the schema of the reply. Whatever does not fit together fails when the file is loaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from rag import resources
from rag.errors import PromptError

Form = Literal["json_schema", "json_object", "text"]
"""How a reply is bound: to a schema by the server, to JSON by the server, or by nothing but the prompt."""

FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")

PROMPTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "answer": frozenset({"question", "papers", "fence"}),
        "repair": frozenset({"question", "papers", "fence", "faults"}),
        "rewrite": frozenset({"conversation", "question", "fence"}),
        "translate": frozenset({"language", "texts", "fence"}),
        "judge": frozenset({"pairs", "fence"}),
        "compare_cells": frozenset({"papers", "fence", "aspects"}),
        "compare_summary": frozenset({"papers", "fence", "table"}),
        "topic_outline": frozenset({"topic", "papers", "fence"}),
        "topic_section": frozenset({"topic", "heading", "papers", "fence"}),
    }
)
"""Every prompt of the program, with the variables the program fills in."""

_SECTIONS = ("system", "user", "json_object", "text", "schema")
_FRONT = re.compile(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION = re.compile(r"^## +(?P<name>\w+) *$", re.MULTILINE)
_VARIABLE = re.compile(r"\{\{\s*(?P<name>\w+)\s*\}\}")
_HINT = "`rag prompts show NAME` prints the one that comes with the program."


@dataclass(frozen=True, slots=True)
class Message:
    """One message to a chat model: its role and its text."""

    role: Literal["system", "user"]
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as its file gives it; `schema` is the JSON schema of the reply."""

    name: str
    path: Path
    about: str
    variables: frozenset[str]
    system: str
    user: str
    forms: Mapping[Form, str]
    schema: Mapping[str, Any]

    def template(self, form: Form = "json_schema") -> tuple[Message, ...]:
        """Return the messages with their variables still open, as `{{name}}`."""
        system = "\n\n".join(part for part in (self.system, self.forms[form]) if part)
        return (Message("system", system), Message("user", self.user))

    def fill(self, values: Mapping[str, str], form: Form = "json_schema") -> tuple[Message, ...]:
        """Return the messages filled; raise PromptError unless `values` names each variable and no other."""
        self.check(values)
        # One pass: braces that a value brings along are text, not variables.
        return tuple(
            Message(m.role, _VARIABLE.sub(lambda found: values[found["name"]], m.text))
            for m in self.template(form)
        )

    def check(self, values: Iterable[str]) -> None:
        """Raise PromptError unless `values` are this prompt's variables, all of them and no others."""
        given = frozenset(values)
        if given != self.variables:
            raise PromptError(f"{self.path}: {_difference(self.variables, given)}", hint=_HINT)


def variables_of(text: str) -> frozenset[str]:
    """Return the names that stand in a template as `{{name}}`."""
    return frozenset(found["name"] for found in _VARIABLE.finditer(text))


def single_braced(text: str) -> str:
    """Return a template in the style of `str.format`: `{name}`, other braces doubled."""
    parts = _VARIABLE.split(text)
    doubled = [
        p.replace("{", "{{").replace("}", "}}") if i % 2 == 0 else f"{{{p}}}" for i, p in enumerate(parts)
    ]
    return "".join(doubled)


class PromptShelf:
    """Where prompts are read from: the user's own folder first, then the program's."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raise PromptError if `folder` is given and is none, or holds a file that is no prompt of ours."""
        self._own = folder
        if folder is not None:
            _check_folder(folder)

    def prompt(self, name: str) -> Prompt:
        """Load one prompt; raise PromptError if there is none of this name or its file does not fit."""
        if name not in PROMPTS:
            raise PromptError(f"there is no prompt {name!r}", hint=f"There are: {', '.join(PROMPTS)}.")
        return load(self.path(name))

    def path(self, name: str) -> Path:
        """Return the file a prompt is read from."""
        own = self._own / f"{name}.md" if self._own is not None else None
        return own if own is not None and own.is_file() else resources.prompts() / f"{name}.md"

    def all(self) -> tuple[Prompt, ...]:
        """Load every prompt."""
        return tuple(self.prompt(name) for name in PROMPTS)


def load(path: Path) -> Prompt:
    """Read a prompt file. Raises PromptError, naming the file, for whatever does not fit together."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path} cannot be read: {error}", hint=_HINT) from error
    try:
        return _parsed(path, text)
    except ValueError as error:
        raise PromptError(f"{path}: {error}", hint=_HINT) from error


def _parsed(path: Path, text: str) -> Prompt:
    front = _FRONT.match(text)
    if front is None:
        raise ValueError("it does not begin with front matter between two lines of ---")
    head, sections = _head(front["head"]), _sections(front["body"])
    declared = frozenset(filter(None, re.split(r"[\s,]+", head["variables"])))
    used = variables_of("\n".join(sections[name] for name in _SECTIONS if name != "schema"))
    if declared != used:
        raise ValueError(f"front matter and text differ: {_difference(declared, used)}")
    if declared != PROMPTS.get(path.stem, declared):
        raise ValueError(_difference(PROMPTS[path.stem], declared))
    forms: dict[Form, str] = {
        "json_schema": "",
        "json_object": sections["json_object"],
        "text": sections["text"],
    }
    schema = _schema(sections["schema"])
    return Prompt(
        path.stem, path, head["about"], declared, sections["system"], sections["user"], forms, schema
    )


def _head(text: str) -> dict[str, str]:
    pairs = dict(line.partition(":")[::2] for line in text.splitlines() if line.strip())
    head = {key.strip(): value.strip() for key, value in pairs.items()}
    if set(head) != {"about", "variables"}:
        raise ValueError("the front matter must give `about` and `variables`, and nothing else")
    return head


def _sections(body: str) -> dict[str, str]:
    parts = _SECTION.split(body)
    names = parts[1::2]
    if sorted(names) != sorted(_SECTIONS):
        raise ValueError(
            f"its sections are {', '.join(names) or 'none'}; they must be {', '.join(_SECTIONS)}"
        )
    return {name: text.strip() for name, text in zip(names, parts[2::2], strict=True)}


def _schema(text: str) -> Mapping[str, Any]:
    try:
        schema = json.loads(text)
    except ValueError as error:
        raise ValueError(f"its schema is not JSON: {error}") from error
    if not isinstance(schema, dict):
        raise ValueError("its schema is not a JSON object")
    return schema


def _difference(wanted: frozenset[str], found: frozenset[str]) -> str:
    unknown = "".join(f" unknown variable {name!r}," for name in sorted(found - wanted))
    missing = "".join(f" missing variable {name!r}," for name in sorted(wanted - found))
    return (unknown + missing).strip(" ,")


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise PromptError(f"there is no folder of prompts {folder}", hint="Name another with --prompts-dir.")
    for path in sorted(folder.glob("*.md")):
        if path.stem not in PROMPTS and path.stem.upper() != "README":
            raise PromptError(
                f"{path}: there is no prompt of this name", hint=f"There are: {', '.join(PROMPTS)}."
            )
