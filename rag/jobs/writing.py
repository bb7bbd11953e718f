"""Have a chat model write an answer: question and evidence → a checked passage, else quotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rag.domain import Answer
from rag.errors import BudgetError, ModelError, ModelUnreachable, PromptTooLong
from rag.evidence.fencing import as_data
from rag.evidence.gather import Evidence
from rag.evidence.packing import Packed, pack
from rag.generate.chat import Chat, Estimate, Outcome
from rag.generate.pricing import Bill, shown
from rag.generate.provider import AUTO, open_provider
from rag.generate.replies import Reply, read_answer
from rag.generate.streaming import SentenceFeed
from rag.jobs.followup import Standalone
from rag.jobs.passage import EXTRACTIVE, Passage
from rag.jobs.repairing import Checked, Embed, Listener, Live, checked, fails, judged
from rag.jobs.wording import in_english, in_language, rewritten, standing
from rag.ledger.recall import Recall
from rag.prompting import Message, PromptShelf
from rag.settings import Settings
from rag.text.language import ENGLISH, LANGUAGES, language_of

_FALLS_BACK: Mapping[str, tuple[type[ModelError], ...]] = {
    "connection": (ModelUnreachable,),
    "extractive": (ModelError,),
    "none": (),
}


class Task(Protocol):
    """One question in the hands of a writer."""

    def standalone(self, asked: Standalone, names_papers: Callable[[str], bool]) -> Standalone:
        """Return the question as it is to be searched for."""

    def write(self, question: str, evidence: Evidence, quote: Callable[[], Passage]) -> Passage:
        """Answer from `evidence`; `quote` gives the answer in quotations, for when there is no other."""


class Writer(Protocol):
    """What writes answers in words of its own."""

    def task(self, text: str, history: Sequence[Answer], listener: Listener | None) -> Task:
        """Take on a question; `listener` is told of sentences as they are finished."""


@dataclass(frozen=True, slots=True)
class ModelWriter:
    """A chat model with its prompts, what to do when it fails, and what each job may cost.

    `embed` lets checks go by meaning too; `on_piece` is told of each piece of a reply.
    """

    chat: Chat
    prompts: PromptShelf
    evidence_tokens: int
    fallback: str
    judge: bool
    embed: Embed | None = None
    max_cost_usd: float | None = None
    on_piece: Callable[[], None] = lambda: None

    def bill(self) -> Bill:
        """Return a bill for one job, with its limit."""
        return Bill(self.max_cost_usd, self.on_piece)

    def task(self, text: str, history: Sequence[Answer] = (), listener: Listener | None = None) -> ModelTask:
        """Take on a question."""
        return ModelTask(self, text, history, listener)


def open_writer(
    settings: Settings, recall: Recall, embed: Embed | None = None, *, dry: bool = False
) -> ModelWriter | None:
    """Return the writer the settings name, None for `extractive`; `dry` makes one that is never to be called.

    Raises SettingError for a model that is none, PromptError for a prompt that does not fit.
    """
    provider = open_provider(settings, dry=dry) if settings.model != EXTRACTIVE else None
    if provider is None:
        return None
    prompts = PromptShelf(settings.prompts_dir)
    prompts.all()
    return ModelWriter(
        Chat(provider, recall, cache=settings.cache),
        prompts,
        settings.evidence_tokens,
        settings.fallback,
        settings.judge == "model",
        embed,
        settings.max_cost_usd,
    )


class ModelTask:
    """One question in the hands of a chat model: what it cost so far, and what went wrong."""

    def __init__(
        self,
        writer: ModelWriter,
        text: str,
        history: Sequence[Answer],
        listener: Listener | None,
    ) -> None:
        self._writer = writer
        self._text = text
        self._history = history
        self._listener = listener
        self._language = language_of(text)
        self._bill = writer.bill()
        self._warnings: list[str] = []
        self._trouble: ModelError | None = None
        self._verify_s = 0.0

    def standalone(self, asked: Standalone, names_papers: Callable[[str], bool]) -> Standalone:
        """Return the question in English and free of its history; as it was when the model fails at that."""
        chat, prompts = self._writer.chat, self._writer.prompts
        try:
            if self._history:
                return standing(
                    asked, rewritten(self._text, self._history, chat, prompts, self._bill), names_papers
                )
            if self._language != ENGLISH:
                return standing(asked, in_english(self._text, chat, prompts, self._bill), names_papers)
        except ModelError as error:
            self._trouble = error
            self._warnings.append(f"The question was not put into other words: {error.message}")
        return asked

    def write(self, question: str, evidence: Evidence, quote: Callable[[], Passage]) -> Passage:
        """Answer from `evidence`, in quotations when the model fails and the settings allow it."""
        # Without papers there is nothing to show a model, and it would only make something up.
        if not evidence.candidates:
            return self._signed(quote(), EXTRACTIVE)
        try:
            if isinstance(self._trouble, ModelUnreachable):
                raise self._trouble
            return self._signed(self._written(question, evidence), self._writer.chat.engine)
        except ModelError as error:
            self._warnings = quoted_because(error, self._writer)
            return self._signed(quote(), EXTRACTIVE)

    def _signed(self, passage: Passage, engine: str) -> Passage:
        warnings = (*self._warnings, *passage.warnings, *self._bill.warnings())
        return replace(
            passage,
            engine=engine,
            usage=self._bill.usage,
            warnings=warnings,
            verify_ms=passage.verify_ms or self._verify_s * 1e3,
        )

    def _written(self, question: str, evidence: Evidence) -> Passage:
        packed = self._packed(evidence, self._writer.evidence_tokens)
        try:
            return self._answered(question, packed)
        except PromptTooLong:
            smaller = self._packed(evidence, max(packed.tokens // 2, 1))
            self._warnings.append("The evidence was too long for the model and was cut by half.")
            return self._answered(question, smaller)

    def _packed(self, evidence: Evidence, limit: int) -> Packed:
        return pack(evidence, limit, self._writer.chat.encoding)

    def _answered(self, question: str, packed: Packed) -> Passage:
        chat, prompts = self._writer.chat, self._writer.prompts
        live = None
        if self._listener is not None and self._streams:
            live = Live(packed, self._listener, self._writer.embed)
        feed = SentenceFeed(live.hear, live.begin) if live is not None else None
        values = answer_values(question, packed)
        outcome = chat.ask(prompts.prompt("answer"), values, read_answer, self._bill, feed)
        reply = outcome.value
        if not reply.answerable:
            return Passage("not_found", warnings=_unsaid(reply))
        if not reply.sentences:
            raise _wordless(outcome, chat.provider.model)
        passage = self._checked(question, packed, outcome)
        if live is not None:
            live.finish(passage.sentences)
        elif self._listener is not None:
            for sentence in passage.sentences:
                self._listener(sentence)
        return passage

    @property
    def _streams(self) -> bool:
        # What is still to be judged or translated cannot be shown yet.
        return not self._writer.judge and self._language == ENGLISH

    def _checked(self, question: str, packed: Packed, outcome: Outcome[Reply]) -> Passage:
        writer = self._writer
        found = checked(
            outcome.value.sentences, packed, question, writer.chat, writer.prompts, self._bill, writer.embed
        )
        self._verify_s += found.verify_s
        if writer.judge:
            found = judged(found, writer.chat, writer.prompts, self._bill)
        warnings = [*found.warnings]
        if outcome.cut:
            warnings.append(f"The answer is not whole: {outcome.cut}.")
        if packed.left_out:
            warnings.append(_left_out(packed.left_out))
        whole = not outcome.cut and not any(map(fails, found.sentences))
        if not found.sentences:
            return Passage("not_found", warnings=tuple(warnings))
        found = self._in_the_asker_s_language(found)
        warnings += [w for w in found.warnings if w not in warnings]
        return Passage("answered" if whole else "partial", found.sentences, found.references, tuple(warnings))

    def _in_the_asker_s_language(self, found: Checked) -> Checked:
        if self._language == ENGLISH:
            return found
        language = LANGUAGES[self._language]
        chat, prompts = self._writer.chat, self._writer.prompts
        try:
            sentences, warnings = in_language(found.sentences, language, chat, prompts, self._bill)
        except (ModelError, BudgetError) as error:
            why = f"The answer stays in English: {error.message}"
            return replace(found, warnings=(*found.warnings, why))
        return Checked(sentences, found.references, (*found.warnings, *warnings))


def attempted(writer: ModelWriter, write: Callable[[Bill], Passage], quote: Callable[[], Passage]) -> Passage:
    """Return what `write` makes with a bill of its own; else quotations if the settings allow.

    Raises ModelError when it may not, BudgetError before it costs too much.
    """
    bill = writer.bill()
    try:
        passage = write(bill)
    except ModelError as error:
        why = quoted_because(error, writer)
        passage = quote()
        passage = replace(passage, warnings=(*why, *passage.warnings))
    return replace(passage, usage=bill.usage, warnings=(*passage.warnings, *bill.warnings()))


def quoted_because(error: ModelError, writer: ModelWriter) -> list[str]:
    """Say why the papers are quoted where a model was to write; raise the error if that is not wanted."""
    if not isinstance(error, _FALLS_BACK[writer.fallback]):
        raise error
    why = f"The model did not answer, so the papers are quoted instead: {_ended(error.message)}"
    return [why, *error.hint.splitlines()]


def answer_values(question: str, packed: Packed) -> dict[str, str]:
    """Return what the answer prompt is filled with."""
    return {"question": as_data(question), "papers": packed.text, "fence": packed.fence}


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _unsaid(reply: Reply) -> tuple[str, ...]:
    said = " ".join(s.text for s in reply.sentences)
    return (f"The model found no answer in the papers, and wrote: {said}",) if said else ()


def _wordless(outcome: Outcome[Reply], model: str) -> ModelError:
    if outcome.cut:
        message = f"the reply of {model} was cut before its first sentence: {outcome.cut}"
        return ModelUnreachable(message, hint="Ask again in a moment.")
    return ModelError(
        f"{model} says that the papers answer, but wrote no sentence",
        hint="Ask again, take another model with RAG_MODEL, or quote instead with RAG_MODEL=extractive.",
    )


def _left_out(count: int) -> str:
    papers = "1 more paper may fit" if count == 1 else f"{count} more papers may fit"
    return (
        f"{papers} the question but not the budget; raise RAG_EVIDENCE_TOKENS, or see them with `rag search`."
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What asking would send, and what it may cost at most; `engine` extractive sends nothing."""

    engine: str
    messages: tuple[Message, ...] = ()
    estimate: Estimate | None = None
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {
            "engine": self.engine,
            "messages": [{"role": m.role, "content": m.text} for m in self.messages],
            "prompt_tokens": self.estimate.prompt_tokens if self.estimate else 0,
            "completion_tokens": self.estimate.completion_tokens if self.estimate else 0,
            "cost_usd": self.estimate.cost_usd if self.estimate else 0.0,
            "warnings": list(self.warnings),
        }

    def lines(self) -> tuple[str, ...]:
        """Say the estimate in words."""
        if self.estimate is None:
            return ("Nothing would be sent: the answer would be quoted from the papers.",)
        at_most = f"at most {self.estimate.completion_tokens} for the reply"
        return (
            f"{self.engine}: {self.estimate.prompt_tokens} tokens to read, {at_most}.",
            f"Cost at most: {shown(self.estimate.cost_usd)}; as much again for a correction or translation.",
        )


class DryRun:
    """A writer that asks nobody: it keeps in `plan` what `writer` would have sent."""

    def __init__(self, writer: ModelWriter | None, warnings: tuple[str, ...] = ()) -> None:
        self._writer = writer
        self._warnings = warnings if writer is not None else ()
        self.plan = Plan(EXTRACTIVE)

    def task(self, text: str, history: Sequence[Answer] = (), listener: Listener | None = None) -> DryRun:
        """Take on a question."""
        return self

    def standalone(self, asked: Standalone, names_papers: Callable[[str], bool]) -> Standalone:
        """Return the question as it is."""
        return asked

    def write(self, question: str, evidence: Evidence, quote: Callable[[], Passage]) -> Passage:
        """Keep what would be sent."""
        if self._writer is not None and evidence.candidates:
            chat = self._writer.chat
            prompt = self._writer.prompts.prompt("answer")
            values = answer_values(question, pack(evidence, self._writer.evidence_tokens, chat.encoding))
            messages, estimate = chat.messages(prompt, values), chat.estimate(prompt, values)
            self.plan = Plan(chat.engine, messages, estimate, self._warnings)
        return Passage("not_found")


def missing(settings: Settings) -> tuple[str, ...]:
    """Say what a dry run does without that asking would need, or would find out from the server."""
    if not settings.openai_base_url and not settings.openai_api_key:
        return ("No key is set: to ask, set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.",)
    if settings.model == AUTO and settings.openai_base_url:
        return ("The server was not asked which model it has, so the tokens are counted as for most models.",)
    return ()
