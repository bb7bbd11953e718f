"""Where the doors for programs are: the beginnings of their addresses."""

from __future__ import annotations

API = "/api"
REST = f"{API}/v1"
OPENAI = "/v1"
MCP = "/mcp"
# What is asked for there is told in a program's own way, never on a page.
DOORS = (API, OPENAI, MCP)
