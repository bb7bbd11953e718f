"""`rag serve`: settings and an address come in, the library is served there until it is stopped."""

from __future__ import annotations

import click

from rag.cli.session import global_options, note, setting_option, settings_now
from rag.serving import LOOPBACK, PORT


@click.command("serve")
@click.option("--host", default=LOOPBACK, show_default=True, metavar="HOST", help="Address to listen at.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=PORT, show_default=True, help="Port to listen at."
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name by which the server is reached; may be given more than once.",
)
@click.option(
    "--rate",
    type=click.IntRange(min=0),
    default=600,
    show_default=True,
    metavar="N",
    help="Requests a minute each client may make; 0 for no limit.",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    metavar="N",
    help="Answers made at the same time; others wait.",
)
@click.option("--log-questions", is_flag=True, help="Write questions into the log too.")
@setting_option("model", "What writes the answers: extractive, auto, or openai:NAME.", "MODEL")
@setting_option("max_cost_usd", "Most that may be spent on one answer, in US dollars.", "USD")
@global_options
def command(
    host: str, port: int, hosts: tuple[str, ...], rate: int, at_once: int, log_questions: bool
) -> None:
    """Serve the library: pages for people, and REST, OpenAI-compatible and MCP doors for programs.

    Only this machine is served. To serve others, name an address with --host and set RAG_TOKEN; who knows the
    token may ask, load and remove papers. One line of JSON a request goes to stderr. Ctrl-C stops the server.
    """
    from rag.serving.running import serve
    from rag.serving.state import Options, State

    options = Options(host, port, hosts, rate_per_minute=rate, at_once=at_once, log_questions=log_questions)
    serve(State(None, settings_now(), options), note)
