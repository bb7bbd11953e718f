"""Ask a pile of research-paper abstracts, and see the sentence behind every sentence of the answer.

    from rag import Library

    with Library.open("my-library", write=True) as library:
        library.ingest(["abstracts.txt"])
        print(library.ask("Which papers are about agents?").sentences)

The package reads in the order of the work:

    text        LaTeX → readable Unicode, sentences, words, quantities
    sources     files → records, one module per format
    fetch       query to arXiv, OpenAlex or OpenReview → file
    papers      record → paper: id, name; are two papers one
    tokens      text → number of tokens
    chunks      paper → chunks
    endpoint    settings → an OpenAI-compatible server; its faults in our words
    embedders   texts → vectors
    ledger      SQLite: papers, sentences, vectors; the source of truth
    indexes     Chroma (vectors) and tantivy (words), made from the ledger and healed from it
    preparing   papers → papers with vectors
    twins       paper → the papers of the library that it may be
    intake      records of a file → papers stored, merged or replaced
    ingest      files → ledger → indexes, batch by batch
    watching    folders → the files that change in them
    question    question → its kind and topic
    retrieve    question → ranked papers
    evidence    ranked papers → scored sentences; is there an answer
    themes      vectors and texts → named themes, and a place on a map for each paper
    prompting   prompt file → messages, every variable filled
    generate    evidence → draft sentences with what they rest on: quoted, or written by a chat model
    verify      draft or text of your own → checked sentences with citations
    jobs        the recipes: ask, follow-ups, topics, and check: a text of your own, sentence by sentence
    library     one open library, the door for programs
    langchain   the library as a LangChain retriever
    doctor, evaluate, outputs
    serving     the library over HTTP: REST, the doors of other programs, pages
    cli         the command line

Each module imports only what stands above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.domain import Answer as Answer
    from rag.domain import AnswerSentence as AnswerSentence
    from rag.domain import Citation as Citation
    from rag.domain import Hit as Hit
    from rag.domain import Paper as Paper
    from rag.domain import Reference as Reference
    from rag.domain import Usage as Usage
    from rag.errors import RagError as RagError
    from rag.ingest import IngestReport as IngestReport
    from rag.jobs.check import Checked as Checked
    from rag.jobs.topics import Topics as Topics
    from rag.jobs.writing import Plan as Plan
    from rag.library import Library as Library
    from rag.retrieve.filters import Filters as Filters
    from rag.settings import Settings as Settings
    from rag.themes import Theme as Theme

_PUBLIC = {
    "Answer": "rag.domain",
    "AnswerSentence": "rag.domain",
    "Citation": "rag.domain",
    "Hit": "rag.domain",
    "Paper": "rag.domain",
    "Reference": "rag.domain",
    "Usage": "rag.domain",
    "RagError": "rag.errors",
    "IngestReport": "rag.ingest",
    "Checked": "rag.jobs.check",
    "Theme": "rag.themes",
    "Topics": "rag.jobs.topics",
    "Plan": "rag.jobs.writing",
    "Library": "rag.library",
    "Filters": "rag.retrieve.filters",
    "Settings": "rag.settings",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: `import rag` stays fast."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rag' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)
