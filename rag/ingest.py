"""Files → ledger → indexes: reads papers, embeds the new ones and stores them, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from rag import sources
from rag.domain import Notice
from rag.embedders import Embedder
from rag.errors import EmbedderMismatch, LibraryConflict, SourceError, UnknownFormat
from rag.indexes.healing import Indexes
from rag.intake import Intake
from rag.ledger import FileEntry, Ledger
from rag.ledger.files import Catalogue
from rag.ledger.packing import Matrix
from rag.ledger.strings import visible
from rag.preparing import prepare

BATCH = 16

Fault = SourceError | OSError | LibraryConflict
"""What ends the reading of one file, and not the run."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A file or path that could not be read to its end, or was left out; why, and what to do."""

    file: str
    reason: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an ingest stands: `file` is number `position` of `files`, and what was found so far."""

    file: str
    position: int
    files: int
    added: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did. `gone` are ids of papers that left a changed file; `removed` those of them removed.

    `files` counts those read or tried, `left_out` are files of other kinds met in a folder. `unchanged`
    counts abstracts read (or skipped with their unchanged file) that the library held already, `merged` those
    that were new, but of a paper it holds under another text or title, `updated` the papers whose abstract or
    whatever else is known of them has changed in their file.
    """

    files: int = 0
    added: int = 0
    unchanged: int = 0
    merged: int = 0
    updated: int = 0
    gone: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    failures: tuple[Failure, ...] = ()
    left_out: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    embedding_seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Whether nothing was skipped, no file failed, and there was something to read."""
        return not self.failures and not any(notice.skipped for notice in self.notices)


def ingest(
    paths: Iterable[Path | str],
    ledger: Ledger,
    indexes: Indexes,
    embedder: Embedder,
    *,
    sync: bool = False,
    form: str = "",
    strict: bool = False,
    batch: int = BATCH,
    progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Store the papers of all files under `paths`; those already held gain a source and nothing else.

    With `sync`, papers that left their file are removed, unless another file holds them. `form` names the
    format to read every file as. The ledger must be open for writing.

    Raises EmbedderMismatch if the library was embedded with another model; when `strict`, SourceError at the
    first file of which something would be skipped, before any of it is stored.
    """
    began = time.perf_counter()
    check_identity(ledger, embedder)
    places = [Path(path) for path in paths]
    run = _Run(ledger, embedder, indexes, max(batch, 1), form, strict)
    files = run.find(places)
    for position, path in enumerate(files, 1):
        run.file(path, partial(run.tell, progress, position, len(files)))
    folders = [place for place in places if sources.is_folder(place)]
    run.vanished(folders)
    run.remark_empty(folders)
    if sync:
        run.removed = tuple(ledger.prune(run.names))
    indexes.update()
    report = run.report(time.perf_counter() - began)
    ledger.record_run(asdict(report))
    return report


def check_identity(ledger: Ledger, embedder: Embedder) -> None:
    """Raise EmbedderMismatch if the library holds another embedder's vectors."""
    stored, offered = ledger.identity, embedder.identity
    if stored is None or stored == offered:
        return
    same_name = " in another version" if stored.name == offered.name else ""
    raise EmbedderMismatch(
        f"The library was embedded with {stored.name} ({stored.dimension} dimensions), not with"
        f" {offered.name}{same_name} ({offered.dimension} dimensions).",
        hint=f"Run `rag doctor --reembed` to embed it again, or set RAG_EMBEDDER to {stored.name}.",
    )


def reembed(
    ledger: Ledger,
    indexes: Indexes,
    embedder: Embedder,
    *,
    batch: int = BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed every paper again with `embedder`; return how many.

    All new vectors replace the old in one transaction: if it is interrupted, the library has what it had.
    `progress` is told papers done and papers in all.
    """
    ids = ledger.ids()

    def vectors() -> Iterator[tuple[str, Matrix, Matrix]]:
        for start in range(0, len(ids), batch):
            some = ids[start : start + batch]
            sentences, pieces = ledger.sentences(some), ledger.chunks(some)
            papers = [(p, sentences.get(p.id, ()), pieces.get(p.id, ())) for p in ledger.papers(some)]
            for prepared in prepare(papers, embedder):
                yield prepared.paper.id, prepared.chunk_vectors, prepared.sentence_vectors
            if progress is not None:
                progress(min(start + batch, len(ids)), len(ids))

    ledger.replace_vectors(embedder.identity, vectors())
    indexes.update()
    return len(ids)


class _Run:
    """One ingest under way: what it has found, and the batch it is filling."""

    def __init__(
        self,
        ledger: Ledger,
        embedder: Embedder,
        indexes: Indexes,
        batch: int,
        form: str = "",
        strict: bool = False,
    ) -> None:
        self._ledger, self._indexes = ledger, indexes
        self._intake = Intake(ledger, indexes, embedder, batch)
        self._form, self._strict = form, strict
        self._files = Catalogue(ledger.files())
        self._counts = self._intake.counts
        self._notices = self._intake.notices
        self._failures: list[Failure] = []
        self._left_out: dict[Path, Failure] = {}
        self._gone: dict[str, None] = {}
        self._met: set[str] = set()
        # The files found under each folder given, by their real paths, and those given by name.
        self._under: dict[Path, list[Path]] = {}
        self._named: set[Path] = set()
        self._emptied: set[Path] = set()
        self.names: list[str] = []
        self.removed: tuple[str, ...] = ()

    def find(self, paths: Iterable[Path]) -> list[Path]:
        """Return the files under `paths`, each once; a path that gives none is a failure."""
        found: dict[Path, Path] = {}
        for path in paths:
            try:
                files = {file.resolve(): file for file in sources.find([path])}
            except (SourceError, OSError) as error:
                self._refuse(str(path), error)
                continue
            # A library may lie in the folder it is filled from; what is named in it is meant.
            own = self._ledger.folder.resolve()
            if not path.resolve().is_relative_to(own):
                files = {real: file for real, file in files.items() if not real.is_relative_to(own)}
            if sources.is_folder(path):
                self._under[path] = list(files)
            else:
                self._named.update(files)
            for real, file in files.items():
                found.setdefault(real, file)
        self._met = {visible(str(file)) for file in found}
        return list(found.values())

    def file(self, path: Path, tell: Callable[[str], None]) -> None:
        """Store what is new in one file."""
        try:
            entry = self._files.unread(path)
        except OSError as error:
            self._refuse(str(path), error)
            return
        try:
            sources.check(path, entry.name, self._form)
            entry = self._files.entry(path)
            if self._files.unchanged(entry) and not self._form:
                self._skip(entry)
            else:
                self._read(path, entry, lambda: tell(entry.name))
        except (SourceError, OSError) as error:
            self._intake.break_off()
            self._fail(path, entry, error)
        except LibraryConflict as error:
            # One batch of one file; the other files of the run need not suffer.
            self._intake.start_over()
            self._fail(path, entry, error)
        tell(entry.name)

    def vanished(self, folders: Iterable[Path]) -> None:
        """Mark as gone what was read from files that have left these folders."""
        tops = [folder.resolve() for folder in folders]
        for entry in self._ledger.files():
            path = Path(entry.path)
            if not entry.path or entry.path in self._met or not any(map(path.is_relative_to, tops)):
                continue
            if not path.exists():
                self._settle(entry.name, {})
                self._emptied.update(top for top in tops if path.is_relative_to(top))

    def remark_empty(self, folders: Iterable[Path]) -> None:
        """Say of each folder in which there is, and was, nothing to read that it is so."""
        for folder in folders:
            is_empty = all(file in self._left_out for file in self._under.get(folder, ()))
            if is_empty and folder.resolve() not in self._emptied:
                self._notices.append(Notice(visible(str(folder)), 0, "there is nothing to read in it"))

    def tell(self, progress: Callable[[Progress], None] | None, position: int, files: int, name: str) -> None:
        """Report where the run stands."""
        if progress is not None:
            progress(Progress(name, position, files, self._counts.added, self._counts.unchanged))

    def report(self, seconds: float) -> IngestReport:
        """Return what the run did."""
        return IngestReport(
            files=len(self._met) - len(self._left_out),
            added=self._counts.added,
            unchanged=self._counts.unchanged,
            merged=self._counts.merged,
            updated=self._counts.updated,
            gone=tuple(self._gone),
            removed=self.removed,
            notices=tuple(self._notices),
            failures=tuple(self._failures),
            left_out=tuple(self._left_out.values()),
            warnings=tuple(self._indexes.warnings),
            seconds=seconds,
            embedding_seconds=self._counts.embedding_s,
        )

    def _skip(self, entry: FileEntry) -> None:
        """Count a file that is as it was, without reading it."""
        names = [entry.name, *self._files.parts(entry.name)]
        for source in (source for name in names for source in self._ledger.sources_of(name)):
            self._counts.unchanged += not source.gone
            if source.gone:
                self._gone[source.paper_id] = None
        self._put(entry)
        self.names += names

    def _read(self, path: Path, entry: FileEntry, tell: Callable[[], None]) -> None:
        if self._strict:
            _check_whole(path, entry.name, self._form)
        noticed = len(self._notices)
        self._intake.begin([entry.name, *self._files.parts(entry.name)])
        for item in sources.read(path, entry.name, self._form):
            if isinstance(item, Notice):
                self._notices.append(item)
                continue
            if not self._files.knows(entry.name):
                # Without a digest: if this run is cut off, the file is read again.
                self._put(replace(entry, digest=""))
            self._intake.take(item)
            if self._intake.is_full:
                self._intake.store()
                tell()
        # A file with notices is read again each time, so that they are never lost from a report.
        told = self._notices[noticed:]
        if any(notice.is_damage for notice in told):
            self._leave(entry)
            return
        present = self._intake.end()
        entry = replace(entry, digest="") if len(self._notices) > noticed else entry
        for part in self._settle(entry.name, present):
            self._put(replace(entry, name=part, path=""))
        self._put(entry)

    def _leave(self, entry: FileEntry) -> None:
        """End a file that was not read whole: what was not met in it may still stand there."""
        present, waiting = self._intake.break_off()
        names = dict.fromkeys((entry.name, *self._files.parts(entry.name), *present))
        for name in names:
            self._put(FileEntry(name, entry.path if name == entry.name else ""))
        held = {s.paper_id for name in names for s in self._ledger.sources_of(name) if not s.gone}
        missed = len(held - {paper_id for papers in present.values() for paper_id, _ in papers})
        if missed or waiting:
            reason = "it was not read whole, so nothing of it was removed or replaced"
            self._notices.append(Notice(entry.name, 0, reason + _unsure(missed, waiting), skipped=False))

    def _settle(self, name: str, present: Mapping[str, Collection[tuple[str, int]]]) -> list[str]:
        """Mark what a file, or a file in it, no longer holds; return the names of those in it."""
        parts = [part for part in dict.fromkeys((*self._files.parts(name), *present)) if part != name]
        for place in (name, *parts):
            self._gone.update(dict.fromkeys(self._ledger.settle_sources(place, present.get(place, ()))))
        self.names += (name, *parts)
        return parts

    def _refuse(self, name: str, error: Fault) -> None:
        """Note that a file or path failed; when strict, raise that."""
        failure = _failure(name, error)
        if self._strict:
            raise SourceError(failure.reason, source=failure.file, hint=failure.hint) from error
        self._failures.append(failure)

    def _fail(self, path: Path, entry: FileEntry, error: Fault) -> None:
        """Note a failure, or, for a file of another kind that only lay in a folder, that it was left out."""
        is_stray = isinstance(error, UnknownFormat) and path.resolve() not in self._named
        if is_stray and not self._files.knows(entry.name):
            self._left_out[path.resolve()] = _failure(entry.name, error)
        else:
            self._refuse(entry.name, error)
        # No other file of this run may be called the same in the report.
        self._files.put(replace(entry, digest=""))

    def _put(self, entry: FileEntry) -> None:
        self._ledger.put_file(entry)
        self._files.put(entry)


def _failure(name: str, error: Fault) -> Failure:
    if isinstance(error, SourceError):
        return Failure(visible(name), error.reason, error.hint)
    if isinstance(error, LibraryConflict):
        return Failure(visible(name), error.message, error.hint)
    return Failure(visible(name), f"it cannot be read ({error.strerror or error}).")


def _unsure(missed: int, waiting: int) -> str:
    """Return, for the end of a remark, what of a file may have changed and is as it was."""
    parts = [f"not met in it: {missed}"] * bool(missed) + [f"perhaps changed: {waiting}"] * bool(waiting)
    return f" ({', '.join(parts)})"


def _check_whole(path: Path, name: str, form: str) -> None:
    """Raise SourceError at the first item of a file that would be skipped; nothing is stored."""
    for item in sources.read(path, name, form):
        if isinstance(item, Notice) and item.skipped:
            place = item.source.removeprefix(name) + (f", line {item.line}" if item.line else "")
            hint = "Nothing of this file was stored. Mend it, or ingest it without --strict."
            raise SourceError(f"{place}: {item.reason}".lstrip(":, "), source=name, hint=hint)
