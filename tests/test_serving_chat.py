"""The OpenAI-compatible door: asked with the SDK of OpenAI over a real connection, and by plain requests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
from markdown_it import MarkdownIt
from starlette.testclient import TestClient

from rag.domain import Answer, AnswerSentence, Citation, Hit, Paper, Reference
from rag.library import Library
from rag.serving.chat_shapes import MODEL, ChatBody
from rag.serving.chat_text import message, rest, sentence_text
from tests.serving import FACT, TOKEN, Served, serving

URL = "/v1/chat/completions"
FOLLOW_UP = "How many forward passes does it need?"


@pytest.fixture(scope="module")
def client(seed_library: Library, seed_library_path: Path) -> Iterator[TestClient]:
    with serving(seed_library_path, seed_library, rate_per_minute=0) as client:
        yield client


def asks(*questions: str, **more: object) -> dict[str, object]:
    return {"model": MODEL, "messages": [{"role": "user", "content": q} for q in questions], **more}


def cited(text: str = "Ten runs suffice.", quote: str = "Ten runs suffice.") -> Answer:
    paper = Paper("p1", "TinyNet", quote, sources=("a.txt#1",))
    sentence = AnswerSentence(text, (Citation(1, "p1", quote, 0, len(quote)),))
    return Answer("Q", "answered", sentences=(sentence,), references=(Reference(1, paper),))


@pytest.mark.slow
def test_the_sdk_of_openai_is_answered(seed_library_path: Path) -> None:
    with Served(seed_library_path, RAG_TOKEN=TOKEN) as served:
        client = openai.OpenAI(base_url=f"{served.url}/v1", api_key=TOKEN, max_retries=0)
        assert [model.id for model in client.models.list()] == [MODEL]
        assert client.models.retrieve(MODEL).id == MODEL
        reply = client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": FACT}])
        text = reply.choices[0].message.content or ""
        assert "14×" in text and "[1]" in text and "References" in text
        assert reply.usage is not None and reply.usage.total_tokens == 0
        assert reply.model_extra is not None and reply.model_extra["askpapers"]["status"] == "answered"
        stream = client.chat.completions.create(
            model=MODEL,
            stream=True,
            stream_options={"include_usage": True},
            messages=[
                {"role": "system", "content": "Answer in rhymes."},
                {"role": "user", "content": FACT},
                {"role": "assistant", "content": text},
                {"role": "user", "content": FOLLOW_UP},
            ],
        )
        pieces = list(stream)
        whole = "".join(c.choices[0].delta.content or "" for c in pieces if c.choices)
        assert "two forward passes" in whole and "Understood as" in whole
        assert pieces[-1].usage is not None and not pieces[-1].choices
        assert [c.choices[0].finish_reason for c in pieces if c.choices][-1] == "stop"
        with pytest.raises(openai.NotFoundError, match="askpapers"):
            client.models.retrieve("gpt-5")
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model=MODEL, messages=[{"role": "system", "content": "x"}])
        client.close()
        wrong = openai.OpenAI(base_url=f"{served.url}/v1", api_key="wrong", max_retries=0)
        with pytest.raises(openai.AuthenticationError):
            wrong.models.list()
        wrong.close()


def test_a_reply_has_the_answer_beside_it(client: TestClient) -> None:
    reply = client.post(URL, json=asks(FACT)).json()
    assert reply["object"] == "chat.completion" and reply["choices"][0]["finish_reason"] == "stop"
    answer = client.post("/api/v1/ask", json={"question": FACT}).json()
    assert reply["askpapers"]["sentences"] == answer["sentences"]


def test_earlier_messages_of_the_user_are_the_history(client: TestClient) -> None:
    body = asks("What is A³Bench?", "How many models does it test?")
    assert client.post(URL, json=body).json()["askpapers"]["standalone_question"].endswith("A³Bench test?")


def test_history_is_remembered_and_not_asked_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    ask = Library.ask

    def watched(library: Library, question: str, *given: object, **more: object) -> Answer:
        asked.append(question)
        return ask(library, question, *given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Library, "ask", watched)
    first, then = "What is ENGINE in these papers?", "How fast is it?"
    client.post(URL, json=asks(first))
    client.post(URL, json=asks(first, then))
    assert asked == [first, then]
    client.post(URL, json=asks("A question that was never asked here?", then))
    assert asked[2:] == ["A question that was never asked here?", then]


def test_content_may_come_in_parts(client: TestClient) -> None:
    parts = [{"type": "text", "text": FACT}, {"type": "image_url", "image_url": {"url": "x"}}]
    body = {"model": MODEL, "messages": [{"role": "user", "content": parts}], "temperature": 0.2}
    assert client.post(URL, json=body).json()["askpapers"]["question"] == FACT


@pytest.mark.parametrize(
    "body, status",
    [
        (asks(FACT) | {"model": "gpt-5"}, 404),
        (asks(FACT, n=2), 422),
        ({"model": MODEL, "messages": []}, 422),
        (asks("x" * 4001), 400),
        (asks(" "), 400),
        ({"model": MODEL, "messages": [{"role": "wizard", "content": "x"}]}, 422),
    ],
)
def test_errors_are_as_openai_clients_read_them(
    client: TestClient, body: dict[str, object], status: int
) -> None:
    response = client.post(URL, json=body)
    assert response.status_code == status
    error = response.json()["error"]
    assert error["message"] and error["type"] == "invalid_request_error"


def test_an_error_in_a_stream_is_told_in_it(tmp_path: Path) -> None:
    with serving(tmp_path / "none") as client:
        response = client.post(URL, json=asks(FACT, stream=True))
    assert '"error": {"message": "There are no papers' in response.text
    assert response.text.endswith("data: [DONE]\n\n")


def test_what_cannot_be_answered_says_so(client: TestClient) -> None:
    text = client.post(URL, json=asks("How many GPUs were used to train EVA-0?")).json()
    assert text["choices"][0]["message"]["content"].startswith("These papers do not answer this.")


def test_papers_make_no_markup_in_a_message() -> None:
    text = message(cited("See ![x](http://evil.example/a) <script> `$4` | _b_ snake_case.", "q"))
    for markup in ("](", "<script", "`$", " | ", " _b"):
        assert markup not in text.replace("\\<", "").replace("\\`", "").replace("\\$", "").replace(
            "\\|", ""
        ).replace("\\_", "").replace("]\\(", "")
    assert "snake_case" in text and "[1]" in text


@pytest.mark.parametrize(
    "text",
    [
        "# Big", "###### Small", "#", "> told", "- one", "-", "+ one", "* one", "--- -", "---", "===",
        "= one", "1. one", "12) two", "1.", "~~gone~~ and ~~~", "~~~ fence", "``` fence", "___", "a __b__ c",
        "\\# Big", "[1]: http://evil.example", "[x](http://evil.example)", "![x][1]",
        "<http://evil.example>", "1.5 GB", "-5 °C", "    indented",
        "See http://evil.example/a?b, HTTPS://evil.example and www.evil.example or a@evil.example.",
        "It takes ~5 ms at -5 °C, 3.5 + 2 = 5.5; 1986: a:b, f(x) [2] (see 1.)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["sentence", "paper"])
def test_text_is_shown_as_it_is(text: str, place: str) -> None:
    if place == "sentence":
        sent = sentence_text(cited(text).sentences[0])
    else:
        hit = Hit(Paper("p1", text, "x", sources=("a.txt#1",)), 1.0)
        sent = message(Answer("Q", "not_found", hits=(hit,))).partition("\n\n- ")[2]
    tokens = MarkdownIt("commonmark").enable(["strikethrough", "table"]).parse(sent)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    parts = tokens[1].children or []
    assert {part.type for part in parts} <= {"text", "text_special"}
    shown = "".join(part.content for part in parts).removesuffix(" · a.txt#1").removesuffix(" [1]")
    assert shown == " ".join(text.split())
    assert not re.search(r"(?i)https?://|www\.|\w@", sent)


@pytest.mark.parametrize(
    "text", ["It takes ~5 ms at -5 °C.", "1.5 GB: 3 + 2 = 5.5, f(x) [2] (see 1.)", "-5 °C"]
)
def test_plain_words_and_figures_are_sent_without_marks(text: str) -> None:
    assert sentence_text(cited(text).sentences[0]) == f"{text} [1]\n\n"


def test_what_was_sent_is_not_sent_again() -> None:
    answer = cited()
    sent = answer.sentences
    assert sentence_text(sent[0]) == "Ten runs suffice. [1]\n\n"
    assert rest(answer, sent).startswith("References")
    assert rest(answer, ()) == message(answer)


def test_a_reply_that_was_begun_anew_is_sent_whole() -> None:
    other = AnswerSentence("Something else.")
    assert message(cited()) in rest(cited(), (other,))


def test_the_nearest_papers_are_named_when_there_is_no_answer() -> None:
    answer = Answer("Q", "not_found", hits=(Hit(Paper("p1", "TinyNet", "x", sources=("a.txt#1",)), 1.0),))
    assert "- TinyNet · a.txt#1" in message(answer)


def test_too_long_questions_before_are_left_out() -> None:
    body = ChatBody.model_validate(asks("x" * 5000, FACT))
    assert body.asked().before == () and body.asked().question == FACT
