"""The Model Context Protocol door: the state comes in, a server with the library's tools goes out."""

from __future__ import annotations

import logging
from importlib.metadata import version
from typing import Any

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from pydantic import ValidationError

from rag.errors import RagError
from rag.serving.answering import Voice
from rag.serving.problems import Problem, problem_of
from rag.serving.state import State
from rag.serving.tools import TOOLS, Tool, as_text

NAME = "askpapers"
_INSTRUCTIONS = (
    "A library of paper abstracts. Use ask for questions of fact, search_papers to find papers, read_paper"
    " for a whole abstract, compare and summarize for several papers, check_claim before you state what a"
    " paper says. Cite papers by name and source. When the status is not_found, say so: the library does not"
    " hold the answer."
)
_MOST_FAULTS = 5
_LOG = logging.getLogger("rag.serving")


def mcp_server(state: State) -> Server[Any]:
    """Return a server whose tools read the library; none of them changes it."""

    async def listed(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(name, tool) for name, tool in TOOLS.items()])

    async def called(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            return _failed(Problem(404, f"There is no tool {params.name!r}.", f"Tools: {', '.join(TOOLS)}"))
        return await _run(tool, params.arguments or {}, state)

    return Server(
        NAME,
        version=version("askpapers"),
        instructions=_INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


def http_sessions(state: State) -> StreamableHTTPSessionManager:
    """Return what serves MCP over HTTP, without sessions: each request stands for itself.

    The guards of the application check host, origin and token.
    """
    return StreamableHTTPSessionManager(mcp_server(state), stateless=True, json_response=True)


def endpoint(sessions: StreamableHTTPSessionManager) -> StreamableHTTPASGIApp:
    """Return the application that answers at `PATH`."""
    return StreamableHTTPASGIApp(sessions)


async def serve_stdio(state: State) -> None:
    """Serve one client over stdin and stdout until it closes them."""
    from mcp.server.stdio import stdio_server

    server = mcp_server(state)
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


async def _run(tool: Tool[Any], arguments: dict[str, Any], state: State) -> types.CallToolResult:
    try:
        given = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        return _failed(Problem(422, "The arguments are not as they must be.", errors=_faults(error)))

    def job(voice: Voice) -> dict[str, Any]:
        return tool.run(state, given, voice)

    try:
        result = await state.answers.run(None, job)
    except Exception as error:
        # Older protocols of the kit would tell the client the text of any exception.
        if not isinstance(error, RagError):
            _LOG.error("a tool failed: %s", type(error).__name__, exc_info=error)
        return _failed(problem_of(error, state.settings))
    return types.CallToolResult(content=[_text(as_text(result))], structured_content=result)


def _described(name: str, tool: Tool[Any]) -> types.Tool:
    return types.Tool(
        name=name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.arguments.model_json_schema(),
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _failed(problem: Problem) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(problem.said)], is_error=True)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _faults(error: ValidationError) -> tuple[str, ...]:
    return tuple(
        f"{'.'.join(map(str, found['loc']))}: {found['msg']}" for found in error.errors()[:_MOST_FAULTS]
    )
