from __future__ import annotations

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


@pytest.mark.parametrize("raw", ["", "\n\n", "[1]", "```", "\\begin{document}", "[1-999999]", "#\n[1] x"])
def test_odd_drafts_do_not_fail(raw: str) -> None:
    read_draft(raw)


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
