"""A library on disk: opens ledger, indexes and embedder when first needed, and does every job on them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import get_args

from rag import tokens
from rag.closing import Closing
from rag.domain import Answer, AnswerSentence, Hit, Paper
from rag.embedders import Embedder, Remembering, open_embedder
from rag.embedders.pool import EmbedderPool
from rag.embedders.ray_data import PAPERS, RayVectors
from rag.errors import NothingMatches, SettingError, UnknownPaper, UsageError
from rag.evidence.gather import Gatherer
from rag.evidence.roles import load_roles
from rag.generate.pricing import Bill
from rag.indexes.healing import Indexes, open_indexes
from rag.ingest import BATCH, IngestReport, Progress, check_identity, ingest, reembed
from rag.jobs.ask import OnStage, ask
from rag.jobs.check import Checked, Kind, Shelf, check_text
from rag.jobs.compare import compare, compare_topic
from rag.jobs.desk import Desk
from rag.jobs.judging import judge_draft
from rag.jobs.summarize import summarize, summarize_library
from rag.jobs.tabling import Comparer
from rag.jobs.topics import MAX_SEED, Topics, find_topics
from rag.jobs.writing import DryRun, ModelWriter, Plan, missing, open_writer
from rag.ledger import LEDGER_FILE, Imprint, Ledger
from rag.ledger.backup import Backup, back_up
from rag.ledger.connections import gone
from rag.ledger.recall import Recall
from rag.question import understand
from rag.retrieve import CANDIDATES, Retriever
from rag.retrieve.filters import Filters, select
from rag.retrieve.lookup import Lookup, lookup
from rag.settings import Settings
from rag.twins import Duplicate, duplicates

# How many papers an error lists when the words given fit several.
_SHOWN = 8
OnStep = Callable[[], None]
"""Is told of each step of a job before it is made; what it raises ends the job."""


def _nothing() -> None:
    """Let a job go on."""


class Library(Closing):
    """Papers that can be asked. Safe to read from many threads; one process at a time may write."""

    def __init__(self, ledger: Ledger, settings: Settings, embedder: Embedder | None = None) -> None:
        self._ledger = ledger
        self._settings = settings
        self._lock = threading.RLock()
        self._indexes: Indexes | None = None
        self._embedder: Embedder | None = Remembering(embedder) if embedder is not None else None
        self._retriever: Retriever | None = None
        self._gatherer: Gatherer | None = None
        self._desk: Desk | None = None
        self._recall = Recall(ledger.folder)
        self._model_writer: ModelWriter | None = None
        self._asked_for_writer = False

    @classmethod
    def open(
        cls,
        path: Path | str,
        settings: Settings | None = None,
        *,
        write: bool = False,
        embedder: Embedder | None = None,
    ) -> Library:
        """Open the library in folder `path`; with `write`, make it if missing, and lock out other writers.

        `embedder` takes the place of the one the settings name.

        Raises LibraryError if there is none, LibraryLocked if another process is writing to it.
        """
        ledger = Ledger.open(Path(path), "write" if write else "read")
        return cls(ledger, settings or Settings(library=Path(path)), embedder)

    @classmethod
    def to_fill(cls, settings: Settings) -> Library:
        """Open the library the settings name, to write; make it if it is not there yet.

        The embedder is opened before a library is made for it: where it fails, no empty library is left.
        """
        is_new = not (settings.library / LEDGER_FILE).exists()
        store = Recall(settings.library)
        embedder = open_embedder(settings.embedder, settings, store) if is_new else None
        return cls.open(settings.library, settings, write=True, embedder=embedder)

    def close(self) -> None:
        """Let go of the files and of the writer's lock."""
        with self._lock:
            if self._indexes is not None:
                self._indexes.close()
            if self._model_writer is not None:
                self._model_writer.chat.close()
            self._recall.close()
            self._ledger.close()

    # -- reading ------------------------------------------------------------------------------------

    def ask(
        self,
        question: str,
        history: Sequence[Answer] = (),
        *,
        only: Collection[str] | None = None,
        on_sentence: Callable[[AnswerSentence], None] | None = None,
        on_stage: OnStage | None = None,
        on_piece: OnStep = _nothing,
    ) -> Answer:
        """Answer a question from the papers; `history` holds the earlier answers of a conversation.

        With `only`, the papers with these ids are the whole library for this question.
        `on_sentence` is told of each sentence that a chat model has finished and that has been checked,
        while the rest is still being written; quotations come all at once and are not told of. What it is
        told of a reply that in the end cannot be used is not in the answer. `on_stage` is told of each step
        as it begins: "searching", "reading", "writing" and "checking", with the number of papers; `on_piece`
        of each piece of a reply. Each of them may raise a BaseException to stop the work; a chat model's
        stream is then closed.

        Raises ModelError when a chat model fails and the settings want no quotations instead, BudgetError
        before spending more on this question than they allow.
        """
        desk = self._at_desk()
        writer = self._writer(on_piece)
        task = writer.task(question, history, on_sentence) if writer is not None else None
        answer = ask(question, desk, history, task, only, on_stage or (lambda stage, papers: None))
        return replace(answer, warnings=(*self._healed(), *answer.warnings))

    def compare(
        self,
        papers: Sequence[str] = (),
        *,
        topic: str = "",
        aspects: Sequence[str] = (),
        only: Collection[str] | None = None,
        on_step: OnStep = _nothing,
    ) -> Answer:
        """Compare papers, each named as for `paper`, or those on a `topic`, in a table of `aspects`.

        The usual aspects are problem, approach, data, results and limits; any other words will do. With
        `only`, none but the papers with these ids belong to the topic, or may be named. `on_step` is told of
        each paper before it is read, and of each piece of a chat model's reply; it may raise a BaseException
        to stop the work.

        Raises UnknownPaper for a name that means no paper or several, NothingMatches for one that `only`
        leaves out, UsageError when there are not two, and what `ask` raises when a chat model is to write.
        """
        if topic and papers:
            raise UsageError("papers and a topic cannot both be compared", hint="Name papers, or a topic.")
        desk, writer = self._at_desk(on_step), self._writer(on_step)
        if topic:
            answer = compare_topic(topic, aspects, desk, only, writer)
        else:
            answer = compare(_within(only, self._named(papers)), aspects, desk, writer)
        return replace(answer, warnings=(*self._healed(), *answer.warnings))

    def summarize(
        self, topic: str = "", *, only: Collection[str] | None = None, on_step: OnStep = _nothing
    ) -> Answer:
        """Sum up the papers that belong to a topic in a few themes; without a topic, the whole library.

        With `only`, the papers with these ids are the whole library. `on_step` is as for `compare`. Raises
        what `ask` raises when a chat model is to write.
        """
        desk, writer = self._at_desk(on_step), self._writer(on_step)
        if topic.strip():
            answer = summarize(topic.strip(), desk, only, writer)
        else:
            answer = summarize_library(find_topics(self._ledger, only=only), desk, writer)
        return replace(answer, warnings=(*self._healed(), *answer.warnings))

    def plan(
        self, question: str, history: Sequence[Answer] = (), *, only: Collection[str] | None = None
    ) -> Plan:
        """Return what asking would send to a chat model and may cost at most; nothing is sent, no key needed.

        Raises UsageError when the search alone would send the question to an embedder's server.
        """
        if self._embedder_is_remote:
            raise UsageError(
                f"finding the papers would send the question to the server of {self._settings.embedder}",
                hint="A dry run sends nothing: use a library made with an offline embedder (RAG_EMBEDDER).",
            )
        writer = open_writer(self._settings, self._recall, dry=True)
        dry = DryRun(writer, missing(self._settings))
        ask(question, self._at_desk(), history, dry.task(question), only)
        return dry.plan

    def check(
        self,
        raw: str,
        kind: Kind = "draft",
        *,
        find: bool = False,
        judge: bool = False,
        bill: Bill | None = None,
        on_step: OnStep = _nothing,
    ) -> list[Checked]:
        """Check the sentences of a draft, or claims as JSON lines, against the papers they cite.

        With `find`, sentences of a draft that cite nothing are held against the papers that come nearest.
        With `judge`, the chat model of the settings may lower verdicts; `bill` tells what it has cost, and
        limits it in place of the settings. `on_step` is told of each sentence before it is checked; it may
        raise a BaseException to stop the work.

        Raises SettingError when there is no such model, ModelError or BudgetError when it cannot judge,
        UsageError for another kind.
        """
        if kind not in get_args(Kind):
            known = " or ".join(get_args(Kind))
            raise UsageError(f"{kind!r} is no kind of text to check", hint=f"Give {known}.")
        writer = self._judge() if judge else None
        retriever, gatherer = self.searching()
        shelf = Shelf(self._ledger, retriever, gatherer, self._model().embed_query, on_step)
        checked = check_text(raw, kind, shelf, find=find)
        if writer is None:
            return checked
        return judge_draft(checked, writer.chat, writer.prompts, bill or writer.bill())

    def search(self, question: str, k: int = 10, *, only: Collection[str] | None = None) -> list[Hit]:
        """Return the `k` papers that fit best, best first; with `only`, among papers with these ids.

        Raises UsageError if `k` is less than 1.
        """
        if k < 1:
            raise UsageError(f"{k} papers cannot be searched for", hint="Ask for at least 1.")
        retriever, _ = self.searching()
        return list(retriever.retrieve(understand(question), only, most=max(k, CANDIDATES)).hits[:k])

    def rankings(self, question: str, k: int) -> Mapping[str, list[str]]:
        """Return paper ids as ranked by "vectors" alone, by "words" alone, and "fused"."""
        retriever, _ = self.searching()
        return retriever.rankings(question, k)

    def select(self, filters: Filters) -> frozenset[str] | None:
        """Return the ids of the papers that pass the filters, for `only`; None when there is no filter.

        Raises NothingMatches, saying which filter leaves none, and UnknownPaper for a name no paper has.
        """
        return select(
            self._ledger, filters, lambda words: self._ledger.exactly(words) or self.paper(words).id
        )

    def papers(self, only: Iterable[str] | None = None) -> list[Paper]:
        """Return all papers, or those with these ids, in the order they came in."""
        return self._ledger.papers(only)

    def first(self, count: int) -> list[Paper]:
        """Return the first papers that came in, at most so many."""
        return self._ledger.first(count)

    def names(self) -> list[str]:
        """Return the name of each paper, in the order they came in, without reading their texts."""
        names: dict[str, str] = {}
        for name, paper_id in self._ledger.names():
            names.setdefault(paper_id, name)
        return list(names.values())

    def imprints(self) -> list[Imprint]:
        """Return id, authors, year and venue of each paper, in the order they came in, without texts."""
        return self._ledger.imprints()

    def count(self) -> int:
        """Return how many papers there are."""
        return self._ledger.count()

    @property
    def state(self) -> tuple[int, str]:
        """A number and a mark that change whenever the papers do."""
        return self._ledger.state

    def paper(self, words: str) -> Paper:
        """Return the paper with this id (or its first 8 characters or more), source, name or alias.

        Raises UnknownPaper, naming those that come near, when none or more than one fits.
        """
        (paper,) = self._named([words])
        return paper

    def topics(
        self,
        *,
        most: int | None = None,
        seed: int = 0,
        placed: bool = False,
        only: Collection[str] | None = None,
    ) -> Topics:
        """Return the themes of all papers, at most `most`; with `placed`, also each paper's place on a map.

        With `only`, the papers with these ids are all there are. The same papers and `seed` give the same
        themes and places. Raises UsageError if `most` is below 1 or `seed` below 0.
        """
        if most is not None and most < 1:
            raise UsageError(f"papers cannot be put into {most} themes", hint="Ask for at least 1.")
        if not 0 <= seed <= MAX_SEED:
            raise UsageError(f"{seed} cannot be a seed", hint=f"Give a whole number from 0 to {MAX_SEED}.")
        return find_topics(self._ledger, most=most, seed=seed, placed=placed, only=only)

    def duplicates(self) -> list[Duplicate]:
        """Return what was merged, and the papers that are held twice or only look alike."""
        return duplicates(self._ledger)

    def warnings(self) -> tuple[str, ...]:
        """Return what had to be healed since the library was opened."""
        return tuple(self._indexes.warnings) if self._indexes is not None else ()

    def backup(self, file: Path | str) -> Backup:
        """Write the library to one file, checked; others may read and write it meanwhile.

        `rag.ledger.backup.restore` brings it back. Raises LibraryDamaged if the ledger fails its checks,
        OutputError if the file cannot be written or is something else.
        """
        return back_up(self._ledger.folder, Path(file))

    # -- writing ------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Iterable[Path | str] | Path | str,
        *,
        sync: bool = False,
        form: str = "",
        strict: bool = False,
        workers: int = 1,
        cluster: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Read papers from files, folders and patterns; with `sync`, remove those their file no longer holds.

        `form` names the format to read every file as, whatever it looks like. When `strict`, raises
        SourceError at the first file of which something would be skipped. With `workers`, so many processes
        embed; with `cluster`, the address of a Ray cluster ("": one that is started here), its machines do.
        Raises UsageError where the embedder is not a local one.
        """
        # A string is itself a row of strings: its "." and "/" would be read as folders.
        places = [paths] if isinstance(paths, str | Path) else paths
        with ThreadPoolExecutor(1) as pool:
            # The vocabulary is read while the model loads: each takes a fifth of a second or more.
            vocabulary = pool.submit(tokens.count, "")
            embedder = self._model()
            vocabulary.result()
        with ExitStack() as stack:
            ledger, indexes = self._writing(stack)
            batch = BATCH
            if cluster is not None:
                # Handing work out takes seconds: it pays for many papers at once.
                embedder, batch = stack.enter_context(RayVectors(embedder.identity.name, cluster)), PAPERS
            elif workers != 1:
                embedder = stack.enter_context(EmbedderPool(embedder, workers))
            return ingest(
                places,
                ledger,
                indexes,
                embedder,
                sync=sync,
                form=form,
                strict=strict,
                batch=batch,
                progress=progress,
            )

    def remove(self, ids: Iterable[str] | str) -> int:
        """Remove papers by id, or one, from the ledger and every index; return how many there were."""
        with ExitStack() as stack:
            ledger, indexes = self._writing(stack)
            removed = ledger.remove([ids] if isinstance(ids, str) else ids)
            indexes.update()
            return removed

    def reembed(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Embed every paper again with the embedder of the settings; return how many."""
        embedder = self._model()
        with ExitStack() as stack:
            ledger, indexes = self._writing(stack)
            return reembed(ledger, indexes, embedder, progress=progress)

    # -- parts, opened when first needed ------------------------------------------------------------

    def prepare(self) -> None:
        """Load all that answering needs, so that the next answer comes sooner; no question is sent.

        Raises what asking would raise.
        """
        self.searching()
        writer = self._writer()
        if writer is not None:
            writer.chat.prepare(writer.prompts.prompt("answer"))

    def searching(self) -> tuple[Retriever, Gatherer]:
        """Return what searches and what scores, for programs that measure or combine them."""
        with self._lock:
            if self._retriever is None or self._gatherer is None:
                embedder, indexes = self._open_both()
                check_identity(self._ledger, embedder)
                self._retriever = Retriever(self._ledger, indexes, embedder)
                self._gatherer = Gatherer(self._ledger, embedder.embed_query, self._retriever.rarity)
            return self._retriever, self._gatherer

    def _named(self, every: Iterable[str]) -> list[Paper]:
        return [_the_one(words, lookup(words, self._ledger)) for words in every]

    def _at_desk(self, on_step: OnStep = _nothing) -> Desk:
        with self._lock:
            if self._desk is None:
                retriever, gatherer = self.searching()
                comparer = Comparer(load_roles(), retriever.rarity, retriever.embedder)
                self._desk = Desk(retriever, gatherer, comparer, self._ledger)
            return replace(self._desk, comparer=replace(self._desk.comparer, on_step=on_step))

    @property
    def _embedder_is_remote(self) -> bool:
        return ":" in self._settings.embedder

    def _judge(self) -> ModelWriter:
        writer = self._writer()
        if writer is None:
            raise SettingError(
                "no chat model is set to judge with", hint="Name one: --model openai:NAME, or RAG_MODEL."
            )
        return writer

    def _writer(self, on_piece: OnStep = _nothing) -> ModelWriter | None:
        with self._lock:
            if not self._asked_for_writer:
                # A remote embedder would make every check a call.
                embedder = None if self._embedder_is_remote else self._embedder
                embed = embedder.embed_query if embedder is not None else None
                self._model_writer = open_writer(self._settings, self._recall, embed)
                self._asked_for_writer = True
            found = self._model_writer
            return replace(found, on_piece=on_piece) if found is not None else None

    def _open_both(self) -> tuple[Embedder, Indexes]:
        """Load the model beside the indexes: each waits mostly for its own reading and compiling."""
        if self._embedder is not None:
            return self._embedder, self._caches()
        with ThreadPoolExecutor(1) as pool:
            model = pool.submit(open_embedder, self._settings.embedder, self._settings, self._recall)
            indexes = self._caches()
            indexes.load()
            self._embedder = Remembering(model.result())
        return self._embedder, indexes

    def _model(self) -> Embedder:
        with self._lock:
            if self._embedder is None:
                self._embedder = Remembering(
                    open_embedder(self._settings.embedder, self._settings, self._recall)
                )
            return self._embedder

    def _caches(self) -> Indexes:
        with self._lock:
            if self._indexes is None:
                self._indexes = self._open_indexes(self._ledger)
            return self._indexes

    def _writing(self, stack: ExitStack) -> tuple[Ledger, Indexes]:
        """Return ledger and indexes to write with; a library open to read opens them for the while."""
        if self._ledger.mode == "write":
            return self._ledger, self._caches()
        if not self._ledger.path.is_file():
            raise gone(self._ledger.folder)
        ledger = stack.enter_context(Ledger.open(self._ledger.folder, "write"))
        indexes = self._open_indexes(ledger)
        stack.callback(indexes.close)
        return ledger, indexes

    def _open_indexes(self, ledger: Ledger) -> Indexes:
        settings = self._settings
        return open_indexes(ledger, exact_up_to=settings.exact_up_to, chroma_url=settings.chroma_url)

    def _healed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.warnings()))


def _within(only: Collection[str] | None, papers: list[Paper]) -> list[Paper]:
    """Return the papers; raise NothingMatches if one is not among the ids."""
    left_out = [paper.name for paper in papers if only is not None and paper.id not in only]
    if left_out:
        verb = "is" if len(left_out) == 1 else "are"
        raise NothingMatches(
            f"{', '.join(left_out)} {verb} left out by the filters",
            hint="Name others, or leave the filters out.",
        )
    return papers


def _the_one(words: str, answer: Lookup) -> Paper:
    if len(answer.found) == 1:
        return answer.found[0]
    raise _unknown(words, answer)


def _unknown(words: str, answer: Lookup) -> UnknownPaper:
    """Say that the words mean no paper, or several, and which may be meant."""
    papers = answer.found or answer.near
    listed = "\n".join(f"  {p.name}  ({p.source})" for p in papers[:_SHOWN])
    more = f"\n  … and {len(papers) - _SHOWN} more" if len(papers) > _SHOWN else ""
    if answer.found:
        message = f"{words!r} could be one of {len(papers)} papers:"
    elif papers:
        message = (
            f"no paper is called {words!r}; did you mean {'one of these' if len(papers) > 1 else 'this'}?"
        )
    else:
        return UnknownPaper(f"no paper is called {words!r}", hint="`rag papers list` shows them all")
    return UnknownPaper(f"{message}\n{listed}{more}", hint="Give its whole name, or its source.")
