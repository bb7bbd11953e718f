"""The library inside LangChain: a question goes into a retriever, its papers come out as documents.

Import this module only where LangChain is used; the rest of the program does not need it.
"""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from rag.domain import Hit
from rag.library import Library


class PaperRetriever(BaseRetriever):
    """Retrieves papers of an open library, best first.

    Each document is one abstract; its metadata is what a reference shows, and the score.
    """

    library: Any
    """An open `Library`; whoever opened it closes it."""
    k: int = 4
    """How many papers to return."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        library: Library = self.library
        return [document(hit) for hit in library.search(query, k=self.k)]


def document(hit: Hit) -> Document:
    """Return a retrieved paper as a document; fields that are not known are left out."""
    known = {key: value for key, value in hit.paper.to_dict().items() if value not in (None, [])}
    return Document(page_content=hit.paper.text, id=hit.paper.id, metadata={**known, "score": hit.score})
