"""Draw docs/page.png: the page of an answer on the seed abstracts, a quote shown, as it looks in a browser.

Run it with `.venv/bin/python docs/make_page_picture.py`. It needs Playwright and
Chromium (apt-get install -y chromium).
"""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright

from rag.library import Library
from rag.resources import seeds
from rag.serving.app import create_app
from rag.serving.state import State
from rag.settings import Settings

PICTURE = Path(__file__).with_name("page.png")
CHROMIUM = "/usr/bin/chromium"
QUESTION = "How much faster than FOA is EVA-0?"
SIZE = {"width": 1280, "height": 800}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a library on a free port; yield its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    state = State(None, Settings(library=folder))
    server = uvicorn.Server(uvicorn.Config(create_app(state), log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def draw(address: str) -> None:
    """Ask the question on the page, point at its first number, and keep what is seen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE)
        page.goto(address)
        page.fill("#question", QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_url("**/a/*")
        page.locator(".cite > a").first.hover()
        page.locator(".cite .quote").first.wait_for()
        shot = page.screenshot()
        # Few colours are there: a palette makes the file half as large.
        Image.open(BytesIO(shot)).convert("RGB").quantize(192).save(PICTURE, optimize=True)
        browser.close()


def main() -> None:
    """Make the picture."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "library"
        with Library.open(folder, write=True) as library:
            library.ingest([seeds()])
        with served(folder) as address:
            draw(address)


if __name__ == "__main__":
    main()
