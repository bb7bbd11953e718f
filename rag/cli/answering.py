"""What every command that answers shares: the options of a chat model, and what is said at the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rag.cli.prompts import prompts_dir_option
from rag.cli.session import give_setting, is_quiet, note, setting_option, warn

if TYPE_CHECKING:
    from rag.domain import Answer
    from rag.settings import Settings

Function = TypeVar("Function", bound=Callable[..., Any])
NOT_FOUND_CODE = 3
KEY_FOUND = (
    "OPENAI_API_KEY is set and was not used: answers are quoted from the papers."
    " To have a chat model write them, use --model auto (RAG_MODEL)."
)


def model_options(function: Function) -> Function:
    """Add the options of a chat model: which, its prompts, what it may cost, and whether replies are kept."""

    @wraps(function)
    def with_model(*given: Any, no_cache: bool, **more: Any) -> Any:
        if no_cache:
            give_setting("cache", "off")
        return function(*given, **more)

    options = (
        setting_option("model", "What writes the answer: extractive, auto, or openai:NAME.", "MODEL"),
        setting_option("max_cost_usd", "Most that may be spent on one answer, in US dollars.", "USD"),
        prompts_dir_option,
        click.option(
            "--no-cache", is_flag=True, help="Ask the chat model again, even if its reply was kept."
        ),
    )
    for option in reversed(options):
        with_model = option(with_model)
    return with_model  # type: ignore[return-value]


def close_with(answer: Answer, settings: Settings) -> int:
    """Say what must be known of an answer and what it cost; return the exit code of the command."""
    warn(answer.warnings)
    tell_cost(answer)
    if not answer.usage.calls:
        tell_of_key(settings)
    return NOT_FOUND_CODE if answer.status == "not_found" else 0


def tell_cost(answer: Answer) -> None:
    """Say what a chat model has cost, if one was called."""
    from rag.generate.pricing import told

    if answer.usage.calls:
        note(told(answer.engine, answer.usage))


def tell_of_key(settings: Settings) -> None:
    """Say that there is a key that was not used, unless that was wanted."""
    if settings.openai_api_key and settings.origins.get("model") == "default" and not is_quiet():
        note(KEY_FOUND)
