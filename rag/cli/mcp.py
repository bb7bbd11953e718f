"""`rag mcp`: requests of the Model Context Protocol come in on stdin, what the tools say goes out."""

from __future__ import annotations

import click

from rag.cli.session import global_options, setting_option, settings_now


@click.command("mcp")
@setting_option("model", "What writes the answers: extractive, auto, or openai:NAME.", "MODEL")
@setting_option("max_cost_usd", "Most that may be spent on one answer, in US dollars.", "USD")
@global_options
def command() -> None:
    """Serve the library as tools to a program that starts this command, such as an assistant on the desktop.

    It speaks the Model Context Protocol on stdin and stdout, and ends when the program closes them. Nothing
    can be changed through it.
    """
    import anyio

    from rag.serving.mcp import serve_stdio
    from rag.serving.state import State

    state = State(None, settings_now())
    try:
        anyio.run(serve_stdio, state)
    finally:
        state.close()
