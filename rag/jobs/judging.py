"""Have a chat model judge whether quotations support sentences: pairs → its verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag.domain import Verdict
from rag.evidence.fencing import as_data, fence
from rag.generate.chat import Chat
from rag.generate.pricing import Bill
from rag.generate.replies import read_verdicts
from rag.jobs.check import Checked
from rag.prompting import PromptShelf

RANK: Mapping[Verdict, int] = {"unsupported": 0, "partial": 1, "supported": 2}
# So many pairs fit into one prompt with room to answer.
_BATCH = 20


def verdicts_on(
    pairs: Sequence[tuple[str, str]], chat: Chat, prompts: PromptShelf, bill: Bill
) -> list[tuple[Verdict, str] | None]:
    """Return the model's verdict and reason for each pair of sentence and quotation, None where it gave none.

    Raises ModelError or BudgetError.
    """
    found: list[tuple[Verdict, str] | None] = []
    levels: Mapping[str, Verdict] = {verdict: verdict for verdict in RANK}
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
    """Return the sentences of a draft with the model's verdict where it has a quotation to judge by.

    The model may lower any verdict. It may raise one only where the rules found no contradiction: a number or
    a name that does not agree is not a matter of opinion.
    """
    places = [i for i, c in enumerate(checked) if c.found is not None]
    pairs = [(checked[i].text, found.quote) for i in places if (found := checked[i].found) is not None]
    judged = list(checked)
    for i, said in zip(places, verdicts_on(pairs, chat, prompts, bill), strict=True):
        if said is not None:
            judged[i] = _decided(checked[i], *said)
    return judged


def _decided(checked: Checked, verdict: Verdict, reason: str) -> Checked:
    raises = RANK[verdict] > RANK[checked.verdict]
    if verdict == checked.verdict or (raises and checked.contradicted):
        return checked
    return replace(checked, verdict=verdict, reason=f"the model judges: {reason}")
