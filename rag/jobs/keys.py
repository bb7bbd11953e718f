"""Keys that a draft cites in, the papers of the library they lead to out, or why they lead to none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rag.domain import Paper
from rag.papers.duplicates import ALSO
from rag.retrieve.naming import Names
from rag.text.words import fold_name
from rag.verify.authoryear import Authors, read_citation

_SHORTEST_NAME = 4


@dataclass(frozen=True, slots=True)
class Keys:
    """What a key can lead to: by the reference list, or a paper's id, source, title, name or authors.

    `own` are the keys that the papers have in the user's files, folded, with the papers called so.
    """

    names: Names
    exact: Mapping[str, str]
    titles: Mapping[str, str]
    own: Mapping[str, tuple[str, ...]]
    authors: Authors
    references: Mapping[str, str]

    @staticmethod
    def of(papers: Sequence[Paper], names: Names, references: Mapping[str, str]) -> Keys:
        """Read the keys of a library."""
        exact = {key: p.id for p in papers for key in (p.id, *p.sources, p.doi, p.url) if key}
        titles = {fold_name(p.title): p.id for p in papers if p.title}
        return Keys(names, exact, titles, _own(papers), Authors.of(papers), references)

    def named_in(self, text: str) -> tuple[str, ...]:
        """Return the papers that a sentence surely names."""
        found = (m.paper_ids for m in self.names.mentions(text) if m.certain)
        return tuple(dict.fromkeys(i for ids in found for i in ids))

    def papers(self, key: str) -> tuple[str, ...]:
        """Return the papers a key leads to: through its entry in the reference list, or by itself."""
        entry = self.references.get(key, "")
        for find in (self._by_exact, self._by_title):
            if entry and (found := find(entry)):
                return found
        if fitting := self.fitting(key):
            return fitting if len(fitting) == 1 else ()
        found = self._by_exact(key) or self._by_title(key)
        return found or self.named_in(entry)[:1] or self._by_name(key)

    def fitting(self, key: str) -> tuple[str, ...]:
        """Return every paper that has the key in the user's files, or the authors and year it gives."""
        # [1] never means a paper of the library, whatever numbers its file has.
        own = () if key.isdigit() else self.own.get(key.casefold(), ())
        cited = None if own else read_citation(key)
        return self.authors.fitting(cited) if cited else own

    def why_lost(self, keys: Sequence[str]) -> str:
        """Return why keys lead to no paper: none of the library fits, or several do."""
        several = {key: len(found) for key in keys if len(found := self.fitting(key)) > 1}
        none = [key for key in keys if key not in several]
        told = [f"{shown(key)} fits {count} papers of the library" for key, count in several.items()]
        if none:
            lead = "leads" if len(none) == 1 else "lead"
            told.append(f"{', '.join(map(shown, none))} {lead} to no paper of the library")
        return "; ".join(told)

    def _by_exact(self, written: str) -> tuple[str, ...]:
        words = [w.strip(".,;()[]<>") for w in written.split()]
        return _first(self.exact[w] for w in (written, *words) if w in self.exact)

    def _by_title(self, written: str) -> tuple[str, ...]:
        folded = fold_name(written)
        return _first(
            i for title, i in self.titles.items() if len(title) > _SHORTEST_NAME and title in folded
        )

    def _by_name(self, key: str) -> tuple[str, ...]:
        """Return the paper whose name is the key, or ends it as in `smith2024eva0`."""
        folded = fold_name(key)
        if folded in self.names.ids:
            return self.names.ids[folded]
        ends = [n for n in self.names.ids if len(n) >= _SHORTEST_NAME and folded.endswith(n)]
        return self.names.ids[max(ends, key=len)] if ends else ()


def shown(key: str) -> str:
    """Return a key as it is cited: `[7]`, `(Lee & Okafor 2023)`, `lee2023`."""
    if key.isdigit():
        return f"[{key}]"
    return f"({key})" if read_citation(key) else key


def _own(papers: Iterable[Paper]) -> dict[str, tuple[str, ...]]:
    own: dict[str, tuple[str, ...]] = {}
    for paper in papers:
        for key in own_keys(paper):
            folded = key.casefold()
            own[folded] = tuple(dict.fromkeys((*own.get(folded, ()), paper.id)))
    return own


def own_keys(paper: Paper) -> tuple[str, ...]:
    """Return the keys a paper has in the files it was read from; a merged one may have several."""
    also = paper.extra.get(ALSO)
    more = also.get("source_id", ()) if isinstance(also, Mapping) else ()
    given = (paper.extra.get("source_id"), *(more if isinstance(more, (list, tuple)) else ()))
    return tuple(str(key).strip() for key in given if isinstance(key, (str, int)) and str(key).strip())


def _first(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(ids)[:1]
