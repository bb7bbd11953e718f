from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag import Library, Settings
from rag.doctor import examine
from rag.embedders import open_embedder
from rag.embedders.openai import MAX_TOKENS, OpenAIVectors
from rag.endpoint import Endpoint
from rag.errors import EmbedderError, EmbedderMismatch, SettingError
from rag.ledger.recall import Recall
from tests import stub_server
from tests.stub_server import Stub

LIST = """List

Deep networks forget a lot. We present TinyNet, a small network that remembers. TinyNet needs 12 MB.

Ants find food by smell. We introduce AntWalk, a model of how ants search. It follows 40 ants.
"""


@pytest.fixture
def recall(tmp_path: Path) -> Iterator[Recall]:
    store = Recall(tmp_path)
    yield store
    store.close()


def embedder(stub: Stub, store: Recall | None = None, **options: Any) -> OpenAIVectors:
    return OpenAIVectors("embed-1", Endpoint(stub.url, "sk-x", 5.0), store, first_pause_s=0.01, **options)


def inputs(stub: Stub) -> list[list[str]]:
    return [list(a.body["input"]) for a in stub.asked]


def test_vectors_are_unit_rows_in_the_order_of_the_texts(stub: Stub) -> None:
    model = embedder(stub, batch=2)
    texts = ["one cat", "two dogs", "three", "one cat"]
    rows = model.embed_documents(texts)
    assert rows.shape == (4, 8) and rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5) and np.array_equal(rows[0], rows[3])
    assert np.allclose(rows[1], model.embed_query("two dogs")) and not np.allclose(rows[0], rows[1])
    assert inputs(stub)[1:3] == [["one cat", "two dogs"], ["three"]]
    assert (model.identity.name, model.identity.dimension) == ("openai:embed-1", 8)


def test_nothing_is_paid_for_twice(stub: Stub, recall: Recall) -> None:
    embedder(stub, recall).embed_documents(["one", "two"])
    stub.asked.clear()
    again = embedder(stub, recall)
    again.embed_documents(["two", "one", "three"])
    assert inputs(stub) == [["three"]]
    again.embed_query("three")
    assert len(stub.asked) == 1


def test_what_was_paid_for_before_a_failure_is_kept(
    stub: Stub, recall: Recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = embedder(stub, recall, batch=1)
    stub.asked.clear()
    real = stub_server.embeds

    def breaks(handler: stub_server.Handler, asked: stub_server.Asked) -> None:
        (stub_server.fails(401) if asked.body["input"] == ["three"] else real)(handler, asked)

    monkeypatch.setattr(stub_server, "embeds", breaks)
    with pytest.raises(EmbedderError, match="401") as caught:
        model.embed_documents(["one", "two", "three"])
    assert "OPENAI_API_KEY" in caught.value.hint
    monkeypatch.setattr(stub_server, "embeds", real)
    stub.asked.clear()
    model.embed_documents(["one", "two", "three"])
    assert inputs(stub) == [["three"]]


def test_a_passing_fault_is_tried_again(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    model, real, tried = embedder(stub), stub_server.embeds, []

    def first_fails(handler: stub_server.Handler, asked: stub_server.Asked) -> None:
        tried.append(asked)
        (stub_server.fails(503) if len(tried) == 1 else real)(handler, asked)

    monkeypatch.setattr(stub_server, "embeds", first_fails)
    assert model.embed_documents(["one"]).shape == (1, 8) and len(tried) == 2


@pytest.mark.parametrize("text", ["", "\ud800", "词", "word " * 60_000, "\0"])
def test_any_text_has_a_vector_and_none_is_too_long(stub: Stub, text: str) -> None:
    from rag.tokens import count

    assert np.isfinite(embedder(stub).embed_query(text)).all()
    sent = inputs(stub)[-1][0]
    assert sent and count(sent, "cl100k_base") <= MAX_TOKENS


def test_a_server_that_gives_too_few_vectors_is_told_of(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    model = embedder(stub)
    reply = {"object": "list", "model": "m", "data": [], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    monkeypatch.setattr(stub_server, "embeds", stub_server.sends(reply))
    with pytest.raises(EmbedderError) as caught:
        model.embed_documents(["one"])
    assert caught.value.hint


@pytest.mark.parametrize(
    ("answering", "said"),
    [
        (stub_server.sends("<html>Log in</html>"), "no list of embeddings"),
        (stub_server.fails(404), "has no model embed-1"),
        (stub_server.fails(429, "no", "insufficient_quota"), "used up"),
        (stub_server.fails(400, "context_length_exceeded"), "cannot read so much"),
    ],
)
def test_a_fault_is_told_in_words_for_embeddings(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, answering: stub_server.Answering, said: str
) -> None:
    model = embedder(stub)
    monkeypatch.setattr(stub_server, "embeds", answering)
    with pytest.raises(EmbedderError, match=said) as caught:
        model.embed_documents(["one"])
    whole = f"{caught.value.message} {caught.value.hint}"
    assert not any(word in whole for word in ("chat", "RAG_MODEL", "RAG_EVIDENCE", "extractive"))


def shorter(handler: stub_server.Handler, asked: stub_server.Asked) -> None:
    """Answer with vectors of 4 numbers instead of 8."""
    rows = [
        {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0, 2.0, 3.0]}
        for i, text in enumerate(asked.body["input"])
    ]
    handler.send(200, {"object": "list", "model": "stub", "data": rows, "usage": stub_server.USAGE})


def test_a_server_that_has_another_model_by_now_is_told_of_and_known_the_next_time(
    stub: Stub, recall: Recall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stub_server, "embeds", shorter)
    assert embedder(stub, recall).embed_documents(["one"]).shape == (1, 4)
    monkeypatch.undo()
    old = embedder(stub, recall)
    for _ in range(2):
        with pytest.raises(EmbedderError, match="of 8 dimensions, no longer of 4") as caught:
            old.embed_documents(["one", "two"])
        assert "rag doctor --reembed" in caught.value.hint and old.identity.dimension == 4
    stub.asked.clear()
    new = embedder(stub, recall)
    assert new.identity.dimension == 8 and stub.asked == []
    assert new.embed_documents(["one", "two"]).shape == (2, 8)


def test_a_library_of_a_model_that_is_gone_says_how_to_embed_it_again(
    stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    settings = Settings(embedder="openai:embed-1", openai_base_url=stub.url, openai_api_key="sk-x")
    monkeypatch.setattr(stub_server, "embeds", shorter)
    with Library.open(tmp_path / "library", settings, write=True) as library:
        library.ingest([tmp_path / "list.txt"])
    monkeypatch.undo()
    for said in ("no longer of 4", "4 dimensions"):
        with pytest.raises(EmbedderError, match=said) as caught:
            with Library.open(tmp_path / "library", settings) as library:
                library.search("What remembers?")
        assert "rag doctor --reembed" in caught.value.hint
    with Library.open(tmp_path / "library", settings, write=True) as library:
        library.reembed()
        assert library.search("TinyNet")[0].paper.name == "TinyNet"


@pytest.mark.parametrize("odd", [[], [[1.0], [2.0]]])
def test_vectors_that_are_none_are_not_taken_for_another_model(
    stub: Stub, monkeypatch: pytest.MonkeyPatch, odd: list[list[float]]
) -> None:
    model = embedder(stub)
    data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(odd)]
    reply = {"object": "list", "model": "m", "data": data, "usage": stub_server.USAGE}
    monkeypatch.setattr(stub_server, "embeds", stub_server.sends(reply))
    with pytest.raises(EmbedderError) as caught:
        model.embed_documents(["one"])
    assert "--reembed" not in caught.value.hint


def test_no_key_and_no_address_names_both() -> None:
    with pytest.raises(SettingError) as caught:
        open_embedder("openai:text-embedding-3-small", Settings())
    assert "OPENAI_API_KEY" in caught.value.hint


def test_a_library_is_made_and_asked_with_it_and_ingest_done_again_costs_nothing(
    stub: Stub, tmp_path: Path
) -> None:
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    settings = Settings(embedder="openai:embed-1", openai_base_url=stub.url, openai_api_key="sk-x")
    with Library.open(tmp_path / "library", settings, write=True) as library:
        assert library.ingest([tmp_path / "list.txt"]).added == 2
        paid = len(stub.asked)
        library.remove([p.id for p in library.papers()])
        assert library.ingest([tmp_path / "list.txt"]).added == 2
        assert len(stub.asked) == paid
        assert library.search("TinyNet")[0].paper.name == "TinyNet"
    with pytest.raises(EmbedderMismatch), Library.open(tmp_path / "library") as library:
        library.search("TinyNet")


def test_the_doctor_asks_the_server_of_the_settings(stub: Stub, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    settings = Settings(
        library=tmp_path / "library",
        embedder="openai:embed-1",
        openai_base_url=stub.url,
        openai_api_key="sk-x",
    )
    with Library.open(settings.library, settings, write=True) as library:
        library.ingest([tmp_path / "list.txt"])
    found = {check.name: (check.severity, check.message) for check in examine(settings)}
    assert found["embedder"][0] == "ok" and "openai:embed-1, 8 dimensions" in found["embedder"][1]
    assert found["vectors"] == ("ok", "made by openai:embed-1")
