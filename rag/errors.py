"""Every failure the program expects, each with the next command to try.

RagError
├── UsageError            the request cannot be understood or carried out as asked   (exit 2)
│   ├── SettingError      a setting has an unknown name or a value it cannot have
│   └── UnknownPaper      no paper, or more than one, answers to the words given
├── SourceError           a file or address cannot be read as papers
│   └── UnknownFormat     it is of a kind that is never read as papers, such as an image
├── EmbedderError         the embedding model is missing, damaged or not reachable
│   └── EmbedderMismatch  the library was embedded with another model
├── OutputError           a file that was asked for cannot be written
├── LibraryError          the library cannot be opened, read or written
│   ├── LibraryLocked     another process is writing to the library
│   ├── LibraryDamaged    the ledger fails its own checks
│   └── LibraryConflict   the ledger refuses what contradicts what it holds
├── IndexFault            an index cannot be used; it can be rebuilt from the ledger
│   └── IndexUnreachable  the server that holds an index does not answer, or is another program
├── PromptError           a prompt file is missing or names variables it should not
├── ModelError            the chat model did not give a usable answer
│   ├── ModelUnreachable  its server cannot be reached, is overloaded or broke off
│   └── PromptTooLong     the model cannot read so much at once
├── OutputError           the result cannot be written to the file asked for
├── NothingMatches        no paper has what was asked for                             (exit 3)
└── BudgetError           the request would cost more than was allowed               (exit 4)
"""

from __future__ import annotations


class RagError(Exception):
    """A failure the program expects: what happened, why if known, and the next command."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(RagError):
    """The request cannot be understood or carried out as asked."""

    exit_code = 2


class SettingError(UsageError):
    """A setting has an unknown name or a value it cannot have."""


class UnknownPaper(UsageError):
    """No paper, or more than one, answers to the words given."""


class SourceError(RagError):
    """A file or address cannot be read as papers: `source` is its name, `reason` the message without it."""

    def __init__(self, reason: str, *, source: str = "", hint: str = "") -> None:
        super().__init__(f"{source}: {reason}" if source else reason, hint=hint)
        self.source = source
        self.reason = reason


class UnknownFormat(SourceError):
    """A file is of a kind that is never read as papers, such as an image or a table."""


class EmbedderError(RagError):
    """The embedding model is missing, damaged or not reachable."""


class EmbedderMismatch(EmbedderError):
    """The library was embedded with another model."""

    exit_code = 2


class OutputError(RagError):
    """A file that was asked for cannot be written."""


class LibraryError(RagError):
    """The library cannot be opened, read or written."""


class LibraryLocked(LibraryError):
    """Another process is writing to the library."""


class LibraryDamaged(LibraryError):
    """The ledger fails its own checks."""


class LibraryConflict(LibraryError):
    """The ledger refuses what contradicts what it holds; nothing of it was stored."""


class IndexFault(RagError):
    """An index cannot be used; it can be rebuilt from the ledger."""


class IndexUnreachable(IndexFault):
    """The server that holds an index does not answer, or is another program: no reason to rebuild."""


class PromptError(RagError):
    """A prompt file is missing or names variables it should not."""

    exit_code = 2


class ModelError(RagError):
    """The chat model did not give a usable answer."""


class ModelUnreachable(ModelError):
    """The model's server cannot be reached, is overloaded or broke off."""


class ParameterRefused(ModelError):
    """The server refuses a part of the request, which `parameter` names."""

    def __init__(self, message: str, *, hint: str, parameter: str) -> None:
        super().__init__(message, hint=hint)
        self.parameter = parameter


class PromptTooLong(ModelError):
    """The model cannot read so much at once."""


class NothingMatches(RagError):
    """No paper has what was asked for, such as a year."""

    exit_code = 3


class BudgetError(RagError):
    """The request would cost more than was allowed."""

    exit_code = 4
