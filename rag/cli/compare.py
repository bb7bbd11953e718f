"""`rag compare`: papers or a topic come in, a table by aspects goes out, and what sets the papers apart."""

from __future__ import annotations

import click

from rag.cli.ask import tell_cost
from rag.cli.giving import Wanted, give, output_options
from rag.cli.prompts import prompts_dir_option
from rag.cli.session import (
    NOT_FOUND_CODE,
    give_setting,
    global_options,
    open_library,
    setting_option,
    settings_now,
    warn,
)
from rag.errors import UsageError


@click.command("compare")
@click.argument("papers", nargs=-1, metavar="[PAPER...]")
@click.option("--topic", metavar="WORDS", help="Compare the papers on a topic, in place of papers named.")
@click.option(
    "--aspects",
    metavar="A,B,…",
    help="What to compare them by, in any words; by default problem, approach, data, results and limits.",
)
@output_options
@setting_option("model", "What fills the table: extractive, auto, or openai:NAME.", "MODEL")
@setting_option("max_cost_usd", "Most that may be spent on a chat model, in US dollars.", "USD")
@prompts_dir_option
@click.option("--no-cache", is_flag=True, help="Ask the chat model again, even if its reply was kept.")
@global_options
def command(
    papers: tuple[str, ...], topic: str | None, aspects: str | None, wanted: Wanted, no_cache: bool
) -> int:
    """Compare papers in a table, every cell with its quotation, and say what sets them apart.

    Each PAPER is a name, a source, or an id. Exit code 3 means that the library has no two papers on the
    topic.
    """
    if not papers and not (topic or "").strip():
        raise UsageError(
            "there is nothing to compare",
            hint='Name papers (rag compare EVA-0 ENGINE), or a topic: rag compare --topic "…"',
        )
    if no_cache:
        give_setting("cache", "off")
    settings = settings_now()
    by = [part for part in (aspects or "").split(",") if part.strip()]
    with open_library(settings=settings) as library:
        answer = library.compare(papers, topic=(topic or "").strip(), aspects=by)
    give(answer, wanted)
    warn(answer.warnings)
    tell_cost(answer, settings)
    return NOT_FOUND_CODE if answer.status == "not_found" else 0
