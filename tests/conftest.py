"""What many tests share: a library of the seed abstracts, made once for all of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.library import Library
from rag.resources import seeds
from rag.settings import Settings
from tests.chroma_process import ChromaProcess
from tests.stub_server import Stub


@pytest.fixture
def clean_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test in an empty folder, without settings of whoever runs it."""
    monkeypatch.chdir(tmp_path)
    for name in ("RAG_LIBRARY", "RAG_MODEL", "RAG_EMBEDDER", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def seed_library_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a library that holds the 38 seed abstracts; not to be written to."""
    path = tmp_path_factory.mktemp("seeds") / "library"
    with Library.open(path, write=True) as library:
        library.ingest([seeds()])
    return path


@pytest.fixture(scope="session")
def seed_library(seed_library_path: Path) -> Iterator[Library]:
    """Return the seed library, open to read."""
    with Library.open(seed_library_path) as library:
        yield library


@pytest.fixture
def own_seed_library(seed_library_path: Path, tmp_path: Path) -> Path:
    """Return the folder of a copy of the seed library that a test may change."""
    path = tmp_path / "library"
    shutil.copytree(seed_library_path, path)
    return path


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Chroma server that runs until all tests are done; not to be stopped."""
    server = ChromaProcess(tmp_path_factory.mktemp("chroma")).start()
    yield server.url
    server.kill()


@pytest.fixture
def stub() -> Iterator[Stub]:
    """Return a server on loopback that answers as a chat model, or embeds, as it is told."""
    with Stub() as server:
        yield server


@pytest.fixture
def settings(stub: Stub) -> Settings:
    """Return settings that ask the stub server, and nobody else."""
    return Settings(
        model="openai:stub-model",
        openai_base_url=stub.url,
        openai_api_key="sk-test",
        cache=False,
        timeout_s=5.0,
    )
