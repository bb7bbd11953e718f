"""What leaves the process, and what is loaded: nothing, unless a model is set."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fakes import run_python

LIST = """List

Deep networks forget a lot. We present TinyNet, a small network that remembers. TinyNet needs 12 MB.

Ants find food by smell. We introduce AntWalk, a model of how ants search. It follows 40 ants.
"""
_NO_SOCKETS = """
import json, os, socket, sys
tried = []

def refuse(self, address, *rest):
    tried.append(repr(address))
    raise OSError(f"a socket was opened to {address}")

socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = refuse
real = socket.getaddrinfo

def looked_up(host, *rest, **more):
    tried.append(repr(host))
    return real("127.0.0.1", *rest, **more)

socket.getaddrinfo = looked_up
os.environ["OPENAI_API_KEY"] = "sk-found-in-the-environment"
os.environ.pop("OPENAI_BASE_URL", None)
folder, papers, model = sys.argv[1:]
os.environ["RAG_MODEL"] = model
from rag.cli import main

os.chdir(folder)
codes = [
    main(["ingest", papers, "--library", "lib", "--quiet"]),
    main(["ask", "How much memory does TinyNet need?", "--library", "lib"]),
    main(["search", "TinyNet", "--library", "lib"]),
]
heavy = ("openai", "langchain_core", "langchain_openai", "genai_prices", "httpx2")
loaded = [name for name in heavy if name in sys.modules]
print(json.dumps({"codes": codes, "tried": tried, "loaded": loaded}), file=sys.stderr)
"""


def run(tmp_path: Path, model: str) -> dict[str, list[object]]:
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    done = run_python(_NO_SOCKETS, str(tmp_path), "list.txt", model)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[object]] = json.loads(done.stderr.splitlines()[-1])
    return found


def test_no_socket_leaves_the_process_and_nothing_of_the_models_is_loaded(tmp_path: Path) -> None:
    assert run(tmp_path, "extractive") == {"codes": [0, 0, 0], "tried": [], "loaded": []}


def test_the_test_would_see_a_socket(tmp_path: Path) -> None:
    found = run(tmp_path, "openai:gpt-4.1-mini")
    assert found["tried"] and "langchain_openai" in found["loaded"]
