from __future__ import annotations

import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from rag.library import Library
from rag.serving.app import create_app
from rag.serving.pages.shell import NAVIGATION
from rag.serving.state import Options, State
from rag.settings import Settings
from tests.fakes import HashEmbedder
from tests.stub_server import Asked, Handler, Stub, answer_json, chunk, numbered_sentences
from tests.test_pages import LIST, QUESTION

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")
QUOTE = "TinyNet needs 12 MB of memory and loses 3% of its accuracy after ten tasks."
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
PAGES = [address for address, _ in NAVIGATION] + ["/papers/add", "/nowhere"]

pytestmark = pytest.mark.slow


@dataclass
class Served:
    """A running server: its address, its state, and what the pages it served complained of."""

    url: str
    state: State
    complaints: list[str] = field(default_factory=list)


Serve = Callable[..., Served]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return Debian's Chromium, driven by Playwright."""
    if not CHROMIUM.exists():
        pytest.skip("there is no Chromium here: apt-get install -y chromium")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Return what starts a server on a free port, with the three papers of LIST or without a library."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(*, filled: bool = True, options: Options | None = None, **settings: Any) -> Served:
        folder = tmp_path / "library"
        chosen = Settings(library=folder, **settings)
        library = None
        if filled:
            (tmp_path / "list.txt").write_text(LIST, "utf-8")
            with Library.open(folder, write=True, embedder=HashEmbedder()) as filling:
                filling.ingest([tmp_path / "list.txt"])
            library = Library.open(folder, chosen, embedder=HashEmbedder())
        state = State(library, chosen, options or Options(rate_per_minute=0))
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_app(state), log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        running.append((server, thread))
        return Served(f"http://127.0.0.1:{listener.getsockname()[1]}", state)

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return what opens a page of a server; at the end nothing may have been complained of."""
    contexts, served = [], []

    def opened(server: Served, path: str = "/", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESK, **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        served.append(server)
        page = context.new_page()
        page.on("console", lambda said: said.type == "error" and server.complaints.append(said.text))
        page.on("pageerror", lambda error: server.complaints.append(str(error)))
        page.goto(server.url + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert [said for server in served for said in server.complaints] == []


Open = Callable[..., "Page"]


def ask(page: Page, question: str = QUESTION) -> None:
    """Type a question and wait for the answer at its own address."""
    before = page.url
    page.fill("#question", question)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before and "/a/" in url)
    page.wait_for_selector("article h1")


def test_ask_point_click_and_reload(serve: Serve, open_page: Open) -> None:
    page = open_page(serve())
    ask(page)
    marker = page.locator(".cite > a").first
    card = page.locator(".cite .quote").first
    assert not card.is_visible()
    marker.hover()
    assert card.is_visible() and QUOTE in card.inner_text()
    assert page.locator("mark.pointed").inner_text() == QUOTE
    marker.click()
    marked = page.locator("mark:target")
    assert marked.inner_text() == QUOTE
    assert page.evaluate("document.activeElement === document.querySelector('mark:target')")
    page.reload()
    assert page.locator("mark:target").inner_text() == QUOTE
    assert page.locator("article h1").inner_text() == QUESTION


def test_the_answer_is_whole_without_scripts(serve: Serve, open_page: Open) -> None:
    page = open_page(serve(), java_script_enabled=False)
    page.fill("#question", QUESTION)
    page.click("button.main")
    assert "/a/" in page.url and page.locator("mark").first.inner_text() == QUOTE
    page.locator(".cite > a").first.hover()
    assert page.locator(".cite .quote").first.is_visible()
    page.fill("#question", "What does it lose?")
    page.click("form.follow button.main")
    assert page.url.endswith("-2") and page.locator(".turns li").count() == 2


def test_a_follow_up_goes_on_at_an_address_of_its_own(serve: Serve, open_page: Open) -> None:
    page = open_page(serve())
    ask(page)
    first = page.url
    ask(page, "What does it lose?")
    assert page.url == first.removesuffix("1") + "2"
    assert "3% of its accuracy" in page.locator("article").inner_text()
    page.go_back()
    page.locator(".turns li:nth-child(2):last-child").wait_for(state="attached")
    assert page.locator(".turns [aria-current]").inner_text() == QUESTION


def number_of(asked: Asked, words: str) -> str:
    return next(number for number, text in numbered_sentences(asked.prompt) if words in text)


@dataclass
class Gate:
    """A model that writes one sentence, and the next only once the gate is open."""

    stub: Stub
    open: threading.Event = field(default_factory=threading.Event)
    closed_by_client: threading.Event = field(default_factory=threading.Event)

    def answer(self, handler: Handler, asked: Asked) -> None:
        second = "We present TinyNet, a small network that remembers."
        text = answer_json((QUOTE, [number_of(asked, "12 MB")]), (second, [number_of(asked, "remembers")]))
        at = text.index(second)
        handler.begin_stream()
        handler.event(chunk(text[:at]))
        try:
            while not self.open.wait(0.05) and not self.stub.over.is_set():
                handler.event(chunk(" "))
        except OSError:
            self.closed_by_client.set()
            raise
        handler.event(chunk(text[at:]))
        handler.event(chunk(finish="stop"))
        handler.event("[DONE]")


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Stub() as stub:
        gate = Gate(stub)
        stub.answers = [gate.answer]
        yield gate


def with_model(gate: Gate) -> dict[str, Any]:
    return {
        "model": "openai:stub", "openai_base_url": gate.stub.url, "openai_api_key": "sk-test",
        "cache": False, "timeout_s": 20.0,
    }  # fmt: skip


def test_sentences_appear_as_they_are_finished(serve: Serve, open_page: Open, gate: Gate) -> None:
    page = open_page(serve(**with_model(gate)))
    page.fill("#question", QUESTION)
    page.click("button.main")
    first = page.locator(".said-so-far[aria-live=polite] p")
    first.wait_for()
    assert first.count() == 1 and QUOTE in first.inner_text() and "[1]" in first.inner_text()
    assert (
        page.locator(".stages .done").count() == 2 and "Writing" in page.locator(".stages .now").inner_text()
    )
    assert re.search(r"Reading \d+ papers", page.locator(".stages").inner_text())
    gate.open.set()
    page.wait_for_url("**/a/*")
    page.wait_for_selector("article h1")
    assert page.locator("article .sentence").count() == 2
    assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("how", ["button", "key"])
def test_stop_ends_the_work_and_keeps_nothing(serve: Serve, open_page: Open, gate: Gate, how: str) -> None:
    server = serve(**with_model(gate))
    page = open_page(server)
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    page.locator(".said-so-far p").wait_for()
    if how == "button":
        page.click("button.stop")
    else:
        page.keyboard.press("Escape")
    page.get_by_role("alert").get_by_text("Stopped.").wait_for()
    assert gate.closed_by_client.wait(15)
    assert page.locator("button.main").is_enabled()
    page.goto(server.url + "/history")
    assert "No conversation is kept yet" in page.inner_text("main")


def test_a_failure_is_told_where_the_answer_would_be(serve: Serve, open_page: Open, gate: Gate) -> None:
    settings = with_model(gate) | {
        "openai_base_url": "http://127.0.0.1:9/v1",
        "fallback": "none",
        "timeout_s": 1.0,
    }
    page = open_page(serve(**settings))
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    page.locator("#live [role=alert]").wait_for(timeout=60_000)
    assert page.locator("button.main").is_enabled()


def test_compare_by_typing(serve: Serve, open_page: Open) -> None:
    page = open_page(serve(), "/compare")
    page.locator("#paper-1").press_sequentially("walk")
    page.locator("#names option:only-child").wait_for(state="attached")
    page.fill("#paper-1", "AntWalk")
    page.fill("#paper-2", "TinyNet")
    page.click("text=Another paper")
    assert page.evaluate("document.activeElement.id") == "paper-5"
    page.fill("#paper-5", "BeeTalk")
    page.click("button.main")
    page.wait_for_url("**/a/*")
    assert page.locator("tbody tr").count() == 3
    cell = page.locator("td details").first
    cell.locator("summary").click()
    assert cell.locator("blockquote").is_visible()
    cell.locator("blockquote a").click()
    assert page.locator(".reference:has(:target)").count() == 1


def test_what_cannot_be_compared_keeps_what_was_typed(serve: Serve, open_page: Open) -> None:
    server = serve()
    page = open_page(server, "/compare")
    page.fill("#paper-1", "Nonesuch")
    page.fill("#paper-2", "TinyNet")
    page.click("button.main")
    assert "Nonesuch" in page.get_by_role("alert").inner_text()
    assert page.input_value("#paper-1") == "Nonesuch" and page.locator("button.main").is_enabled()
    server.complaints.clear()  # a browser notes the status of the page itself


def test_the_map_is_pointed_at_clicked_and_walked(serve: Serve, open_page: Open) -> None:
    page = open_page(serve(), "/topics")
    box = page.locator(".theme use").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    name = page.locator("#tip .first").inner_text()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url("**/papers/*")
    assert page.locator("h1").inner_text() == name
    page.go_back()
    page.locator(".legend button").first.click()
    assert page.locator("svg.map.chosen").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("svg.map.chosen").count() == 0
    page.locator("svg.map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/papers/*")
    page.go_back()
    page.locator(".legend summary").first.click()
    page.locator(".legend details a").first.click()
    page.wait_for_url("**/papers/*")


def test_upload_with_progress_then_remove(serve: Serve, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text(
        "Heading\n\nFrogs leap far. We present FrogNet, a robot frog that leaps 3 m.\n"
    )
    page = open_page(serve(), "/papers/add")
    page.set_input_files("#files", tmp_path / "more.txt")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("1 paper added.").wait_for()
    page.click("text=See the papers")
    page.fill("#q", "leaping frogs")
    page.keyboard.press("Enter")
    page.locator(".entries .name").first.click()
    assert page.locator("h1").inner_text() == "FrogNet"
    page.click("text=Remove it")
    page.get_by_role("button", name="Remove it").click()
    assert "3 papers" in page.locator("[role=status]").inner_text()


def test_too_much_to_upload_is_told_before_it_is_sent(serve: Serve, open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "big.txt").write_text("x" * 2000)
    page = open_page(serve(options=Options(rate_per_minute=0, upload_bytes=1000)), "/papers/add")
    page.set_input_files("#files", tmp_path / "big.txt")
    assert "more than the server takes" in page.locator("#files-problem").inner_text()
    page.get_by_role("button", name="Add", exact=True).click()
    assert page.url.endswith("/papers/add")


def test_a_draft_is_checked_and_coloured(serve: Serve, open_page: Open) -> None:
    page = open_page(serve(), "/check")
    page.fill("#draft", "TinyNet needs 12 MB of memory. TinyNet needs 99 GB of memory.")
    page.get_by_role("button", name="Check", exact=True).click()
    assert (
        page.locator(".sentence.supported").count() == 1
        and page.locator(".sentence.unsupported").count() == 1
    )
    sentence = page.locator(".sentence.supported")
    sentence.hover()
    assert sentence.locator(".quote").is_visible()


def test_history_opens_and_deletes_after_a_question(serve: Serve, open_page: Open) -> None:
    server = serve()
    page = open_page(server)
    ask(page)
    address = page.url
    page.click("text=History")
    page.locator(".entries .name").click()
    assert page.url == address
    page.click("text=History")
    page.click("text=Delete")
    page.click("text=Keep it")
    assert page.locator(".entries li").count() == 1
    page.click("text=Delete")
    page.click("text=Delete it")
    assert "No conversation is kept yet" in page.inner_text("main")


def test_the_answer_is_copied(serve: Serve, open_page: Open) -> None:
    page = open_page(serve(), permissions=["clipboard-read", "clipboard-write"])
    ask(page)
    page.click("text=Copy as text")
    page.get_by_text("Copied.").wait_for()
    assert QUESTION in page.evaluate("navigator.clipboard.readText()")


def test_keys(serve: Serve, open_page: Open) -> None:
    page = open_page(serve())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.type("a/b")
    page.keyboard.press("Shift+Enter")
    assert page.input_value("#question") == "a/b\n"
    page.fill("#question", "")
    ask(page, "Which papers need memory or explain paths?")
    markers = page.locator(".cite > a")
    markers.first.focus()
    card = page.locator(".cite:focus-within .quote")
    assert card.is_visible()
    page.keyboard.press("Escape")
    assert not card.is_visible()
    if markers.count() > 1:
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement === document.querySelectorAll('.cite > a')[1]")
        assert page.locator(".cite:focus-within .quote").is_visible()
        page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement === document.querySelector('.cite > a')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_focus_is_seen_on_every_stop(serve: Serve, open_page: Open, scheme: str) -> None:
    server = serve()
    page = open_page(server, "/", color_scheme=scheme)
    for address in PAGES:
        page.goto(server.url + address)
        for _ in range(min(40, page.locator("a, button, input, textarea, select, summary").count())):
            page.keyboard.press("Tab")
            seen = page.evaluate(
                "() => { const node = document.activeElement; if (node === document.body) return true;"
                " const style = getComputedStyle(node);"
                " return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2; }"
            )
            assert seen, (address, page.evaluate("document.activeElement.outerHTML"))
    server.complaints.clear()  # a browser notes the status of /nowhere


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(serve: Serve, open_page: Open, scheme: str) -> None:
    server = serve()
    page = open_page(server, "/", viewport=PHONE, color_scheme=scheme)
    ask(page)
    answer = page.url.removeprefix(server.url)
    for address in [*PAGES, answer]:
        page.goto(server.url + address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
    server.complaints.clear()


def test_what_moves_keeps_still_when_asked_to(serve: Serve, open_page: Open, gate: Gate) -> None:
    page = open_page(serve(**with_model(gate)), reduced_motion="reduce")
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    page.locator(".stages .now").wait_for()
    moving = "getComputedStyle(document.querySelector('.stages .now'), '::before').animationName"
    assert page.evaluate(moving) == "none"
    gate.open.set()
    page.wait_for_url("**/a/*")
