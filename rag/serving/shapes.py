"""What clients may send: the bodies of requests, every length bounded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_QUESTION = 4_000
MOST_TEXT = 500_000
# A check cannot be stopped half way: this much takes seconds, and is a long paper.
MOST_DRAFT = 60_000
MOST_IDS = 20_000
Question = Annotated[str, StringConstraints(min_length=1, max_length=MOST_QUESTION, pattern=r"\S")]
Words = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"\S")]
PaperId = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Only = Annotated[
    list[PaperId] | None,
    Field(max_length=MOST_IDS, description="Ids of papers: these are then the whole library."),
]


class Body(BaseModel):
    """A request's body; a field of another name is refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class FiltersBody(Body):
    """What papers must have; values of one filter are alternatives, every filter given must hold."""

    year: str = Field(default="", max_length=20, description="2024, 2020..2024, 2020.. or ..2024.")
    venues: list[Words] = Field(default=[], max_length=50, description="Names of venues, or words of them.")
    authors: list[Words] = Field(default=[], max_length=50, description="Family names or whole names.")
    files: list[Words] = Field(default=[], max_length=50, description="Files that papers were read from.")
    papers: list[Words] = Field(default=[], max_length=200, description="Names, sources or ids.")


class AskBody(Body):
    """A question, the questions asked before it in the same conversation, and how the answer is to come."""

    question: Question = Field(examples=["How much faster than FOA is EVA-0?"])
    history: list[Question] = Field(
        default=[], max_length=50, description="Questions asked before, oldest first."
    )
    only: Only = None
    filters: FiltersBody | None = None
    stream: bool = Field(
        default=False, description="Whether to send steps and sentences as server-sent events."
    )


class CompareBody(Body):
    """Papers by name, id or source, or a topic; and the aspects to compare them in."""

    papers: list[Words] = Field(default=[], max_length=30, examples=[["EVA-0", "ENGINE"]])
    topic: str = Field(default="", max_length=MOST_QUESTION)
    aspects: list[Words] = Field(default=[], max_length=12)
    only: Only = None
    filters: FiltersBody | None = None


class SummarizeBody(Body):
    """A topic; without one, the whole library."""

    topic: str = Field(default="", max_length=MOST_QUESTION, examples=["federated learning"])
    only: Only = None
    filters: FiltersBody | None = None


class CheckBody(Body):
    """A draft, or claims as JSON lines, and whether to look for support of sentences that cite nothing."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=MOST_DRAFT, pattern=r"\S")]
    kind: Literal["draft", "claims"] = "draft"
    find: bool = False


class PasteBody(Body):
    """Abstracts as text: a heading line, then abstracts separated by blank lines."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=MOST_TEXT, pattern=r"\S")]
    name: str = Field(default="", max_length=100, description="What to call it as a source.")
