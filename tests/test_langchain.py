from __future__ import annotations

import re
from pathlib import Path

import pytest

from rag import Library
from rag.langchain import PaperRetriever
from tests.fakes import HashEmbedder, run_python

ROOT = Path(__file__).parent.parent
LIST = """List

Deep networks forget a lot. We present TinyNet, a small network that remembers. TinyNet needs 12 MB.

Ants find food by smell. We introduce AntWalk, a model of how ants search. It follows 40 ants.
"""


@pytest.fixture
def library(tmp_path: Path) -> Library:
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    library = Library.open(tmp_path / "library", write=True, embedder=HashEmbedder())
    library.ingest([tmp_path / "list.txt"])
    return library


def test_documents_are_papers_best_first(library: Library) -> None:
    with library:
        documents = PaperRetriever(library=library, k=1).invoke("How much does TinyNet need?")
    (found,) = documents
    assert found.page_content.endswith("TinyNet needs 12 MB.") and found.id
    assert found.metadata["name"] == "TinyNet" and found.metadata["source"] == "list.txt#1"
    assert "year" not in found.metadata and found.metadata["score"] > 0


def test_the_example_in_the_docs_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "langchain.md").read_text("utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    seeds = (ROOT / "seeds" / "003_3877a10d02584f83.txt").read_text("utf-8")
    two = [part for part in seeds.split("\n\n") if "EVA-0" in part or "EVA-Cap" in part]
    (tmp_path / "two.txt").write_text("\n\n".join(["Two", *two]), "utf-8")
    with Library.open(tmp_path / ".rag", write=True) as library:
        library.ingest([tmp_path / "two.txt"])
    assert "`rag ingest seeds/`" in page
    done = run_python(f"import os; os.chdir({str(tmp_path)!r})\n{example}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "EVA-0"
