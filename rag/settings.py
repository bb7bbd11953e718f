"""Settings: flags, the environment and a `.env` file come in, one frozen `Settings` with origins goes out.

A value is taken from the first of these that has one: flag, environment, `.env`, default.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from rag.errors import SettingError

Origin = Literal["flag", "environment", ".env", "default"]
PREFIX = "RAG_"
DOTENV = ".env"
MASK_KEEPS = 4
_SHORTEST_TOKEN = 16
_HINT = "See all settings with: rag config"
# A token may stand in place of the user name, and a password may hold any mark: all before the last `@` goes.
_LOGIN = re.compile(r"(?<=://)\S{1,2000}@")
_KEY_PARAMETER = re.compile(
    r"([?&;][\w.-]{0,40}(?:key|token|secret|passw|pwd|auth|sig|credential)[\w.-]{0,40}=)[^\s&;#'\"]{1,2000}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: where it may come from, how its text is read, and what it means.

    `parse` turns text into the value and raises ValueError with what is allowed.
    """

    name: str
    env: str
    default: Any
    parse: Callable[[str], Any]
    help: str
    secret: bool = False
    flag: str = ""

    @property
    def option(self) -> str:
        """The command line option that sets it, where a command has one."""
        return self.flag or f"--{self.name.replace('_', '-')}"

    @property
    def shown_default(self) -> str:
        """The default as a person would type it; empty when there is none."""
        return _display(self.default)


def _text(value: str) -> str:
    return value


def _path(value: str) -> Path:
    if "\0" in value:
        raise ValueError("a folder name without NUL characters")
    return Path(value).expanduser()


def _url(value: str) -> str:
    allowed = "an address that begins with http:// or https://"
    try:
        parts = urlsplit(value)
        whole = parts.hostname and (parts.port is None or parts.port)
    except ValueError as error:
        raise ValueError(allowed) from error
    if parts.scheme not in ("http", "https") or not whole:
        raise ValueError(allowed)
    return value.rstrip("/")


def _tokens(value: str) -> int:
    return _whole(value, 100, 100_000)


def _chunks(value: str) -> int:
    return _whole(value, 0, 10_000_000)


def _whole(value: str, least: int, most: int) -> int:
    allowed = f"a whole number from {least} to {most}"
    try:
        number = int(value)
    except ValueError as error:
        raise ValueError(allowed) from error
    if not least <= number <= most:
        raise ValueError(allowed)
    return number


def _one_of(*allowed: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value.lower() not in allowed:
            raise ValueError(f"one of {', '.join(allowed)}")
        return value.lower()

    return parse


def _token(value: str) -> str:
    if len(value) < _SHORTEST_TOKEN or not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError(f"at least {_SHORTEST_TOKEN} ASCII characters without spaces")
    return value


def _switch(value: str) -> bool:
    known = {
        "on": True,
        "yes": True,
        "true": True,
        "1": True,
        "off": False,
        "no": False,
        "false": False,
        "0": False,
    }
    if value.lower() not in known:
        raise ValueError("on or off")
    return known[value.lower()]


def _dollars(value: str) -> float:
    return _number(value, 0.0, 1e6, "an amount in US dollars such as 0.05")


def _pause(value: str) -> float:
    return _number(value, 0.0, 600.0, "a number of seconds from 0 to 600")


def _seconds(value: str) -> float:
    return _number(value, 0.1, 3600.0, "a number of seconds from 0.1 to 3600")


def _number(value: str, least: float, most: float, allowed: str) -> float:
    try:
        number = float(value)
    except ValueError as error:
        raise ValueError(allowed) from error
    if not least <= number <= most:
        raise ValueError(allowed)
    return number


SETTINGS: tuple[Setting, ...] = (
    Setting("library", "RAG_LIBRARY", Path(".rag"), _path, "Folder that holds the library."),
    Setting("embedder", "RAG_EMBEDDER", "minilm", _text, "Embedding model that turns text into vectors."),
    Setting(
        "model",
        "RAG_MODEL",
        "extractive",
        _text,
        "What writes the answers: `extractive` quotes sentences of the papers and needs no key;"
        " `openai:NAME` is a chat model; `auto` is one if a key or an address is set.",
    ),
    Setting(
        "fallback",
        "RAG_FALLBACK",
        "connection",
        _one_of("connection", "extractive", "none"),
        "When a chat model fails, quote instead: on `connection` trouble, always (`extractive`), or `none`.",
    ),
    Setting(
        "judge",
        "RAG_JUDGE",
        "rules",
        _one_of("rules", "model"),
        "What checks the sentences a chat model wrote: `rules`, or then also the `model`, for one more call.",
    ),
    Setting(
        "max_cost_usd",
        "RAG_MAX_COST_USD",
        None,
        _dollars,
        "Most that one command may spend on a chat model, in US dollars; estimated before each call.",
        flag="--max-cost",
    ),
    Setting(
        "timeout_s",
        "RAG_TIMEOUT_S",
        60.0,
        _seconds,
        "How many seconds to wait for a model's server to begin or to go on, 0.1 to 3600.",
    ),
    Setting(
        "cache",
        "RAG_CACHE",
        True,
        _switch,
        "Whether replies of a chat model are kept, and the same question is not paid for twice: on or off.",
    ),
    Setting(
        "prompts_dir",
        "RAG_PROMPTS_DIR",
        None,
        _path,
        "Folder with prompt files of your own; those it lacks are the program's.",
    ),
    Setting(
        "chroma_url",
        "RAG_CHROMA_URL",
        "",
        _url,
        "Address of a Chroma server for the vectors; without it Chroma runs inside the program.",
    ),
    Setting(
        "exact_up_to",
        "RAG_EXACT_UP_TO",
        20_000,
        _chunks,
        "Up to how many chunks every vector is compared, which is exact; beyond, Chroma's graph is asked. 0:"
        " always Chroma.",
    ),
    Setting(
        "evidence_tokens",
        "RAG_EVIDENCE_TOKENS",
        900,
        _tokens,
        "How many tokens of evidence an answer may rest on, 100 to 100000.",
    ),
    Setting(
        "arxiv_url",
        "RAG_ARXIV_URL",
        "https://export.arxiv.org/api/query",
        _url,
        "Address that `rag ingest arxiv:QUERY` asks.",
    ),
    Setting(
        "openalex_url",
        "RAG_OPENALEX_URL",
        "https://api.openalex.org",
        _url,
        "Address that `rag ingest openalex:QUERY` asks.",
    ),
    Setting(
        "openreview_url",
        "RAG_OPENREVIEW_URL",
        "https://api2.openreview.net",
        _url,
        "Address that `rag ingest openreview:VENUE` asks.",
    ),
    Setting(
        "fetch_pause_s",
        "RAG_FETCH_PAUSE_S",
        3.0,
        _pause,
        "Seconds between two requests to one of these services, 0 to 600; arXiv asks for 3.",
    ),
    Setting(
        "openai_api_key",
        "OPENAI_API_KEY",
        "",
        _text,
        "Key for OpenAI or an OpenAI-compatible server.",
        secret=True,
    ),
    Setting(
        "openai_base_url",
        "OPENAI_BASE_URL",
        "",
        _url,
        "Address of an OpenAI-compatible server to use instead.",
    ),
    Setting(
        "token",
        "RAG_TOKEN",
        "",
        _token,
        "Secret that clients of `rag serve` must give; needed to serve others than this machine.",
        secret=True,
    ),
)
BY_ENV: Mapping[str, Setting] = {setting.env: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting's value; `origins` says where each came from, `warnings` what looked wrong."""

    library: Path = Path(".rag")
    embedder: str = "minilm"
    model: str = "extractive"
    fallback: str = "connection"
    judge: str = "rules"
    max_cost_usd: float | None = None
    timeout_s: float = 60.0
    cache: bool = True
    prompts_dir: Path | None = None
    chroma_url: str = ""
    exact_up_to: int = 20_000
    evidence_tokens: int = 900
    arxiv_url: str = "https://export.arxiv.org/api/query"
    openalex_url: str = "https://api.openalex.org"
    openreview_url: str = "https://api2.openreview.net"
    fetch_pause_s: float = 3.0
    openai_api_key: str = field(default="", repr=False)
    openai_base_url: str = ""
    token: str = field(default="", repr=False)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def rows(self) -> tuple[tuple[Setting, str, Origin], ...]:
        """Return each setting with its value as text (secrets masked) and its origin."""
        return tuple((s, self._shown(s), self.origins.get(s.name, "default")) for s in SETTINGS)

    def _shown(self, setting: Setting) -> str:
        text = _display(getattr(self, setting.name))
        return mask(text) if setting.secret else mask_password(text)


def load(flags: Mapping[str, str], environ: Mapping[str, str], dotenv_path: Path | None = None) -> Settings:
    """Read every setting and remember where it came from.

    `flags` is keyed by setting name, `environ` and the `.env` file by variable name. An empty value
    counts as not given. Nothing is written to `environ`.

    Raises SettingError for a value that is not allowed, and for an unknown `RAG_` name in the `.env` file.
    """
    settings, problems = load_all(flags, environ, dotenv_path)
    if problems:
        raise problems[0]
    return settings


def load_all(
    flags: Mapping[str, str], environ: Mapping[str, str], dotenv_path: Path | None = None
) -> tuple[Settings, tuple[SettingError, ...]]:
    """Read the settings as `load` does, but return what is wrong, with the default in its place."""
    problems: list[SettingError] = []
    dotenv: dict[str, str] = {}
    try:
        dotenv = read_dotenv(dotenv_path) if dotenv_path is not None else {}
    except SettingError as error:
        problems.append(error)
    problems.extend(_unknown(dotenv, dotenv_path))
    given: dict[str, Any] = {}
    origins: dict[str, Origin] = {}
    for setting in SETTINGS:
        text, origin = _first_given(setting, flags, environ, dotenv)
        origins[setting.name] = origin
        if origin != "default":
            try:
                given[setting.name] = _parsed(setting, text, origin)
            except SettingError as error:
                problems.append(error)
                origins[setting.name] = "default"
    settings = Settings(**given, origins=origins, warnings=tuple(_environment_warnings(environ)))
    return settings, tuple(problems)


def read_dotenv(path: Path) -> dict[str, str]:
    """Return the names and values of a `.env` file; an absent file gives none.

    Raises SettingError when the file or a line of it cannot be read.
    """
    if not path.is_file():
        return {}
    from dotenv.parser import parse_stream

    values: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8-sig") as stream:
            for binding in parse_stream(stream):
                if binding.error:
                    raise SettingError(
                        f"{path}, line {binding.original.line}: this is not a NAME=value line",
                        hint="Write one NAME=value on each line, as in .env.example.",
                    )
                if binding.key is not None and binding.value is not None:
                    values[binding.key] = binding.value
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{path} cannot be read: {error}", hint="Save it as plain UTF-8 text.") from error
    return values


def mask(secret: str) -> str:
    """Return a secret as dots, with its last characters when it is long enough not to give it away."""
    if not secret:
        return ""
    return "…" + secret[-MASK_KEEPS:] if len(secret) >= 5 * MASK_KEEPS else "…"


def mask_password(text: str) -> str:
    """Return a text with what lets someone in masked in every address: before an `@`, or in a parameter."""
    return _KEY_PARAMETER.sub(r"\1…", _LOGIN.sub("…@", text))


def closest(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean X?` for the known name nearest to a mistyped one, else nothing."""
    near = difflib.get_close_matches(name, tuple(known), n=1, cutoff=0.6)
    return f" Did you mean {near[0]}?" if near else ""


def _first_given(
    setting: Setting, flags: Mapping[str, str], environ: Mapping[str, str], dotenv: Mapping[str, str]
) -> tuple[str, Origin]:
    places: tuple[tuple[Origin, str | None], ...] = (
        ("flag", flags.get(setting.name)),
        ("environment", environ.get(setting.env)),
        (".env", dotenv.get(setting.env)),
    )
    for origin, text in places:
        if text is not None and text.strip():
            return text.strip(), origin
    return "", "default"


def _parsed(setting: Setting, text: str, origin: Origin) -> Any:
    try:
        return setting.parse(text)
    except ValueError as error:
        named = setting.option if origin == "flag" else setting.env
        shown = mask(text) if setting.secret else mask_password(text)
        raise SettingError(
            f"{named} ({origin}) is {shown!r}; it must be {error}",
            hint=_HINT,
        ) from error


def _unknown(dotenv: Mapping[str, str], path: Path | None) -> Iterable[SettingError]:
    for name in dotenv:
        if name.startswith(PREFIX) and name not in BY_ENV:
            yield SettingError(f"{path}: there is no setting {name}.{closest(name, BY_ENV)}", hint=_HINT)


def _environment_warnings(environ: Mapping[str, str]) -> Iterable[str]:
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in BY_ENV:
            yield f"the environment variable {name} is not a setting and is ignored.{closest(name, BY_ENV)}"


def _display(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else str(value)
