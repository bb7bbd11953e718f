"""Answers made by hand, of every kind: doubtful, a comparison, an overview, not found, and hostile."""

from __future__ import annotations

from typing import Any

from rag.domain import (
    Answer,
    AnswerSentence,
    Cell,
    Citation,
    Coverage,
    Hit,
    Paper,
    Quotation,
    Reference,
    Section,
    Table,
    Usage,
)

EVA = Paper(
    "e" * 20,
    "EVA-0",
    "EVA-0 runs on edge devices. It achieves a 14× speed-up over FOA. It needs no labels.",
    title="Test-time adaptation & more",
    authors=("Äder, Ann", "Bo de Vries"),
    year=2025,
    venue="Proc. of X & Y",
    doi="10.1234/eva.0",
    url="https://example.org/a_b?c=1&d=2",
    sources=("a.txt#9",),
)
ANT = Paper("a" * 20, "AntWalk", "Ants search in loops.\n=SUM(A1) is no formula here.", sources=("b.txt#1",))

NASTY = '<script>alert(1)</script> "><img src=x onerror=alert(1)> | a\nb \u202egnp.exe \x1b[31m'
HOSTILE = Paper(
    "<b>",
    f"=cmd()|{NASTY}",
    f"{NASTY} </mark></style><style>*{{}}</style> ends.",
    title=f"T {NASTY}",
    authors=(f"A {NASTY}", "X\nER  - \nTY  - BOOK"),
    year=2024,
    venue=f"V {NASTY}",
    doi='10.1/"><script>',
    url="javascript:alert(1)",
    sources=(f"+f{NASTY}#1",),
)


def cite(marker: int, paper: Paper, quote: str, **more: Any) -> Citation:
    start = paper.text.index(quote)
    return Citation(marker, paper.id, quote, start, start + len(quote), **more)


FAST = cite(1, EVA, "It achieves a 14× speed-up over FOA.")
EDGE = cite(1, EVA, "EVA-0 runs on edge devices.")
LOOPS = cite(2, ANT, "Ants search in loops.")
BOTH = (Reference(1, EVA), Reference(2, ANT))
HITS = (Hit(EVA, 0.9), Hit(ANT, 0.5))


def answered(*sentences: AnswerSentence, **more: Any) -> Answer:
    given = {"references": BOTH, "hits": HITS} | more
    return Answer("How fast is EVA-0?", "answered", sentences=sentences, **given)


def fact() -> Answer:
    return answered(AnswerSentence("It is 14× faster.", (FAST, EDGE)), AnswerSentence("Ants loop.", (LOOPS,)))


def doubtful() -> Answer:
    wrong = cite(1, EVA, "It needs no labels.", verdict="unsupported", reason="45 is not in the quote")
    weak = cite(1, EVA, "It needs no labels.", verdict="partial", reason="“always” is stronger")
    return answered(
        AnswerSentence("It is 14× faster.", (FAST,)),
        AnswerSentence("It saves 45%.", (wrong,)),
        AnswerSentence("It always works.", (weak, LOOPS)),
        AnswerSentence("So it is best."),
        warnings=("the model was asked twice",),
        engine="openai:gpt-5-mini",
        usage=Usage(2, 900, 100, 0.0012),
    )


def comparison() -> Answer:
    wrong = cite(2, ANT, "Ants search in loops.", verdict="unsupported", reason="85 is not in the quote")
    cells = {
        EVA.id: {"Method": Cell("runs | on the edge", (EDGE,)), "Result": Cell("14× faster", (FAST,))},
        ANT.id: {"Method": Cell(None), "Result": Cell("85% explained", (wrong,))},
    }
    return answered(table=Table((EVA.id, ANT.id), ("Method", "Result"), cells))


def overview() -> Answer:
    return answered(
        AnswerSentence("It runs on the edge.", (EDGE,)),
        AnswerSentence("Ants loop.", (LOOPS,)),
        AnswerSentence("It is 14× faster.", (FAST,)),
        sections=(Section("Speed", (2, 0), 3), Section("Animals", (1,), 1)),
        also_related=(Quotation(ANT, "Ants search in loops.", 0, 21),),
        coverage=Coverage(2, 5),
    )


def not_found() -> Answer:
    return Answer("How many GPUs?", "not_found", hits=HITS)


def hostile() -> Answer:
    quote = cite(1, HOSTILE, NASTY, verdict="partial", reason=NASTY)
    return Answer(
        NASTY,
        "answered",
        engine=NASTY,
        standalone_question=f"meant {NASTY}",
        sentences=(AnswerSentence(f"=cmd() {NASTY}", (quote,)), AnswerSentence(f"@x {NASTY}")),
        references=(Reference(1, HOSTILE),),
        hits=(Hit(HOSTILE, 1.0),),
        warnings=(NASTY,),
        table=Table((HOSTILE.id,), (f"-{NASTY}",), {HOSTILE.id: {f"-{NASTY}": Cell(NASTY, (quote,))}}),
        sections=(Section(NASTY, (0,), 1),),
        also_related=(Quotation(HOSTILE, NASTY, 0, len(NASTY)),),
        coverage=Coverage(1, 1),
    )


EVERY = (fact, doubtful, comparison, overview, not_found, hostile)
