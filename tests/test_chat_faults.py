from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rag.endpoint import Endpoint, fault_of, without_key
from rag.errors import BudgetError, ModelError, ModelUnreachable, ParameterRefused, PromptTooLong
from rag.generate.chat import Chat, Outcome
from rag.generate.pricing import Bill, Budget
from rag.generate.provider import OpenAICompatible
from rag.generate.replies import Reply, plain, read_answer
from rag.generate.streaming import SentenceFeed
from rag.ledger.recall import Recall
from rag.prompting import PromptShelf
from tests import stub_server as stub_server
from tests.stub_server import (
    Answering,
    Stub,
    answer_json,
    answers,
    breaks_off,
    chunk,
    fails,
    half_a_body,
    hangs,
    knows_no,
    never_ends,
    says,
    sends,
)

KEY = "sk-secret-0123456789abcdefghij"
VALUES = {"question": "What?", "papers": "Paper 1: A\n1.1 It is.", "fence": "12345678"}
GOOD = answers(("It is.", ["1.1"]))


_OPEN: list[Chat | Recall] = []


@pytest.fixture(autouse=True)
def all_closed() -> Iterator[None]:
    yield
    while _OPEN:
        _OPEN.pop().close()


def chat(
    url: str,
    folder: Path,
    *,
    model: str = "stub-model",
    timeout_s: float = 5.0,
    most_tokens: int = 2000,
) -> Chat:
    provider = OpenAICompatible(model, Endpoint(url, KEY, timeout_s))
    recall = Recall(folder)
    made = Chat(provider, recall, first_pause_s=0.01, most_tokens=most_tokens)
    _OPEN.extend((made, recall))
    return made


def ask(asked: Chat, bill: Bill | None = None) -> Outcome[Reply]:
    return asked.ask(PromptShelf().prompt("answer"), VALUES, read_answer, bill or Bill())


@pytest.mark.parametrize(
    ("answering", "kind", "said", "hint", "calls"),
    [
        (fails(401, f"Incorrect API key provided: {KEY}"), ModelError, "401", "OPENAI_API_KEY", 1),
        (fails(403, "no"), ModelError, "403", "RAG_MODEL", 1),
        (fails(404, "no such model"), ModelError, "has no model stub-model", "RAG_MODEL", 1),
        (fails(429, "slow down"), ModelUnreachable, "no more requests", "Wait", 3),
        (fails(429, "slow down", retry_after="0.01"), ModelUnreachable, "429", "Wait", 3),
        (fails(429, "slow down", retry_after="3600"), ModelUnreachable, "wait 3600 s", "Wait", 1),
        (fails(429, "You exceeded your quota", "insufficient_quota"), ModelError, "used up", "extractive", 1),
        (fails(500), ModelUnreachable, "failed (500)", "again", 3),
        (fails(503), ModelUnreachable, "failed (503)", "again", 3),
        (fails(400, "bad", "odd"), ModelError, "refuses the request", "docs/models.md", 1),
        (
            fails(400, "too long", "context_length_exceeded"),
            PromptTooLong,
            "so much",
            "RAG_EVIDENCE_TOKENS",
            1,
        ),
        (fails(400, "the request exceeds the available context size"), PromptTooLong, "so much", "RAG_", 1),
        (fails(418, "tea"), ModelError, "418", "OPENAI_BASE_URL", 1),
        (sends("<html><body>Log in</body></html>"), ModelError, "", "OPENAI_BASE_URL", 1),
        (sends('{"choices": [{"mess'), ModelError, "", "OPENAI_BASE_URL", 1),
        (sends({"id": "c", "object": "chat.completion", "choices": None}), ModelError, "", "", 1),
        (sends({"id": "c", "object": "chat.completion", "choices": []}), ModelError, "", "", 1),
        (sends("null"), ModelError, "", "", 1),
        (half_a_body(), ModelError, "", "", None),
        (says(""), ModelError, "empty reply", "RAG_MODEL", 1),
        (says("", finish="length"), ModelError, "used up its", "RAG_MODEL", 1),
        (says("I cannot.", finish="content_filter"), ModelError, "refuses to answer", "other words", 1),
        (says('{"answer": "It is."}'), ModelError, "no list of sentences", "another model", 3),
        (says('["It is."]'), ModelError, "cannot be used", "another model", 3),
        (breaks_off('{"answerable": true, "sent'), ModelUnreachable, "broke it off", "again", 1),
        (
            breaks_off('{"answerable": true, "sent', rudely=True),
            ModelUnreachable,
            "connection broke",
            "again",
            1,
        ),
    ],
)
def test_fault_is_one_clear_line_with_the_next_step(
    stub: Stub,
    tmp_path: Path,
    answering: Answering,
    kind: type[ModelError],
    said: str,
    hint: str,
    calls: int | None,
) -> None:
    stub.answers = [answering]
    with pytest.raises(ModelError) as caught:
        outcome = ask(chat(stub.url, tmp_path))
        if outcome.cut and not outcome.value.sentences:
            raise ModelUnreachable(f"cut: {outcome.cut}", hint="again")
    error = caught.value
    assert isinstance(error, kind) and said in error.message and hint in error.hint
    assert "\n" not in error.message and len(error.message) < 400
    assert KEY not in f"{error!r} {error} {error.__cause__}"
    assert calls is None or len(stub.chats) == calls


def event_error(message: str, **more: object) -> Answering:
    def answer(handler: stub_server.Handler, _: stub_server.Asked) -> None:
        handler.begin_stream()
        handler.event({"error": {"message": message, **more}})

    return answer


@pytest.mark.parametrize(
    ("answering", "kind", "said", "calls"),
    [
        (lambda handler, _: handler.begin_stream(), ModelUnreachable, "before it began", 3),
        (breaks_off(""), ModelUnreachable, "before the first word", 1),
        (event_error(f"overloaded, {KEY}"), ModelUnreachable, "failed: overloaded", 3),
        (event_error("slow down", code=429), ModelUnreachable, "no more requests", 3),
        (event_error("no", code="insufficient_quota"), ModelError, "used up", 1),
        (event_error("no", code=401), ModelError, "401", 1),
        (event_error("maximum context length is 9"), PromptTooLong, "so much", 1),
    ],
)
def test_a_stream_without_a_reply_says_why(
    stub: Stub, tmp_path: Path, answering: Answering, kind: type[ModelError], said: str, calls: int
) -> None:
    stub.answers = [answering]
    with pytest.raises(ModelError) as caught:
        ask(chat(stub.url, tmp_path))
    assert type(caught.value) is kind and said in caught.value.message and caught.value.hint
    assert KEY not in f"{caught.value!r} {caught.value.__cause__}" and len(stub.chats) == calls


def test_a_web_page_is_no_trouble_with_the_connection(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [sends("<html><body>Log in</body></html>")]
    with pytest.raises(ModelError, match="no chat completion") as caught:
        ask(chat(stub.url, tmp_path))
    assert not isinstance(caught.value, ModelUnreachable)


def test_refusal_in_a_field_of_its_own_is_told(stub: Stub, tmp_path: Path) -> None:
    def refuses(handler: stub_server.Handler, _: stub_server.Asked) -> None:
        handler.begin_stream()
        handler.event(chunk(refusal="I would rather not."))
        handler.event(chunk(finish="stop"))
        handler.event("[DONE]")

    stub.answers = [refuses]
    with pytest.raises(ModelError, match="I would rather not"):
        ask(chat(stub.url, tmp_path))


def test_connection_refused_is_told_at_once(tmp_path: Path) -> None:
    with Stub() as gone:
        url = gone.url
    started = time.monotonic()
    with pytest.raises(ModelUnreachable, match="cannot be reached") as caught:
        ask(chat(url, tmp_path))
    assert url in caught.value.hint and time.monotonic() - started < 5


def test_a_server_that_says_nothing_is_given_up_in_our_time(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [hangs(stub)]
    started = time.monotonic()
    with pytest.raises(ModelUnreachable, match=r"within 0\.3 s") as caught:
        ask(chat(stub.url, tmp_path, timeout_s=0.3))
    assert "RAG_TIMEOUT_S" in caught.value.hint and time.monotonic() - started < 3 and len(stub.chats) == 1


def test_an_answer_that_never_ends_is_ended(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [never_ends(stub)]
    with pytest.raises(ModelError, match="did not end"):
        ask(chat(stub.url, tmp_path, most_tokens=50))


def test_an_answer_that_trickles_for_ever_is_ended(stub: Stub, tmp_path: Path) -> None:
    def trickles(handler: stub_server.Handler, _: stub_server.Asked) -> None:
        handler.begin_stream()
        handler.event(chunk(answer_json(("It is.", ["1.1"]))[:-2] + ", "))
        while not stub.over.wait(0.05):
            handler.event(chunk(" "))

    stub.answers = [trickles]
    outcome = ask(chat(stub.url, tmp_path, timeout_s=0.1))
    assert outcome.cut == "it took too long" and [s.text for s in outcome.value.sentences] == ["It is."]


@pytest.mark.parametrize("first", [fails(500), fails(429, retry_after="0.01"), fails(502)])
def test_a_passing_fault_is_tried_again(stub: Stub, tmp_path: Path, first: Answering) -> None:
    stub.answers = [first, GOOD]
    bill = Bill()
    assert ask(chat(stub.url, tmp_path), bill).value.sentences[0].text == "It is."
    assert len(stub.chats) == 2 and bill.usage.calls == 1


@pytest.mark.parametrize("rudely", [False, True])
def test_a_stream_cut_in_the_middle_keeps_what_had_ended(stub: Stub, tmp_path: Path, rudely: bool) -> None:
    text = answer_json(("One is.", ["1.1"]), ("Two is.", ["1.1"]))
    stub.answers = [breaks_off(text[: text.index("Two")], rudely=rudely)]
    outcome = ask(chat(stub.url, tmp_path))
    assert [s.text for s in outcome.value.sentences] == ["One is."] and outcome.cut


def test_a_reply_that_ran_out_of_tokens_is_marked(stub: Stub, tmp_path: Path) -> None:
    text = answer_json(("One is.", ["1.1"]), ("Two is.", ["1.1"]))
    stub.answers = [says(text[: text.index("Two")], finish="length")]
    outcome = ask(chat(stub.url, tmp_path))
    assert "longest reply" in outcome.cut and len(outcome.value.sentences) == 1


def test_a_whole_reply_without_a_reason_for_its_end_is_whole(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [breaks_off(answer_json(("One is.", ["1.1"])))]
    outcome = ask(chat(stub.url, tmp_path))
    assert outcome.cut == "" and len(outcome.value.sentences) == 1


def test_a_cut_reply_is_not_kept(stub: Stub, tmp_path: Path) -> None:
    text = answer_json(("One is.", ["1.1"]), ("Two is.", ["1.1"]))
    stub.answers = [says(text[: text.index("Two")], finish="length"), GOOD]
    asked = chat(stub.url, tmp_path)
    assert ask(asked).cut and not ask(asked).cached


# -- forms ------------------------------------------------------------------------------------------------


def test_forms_weaken_as_the_server_refuses_them_and_that_is_remembered(stub: Stub, tmp_path: Path) -> None:
    plain = says("It is. [1.1]\n")
    stub.answers = [knows_no("json_schema", "json_object", then=plain)]
    outcome = ask(chat(stub.url, tmp_path))
    assert [(s.text, s.cites) for s in outcome.value.sentences] == [("It is.", ("1.1",))]
    assert [a.format for a in stub.chats] == ["json_schema", "json_object", "text"]
    assert '"sentences"' in stub.chats[1].prompt and "NOT FOUND" in stub.chats[2].prompt
    again = chat(stub.url, tmp_path)
    again.ask(PromptShelf().prompt("answer"), {**VALUES, "question": "Else?"}, read_answer, Bill())
    assert [a.format for a in stub.chats[3:]] == ["text"]


def test_openai_s_own_words_for_a_model_without_schemas_are_understood(stub: Stub, tmp_path: Path) -> None:
    words = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    stub.answers = [fails(400, words), GOOD]
    assert ask(chat(stub.url, tmp_path)).value.answerable
    assert [a.format for a in stub.chats] == ["json_schema", "json_object"]


def test_a_server_that_ignores_the_form_is_asked_in_weaker_ones(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [says("It is. [1.1]\n")]
    bill = Bill()
    outcome = ask(chat(stub.url, tmp_path), bill)
    assert [s.cites for s in outcome.value.sentences] == [("1.1",)]
    assert [a.format for a in stub.chats] == ["json_schema", "json_object", "text"] and bill.usage.calls == 3
    chat(stub.url, tmp_path).ask(
        PromptShelf().prompt("answer"), {**VALUES, "question": "E?"}, read_answer, Bill()
    )
    assert len(stub.chats) == 4


@pytest.mark.parametrize("parameter", ["temperature", "stream_options", "stream", "max_tokens"])
def test_parameters_a_server_does_not_know_are_left_out(stub: Stub, tmp_path: Path, parameter: str) -> None:
    stub.answers = [knows_no(parameter, then=GOOD)]
    asked = chat(stub.url, tmp_path)
    assert ask(asked).value.sentences[0].text == "It is."
    assert parameter not in stub.chats[-1].body or stub.chats[-1].body[parameter] is False
    assert len(stub.chats) == 2


@pytest.mark.parametrize(
    "text",
    [
        "```json\n{json}\n```",
        "<think>1.1 says so</think>\n{json}",
        "Here it is:\n{json}\nDone.",
    ],
)
def test_json_is_found_in_what_models_put_around_it(stub: Stub, tmp_path: Path, text: str) -> None:
    stub.answers = [says(text.replace("{json}", answer_json(("It is.", ["1.1"]))))]
    assert ask(chat(stub.url, tmp_path)).value.sentences[0].cites == ("1.1",)
    assert len(stub.chats) == 1


@pytest.mark.parametrize(
    ("words", "parameter"),
    [
        ("upstream error: bad request", ""),
        ("the downstreams are busy", ""),
        ("Unsupported parameter: 'stream'", "stream"),
        ("Streaming is not supported for this model", "stream"),
        ("Unknown field stream_options.include_usage", "stream_options"),
        ("max_completion_tokens is not known", "max_completion_tokens"),
    ],
)
def test_a_refused_parameter_is_told_by_whole_words(words: str, parameter: str) -> None:
    refusal = type("BadRequestError", (Exception,), {})(words)
    error = fault_of(refusal, Endpoint("http://localhost/v1", KEY, 5), "m").error
    assert (error.parameter if isinstance(error, ParameterRefused) else "") == parameter


def test_what_langchain_warns_of_is_not_shown_and_no_filter_stays(stub: Stub, tmp_path: Path) -> None:
    words = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
    asked = chat(stub.url, tmp_path)
    for answering in (fails(400, words), fails(400, "Invalid schema for response_format: no")):
        stub.answers = [answering, GOOD]
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            before = list(warnings.filters)
            asked._abilities = asked.provider.first_abilities
            asked.ask(PromptShelf().prompt("answer"), {**VALUES, "question": words}, read_answer, Bill())
            assert warnings.filters == before and [str(w.message) for w in shown] == []


@pytest.mark.parametrize(
    "run", ["[", " ", "[x](", "**a ", "![", "[1, ", "[ ", "```", "__", "<a ", "] ", "\n"]
)
def test_runs_of_marks_are_read_in_no_time(run: str) -> None:
    text = run * (16_000 // len(run)) + "x"
    started = time.perf_counter()
    plain(text)
    read_answer(f"a {text}", "text")
    read_answer(json.dumps({"sentences": [{"text": text, "cites": []}]}) + text, "json_object", False)
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("[EVA](http://e/x) is ![it](http://e/y) fast.", "EVA is it fast."),
        ("[[a](http://e) b", "[a b"),
        ("[![x](http://e/i)](http://e/l) y", "x y"),
        ("**a **b** c", "**a b c"),
        ("__a__ and **b c**", "a and b c"),
        ("It is \x1b[31mred\x1b[0m.", "It is red."),
        ("It \x1b]0;title\x07is\x9b1;2H \x1bM red.", "It is red."),
    ],
)
def test_marks_are_taken_out_of_what_is_shown(written: str, read: str) -> None:
    assert plain(written) == read


# -- money ------------------------------------------------------------------------------------------------


def test_usage_is_the_server_s_and_an_unknown_price_is_unknown(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [GOOD]
    bill = Bill()
    ask(chat(stub.url, tmp_path), bill)
    used = bill.usage
    assert (used.calls, used.prompt_tokens, used.completion_tokens, used.cost_usd) == (1, 700, 50, None)
    assert not bill.counted


def test_usage_is_counted_when_the_server_gives_none(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [answers(("It is.", ["1.1"]), usage=False)]
    bill = Bill()
    ask(chat(stub.url, tmp_path), bill)
    assert bill.counted and 300 < bill.usage.prompt_tokens < 600 and bill.usage.completion_tokens > 10


def test_the_same_question_is_paid_for_once(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [GOOD]
    bill = Bill()
    assert not ask(chat(stub.url, tmp_path)).cached
    assert ask(chat(stub.url, tmp_path), bill).cached and len(stub.chats) == 1
    assert (bill.usage.calls, bill.usage.cost_usd) == (0, 0.0)
    ask(chat(stub.url, tmp_path, model="other"))
    assert len(stub.chats) == 2


def test_a_budget_is_kept_before_the_call(tmp_path: Path) -> None:
    far = chat("https://api.openai.com/v1", tmp_path, model="gpt-4.1-mini")
    with pytest.raises(BudgetError, match=r"may cost \$0\.00\d+, more than the limit of \$0\.0010") as caught:
        ask(far, Bill(0.001))
    assert caught.value.exit_code == 4 and "--max-cost" in caught.value.hint


def test_a_budget_counts_what_was_spent_before() -> None:
    server = Endpoint("https://api.openai.com/v1", KEY, 5)
    budget = Budget(0.010)
    with budget.reserved(0.006, "m", server):
        budget.add(0.003)
    with budget.reserved(0.006, "m", server):
        budget.add(0.006)
    assert budget.spent_usd == pytest.approx(0.009)
    with (
        pytest.raises(BudgetError, match=r"after \$0\.0090 already spent"),
        budget.reserved(0.006, "m", server),
    ):
        pass


def test_calls_at_the_same_time_do_not_spend_the_same_money() -> None:
    server = Endpoint("https://api.openai.com/v1", KEY, 5)
    budget, all_in, refused = Budget(0.010), threading.Barrier(4), []

    def call() -> None:
        all_in.wait(5)
        try:
            with budget.reserved(0.006, "m", server):
                over.wait(5)
                budget.add(0.006)
        except BudgetError:
            refused.append(1)
            if len(refused) == 2:
                over.set()

    over = threading.Event()
    calls = [threading.Thread(target=call) for _ in range(3)]
    for thread in calls:
        thread.start()
    all_in.wait(5)
    for thread in calls:
        thread.join()
    assert len(refused) == 2 and budget.spent_usd == pytest.approx(0.006)


def test_a_budget_cannot_be_kept_for_an_unknown_price_unless_the_server_is_near(
    stub: Stub, tmp_path: Path
) -> None:
    with pytest.raises(BudgetError, match="unknown"):
        ask(chat("https://gateway.example.com/v1", tmp_path), Bill(1.0))
    stub.answers = [GOOD]
    assert ask(chat(stub.url, tmp_path), Bill(0.01)).value.answerable


def test_nothing_that_is_kept_or_shown_holds_the_key(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [GOOD]
    asked = chat(stub.url, tmp_path)
    ask(asked)
    assert stub.chats[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in b"".join(p.read_bytes() for p in tmp_path.iterdir())
    shown = f"{asked.provider.server!r} {asked.provider._chat_model()!r}"  # type: ignore[attr-defined]
    assert KEY not in shown


@pytest.mark.parametrize("pieces", [1, 12, 400])
@pytest.mark.parametrize("spelt", [KEY, KEY.replace("s", "\\u0073")])
@pytest.mark.parametrize("stream", [True, False])
def test_a_key_that_the_server_echoes_is_masked(
    stub: Stub, tmp_path: Path, pieces: int, spelt: str, stream: bool
) -> None:
    text = answer_json(("It is Bearer HERE.", ["1.1"]), ("HERE.", ["1.1"])).replace("HERE", spelt)
    stub.answers = [says(text, pieces=pieces)]
    asked, told = chat(stub.url, tmp_path), []
    asked._abilities = replace(asked.provider.first_abilities, stream=stream)
    feed = SentenceFeed(told.append, lambda: None)
    prompt = PromptShelf().prompt("answer")
    read = asked.ask(prompt, VALUES, read_answer, Bill(), feed).value.sentences
    assert [s.text for s in read] == ["It is Bearer ….", "…."] and told == list(read)
    assert asked.ask(prompt, VALUES, read_answer, Bill()).cached
    kept = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    assert KEY.encode() not in kept and KEY[2:].encode() not in kept


def test_a_key_in_a_refusal_or_kept_long_ago_is_masked(stub: Stub, tmp_path: Path) -> None:
    def refuses(handler: stub_server.Handler, _: stub_server.Asked) -> None:
        handler.begin_stream()
        for part in (f"No, Bearer {KEY[:9]}", KEY[9:]):
            handler.event(chunk(refusal=part))
        handler.event(chunk(finish="stop"))
        handler.event("[DONE]")

    stub.answers = [refuses]
    asked = chat(stub.url, tmp_path)
    with pytest.raises(ModelError, match="No, Bearer …") as caught:
        ask(asked)
    assert KEY not in str(caught.value)
    key = asked._key(PromptShelf().prompt("answer"), VALUES)
    text = answer_json((f"It is {KEY}.", ["1.1"]))
    asked._recall.keep_reply(key, {"text": text, "form": "json_object"})
    assert [s.text for s in ask(asked).value.sentences] == ["It is …."]


def test_a_word_that_stands_in_for_a_key_is_no_secret() -> None:
    assert without_key("Run it with ollama.", Endpoint("http://h/v1", "ollama", 5)) == "Run it with ollama."


def test_a_damaged_or_readonly_store_costs_money_but_no_answer(stub: Stub, tmp_path: Path) -> None:
    (tmp_path / "recall.sqlite").write_bytes(b"not a database" * 100)
    stub.answers = [GOOD]
    assert ask(chat(stub.url, tmp_path)).value.answerable
    assert ask(chat(stub.url, tmp_path / "missing")).value.answerable


def test_the_request_is_what_small_servers_understand(stub: Stub, tmp_path: Path) -> None:
    stub.answers = [GOOD]
    ask(chat(stub.url, tmp_path))
    body = stub.chats[0].body
    assert body["model"] == "stub-model" and body["max_tokens"] == 2000 and body["temperature"] == 0
    assert "max_completion_tokens" not in body and body["stream_options"] == {"include_usage": True}
    schema = body["response_format"]["json_schema"]
    assert schema["strict"] is True and json.dumps(schema["schema"]).count("additionalProperties") == 2
