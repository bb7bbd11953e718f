"""Have a chat model judge whether quotations support sentences: pairs → its verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from rag.domain import Citation, Verdict
from rag.evidence.fencing import as_data, fence
from rag.generate.chat import Chat
from rag.generate.pricing import Bill
from rag.generate.replies import read_verdicts
from rag.jobs.check import Checked
from rag.prompting import PromptShelf

Judged = TypeVar("Judged", Citation, Checked)

_RANK: Mapping[Verdict, int] = {"unsupported": 0, "partial": 1, "supported": 2}
# So many pairs fit into one prompt with room to answer.
_BATCH = 20


def verdicts_on(
    pairs: Sequence[tuple[str, str]], chat: Chat, prompts: PromptShelf, bill: Bill
) -> list[tuple[Verdict, str] | None]:
    """Return the model's verdict and reason for each pair of sentence and quotation, None where it gave none.

    Raises ModelError or BudgetError.
    """
    found: list[tuple[Verdict, str] | None] = []
    levels: Mapping[str, Verdict] = {verdict: verdict for verdict in _RANK}
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        text = "\n".join(
            f"{number}. Sentence – {as_data(sentence)}\n   Quotation – {as_data(quote)}"
            for number, (sentence, quote) in enumerate(batch, 1)
        )
        values = {"pairs": text, "fence": fence(text)}
        said = chat.ask(prompts.prompt("judge"), values, read_verdicts, bill).value
        for number in range(1, len(batch) + 1):
            verdict, reason = said.get(number, ("", ""))
            found.append((levels[verdict], reason or verdict) if verdict in levels else None)
    return found


def judge_draft(checked: Sequence[Checked], chat: Chat, prompts: PromptShelf, bill: Bill) -> list[Checked]:
    """Return the sentences of a draft, lowered where the model thinks less of their quotation.

    It is not asked about those that are unsupported already. Raises ModelError or BudgetError.
    """
    pairs = {
        i: (c.text, c.found.quote)
        for i, c in enumerate(checked)
        if c.found is not None and c.verdict != "unsupported"
    }
    said = dict(zip(pairs, verdicts_on(list(pairs.values()), chat, prompts, bill), strict=True))
    return [lowered(c, said.get(i)) for i, c in enumerate(checked)]


def lowered(judged: Judged, said: tuple[Verdict, str] | None) -> Judged:
    """Return a judgement with the model's verdict and reason if that is the lower one.

    The model never raises a verdict: the quotation it reads could talk it into that.
    """
    if said is None or _RANK[said[0]] >= _RANK[judged.verdict]:
        return judged
    return replace(judged, verdict=said[0], reason=f"the model judges: {said[1]}")
