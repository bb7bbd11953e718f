"""LaTeX and Markdown marks become readable Unicode; plain text stays as it is."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from rag.text.latex import readable

SEEDS = sorted((Path(__file__).parent.parent / "seeds").glob("*.txt"))


def abstracts(path: Path) -> list[str]:
    return [block for block in path.read_text(encoding="utf-8").split("\n\n")[1:] if block.strip()]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("A$^3$Bench, A^3Bench and A$^2$IQL", "A³Bench, A³Bench and A²IQL"),
        (r"4.6$\times$, $30{:}1$, $\mathbf{2.61\times}$, 85\%", "4.6×, 30:1, 2.61×, 85%"),
        (r"$10^{-3}$, $x_{t+1}$, $x_t$, $W_2$, $\mathbb{R}^d$", "10⁻³, x_(t+1), x_t, W₂, ℝ^d"),
        (r"$ O\big(\sqrt{V_T \log(V_T/\epsilon)}\big) $", "O(√(V_T log(V_T/ϵ)))"),
        (r"\(O(1/k)\) and \(O(1/\sqrt{k})\)", "O(1/k) and O(1/√k)"),
        (r"Spearman $|\rho| \approx 0.81$ or |\rho| \approx 0.81", "Spearman |ρ| ≈ 0.81 or |ρ| ≈ 0.81"),
        (r"rank-$1$ and $\frac{a}{b+c}$", "rank-1 and a/(b+c)"),
        (r"\textbf{EasyLens}, \emph{echo} and \textit{so}", "EasyLens, echo and so"),
        (r"{\bf Bold} and \texttt{code}", "Bold and code"),
        (r"a decoder~\citep{a2025} that, see \cite{b}, works \cite{c}.", "a decoder that, see, works."),
        (r"\url{https://a.b/x_y%20z~q}, \href{http://u.v}{the code}", "https://a.b/x_y%20z~q, the code"),
        ("for ``easy'' sequences", "for “easy” sequences"),
        ("BFS--degree, phases --- two -- and --flag", "BFS–degree, phases — two – and --flag"),
        (r"Schr\"odinger, Fr\'echet, na\"{\i}ve, \c{c}, Erd\H{o}s", "Schrödinger, Fréchet, naïve, ç, Erdős"),
        (r"ImageNet-C\&ViT-Base", "ImageNet-C&ViT-Base"),
        (r"\begin{itemize}\item one \item two\end{itemize}", "one two"),
        (r"Fig.~3 of 10~20", "Fig. 3 of 10~20"),
        (r"\method{} beats \ours.", "method beats ours."),
        (r"costs \$5 and 3\_000", "costs $5 and 3_000"),
    ],
)  # fmt: skip
def test_latex_reads_as_unicode(raw: str, shown: str) -> None:
    assert readable(raw) == shown


@pytest.mark.parametrize(
    "plain",
    [
        "improves throughput by 20% over a 5% line",
        "AT&T and R&D rank #1 with snake_case at ~20%",
        "from $4.2 million to $5 million",
        "it costs $5, not $6 or $7",
        "x<3 & y>2 where a * b = 2*3*4",
        "a C*-algebra, A* search and B* trees",
        r"the path C:\data\new",
        "don't use 5'' or `x' here",
        "the set {a, b} in [1, 2] with {braces",
    ],
)
def test_plain_text_stays_as_it_is(plain: str) -> None:
    assert readable(plain) == plain


def test_markdown_emphasis_loses_its_marks() -> None:
    raw = "**A$^3$Bench** studies *aggressive action and association* by _Federated Shard Aggregation_"
    assert readable(raw) == "A³Bench studies aggressive action and association by Federated Shard Aggregation"


def test_an_undefined_macro_reads_as_the_name_its_bold_letters_spell() -> None:
    raw = (
        r"\textbf{\Engine} (\textbf{En}do\textbf{g}enous Var\textbf{i}atio\textbf{n}al "
        r"MultiScal\textbf{e}). \Engine\ is"
    )
    assert readable(raw) == "ENGINE (Endogenous Variational MultiScale). ENGINE is"


def test_an_undefined_macro_is_in_capitals_where_an_address_spells_it_so() -> None:
    assert readable(r"\Fast works. See https://x.org/r/FAST-1A") == "FAST works. See https://x.org/r/FAST-1A"
    assert readable(r"\Fast works.") == "Fast works."


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_seed_abstracts_lose_every_mark_and_change_no_more_when_read_again(path: Path) -> None:
    for raw in abstracts(path):
        shown = readable(raw)
        assert readable(shown) == shown
        assert not any(mark in shown for mark in ("\\", "$", "{", "}", "``", "**", "--", "\n"))


def test_the_seed_macro_reads_as_engine() -> None:
    [shown] = [readable(raw) for raw in abstracts(SEEDS[1]) if r"\Engine" in raw]
    assert "we propose ENGINE (Endogenous Variational MultiScale)." in shown
    assert "V-cycle, ENGINE alternates between spaces" in shown
    assert "up to a 2.61× speed-up in forward passes with zero" in shown


def test_random_marks_never_raise_and_never_lose_a_word() -> None:
    marks = (
        r"% $ \ { } ^ _ * ** ~ & # `` '' -- [ ] \textbf{ \alpha \frac \sqrt[ \foo \( \) \begin{a} $x$".split()
    )
    pieces = [" word", "42", " ", "\n", *marks]
    dice = random.Random(7)
    for _ in range(1500):
        raw = "".join(dice.choice(pieces) for _ in range(dice.randint(0, 25)))
        letters = "".join(char for char in readable(raw) if char.isalpha())
        assert letters.count("word") >= raw.count("word")


@pytest.mark.parametrize(
    "unit", ["{", "}", "{}", "$", "\\", "*a", "_a ", r"\(", "a^{", r"\cite[", r"\textbf{", "~", "-"]
)
def test_malformed_text_is_read_in_linear_time(unit: str) -> None:
    start = time.process_time()
    readable(unit * (20_000 // len(unit)))
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (r"a rate of $\tfrac12$ and \tfrac{1}{2}, $\dfrac34$", "a rate of 1/2 and 1/2, 3/4"),
        (r"$\cfrac{1}{x+1}$ or \nicefrac{3}{8}", "1/(x+1) or 3/8"),
        (r"$x^\frac12$ and $x_\frac{1}{2}$", "x^(1/2) and x_(1/2)"),
        (r"$\sim$20k, $\approx$5k and $<$5", "∼20k, ≈5k and <5"),
        ("costs $5 to $10", "costs $5 to $10"),
        (r"\SI{5}{\kilo\metre} at \qty{3}{\metre\per\second}", "5 km at 3 m/s"),
        (r"\SI{10}{\percent} of \SIrange{1}{5}{\giga\byte}, \num{12000}", "10% of 1–5 GB, 12000"),
        (r"$O(n\log n)$ and $\sqrt{T\log K}$", "O(n log n) and √(T log K)"),
        (r"$\log n$ and \logic", "log n and logic"),
        (r"$5\frac12$ or 5\tfrac{1}{2}", "5 1/2 or 5 1/2"),
        (r"$1/\frac12$", "1/(1/2)"),
        (r"\textcolor{red}{12} and {\color{blue} 3}", "12 and 3"),
    ],
)
def test_what_the_parser_does_not_know_reads_right(raw: str, shown: str) -> None:
    assert readable(raw) == shown
