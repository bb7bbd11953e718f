from __future__ import annotations

import time

import pytest

from rag.errors import UsageError
from rag.verify.claims import read_claims
from rag.verify.drafts import Statement, read_draft

MARKDOWN = """---
title: x
---
# A heading [1]

Alpha is fast [1]. Beta is exact [2, 4-6]
and small.

- A listed thing.[3]

```
code [7]
```
See [a link](http://x.example) and [9](http://y.example).

## References
[1] Alpha: a fast method.
    Continued here.
2. Beta. list.txt#2
- [smith] Gamma
"""
LATEX = r"""\documentclass{article}
\newcommand{\x}{y}
\begin{document}
\section{Intro \cite{no}}
Alpha gets 14$\times$ faster~\citep[see][p.~3]{alpha24, beta}. % not \cite{this}
\begin{equation} x \cite{nor} \end{equation}
So \textcite{gamma} says.
\begin{thebibliography}{9}
\bibitem{alpha24} A. Author, Alpha.
\end{thebibliography}
\end{document}
"""


def test_markdown_gives_sentences_with_lines_and_keys() -> None:
    draft = read_draft(MARKDOWN)
    assert draft.statements[:3] == (
        Statement("Alpha is fast.", 6, ("1",)),
        Statement("Beta is exact and small.", 6, ("2", "4", "5", "6")),
        Statement("A listed thing.", 9, ("3",)),
    )
    assert all("7" not in s.keys and "9" not in s.keys for s in draft.statements)


def test_the_reference_list_is_read_and_not_checked() -> None:
    draft = read_draft(MARKDOWN)
    assert draft.references == {
        "1": "Alpha: a fast method. Continued here.",
        "2": "Beta. list.txt#2",
        "smith": "Gamma",
    }
    assert not any("Gamma" in s.text for s in draft.statements)


def test_latex_gives_readable_sentences_with_keys() -> None:
    draft = read_draft(LATEX)
    assert [(s.text, s.line, s.keys) for s in draft.statements] == [
        ("Alpha gets 14× faster.", 5, ("alpha24", "beta")),
        ("So says.", 7, ("gamma",)),
    ]
    assert draft.references == {"alpha24": "A. Author, Alpha."}


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    first, second = read_draft("Alpha is fast. [1] Beta is slow. [@beta; @gamma]").statements
    assert (first.keys, second.keys) == (("1",), ("beta", "gamma"))


@pytest.mark.parametrize("raw", ["", "\n\n", "[1]", "```", "\\begin{document}", "[1-999999]", "#"])
def test_drafts_without_a_sentence_give_none(raw: str) -> None:
    assert read_draft(raw).statements == ()


def test_an_empty_heading_is_no_part_of_the_sentence_below() -> None:
    assert read_draft("#\n[1] x").statements == (Statement("x", 2, ("1",)),)


@pytest.mark.parametrize(
    ("raw", "text", "line", "keys"),
    [
        (r"\paragraph{Speed.} Alpha is fast \cite{a}.", "Alpha is fast.", 1, ("a",)),
        (r"\section{A} Alpha is fast \cite{a}.", "Alpha is fast.", 1, ("a",)),
        (r"\paragraph{Alpha is fast \cite{a}.}", "Alpha is fast.", 1, ("a",)),
        ("\\section{A Alpha is fast \\cite{a}.\n\n}", "A Alpha is fast.", 1, ("a",)),
        (r"\begin{itemize} \item Alpha is fast \cite{a}. \end{itemize}", "Alpha is fast.", 1, ("a",)),
        ("\n\\caption{Alpha \\emph{is} fast \\cite{a}.}", "Alpha is fast.", 2, ("a",)),
        (
            "\\begin{figure}\nx y\n\\caption[s]{Alpha is fast \\cite{a}.}\n\\label{q} \\end{figure}",
            "Alpha is fast.",
            3,
            ("a",),
        ),
        ("| A | B |\n|---|:-:|\n| Alpha is fast [1] | yes |", "Alpha is fast, yes", 3, ("1",)),
        ("| A [3] | B |\n|---|---|\n| Alpha is fast. | [1] |", "Alpha is fast.", 3, ("1",)),
        ("# References\n[1] Alpha\n\n## Appendix\nAlpha is fast [1].", "Alpha is fast.", 5, ("1",)),
        ("# References\n[1] Alpha\n\nAlpha is fast [1].", "Alpha is fast.", 4, ("1",)),
    ],
)
def test_no_claim_hides_beside_a_mark_of_the_page(
    raw: str, text: str, line: int, keys: tuple[str, ...]
) -> None:
    assert read_draft(raw).statements == (Statement(text, line, keys),)


def test_each_cell_of_a_row_keeps_what_it_cites() -> None:
    first, second = read_draft("| Alpha | is fast [1] | is small [2] |").statements
    assert (first.text, first.keys, second.text, second.keys) == (
        "Alpha, is fast",
        ("1",),
        "Alpha, is small",
        ("2",),
    )


HEAVY = {
    "comments": "<!-- " * 20_000,
    "numbers": "[" + "1," * 50_000 + "x",
    "digits": "[" + "1" * 100_000 + "-2]",
    "equations": "\\begin{equation} x " * 5_000,
    "tables": "\\begin{table}" * 8_000,
    "captions": "\\begin{table}" + "\\caption{" * 11_000 + "\\end{table}",
    "cites": "\\cite{" * 17_000,
    "options": "\\cite[" * 17_000,
    "command": "\\" + "cite" * 25_000,
    "items": "\\bibitem{" * 11_000,
    "ties": "a" + "~" * 100_000 + "b [1].",
    "sections": "\\section{" * 11_000,
    "words": "more words here " * 6_000 + "[1].",
    "sentences": "Alpha is\nfast [1]. " * 5_000,
}


@pytest.mark.parametrize("name", HEAVY)
def test_a_large_draft_is_read_in_little_time(name: str) -> None:
    begun = time.process_time()
    read_draft(HEAVY[name])
    assert time.process_time() - begun < 2


def test_a_draft_may_hold_private_use_characters() -> None:
    (statement,) = read_draft("a \ue2005\ue201 \ue202b [1].\n").statements
    assert statement == Statement("a 5 b.", 1, ("1",))


def test_claims_keep_their_line_and_fields() -> None:
    (claim,) = read_claims('\n{"claim": "A is B.", "source": "x.txt#1", "id": 7}\n')
    assert (claim.text, claim.source, claim.line, claim.record["id"]) == ("A is B.", "x.txt#1", 2, 7)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ('{"claim": "x"}\nnot json', "line 2 is not JSON"),
        ("[1]", "line 1 is not an object"),
        ('{"source": "x"}', 'line 1 has no text under "claim"'),
        ('{"claim": " "}', 'line 1 has no text under "claim"'),
        ('{"claim": "x", "source": 3}', 'line 1 has no text under "source"'),
    ],
)
def test_a_malformed_claim_is_named_by_its_line(raw: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(read_claims(raw))


def test_pandoc_keys_are_read_with_what_stands_beside_them() -> None:
    first, second = read_draft(
        "Alpha is fast [see @alpha, p. 3; -@beta2]. Mail [a@b.example] is no key."
    ).statements
    assert (first.text, first.keys, second.keys) == ("Alpha is fast.", ("alpha", "beta2"), ())


def test_citations_in_a_form_that_is_not_read_are_counted() -> None:
    draft = "Alpha.[^1] Beta^2,3^ (Smith, in press). Gamma [ABC+21]; @smith2021 says [?] m^2 (x) [@read] [1]."
    assert read_draft(draft + "\n\n[^1]: A note.").unread == (
        "[^1]",
        "^2,3^",
        "(Smith, in press)",
        "[ABC+21]",
        "@smith2021",
        "[?]",
    )
