"""The records of one file after another in, papers stored, merged or replaced out, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rag import chunks
from rag.domain import Notice, Paper, Record, Sentence
from rag.embedders import Embedder
from rag.indexes.healing import Indexes
from rag.ledger import Ledger, PreparedPaper
from rag.ledger.rows import Sighting
from rag.ledger.strings import storable, visible
from rag.papers import make_paper, texts
from rag.papers.duplicates import Comparison, is_edit, is_later_version
from rag.papers.identity import ID_LENGTH, paper_id, record_digest
from rag.papers.merging import differs, merged, superseded, updated
from rag.preparing import Parts, prepare
from rag.text.sentences import spans
from rag.text.words import fold_name
from rag.twins import Match, Twins

# Indexes are caches that can be caught up from the ledger: updated seldom, they cost ingest little.
_LEAST_LAG = 512
_LAG_SHARE = 8

_ITSELF = Comparison(True, 1.0, "")


@dataclass(slots=True)
class Counts:
    """What an intake has done so far; `merged` are new texts of papers held, `unchanged` what was known."""

    added: int = 0
    unchanged: int = 0
    merged: int = 0
    updated: int = 0
    embedding_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A record that may be what an entry of its file has become: the end of the file will tell which."""

    record: Record
    digest: str
    matches: tuple[Match, ...]

    @property
    def is_sure(self) -> bool:
        """Whether a key says which paper it is, so that nothing else of its file need be known."""
        first = self.matches[0].comparison
        return first.same and first.by_key


@dataclass(slots=True)
class _Reading:
    """The file being read: what each paper stood as in it before, what has been met in it now, and where.

    `lately` are the papers it held when it was last read.
    `moved` leads from the id of a paper that was replaced to that of what took its place, `origins` back.
    """

    names: tuple[str, ...]
    before: dict[str, set[str]] = field(default_factory=dict)
    lately: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    standing: dict[str, set[tuple[str, int]]] = field(default_factory=dict)
    waiting: list[_Waiting] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    origins: dict[str, set[str]] = field(default_factory=dict)

    def move(self, old: str, new: str) -> None:
        """Take note that a paper was replaced."""
        led_here = self.origins.pop(old, set()) | {old}
        self.moved.update(dict.fromkeys(led_here, new))
        self.origins.setdefault(new, set()).update(led_here)
        self.standing.setdefault(new, set()).update(self.standing.pop(old, ()))

    def put(self, paper_id: str, source: str) -> None:
        """Take note that a paper stands at a source."""
        place, _, ordinal = source.rpartition("#")
        self.places.add(visible(place))
        self.standing.setdefault(paper_id, set()).add((visible(place), int(ordinal)))

    def present(self) -> dict[str, set[tuple[str, int]]]:
        """Return the papers that stand at each place, with their ordinals."""
        found: dict[str, set[tuple[str, int]]] = {}
        for held, spots in self.standing.items():
            for place, ordinal in spots:
                found.setdefault(place, set()).add((held, ordinal))
        return found


class Intake:
    """Takes records into a ledger open for writing; between `begin` and `end` it reads one file."""

    def __init__(self, ledger: Ledger, indexes: Indexes, embedder: Embedder, batch: int) -> None:
        self._ledger, self._indexes, self._embedder, self._batch = ledger, indexes, embedder, batch
        self._held = set(ledger.ids())
        self._taken = set(ledger.folded_names())
        self._twins_of_ledger: Twins | None = None
        self._pending: dict[str, Parts] = {}
        self._changed: dict[str, Paper] = {}
        self._sightings: dict[str, Sighting] = {}
        self._lag = 0
        self.counts = Counts()
        self.notices: list[Notice] = []
        self._here = _Reading(())
        # Where the records of the batch stand; the ledger knows those of earlier batches.
        self._met: dict[str, Sighting] = {}

    @property
    def is_full(self) -> bool:
        """Whether there is a batch to store."""
        return len(self._pending) >= self._batch

    def begin(self, names: Sequence[str]) -> None:
        """Start with a file; `names` are its own, and those of files in it that were read before."""
        self._here = _Reading(tuple(names))
        for entry in (entry for name in names for entry in self._ledger.sources_of(name)):
            # A library of the first schema did not keep what it read; it held only papers' own texts.
            self._here.before.setdefault(entry.paper_id, set()).add(entry.record or entry.paper_id)
            if not entry.gone:
                self._here.lately.add(entry.paper_id)

    def take(self, record: Record) -> None:
        """Put a record's paper into the batch if it is new, or a further source if it is known."""
        record = _storable(record)
        own_id = paper_id(*texts(record))
        digest = record_digest(record, own_id)
        self._here.seen.add(digest)
        known = self._met.get(digest) or self._ledger.sighting(digest)
        if known is not None and self._may_be_back(known):
            self._meet(record, digest, [Match(self._paper(known.paper_id), replace(_ITSELF, why=known.why))])
        elif known is not None:
            self.counts.unchanged += 1
            self._sight(replace(known, source=record.source))
        elif own_id in self._held:
            self._meet(record, digest, [Match(self._paper(own_id), _ITSELF)])
        else:
            self._arrive(record, digest)

    def end(self) -> Mapping[str, set[tuple[str, int]]]:
        """Settle what has changed in the file; return its papers with their ordinals, by name of place."""
        for entry in self._here.waiting:
            self._decide(entry)
        self.store()
        return self._here.present()

    def break_off(self) -> tuple[Mapping[str, set[tuple[str, int]]], int]:
        """Leave a file that cannot be read whole: what has come stays, what may have changed waits.

        A record with the DOI, arXiv number or title of a paper is that paper, whatever else the file holds.
        Returns the papers with their ordinals, by name of place, and how many records wait.
        """
        sure = [entry for entry in self._here.waiting if entry.is_sure]
        waiting = len(self._here.waiting) - len(sure)
        for entry in sure:
            self._decide(entry)
        self._here.waiting.clear()
        self.store()
        return self._here.present(), waiting

    def start_over(self) -> None:
        """Leave a file whose batch the ledger refused: what was not stored of it is forgotten."""
        for waiting in (self._pending, self._changed, self._sightings, self._met):
            waiting.clear()
        self._held = set(self._ledger.ids())
        self._taken = set(self._ledger.folded_names())
        self._twins_of_ledger = None
        self._here = _Reading(())

    def store(self) -> None:
        """Embed and store the batch, then let the indexes catch up if they are far behind."""
        if self._pending:
            self._add_pending()
        if self._changed:
            self._rewrite_changed()
        if self._sightings:
            self._ledger.add([], self._sightings.values())
            self._sightings.clear()
        self._met.clear()
        if self._twins_of_ledger is not None:
            self._twins_of_ledger.settle()
        if self._lag >= max(_LEAST_LAG, len(self._held) // _LAG_SHARE):
            self._indexes.update()
            self._lag = 0

    # -- one record ---------------------------------------------------------------------------------

    def _arrive(self, record: Record, digest: str) -> None:
        """Take a record whose very text is not held: find what it may be."""
        paper = make_paper(record, self._taken)
        matches = self._twins.find(paper)
        if matches and matches[0].comparison.same:
            self._meet(record, digest, matches)
            return
        here = (m for m in matches if m.paper.id in self._here.lately)
        edits = [m for m in here if m.comparison.doubt or is_edit(m.paper, paper)]
        if edits:
            self._here.waiting.append(_Waiting(record, digest, tuple(edits)))
        else:
            self._remark_doubts(record, matches)
            self._add(record, digest, paper)

    def _meet(self, record: Record, digest: str, matches: Sequence[Match]) -> None:
        """Take a record of a paper that is held: now, or once it is known what else the file holds."""
        before = self._here.before
        here = tuple(m for m in matches if m.comparison.same and m.paper.id in before)
        if here and not any(digest in before[m.paper.id] for m in here):
            self._here.waiting.append(_Waiting(record, digest, here))
        else:
            self._merge(record, digest, matches[0])

    def _decide(self, entry: _Waiting) -> None:
        """Take a record that waited: an entry of the file that is no longer there has become this one."""
        for match in sorted(entry.matches, key=lambda m: m.paper.id not in self._here.lately):
            left = self._here.before[match.paper.id] - self._here.seen
            if left and self._becomes(entry, match, left):
                return
        first = entry.matches[0]
        own_id = paper_id(*texts(entry.record))
        if own_id in self._held:
            self._merge(entry.record, entry.digest, Match(self._paper(own_id), _ITSELF))
        elif first.comparison.same:
            now = self._paper(self._here.moved.get(first.paper.id, first.paper.id))
            self._merge(entry.record, entry.digest, Match(now, first.comparison))
        else:
            self._remark_doubts(entry.record, entry.matches)
            self._add(entry.record, entry.digest, make_paper(entry.record, self._taken))

    def _becomes(self, entry: _Waiting, match: Match, left: set[str]) -> bool:
        """Let a record take the place of one of those left over, that its paper was; say whether it may."""
        key = match.paper.id
        held = self._paper(self._here.moved.get(key, key))
        own = next((digest for digest in left if digest[:ID_LENGTH] == held.id), "")
        arrived = make_paper(entry.record, self._taken)
        if arrived.id == held.id:
            self._correct(entry, held, arrived)
        elif arrived.id in self._held:
            # Another entry has become the same text already: that paper gains a place.
            return False
        elif own and (match.comparison.same or self._stands_here_only(held)):
            self._replace(entry, held)
        elif match.comparison.same:
            self._merge(entry.record, entry.digest, Match(held, match.comparison))
        else:
            return False
        self._here.before[key].discard(own or min(left))
        return True

    def _add(self, record: Record, digest: str, paper: Paper) -> None:
        found = tuple(Sentence(paper.id, n, a, b) for n, (a, b) in enumerate(spans(paper.text)))
        if not found:
            self.notices.append(Notice(record.source, record.line, "no sentence in it", kind="no sentence"))
            return
        self._held.add(paper.id)
        self._taken.add(fold_name(paper.name))
        self._twins.add(paper)
        self._pending[paper.id] = (paper, found, chunks.split(paper.text, found))
        self._sight(Sighting(paper.id, record.source, digest))

    def _merge(self, record: Record, digest: str, match: Match) -> None:
        """Let a paper that is held gain what a record knows more, and its place."""
        held = match.paper
        arrived = make_paper(record, self._taken)
        is_known = arrived.id == held.id or self._ledger.sighting(digest) is not None
        if not is_known and arrived.id not in self._held and is_later_version(arrived, held):
            self._replace(_Waiting(record, digest, ()), held, superseded)
            return
        self.counts.unchanged += is_known
        self.counts.merged += not is_known
        self._put(held, merged(held, arrived))
        self._sight(_sighting(held, arrived, record, digest, match.comparison))

    def _correct(self, entry: _Waiting, held: Paper, arrived: Paper) -> None:
        """Take over what a file now says of a paper whose text stayed the same."""
        now = updated(held, replace(arrived, name=held.name, sources=held.sources, gone=held.gone))
        self.counts.updated += differs(held, now)
        self.counts.unchanged += not differs(held, now)
        self._put(held, now)
        self._sight(Sighting(held.id, entry.record.source, entry.digest))

    def _replace(
        self, entry: _Waiting, old: Paper, joined: Callable[[Paper, Paper], Paper] = updated
    ) -> None:
        """Put a paper in the place of the one it was before, `joined` with what only that one knew."""
        self.store()
        self._taken.discard(fold_name(old.name))
        now = joined(old, make_paper(entry.record, self._taken))
        found = tuple(Sentence(now.id, n, a, b) for n, (a, b) in enumerate(spans(now.text)))
        (ready,) = self._embedded([(replace(now, sources=()), found, chunks.split(now.text, found))])
        seen = Sighting(now.id, entry.record.source, entry.digest)
        self._ledger.replace(old.id, ready, seen)
        self._held.discard(old.id)
        self._held.add(now.id)
        self._taken.add(fold_name(now.name))
        self._twins.add(now)
        self._twins.settle()
        self._here.move(old.id, now.id)
        self._here.put(now.id, entry.record.source)
        self.counts.updated += 1
        self._lag += 1

    # -- what is known ------------------------------------------------------------------------------

    @property
    def _twins(self) -> Twins:
        if self._twins_of_ledger is None:
            self._twins_of_ledger = Twins(self._ledger)
        return self._twins_of_ledger

    def _paper(self, wanted: str) -> Paper:
        """Return a paper as it will be once the batch is stored."""
        if wanted in self._pending:
            return self._pending[wanted][0]
        return self._changed.get(wanted) or self._ledger.papers([wanted])[0]

    def _put(self, held: Paper, now: Paper) -> None:
        if not differs(held, now):
            return
        self._twins.change(now)
        if now.id in self._pending:
            self._pending[now.id] = (now, *self._pending[now.id][1:])
        else:
            self._changed[now.id] = now

    def _sight(self, seen: Sighting) -> None:
        self._sightings[seen.source] = self._met[seen.record] = seen
        self._here.put(seen.paper_id, seen.source)

    def _may_be_back(self, known: Sighting) -> bool:
        """Say whether a text that a paper had elsewhere is new in this file: an edit may have been undone."""
        before = self._here.before.get(known.paper_id, set())
        return bool(before) and known.record not in before and known.record[:ID_LENGTH] != known.paper_id

    def _stands_here_only(self, paper: Paper) -> bool:
        """Say whether no other file holds a paper now."""
        here = tuple(f"{name}#" for name in (*self._here.names, *self._here.places))
        return all(source in paper.gone or source.startswith(here) for source in paper.sources)

    def _remark_doubts(self, record: Record, matches: Sequence[Match]) -> None:
        # Where all papers of a volume bear its DOI, one remark on each is enough.
        for match in [m for m in matches if m.comparison.doubt][:1]:
            reason = f"{match.comparison.why}: kept apart from {match.paper.name} ({match.paper.source})"
            self.notices.append(Notice(record.source, record.line, reason, skipped=False))

    # -- the batch ----------------------------------------------------------------------------------

    def _add_pending(self) -> None:
        if not self.counts.added:
            self._indexes.expect_writing()
        batch = self._embedded(list(self._pending.values()))
        if self._ledger.identity is None:
            self._ledger.set_identity(self._embedder.identity)
        self.counts.added += self._ledger.add(batch, self._sightings.values())
        self._sightings.clear()
        self._lag += len(batch)
        self._pending.clear()

    def _rewrite_changed(self) -> None:
        """Store what papers gained; a title stands in front of the text that is embedded."""
        before = {paper.id: paper.title for paper in self._ledger.papers(self._changed)}
        retitled = [i for i, paper in self._changed.items() if paper.title != before.get(i, paper.title)]
        sentences, parts = self._ledger.sentences(retitled), self._ledger.chunks(retitled)
        vectors = self._embedded([(self._changed[i], sentences[i], parts[i]) for i in retitled])
        self._ledger.rewrite(list(self._changed.values()), vectors)
        self._lag += len(self._changed)
        self._changed.clear()

    def _embedded(self, parts: list[Parts]) -> list[PreparedPaper]:
        began = time.perf_counter()
        prepared = prepare(parts, self._embedder)
        self.counts.embedding_s += time.perf_counter() - began
        return prepared


def _sighting(held: Paper, arrived: Paper, record: Record, digest: str, found: Comparison) -> Sighting:
    if arrived.id == held.id:
        return Sighting(held.id, record.source, digest)
    return Sighting(held.id, record.source, digest, found.why, round(found.score, 4))


def _storable(record: Record) -> Record:
    """Return the record without lone surrogates, so that ids and offsets belong to what is stored."""
    return replace(record, text=storable(record.text), title=storable(record.title))
