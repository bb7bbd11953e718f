"""What filters and duplicates look at in the ledger: years, venues, authors, sketches, keys, sightings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rag.ledger import packing
from rag.ledger.reading import Reader
from rag.ledger.rows import Imprint, Sighting, grouped, place, split_source
from rag.ledger.strings import storable
from rag.papers.sketches import Sketches, scheme
from rag.text.words import fold_name

_SIGHTINGS = (
    "SELECT p.id, f.name, s.ordinal, s.record, s.why, s.likeness FROM paper_sources s"
    " JOIN papers p USING (seq) JOIN files f ON f.id = s.file"
)


class Facts(Reader):
    """What can be found out about the papers of a ledger without reading their texts."""

    # -- what filters look at ------------------------------------------------------------------------

    def imprints(self) -> list[Imprint]:
        """Return the imprint of each paper, in the order they were stored."""
        rows = self._all("SELECT id, authors, year, venue FROM papers ORDER BY seq")
        return [Imprint(row[0], tuple(json.loads(row[1])), row[2], row[3]) for row in rows]

    def years(self) -> tuple[int, int] | None:
        """Return the first and the last year of any paper; None if no paper has one."""
        first, last = self._all("SELECT min(year), max(year) FROM papers")[0]
        return None if first is None else (first, last)

    def ids_of_years(self, first: int | None, last: int | None) -> list[str]:
        """Return the ids of papers from these years, both included; None is open."""
        rows = self._all(
            "SELECT id FROM papers WHERE year BETWEEN ? AND ?",
            (-(10**6) if first is None else first, 10**6 if last is None else last),
        )
        return [row[0] for row in rows]

    def venues(self) -> dict[str, int]:
        """Return every venue as written, and how many papers have it."""
        return dict(self._all("SELECT venue, count(*) FROM papers WHERE venue != '' GROUP BY venue"))

    def ids_of_venues(self, venues: Sequence[str]) -> list[str]:
        """Return the ids of papers with one of these venues, as written."""
        return [row[0] for row in self._where_in("SELECT id FROM papers WHERE venue IN ({})", venues)]

    def authors(self) -> list[tuple[str, str]]:
        """Return pairs of a paper id and its authors, a JSON list, where there are any."""
        return self._all("SELECT id, authors FROM papers WHERE authors != '[]'")

    def exactly(self, words: str) -> str:
        """Return the id of the paper with this id, source or name; "" if there is none."""
        queries: tuple[tuple[str, tuple[Any, ...]], ...] = (
            ("SELECT id FROM papers WHERE id = ?", (words,)),
            (
                "SELECT p.id FROM files f JOIN paper_sources s ON s.file = f.id JOIN papers p USING (seq)"
                " WHERE f.name = ? AND s.ordinal = ? AND NOT s.gone",
                split_source(words),
            ),
            ("SELECT id FROM papers WHERE folded_name = ?", (fold_name(words),)),
        )
        found = (
            self._all(query, [storable(v) if isinstance(v, str) else v for v in values])
            for query, values in queries
        )
        return next((str(rows[0][0]) for rows in found if rows), "")

    # -- what duplicates are found by ---------------------------------------------------------------

    def fingerprints(self) -> tuple[list[str], Sketches]:
        """Return paper ids and their sketches, `(n, 120)`; those made as sketches are made today."""
        rows = self._all(
            "SELECT p.id, f.sketch FROM fingerprints f JOIN papers p USING (seq) WHERE f.scheme = ?"
            " ORDER BY f.seq",
            (scheme(),),
        )
        return [row[0] for row in rows], packing.unpack_sketches(b"".join(row[1] for row in rows))

    def unfingerprinted(self) -> list[str]:
        """Return the ids of papers that have no sketch yet, or one made in another way."""
        rows = self._all(
            "SELECT p.id FROM papers p LEFT JOIN fingerprints f ON f.seq = p.seq AND f.scheme = ?"
            " WHERE f.seq IS NULL ORDER BY p.seq",
            (scheme(),),
        )
        return [row[0] for row in rows]

    def keyed(self, keys: Iterable[str]) -> list[str]:
        """Return the ids of papers that have any of these keys."""
        rows = self._where_in(
            "SELECT p.id FROM paper_keys k JOIN papers p USING (seq) WHERE k.key IN ({})",
            [storable(key) for key in keys],
        )
        return list(dict.fromkeys(row[0] for row in rows))

    def shared_keys(self) -> list[list[str]]:
        """Return the ids of papers that have a key in common, a list for each key."""
        rows = self._all(
            "SELECT k.key, p.id FROM paper_keys k JOIN papers p USING (seq) WHERE k.key IN"
            " (SELECT key FROM paper_keys GROUP BY key HAVING count(*) > 1) ORDER BY k.key, p.seq"
        )
        return [list(ids) for ids in grouped(rows).values()]

    def sighting(self, record: str) -> Sighting | None:
        """Return a place where a record with this digest stood, and for which paper; None if nowhere."""
        rows = self._all(f"{_SIGHTINGS} WHERE s.record = ? AND s.record != '' LIMIT 1", (record,))
        return _to_sighting(rows[0]) if rows else None

    def merged(self) -> list[Sighting]:
        """Return every place that held another text or title of a paper, in the order of the papers."""
        rows = self._all(f"{_SIGHTINGS} WHERE s.why != '' ORDER BY p.seq, f.id, s.ordinal")
        return [_to_sighting(row) for row in rows]


def _to_sighting(row: Any) -> Sighting:
    return Sighting(row[0], place(row[1], row[2]), *row[3:])
