"""Check what a chat model wrote, have it correct once what fails, and say what still does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.domain import AnswerSentence, Reference
from rag.embedders import Vectors
from rag.errors import BudgetError, ModelError
from rag.evidence.fencing import as_data
from rag.evidence.packing import Packed
from rag.generate import DraftSentence
from rag.generate.chat import Chat
from rag.generate.citing import Cited, resolve
from rag.generate.pricing import Bill
from rag.generate.replies import Written, read_numbered
from rag.jobs.judging import lowered, verdicts_on
from rag.prompting import PromptShelf
from rag.verify.citations import check

_NO_CITATION = "it cites no sentence of the papers"
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Checked:
    """Sentences with their verdicts, the papers they cite, and what a reader must know of how they came."""

    sentences: tuple[AnswerSentence, ...]
    references: tuple[Reference, ...]
    warnings: tuple[str, ...] = ()
    verify_s: float = 0.0


Embed = Callable[[str], Vectors]


def verdicts(
    drafts: Sequence[DraftSentence], packed: Packed, embed: Embed | None
) -> tuple[tuple[AnswerSentence, ...], tuple[Reference, ...]]:
    """Check sentences against the packed papers: by words, and with `embed` by meaning too."""
    papers = {p.paper.id: p.paper for p in packed.papers}
    return check(drafts, papers, {p.paper.id: p.candidate for p in packed.papers}, embed)


def fails(sentence: AnswerSentence) -> bool:
    """Tell whether a sentence may not stand as it is: it cites nothing, or what does not support it."""
    return not sentence.citations or any(c.verdict == "unsupported" for c in sentence.citations)


def checked(
    written: Sequence[Written],
    packed: Packed,
    question: str,
    chat: Chat,
    prompts: PromptShelf,
    bill: Bill,
    embed: Embed | None = None,
) -> Checked:
    """Return the sentences checked; those that failed were sent back once, with the reasons."""
    first = [resolve(w, packed) for w in written]
    found = _timed(first, packed, embed)
    failing = {i: _reason(s) for i, s in enumerate(found.sentences) if fails(s)}
    unknown = _unknown(first)
    if not failing:
        return replace(found, warnings=tuple(unknown))
    try:
        corrected = _corrected(written, failing, packed, question, chat, prompts, bill)
    except (ModelError, BudgetError) as error:
        why = f"Sentences that failed the check could not be sent back for correction: {error.message}"
        return replace(found, warnings=(*unknown, *_still_failing(found.sentences), why))
    second, withdrawn = _merged(written, corrected, failing)
    resolved = [resolve(w, packed) for w in second]
    again = _timed(resolved, packed, embed)
    # A number that leads nowhere in a sentence that was kept is told of once.
    told = dict.fromkeys([*unknown, *_unknown(resolved)])
    return replace(
        again,
        warnings=(*told, *withdrawn, *_still_failing(again.sentences)),
        verify_s=found.verify_s + again.verify_s,
    )


def citing(found: Checked) -> Checked:
    """Leave out sentences that cite nothing, and say so: no paper is to be named uncited."""
    uncited = [s for s in found.sentences if not s.citations]
    why = tuple(f"Left out, for it cites nothing: “{_short(s.text)}”." for s in uncited)
    return replace(
        found, sentences=tuple(s for s in found.sentences if s.citations), warnings=(*found.warnings, *why)
    )


def _timed(cited: Sequence[Cited], packed: Packed, embed: Embed | None) -> Checked:
    started = time.perf_counter()
    sentences, references = verdicts([c.draft for c in cited], packed, embed)
    return Checked(sentences, references, verify_s=time.perf_counter() - started)


def judged(found: Checked, chat: Chat, prompts: PromptShelf, bill: Bill) -> Checked:
    """Have the model judge each citation too. It can only lower a verdict: what it reads could mislead it."""
    pairs = [(s.text, c.quote) for s in found.sentences for c in s.citations]
    try:
        said = iter(verdicts_on(pairs, chat, prompts, bill))
    except (ModelError, BudgetError) as error:
        why = f"The model did not judge the citations: {error.message}"
        return replace(found, warnings=(*found.warnings, why))
    sentences = tuple(
        replace(s, citations=tuple(lowered(c, next(said)) for c in s.citations)) for s in found.sentences
    )
    return replace(found, sentences=sentences)


def _corrected(
    written: Sequence[Written],
    failing: Mapping[int, str],
    packed: Packed,
    question: str,
    chat: Chat,
    prompts: PromptShelf,
    bill: Bill,
) -> dict[int, Written]:
    faults = "\n".join(
        f"{i + 1}. {as_data(written[i].text)} ({_numbers(written[i])}) – {as_data(why)}"
        for i, why in failing.items()
    )
    values = {"question": as_data(question), "papers": packed.text, "fence": packed.fence, "faults": faults}
    outcome = chat.ask(prompts.prompt("repair"), values, read_numbered, bill)
    return {w.number - 1: w for w in outcome.value if w.number - 1 in failing}


def _numbers(written: Written) -> str:
    return as_data(", ".join(written.cites)) or "no number"


def _merged(
    written: Sequence[Written], corrected: Mapping[int, Written], failing: Mapping[int, str]
) -> tuple[list[Written], list[str]]:
    """Put the corrected sentences in place; one corrected to nothing is withdrawn, and told of."""
    merged, withdrawn = [], []
    for i, sentence in enumerate(written):
        new = corrected.get(i, sentence)
        if new.text:
            merged.append(new)
        else:
            withdrawn.append(f"The model withdrew “{_short(sentence.text)}”: {failing[i]}.")
    return merged, withdrawn


def _unknown(cited: Sequence[Cited]) -> list[str]:
    return [
        f"The model cited [{cite}] for “{_short(c.draft.text)}”; it was shown nothing with that number."
        for c in cited
        for cite in c.unknown
    ]


def _still_failing(sentences: Sequence[AnswerSentence]) -> list[str]:
    return [f"Not supported by the papers: “{_short(s.text)}” ({_reason(s)})." for s in sentences if fails(s)]


def _reason(sentence: AnswerSentence) -> str:
    if not sentence.citations:
        return _NO_CITATION
    return "; ".join(dict.fromkeys(c.reason for c in sentence.citations if c.verdict == "unsupported"))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


Listener = Callable[[AnswerSentence], None]


class Live:
    """Tells of sentences while the model still writes: each that passes, up to the first that does not.

    A reply that cannot be used is followed by another; what both say alike is told once.
    """

    def __init__(self, packed: Packed, listener: Listener, embed: Embed | None = None) -> None:
        self._packed = packed
        self._embed = embed
        self._listener = listener
        self._drafts: list[DraftSentence] = []
        self._held = False
        self._told = 0
        self._heard: list[AnswerSentence] = []
        self._heard_before: list[AnswerSentence] = []

    def begin(self) -> None:
        """Take what comes next as a new reply, in place of the one before."""
        self._heard_before += self._heard
        self._drafts, self._heard = [], []
        self._held, self._told = False, 0

    def hear(self, written: Written) -> None:
        """Take the next sentence."""
        if self._held:
            return
        self._drafts.append(resolve(written, self._packed).draft)
        sentences, _ = verdicts(self._drafts, self._packed, self._embed)
        self._held = fails(sentences[-1])
        if not self._held:
            self._tell(sentences[-1])

    def finish(self, sentences: Sequence[AnswerSentence]) -> None:
        """Tell of the sentences that were held back, as they are in the end."""
        for sentence in sentences[self._told :]:
            self._tell(sentence)

    def _tell(self, sentence: AnswerSentence) -> None:
        self._told += 1
        if sentence in self._heard_before:
            self._heard_before.remove(sentence)
            return
        self._heard.append(sentence)
        self._listener(sentence)
