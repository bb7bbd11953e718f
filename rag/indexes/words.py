"""Papers by their words, in tantivy: index terms in, paper ids with BM25 scores out."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.domain import Paper
from rag.indexes import faults
from rag.ledger.strings import storable
from rag.text.words import terms

if TYPE_CHECKING:
    import tantivy

NAME = "word index"
FORMAT = "words/1"
_HEAP_BYTES = 64_000_000
_LONGEST_TERM = 200
_SHORTEST_MISSPELT = 5
_SPARE = 2
_SHORTEST_TWICE_MISSPELT = 9


class WordIndex:
    """The words of a library's papers, in `folder`, or in memory without one."""

    def __init__(self, folder: Path | None = None) -> None:
        with faults(NAME):
            import tantivy

            self._schema = _schema()
            if folder is None:
                self._index = tantivy.Index(self._schema)
            else:
                folder.mkdir(parents=True, exist_ok=True)
                self._index = tantivy.Index(self._schema, path=str(folder), reuse=True)

    @classmethod
    def open(cls, folder: Path) -> WordIndex:
        """Open an index that exists, for reading; raise IndexFault if there is none."""
        self = cls.__new__(cls)
        with faults(NAME):
            import tantivy

            self._index = tantivy.Index.open(str(folder))
            self._schema = self._index.schema
        return self

    def upsert(self, papers: Iterable[Paper]) -> None:
        """Add papers, or replace those held."""
        import tantivy

        with self._writer() as writer:
            for paper in papers:
                writer.delete_documents_by_term("id", paper.id)
                writer.add_document(tantivy.Document(id=[paper.id], body=[_body(paper)]))

    def remove(self, ids: Iterable[str]) -> None:
        """Remove papers; ids it does not hold do no harm."""
        with self._writer() as writer:
            for paper_id in ids:
                writer.delete_documents_by_term("id", paper_id)

    def query(
        self, words: Sequence[str], k: int, only: Collection[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return at most `k` ids of papers that hold any of the index terms, with BM25, best first.

        With `only`, among papers with these ids. A term that no paper holds stands for the terms one or two
        letters away from it.
        """
        wanted = Counter(storable(word[:_LONGEST_TERM]) for word in words if word)
        if not wanted or k < 1 or (only is not None and not only):
            return []
        known = self.frequencies(wanted)
        with faults(NAME):
            query = self._any_of(wanted, known)
            if only is None:
                return self._best(query, k)
            # Few given papers are named in the query; among many, the best of all are looked through.
            asked = k * _SPARE * -(-self._index.searcher().num_docs // len(only))
            if asked < len(only):
                return self._sifted(query, k, only, asked)
            return self._best(self._among(query, only), k)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the number of papers that hold each index term."""
        with faults(NAME):
            searcher = self._index.searcher()
            return {word: self._holders(searcher, storable(word)) for word in words}

    def _holders(self, searcher: tantivy.Searcher, word: str) -> int:
        # The frequency tantivy keeps of a term counts removed papers until their files are merged.
        found = searcher.search(self._exactly(word), limit=1, count=True)
        return int(found.count or 0)  # type: ignore[attr-defined]

    def count(self) -> int:
        """Return the number of papers."""
        with faults(NAME):
            return self._index.searcher().num_docs

    def ids(self) -> set[str]:
        """Return the ids of all papers."""
        import tantivy

        with faults(NAME):
            searcher = self._index.searcher()
            found = searcher.search(tantivy.Query.all_query(), limit=max(searcher.num_docs, 1), count=False)
            return {searcher.doc(place)["id"][0] for _, place in found.hits}

    def reload(self) -> None:
        """See what has been committed since it was opened, here or by another process."""
        with faults(NAME):
            self._index.reload()

    def close(self) -> None:
        """Do nothing: an index that is only read holds nothing open."""

    def _best(self, query: tantivy.Query, k: int) -> list[tuple[str, float]]:
        searcher = self._index.searcher()
        found = searcher.search(query, limit=k, count=False)
        return [(searcher.doc(place)["id"][0], float(score)) for score, place in found.hits]

    def _among(self, query: tantivy.Query, only: Collection[str]) -> tantivy.Query:
        """Return the query held to papers with these ids; it scores as before."""
        import tantivy

        given = tantivy.Query.term_set_query(self._schema, "id", list(only))
        must = tantivy.Occur.Must
        return tantivy.Query.boolean_query(
            [(must, query), (must, tantivy.Query.const_score_query(given, 0.0))]
        )

    def _sifted(
        self, query: tantivy.Query, k: int, only: Collection[str], asked: int
    ) -> list[tuple[str, float]]:
        """Return the best among many given papers: ask for so many of all, leave others out."""
        while True:
            best = self._best(query, asked)
            found = [hit for hit in best if hit[0] in only]
            if len(found) >= k or len(best) < asked:
                return found[:k]
            asked *= 4

    def _any_of(self, wanted: Counter[str], known: Mapping[str, int]) -> tantivy.Query:
        import tantivy

        parts = []
        for word, times in wanted.items():
            query = self._exactly(word) if known[word] else self._nearly(word)
            parts.append((tantivy.Occur.Should, tantivy.Query.boost_query(query, float(times))))
        return tantivy.Query.boolean_query(parts)

    def _exactly(self, word: str) -> tantivy.Query:
        import tantivy

        return tantivy.Query.term_query(self._schema, "body", word, index_option="freq")

    def _nearly(self, word: str) -> tantivy.Query:
        import tantivy

        if len(word) < _SHORTEST_MISSPELT or not word.isalpha():
            return self._exactly(word)
        edits = 1 if len(word) < _SHORTEST_TWICE_MISSPELT else 2
        return tantivy.Query.fuzzy_term_query(self._schema, "body", word, distance=edits)

    @contextlib.contextmanager
    def _writer(self) -> Iterator[tantivy.IndexWriter]:
        """Give a writer; what it wrote is committed, merged and seen afterwards, or nothing is."""
        with faults(NAME):
            writer = self._index.writer(heap_size=_HEAP_BYTES, num_threads=1)
            try:
                yield writer
                writer.commit()
            except BaseException:
                writer.rollback()
                raise
            finally:
                writer.wait_merging_threads()
            self._index.reload()


def steady_files(folder: Path) -> list[Path]:
    """Return the files that stay as they are between two writes."""
    return sorted(f for f in folder.iterdir() if f.is_file() and f.suffix != ".lock")


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    # The terms are made by rag.text.words, for papers and questions alike; tantivy only cuts at spaces.
    builder.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _body(paper: Paper) -> str:
    more = (paper.extra.get(key, ()) for key in ("aliases", "keywords"))
    listed = (value for values in more if isinstance(values, list | tuple) for value in values)
    parts = (paper.title, paper.name, *listed, paper.text)
    return " ".join(storable(term[:_LONGEST_TERM]) for part in parts for term in terms(str(part)))
