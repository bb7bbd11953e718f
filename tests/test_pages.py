from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient

from rag.domain import Answer, Paper
from rag.ledger.conversations import Conversations, Turn, new_conversation
from rag.library import Library
from rag.outputs.exports import ANSWER_FORMATS
from rag.resources import seeds
from rag.serving.app import create_app
from rag.serving.pages.answers import EXPORTS
from rag.serving.pages.examples import examples
from rag.serving.pages.files import FILES, content
from rag.serving.pages.kept import Keeping
from rag.serving.pages.shell import NAVIGATION, TEMPLATES
from rag.serving.shapes import MOST_DRAFT
from rag.serving.state import Options, State
from rag.settings import Settings
from tests import sample_answers
from tests.fakes import HashEmbedder, prepared
from tests.page_rules import contrast, faults, read
from tests.stub_server import Stub, answers, fails

LIST = """Some abstracts

Deep networks forget. We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory and \
loses 3% of its accuracy after ten tasks.

Ants find food by smell. We introduce AntWalk, a model of how ants search. AntWalk explains 85% of the paths \
of 40 ants in the field.

Bees dance to tell of flowers. We introduce BeeTalk, a robot that reads the dance. It understands 7 of 9 \
signals.
"""
QUESTION = "How much memory does TinyNet need?"
NASTY = '<script>alert("x")</script><img src=x onerror=alert(1)> ${191*7} {{ 191*7 }}'
EVERY_PAGE = [address for address, _ in NAVIGATION] + ["/papers/add", "/nowhere", "/a/0-1"]

Make = Callable[..., TestClient]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a library of the papers of LIST, to be copied."""
    folder = tmp_path_factory.mktemp("filled")
    fill(folder / "library", LIST)
    return folder / "library"


def fill(path: Path, text: str) -> None:
    """Read a list of abstracts into a library."""
    (path.parent / "list.txt").write_text(text, "utf-8")
    with Library.open(path, write=True, embedder=HashEmbedder()) as library:
        library.ingest([path.parent / "list.txt"])


@pytest.fixture
def make(tmp_path: Path, filled: Path) -> Iterator[Make]:
    """Return what makes a client of a server; its library holds the abstracts of `text`."""
    opened: list[TestClient] = []

    def client(text: str = LIST, *, folder: str = "library", **settings: object) -> TestClient:
        path = tmp_path / folder
        chosen = Settings(library=path, **settings)  # type: ignore[arg-type]
        library = None
        if text:
            if text == LIST:
                shutil.copytree(filled, path)
            else:
                fill(path, text)
            library = Library.open(path, chosen, embedder=HashEmbedder())
        state = State(library, chosen, Options(rate_per_minute=0))
        opened.append(TestClient(create_app(state), "http://127.0.0.1", headers={"Accept": "text/html"}))
        return opened[-1].__enter__()

    yield client
    for one in opened:
        one.__exit__(None, None, None)


def ask(client: TestClient, question: str = QUESTION, **more: str) -> str:
    """Ask by the form, as a browser without scripts does; return the answer's address."""
    response = client.post("/ask", data={"question": question, **more}, follow_redirects=False)
    assert response.status_code == 303, response.text
    return str(response.headers["location"])


def test_every_page_keeps_the_rules_with_papers(make: Make) -> None:
    client = make()
    for address in [*EVERY_PAGE, ask(client)]:
        page = client.get(address)
        assert page.status_code == (404 if address in ("/nowhere", "/a/0-1") else 200), address
        assert page.headers["content-type"].startswith("text/html")
        assert faults(page.text) == [], address


def test_every_page_keeps_the_rules_without_a_library(make: Make, tmp_path: Path) -> None:
    client = make("")
    for address in EVERY_PAGE:
        page = client.get(address)
        assert faults(page.text) == [], address
        assert page.status_code == (404 if address in ("/nowhere", "/a/0-1") else 200), address
    assert not (tmp_path / "library").exists()


@pytest.mark.parametrize("address", ["/", "/compare", "/topics", "/papers", "/check", "/summarize"])
def test_the_first_visit_offers_the_sample(make: Make, address: str) -> None:
    page = make("").get(address).text
    assert 'action="/papers/sample"' in page and "Load the sample abstracts" in page


def test_a_full_library_offers_questions_it_can_answer(make: Make) -> None:
    client = make()
    offered = [unescape(q) for q in re.findall(r'name="question" value="([^"]+)"', client.get("/").text)]
    assert offered == ["What is TinyNet?", "What are the results of AntWalk?"]
    page = client.get(ask(client, offered[0])).text
    assert "12 MB" in page or "remembers" in page


def test_the_example_of_a_comparison_is_of_two_papers_that_have_something_in_common() -> None:
    texts = ("Ants smell food.", "Graphs have edges.", "Bees dance for food.", "Graphs have many edges.", "X")
    papers = [Paper(str(n), f"Sys{n}", text) for n, text in enumerate(texts)]
    assert examples(papers)[-1] == "How does Sys1 differ from Sys3?"


def test_examples_of_a_library_without_short_names_are_none() -> None:
    assert examples([]) == ()


def test_an_answer_shows_its_quote_marked_in_the_whole_abstract(make: Make) -> None:
    client = make()
    page = client.get(ask(client)).text
    assert re.search(r'<mark id="r1-\d+" tabindex="-1">TinyNet needs 12 MB', page)
    place = re.search(r'<span class="cite"><a href="#(r1-\d+)"', page)
    assert place and f'id="{place[1]}"' in page
    assert "Deep networks forget." in page


def test_an_answer_survives_a_new_server_at_its_address(make: Make) -> None:
    first = make()
    address = ask(first)
    page = first.get(address).text
    again = make("").get(address)
    assert again.status_code == 200 and "12 MB" in again.text
    assert read(page).headings == read(again.text).headings


def test_a_follow_up_looks_back_and_stands_in_the_same_conversation(make: Make) -> None:
    client = make()
    first = ask(client)
    second = ask(client, "What does it lose?", after=first.removeprefix("/a/"))
    assert first.endswith("-1") and second == first.removesuffix("1") + "2"
    page = client.get(second).text
    assert "3% of its accuracy" in page and f'href="{first}"' in page and "Understood as" in page


def test_a_follow_up_of_an_earlier_answer_begins_a_conversation_with_what_it_looks_back_on(
    make: Make, tmp_path: Path
) -> None:
    client = make()
    first = ask(client)
    second = ask(client, "What does AntWalk explain?", after=first.removeprefix("/a/"))
    before = client.get(second).text
    other = ask(client, "What does it lose?", after=first.removeprefix("/a/"))
    assert other.endswith("-2") and other.rpartition("-")[0] != first.rpartition("-")[0]
    page = client.get(other).text
    assert "3% of its accuracy" in page and "What does AntWalk explain?" not in page
    assert client.get(second).text == before
    kept = Conversations(tmp_path / "library")
    assert [(c.title, c.turns) for c in kept.all()] == [(QUESTION, 2), (QUESTION, 2)]
    at = [kept.restored(c.id, lambda _: []).turns[0].created for c in kept.all()]
    assert at[0] == at[1]


def test_a_follow_up_of_a_conversation_deleted_meanwhile_does_not_bring_it_back(filled: Path) -> None:
    settings = Settings(library=filled)
    with Library.open(filled, settings, embedder=HashEmbedder()) as library:
        keeping = Keeping(State(library, settings, Options()))
        answer = Answer(QUESTION, "not_found")
        begun = keeping.at(keeping.keep("ask", QUESTION, answer).removeprefix("/a/"))
        keeping.store.delete([begun.conversation.id])
        address = keeping.keep("ask", "And BeeTalk?", answer, begun)
        assert [(c.title, c.turns) for c in keeping.store.all()] == [("And BeeTalk?", 1)]
        assert keeping.at(address.removeprefix("/a/")).turn.question == "And BeeTalk?"
        keeping.store.path.unlink()


def test_what_the_library_does_not_say_is_told_with_the_nearest_papers(make: Make) -> None:
    client = make()
    page = client.get(ask(client, "How many GPUs trained GPT-7?")).text
    assert "These papers do not answer this." in page and "Nearest papers" in page
    assert "export.md" in page and "export.bib" not in page
    assert "quoted from the abstracts; no language" not in page
    assert re.search(r'<p class="name" dir="auto"><a href="/papers/[0-9a-f]+">', page)


@pytest.mark.parametrize("question", ["", "   ", "x" * 5000])
def test_a_question_that_cannot_be_asked_is_told_beside_its_field(make: Make, question: str) -> None:
    response = make().post("/ask", data={"question": question})
    assert response.status_code == 400 and faults(response.text) == []
    assert 'aria-invalid="true"' in response.text and 'id="problem"' in response.text


def test_a_question_without_a_library_leads_to_the_sample(make: Make) -> None:
    response = make("").post("/ask", data={"question": "What?"})
    assert response.status_code == 409 and "Load the sample abstracts" in response.text


def test_an_answer_is_saved_in_every_format_and_no_other(make: Make) -> None:
    client = make()
    address = ask(client)
    assert {name for name, _, _ in EXPORTS.values()} == set(ANSWER_FORMATS)
    for ending in EXPORTS:
        saved = client.get(f"{address}/export.{ending}")
        assert saved.status_code == 200 and "TinyNet" in saved.text, ending
        assert saved.headers["content-disposition"].endswith(f'.{ending}"')
    assert client.get(f"{address}/export.exe").status_code == 404


def test_an_address_of_nothing_is_told_so(make: Make) -> None:
    client = make()
    for address in (
        "/a/..%2f..%2fetc", "/a/zz-1", "/a/abc-0", "/a/abc-99", "/a/%00-1", "/a/%2500-1",
        "/static/..%2fpage.js",
    ):  # fmt: skip
        assert client.get(address).status_code == 404, address


def test_papers_are_compared_by_the_names_typed(make: Make) -> None:
    client = make()
    response = client.post(
        "/compare", data={"paper": ["TinyNet", "AntWalk", "", ""], "aspects": "results; data"}
    )
    assert urlsplit(str(response.url)).path.startswith("/a/")
    assert faults(response.text) == [] and "<details>" in response.text and "not stated" in response.text


@pytest.mark.parametrize("typed", [["TinyNet"], ["TinyNet", "Nonesuch"], []])
def test_what_cannot_be_compared_is_told_and_what_was_typed_stays(make: Make, typed: list[str]) -> None:
    response = make().post("/compare", data={"paper": typed, "aspects": "speed"})
    assert response.status_code in (400, 404) and faults(response.text) == []
    assert 'role="alert"' in response.text and 'value="speed"' in response.text
    assert all(f'value="{name}"' in response.text for name in typed)


def test_names_are_suggested_by_what_is_typed(make: Make) -> None:
    assert make().get("/suggest", params={"q": "WALK"}).json() == ["AntWalk"]


class Sparing(Library):
    """A library that gives no more papers at once than a page shows."""

    def papers(self, only: Iterable[str] | None = None) -> list[Paper]:
        assert only is not None, "every paper was read, with its text"
        return super().papers(only)


def test_no_page_reads_the_texts_of_all_papers(filled: Path) -> None:
    settings = Settings(library=filled)
    with Sparing.open(filled, settings, embedder=HashEmbedder()) as library:
        app = create_app(State(library, settings, Options(rate_per_minute=0)))
        with TestClient(app, "http://127.0.0.1", headers={"Accept": "text/html"}) as client:
            for address in (*EVERY_PAGE, "/suggest?q=a", "/papers?year=2024", "/papers?q=ants&author=x"):
                assert client.get(address).status_code in (200, 404)


def test_the_library_is_summed_up(make: Make) -> None:
    response = make().post("/summarize", data={"topic": ""})
    assert "Overview" in response.text and faults(response.text) == []


def test_the_map_leads_to_every_paper(make: Make) -> None:
    client = make()
    page = client.get("/topics").text
    leads = set(re.findall(r'<a href="(/papers/[0-9a-f]+)" tabindex="-1"><use', page))
    assert len(leads) == 3 and all(client.get(address).status_code == 200 for address in leads)
    listed = set(re.findall(r'<li><a href="(/papers/[0-9a-f]+)"', page))
    assert listed == leads


def test_papers_are_listed_searched_and_shown(make: Make) -> None:
    client = make()
    everything = client.get("/papers").text
    assert "3 papers, in the order they came in." in everything
    found = client.get("/papers", params={"q": "ants in the field"}).text
    names = re.findall(r'class="name" href="(/papers/[0-9a-f]+)" dir="auto">([^<]+)', found)
    assert names[0][1] == "AntWalk"
    page = client.get(names[0][0]).text
    assert "Ants find food by smell." in page and faults(page) == []


def test_thousands_of_papers_are_paged_through_and_chosen_by_year(make: Make, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    with Library.open(tmp_path / "many", write=True, embedder=embedder) as library:
        ledger = library._ledger
        ledger.set_identity(embedder.identity)
        ledger.add([prepared(n, embedder, venue="NeurIPS", authors=("A. Li",)) for n in range(1, 61)])
    client = make("", folder="many")
    first = client.get("/papers").text
    assert "Page 1 of 3" in first and faults(first) == [] and first.count('class="glimpse"') == 25
    assert client.get("/papers", params={"page": 3}).text.count('class="glimpse"') == 10
    assert client.get("/papers", params={"page": 99}).text.count('class="glimpse"') == 10
    chosen = client.get("/papers", params={"year": "2001", "venue": "neurips", "author": "li"}).text
    assert "3 papers found." in chosen and 'value="neurips"' in chosen
    assert "No paper is like this." in client.get("/papers", params={"author": "Nobody"}).text


def test_a_paper_is_removed_after_a_question(make: Make) -> None:
    client = make()
    (paper,) = [p for p in Library.papers(client.app.state.rag.library) if p.name == "BeeTalk"]  # type: ignore[attr-defined]
    asked = client.get(f"/papers/{paper.id}/remove")
    assert "Remove this paper?" in asked.text and faults(asked.text) == []
    assert client.get(f"/papers/{paper.id}").status_code == 200
    client.post(f"/papers/{paper.id}/remove")
    assert client.get(f"/papers/{paper.id}").status_code == 404 and "2 papers" in client.get("/papers").text


def test_an_answer_outlives_a_paper_it_cites(make: Make) -> None:
    client = make()
    address = ask(client)
    library = client.app.state.rag.library  # type: ignore[attr-defined]
    library.remove(library.paper("TinyNet").id)
    page = client.get(address)
    assert page.status_code == 200 and "No longer in the library" in page.text and faults(page.text) == []


def wait_for(client: TestClient, response_url: str) -> str:
    """Look at the page of a job until it is over."""
    state: State = client.app.state.rag  # type: ignore[attr-defined]
    state.loading._worker.submit(lambda: None).result()
    return client.get(response_url).text


def test_pasted_abstracts_and_files_are_added(make: Make) -> None:
    client = make()
    files = [
        (
            "files",
            ("../more.txt", b"Heading\n\n" + b"We present NewNet, a network that sings. " * 2, "text/plain"),
        )
    ]
    pasted = "Birds sing at dawn. We introduce SongBird, a model of how they learn to sing."
    sent = client.post("/papers/add", files=files, data={"pasted": pasted})
    page = wait_for(client, urlsplit(str(sent.url)).path)
    assert "2 papers added." in page and faults(page) == []
    assert "NewNet" in client.get("/papers").text


def test_nothing_sent_is_told(make: Make) -> None:
    response = make().post("/papers/add", files=[("files", ("", b"", "application/octet-stream"))])
    assert response.status_code == 400 and "Choose a file or paste" in response.text


def test_a_file_that_cannot_be_read_is_told(make: Make) -> None:
    client = make()
    sent = client.post(
        "/papers/add", files=[("files", ("photo.png", b"\x89PNG\r\n\x1a\n\x00\x00", "image/png"))]
    )
    page = wait_for(client, urlsplit(str(sent.url)).path)
    assert "That did not work" in page and "photo.png" in page and "/tmp" not in page and faults(page) == []


def test_too_large_an_upload_is_refused(make: Make) -> None:
    client = make()
    limit = client.app.state.rag.options.upload_bytes  # type: ignore[attr-defined]
    response = client.post("/papers/add", files=[("files", ("big.txt", b"x" * (limit + 1), "text/plain"))])
    assert response.status_code == 413 and "3 papers" in client.get("/papers").text


def test_a_job_of_long_ago_is_not_known(make: Make) -> None:
    assert make().get("/papers/loading/0000").status_code == 404


@pytest.mark.slow
def test_the_sample_is_loaded_by_one_button(make: Make) -> None:
    client = make("")
    sent = client.post("/papers/sample")
    page = wait_for(client, urlsplit(str(sent.url)).path)
    assert "38 papers added." in page and seeds().is_dir()
    assert "38 papers" in client.get("/").text


def test_a_draft_is_checked_and_stays_in_its_field(make: Make) -> None:
    draft = "TinyNet needs 12 MB of memory. TinyNet needs 99 GB of memory."
    response = make().post("/check", data={"draft": draft})
    assert "2 checked: 1 supported" in response.text and draft in response.text
    assert "unsupported" in response.text and faults(response.text) == []


def test_a_draft_that_cites_nothing_says_what_to_do(make: Make) -> None:
    client, draft = make(), "Ants explain 85% of the paths in the field."
    assert "With the box below ticked" in client.post("/check", data={"draft": draft}).text
    found = client.post("/check", data={"draft": draft, "find": "yes"}).text
    assert "1 checked" in found and re.search(r'name="find"[^>]* checked', found)


@pytest.mark.parametrize("draft", ["", "x" * (MOST_DRAFT + 1)])
def test_a_draft_that_cannot_be_checked_is_told(make: Make, draft: str) -> None:
    response = make().post("/check", data={"draft": draft})
    assert response.status_code == 400 and faults(response.text) == []


def test_history_lists_exports_and_deletes_after_a_question(make: Make) -> None:
    client = make()
    assert "No conversation is kept yet" in client.get("/history").text
    address = ask(client)
    conversation = address.removeprefix("/a/").partition("-")[0]
    listed = client.get("/history").text
    assert QUESTION in listed and f'href="{address}"' in listed and faults(listed) == []
    for ending in ("md", "html", "json"):
        assert QUESTION in client.get(f"/history/{conversation}/export.{ending}").text
    asked = client.get(f"/history/{conversation}/delete").text
    assert "Delete this conversation?" in asked and faults(asked) == []
    client.post(f"/history/{conversation}/delete")
    assert client.get(address).status_code == 404 and QUESTION not in client.get("/history").text


def test_the_conversations_of_the_command_line_are_in_the_history(make: Make, tmp_path: Path) -> None:
    client = make()
    Conversations(tmp_path / "library").add(
        new_conversation(), [Turn("ask", "Typed elsewhere?", Answer("q", "not_found"))]
    )
    assert "Typed elsewhere?" in client.get("/history").text


def test_every_kind_of_answer_keeps_the_rules(make: Make, tmp_path: Path) -> None:
    client, store = make(), Conversations(tmp_path / "library")
    for answer in sample_answers.EVERY:
        kept = store.add(new_conversation(), [Turn("ask", "q", answer())])
        page = client.get(f"/a/{kept.id}-1")
        assert page.status_code == 200 and faults(page.text) == [], answer


def test_hostile_words_are_words_everywhere(make: Make) -> None:
    hostile = (
        LIST + f"\nBad {NASTY} networks. We present EvilNet {NASTY}, which needs 13 MB of memory {NASTY}.\n"
    )
    client = make(hostile)
    pages = [
        client.get(ask(client, f"{NASTY} How much memory does EvilNet need?")).text,
        client.get("/").text,
        client.get("/papers", params={"q": NASTY, "venue": NASTY, "author": NASTY, "year": NASTY}).text,
        client.get("/papers").text,
        client.get("/topics").text,
        client.get("/history").text,
        client.get("/", params={"q": NASTY}).text,
        client.get("/compare", params={"topic": NASTY, "paper": NASTY}).text,
        client.post("/compare", data={"paper": [NASTY, "EvilNet"], "aspects": NASTY}).text,
        client.post("/compare", data={"paper": ["TinyNet", "EvilNet"], "aspects": NASTY}).text,
        client.post("/summarize", data={"topic": NASTY}).text,
        client.post("/check", data={"draft": f"EvilNet needs 13 MB of memory {NASTY}. {NASTY}"}).text,
    ]
    for page in pages:
        assert "<script>alert" not in page and "<img" not in page and faults(page) == []
        assert "1337" not in page


def test_hostile_titles_of_papers_are_words(make: Make, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    paper = {"title": NASTY, "authors": (NASTY,), "venue": NASTY, "url": "javascript:alert(1)", "doi": NASTY}
    with Library.open(tmp_path / "bad", write=True, embedder=embedder) as library:
        library._ledger.set_identity(embedder.identity)
        library._ledger.add([prepared(n, embedder, **paper) for n in (1, 2, 3)])
    client = make("", folder="bad")
    for address in ("/papers", f"/papers/{1:020x}", f"/papers/{1:020x}/remove"):
        page = client.get(address).text
        assert "&lt;script&gt;alert" in page and faults(page) == [], address


def test_what_a_model_writes_is_words_and_its_doubts_are_told(make: Make) -> None:
    with Stub(
        [answers((f"TinyNet needs 99 GB {NASTY} of $\\alpha^2$ memory.", ["1.3"])), fails(400)]
    ) as stub:
        client = make(
            model="openai:stub",
            openai_base_url=stub.url,
            openai_api_key="sk-test",
            cache=False,
            timeout_s=5.0,
        )
        page = client.get(ask(client)).text
    assert "<script>alert" not in page and "<img" not in page and faults(page) == []
    assert 'class="flag"' in page and "α²" in page and "\\alpha" not in page.partition("<footer>")[0]


def test_a_model_that_fails_is_told_without_its_key(make: Make) -> None:
    with Stub([fails(401, "bad key sk-secret-1234")]) as stub:
        client = make(
            model="openai:stub", openai_base_url=stub.url, openai_api_key="sk-secret-1234", fallback="none",
            cache=False, timeout_s=5.0,
        )  # fmt: skip
        response = client.post("/ask", data={"question": QUESTION})
    assert response.status_code == 502 and "That did not work" in response.text
    assert "sk-secret-1234" not in response.text and faults(response.text) == []


def test_a_stream_tells_its_steps_and_ends_with_the_address(make: Make) -> None:
    client = make()
    response = client.post("/ask/stream", data={"question": QUESTION})
    names = re.findall(r"^event: (\w+)$", response.text, re.M)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert names == ["stage"] * 4 + ["kept"]
    address = re.search(r'"address": "(/a/[0-9a-f]+-1)"', response.text)
    assert address and client.get(address[1]).status_code == 200


def test_a_stream_tells_what_went_wrong(make: Make) -> None:
    response = make("").post("/ask/stream", data={"question": QUESTION})
    assert "event: failed" in response.text and "no papers" in response.text


def test_an_answer_that_cannot_be_kept_is_shown_all_the_same(make: Make, tmp_path: Path) -> None:
    client = make()
    (tmp_path / "library" / "conversations.sqlite").write_bytes(b"not a database" * 100)
    response = client.post("/ask", data={"question": QUESTION})
    assert response.status_code == 200 and "12 MB" in response.text and "not kept" in response.text
    streamed = client.post("/ask/stream", data={"question": QUESTION}).text
    assert "event: kept" in streamed and "not kept" in streamed


def test_asking_one_paper_alone_finds_nothing_else(make: Make) -> None:
    client = make()
    library = client.app.state.rag.library  # type: ignore[attr-defined]
    page = client.get(ask(client, QUESTION, only=library.paper("AntWalk").id)).text
    assert "12 MB" not in page


def test_programs_are_told_in_their_own_way_where_nothing_is(make: Make) -> None:
    client = make()
    for address, accept in (("/api/v1/nothing", "text/html"), ("/nowhere", "*/*")):
        response = client.get(address, headers={"Accept": accept})
        assert response.status_code == 404 and "json" in response.headers["content-type"]


def test_pages_of_other_sites_cannot_send_forms(make: Make) -> None:
    client = make()
    refused = client.post("/ask", data={"question": QUESTION}, headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403


def test_files_are_named_by_their_content_and_kept_by_browsers(make: Make) -> None:
    client = make()
    for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get("/check").text):
        file = client.get(address)
        assert file.status_code == 200 and "immutable" in file.headers["cache-control"]
        assert urlsplit(address).path.removeprefix("/static/") in FILES


def test_pages_load_nothing_from_elsewhere() -> None:
    texts = [path.read_text("utf-8") for path in TEMPLATES.glob("*.html")] + [
        content(n).decode() for n in FILES
    ]
    for text in texts:
        assert set(re.findall(r"(?:https?:)?//[\w.]+", text)) <= {"http://www.w3.org"}


def colours(dark: bool) -> dict[str, str]:
    """Return the colours of the pages by name."""
    style = re.sub(r"@media print \{ :root \{[^}]*\}", "", content("look.css").decode())
    blocks = re.findall(r"(@media screen and \(prefers-color-scheme: dark\) \{ )?:root \{([^}]*)\}", style)
    found: dict[str, str] = {}
    for is_dark, block in blocks:
        if dark or not is_dark:
            found |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block))
    return found


TEXT = [
    ("ink", "paper"), ("ink", "card"), ("soft", "paper"), ("soft", "card"),
    ("link", "paper"), ("link", "card"), ("link", "some-back"), ("link", "bad-back"),
    ("bad", "paper"), ("bad", "card"), ("bad", "bad-back"), ("some", "some-back"),
    ("ink", "bad-back"), ("ink", "some-back"), ("ink", "good-back"),
    ("soft", "bad-back"), ("soft", "some-back"), ("soft", "good-back"),
    ("mark-ink", "mark"), ("on-accent", "link"),
]  # fmt: skip
EDGES = [
    ("edge-of-field", "paper"),
    ("focus", "paper"),
    ("focus", "card"),
    ("good", "paper"),
    ("bad", "paper"),
]


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stand_apart_enough(dark: bool) -> None:
    found = colours(dark)
    low = [(a, b, contrast(found[a], found[b])) for a, b in TEXT if contrast(found[a], found[b]) < 4.5]
    low += [(a, b, contrast(found[a], found[b])) for a, b in EDGES if contrast(found[a], found[b]) < 3]
    assert low == []


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_the_rules_see_what_breaks_them() -> None:
    bad = '<html><h2>x</h2><input id="a"><p id="a" style="x" onclick="y">'
    bad += '<a href="javascript:z"></a><script>1</script>'
    found = " ".join(faults(bad))
    for word in (
        "headings",
        "label",
        "2 times",
        "inline style",
        "onclick",
        "javascript",
        "without a name",
        "inline script",
    ):
        assert word in found


def test_no_formula_is_shown_as_it_was_typed(make: Make) -> None:
    client = make()
    pages = [
        client.get(ask(client, r"Does $\alpha^2$ matter for TinyNet?")).text,
        client.get("/history").text,
        client.post("/check", data={"draft": r"TinyNet needs $\alpha^2$ MB of memory."}).text.split("<form")[
            0
        ],
    ]
    for page in pages:
        assert "α²" in page and r"\alpha" not in page


def test_pages_travel_in_the_package() -> None:
    from importlib.resources import files

    inside = files("rag.serving.pages")
    for name in ("templates/base.html", "static/page.css", "static/page.js", "static/asking.js"):
        assert inside.joinpath(name).is_file()
