"""A library's collection on a Chroma server: reached within deadlines, with the watermark in its metadata."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from rag.errors import IndexFault, IndexUnreachable, RagError
from rag.indexes import REBUILD_HINT, first_line
from rag.indexes.chroma import HNSW, NAME, ChromaVectors
from rag.indexes.watermark import Watermark
from rag.settings import mask_password

if TYPE_CHECKING:
    from chromadb.api import ServerAPI
    from chromadb.api.models.Collection import Collection

SETTING = "RAG_CHROMA_URL"
FORMAT = "chroma-server/1"
PREFIX = "askpapers-"
HINT = f"Start it with `chroma run --path FOLDER`, or correct {SETTING}."

# The state of a collection, in its metadata: other programs see it too.
WHOLE, WRITING = "whole", "writing"

# A server refuses requests of more than 40 MB; with long vectors and their text that is few thousand chunks.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds to wait for a server: for a connection, for an answer, and for a write to be done."""

    connect_s: float = 3.0
    answer_s: float = 10.0
    write_s: float = 120.0


class ServerCollection:
    """The Marks and the vectors of one library on the Chroma server at `url`; connects when first needed.

    Raises IndexUnreachable when the server does not answer in time or is another program.
    """

    def __init__(self, url: str, library: str, patience: Patience | None = None) -> None:
        self.name = f"{PREFIX}{library}"
        self._url = url
        self._patience = patience or Patience()
        self._connections: dict[float, ServerAPI] = {}

    def open(self) -> ChromaVectors:
        """Open the collection for queries; raise IndexFault if the server does not hold it."""
        with self.faults():
            api = self._api(self._patience.answer_s)
            return self._vectors(api, _collection(api, self.name))

    def open_to_write(self) -> ChromaVectors:
        """Open the collection for writing, made if it is missing."""
        with self.faults():
            api = self._api(self._patience.write_s)
            return self._vectors(api, _collection(api, self.name, make=True))

    # -- the watermark ------------------------------------------------------------------------------

    @property
    def any(self) -> bool:
        """Whether the server holds the collection."""
        return self._metadata() is not None

    @property
    def dirty(self) -> bool:
        """Whether a write began and did not end."""
        found = self._metadata()
        return found is not None and found.get("state") != WHOLE

    @property
    def stamp(self) -> object:
        """A value that changes whenever a watermark is written."""
        return self._metadata()

    def begin(self) -> None:
        """Say that a write begins: from now on the collection is worth nothing until `end`."""
        self._note({"state": WRITING})

    def end(self, watermark: Watermark) -> None:
        """Say that the write has ended and the collection holds what the watermark says."""
        self._note(
            {
                "state": WHOLE,
                "basis": watermark.basis,
                "generation": watermark.generation,
                "token": watermark.token,
                "count": watermark.count,
            }
        )

    def read(self) -> Watermark:
        """Return the watermark; raise IndexFault if there is none, or the collection is not as marked."""
        found = self._metadata()
        if found is None:
            raise IndexFault("the server does not hold it")
        if found.get("state") != WHOLE:
            raise IndexFault("a write to it was interrupted")
        mark = _watermark(found)
        held = self.open().count()
        if held != mark.count:
            raise IndexFault(f"it holds {held} of {mark.count} entries")
        return mark

    def clear(self) -> None:
        """Remove the collection, and its watermark with it."""
        from chromadb.errors import NotFoundError

        with self.faults(), contextlib.suppress(NotFoundError):
            self._api(self._patience.write_s).delete_collection(self.name)

    def close(self) -> None:
        """Close the connections; the next use opens them again."""
        while self._connections:
            _, api = self._connections.popitem()
            _session(api).close()

    # -- the connection -----------------------------------------------------------------------------

    @contextlib.contextmanager
    def faults(self) -> Iterator[None]:
        """Turn whatever the server or the way to it raises into IndexFault or IndexUnreachable."""
        try:
            yield
        except RagError:
            raise
        except Exception as error:
            raise self._fault(error) from error

    def _fault(self, error: Exception) -> IndexFault:
        why = first_line(error)
        if _may_be_cured(error):
            return IndexFault(f"The {NAME} at {self._where} failed: {why}.", hint=REBUILD_HINT)
        # chromadb raises a bare Exception for an answer in nobody's words, such as a web page.
        if type(error) is Exception or isinstance(error, ValueError | KeyError | TypeError | AttributeError):
            return IndexUnreachable(
                f"What answers at {self._where} is not a Chroma server: {why}.", hint=HINT
            )
        return IndexUnreachable(f"The Chroma server at {self._where} cannot be reached: {why}.", hint=HINT)

    @property
    def _where(self) -> str:
        return f"{mask_password(self._url)} ({SETTING})"

    def _api(self, wait_s: float) -> ServerAPI:
        """Return the connection whose answers are waited for so long."""
        if wait_s not in self._connections:
            api = _connect(self._url, self._patience.connect_s, wait_s)
            try:
                self._check_version(api.get_version())
            except BaseException:
                _session(api).close()
                raise
            self._connections[wait_s] = api
        return self._connections[wait_s]

    def _check_version(self, found: object) -> None:
        from chromadb import __version__

        if _major(found) != _major(__version__):
            raise IndexUnreachable(
                f"The Chroma server at {self._where} has version {str(found)[:40]};"
                f" this program speaks with {_major(__version__)}.x.",
                hint=f"Install chromadb {__version__} for the server, or correct {SETTING}.",
            )

    def _vectors(self, api: ServerAPI, collection: Collection) -> ChromaVectors:
        batch = min(_BATCH, api.get_max_batch_size())
        return ChromaVectors(collection, batch, self.close, self.faults)

    def _metadata(self) -> dict[str, Any] | None:
        from chromadb.errors import NotFoundError

        with self.faults():
            try:
                return dict(self._api(self._patience.answer_s).get_collection(self.name).metadata or {})
            except NotFoundError:
                return None

    def _note(self, metadata: Mapping[str, str | int]) -> None:
        with self.faults():
            _collection(self._api(self._patience.write_s), self.name, make=True).modify(
                metadata=cast(Any, metadata)
            )


def _connect(url: str, connect_s: float, wait_s: float) -> ServerAPI:
    """Return chromadb's own client of a server, which waits no longer than it is told.

    `chromadb.HttpClient` has no timeout, and asks the server before anyone could set one.
    """
    from chromadb.api.fastapi import FastAPI
    from chromadb.config import Settings, System

    from rag.indexes.chroma_answers import bound

    settings = Settings(
        anonymized_telemetry=False,
        chroma_api_impl="chromadb.api.fastapi.FastAPI",
        chroma_server_host=url,
        # Required, though the address already says it.
        chroma_server_http_port=urlsplit(url).port or 0,
        chroma_server_ssl_enabled=url.startswith("https:"),
    )
    api = System(settings).instance(FastAPI)
    _session(api).timeout = (connect_s, wait_s, wait_s, connect_s)
    bound(_session(api), wait_s)
    return api


def _session(api: ServerAPI) -> Any:
    return cast(Any, api)._session


def _collection(api: ServerAPI, name: str, *, make: bool = False) -> Collection:
    from chromadb.api.models.Collection import Collection

    if make:
        model = api.get_or_create_collection(name, configuration=cast(Any, {"hnsw": HNSW}))
    else:
        model = api.get_collection(name)
    return Collection(client=api, model=model, embedding_function=None)


def _major(version: object) -> str:
    return str(version).partition(".")[0]


def _watermark(found: Mapping[str, Any]) -> Watermark:
    try:
        return Watermark(
            str(found["basis"]), int(found["generation"]), str(found["token"]), int(found["count"])
        )
    except (KeyError, TypeError, ValueError) as error:
        raise IndexFault("its watermark cannot be read") from error


def _may_be_cured(error: Exception) -> bool:
    """Say whether the server itself found something wrong that writing the collection anew may cure."""
    from chromadb.errors import AuthorizationError, ChromaAuthError, ChromaError, QuotaError, RateLimitError

    refusals = (AuthorizationError, ChromaAuthError, QuotaError, RateLimitError)
    return isinstance(error, ChromaError) and not isinstance(error, refusals)
