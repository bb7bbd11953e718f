"""Run the commands shown in the README and in docs/ again, and write what they print below them.

    .venv/bin/python docs/make_transcripts.py [FILE...]

A block marked `console` holds commands after `$ `; what stands below each is replaced. A block whose first
line is ```` ```text reading.txt ```` (any language, then a file name) is written to that file first. The
commands of a page run in order, each in its own shell, in one folder that at first holds only `seeds/`, on a
plain terminal of 80 columns.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rag.resources import seeds

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "README.zh-CN.md", "docs/tutorial.md", "docs/how-to.md")
# A page must not show a program that fell over.
BROKEN = (b"Traceback (most recent", b"this is a bug")
BLOCK = re.compile(r"^(```(\w+)(?: (\S+))?\n)(.*?)^(```)$", re.MULTILINE | re.DOTALL)


def rewritten(page: str) -> str:
    """Return the page with the output of every command as it is now."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copytree(seeds(), folder / "seeds")

        def block(match: re.Match[str]) -> str:
            head, language, name, body, tail = match.groups()
            if name:
                (folder / name).write_text(body, encoding="utf-8")
            elif language == "console":
                body = "\n".join(f"{line}\n{output(line[2:], folder)}" for line in commands(body))
            return f"{head}{body}{tail}"

        return BLOCK.sub(block, page)


def commands(body: str) -> list[str]:
    """Return the lines of a block that hold a command."""
    return [line for line in body.splitlines() if line.startswith("$ ")]


def output(command: str, folder: Path) -> str:
    """Run a command as if a person watched a plain terminal; return all that it printed."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "OPENAI_"))
    }
    environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment |= {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    printed = b""
    try:
        while some := os.read(master, 65536):
            printed += some
    except OSError:
        pass  # Linux ends a pseudo terminal so when the last writer has gone.
    os.close(master)
    process.wait()
    if any(mark in printed for mark in BROKEN):
        raise SystemExit(f"{command}\n{printed.decode()}")
    lines = printed.decode("utf-8").replace("\r\n", "\n").lstrip("\n").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        path = ROOT / name
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
