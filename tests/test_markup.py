"""Tags, entities, invisible marks and damaged letters in abstracts."""

from __future__ import annotations

import pytest

from rag.resources import seeds
from rag.text.markup import plain


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<p>We <b>win</b> by 5.</p><p>Twice.</p>", " We win by 5.  Twice. "),
        (
            "<jats:sec><jats:title>Methods</jats:title><jats:p>We try.</jats:p></jats:sec>",
            "  Methods:  We try.  ",
        ),
        ("<jats:title>Abstract</jats:title><jats:p>We try.", " We try."),
        ("at 10<sup>-5</sup> of H<sub>2</sub>O", "at 10⁻⁵ of H₂O"),
        ("p &lt; 0.05 &amp; n &gt; 3, 5&#160;mm", "p < 0.05 & n > 3, 5\xa0mm"),
        ("&amp;lt;i&amp;gt;E. coli&amp;lt;/i&amp;gt;", "E. coli"),
        ("if a<b and c>d, List<int> stays", "if a<b and c>d, List<int> stays"),
        ("AT&T and R&D; &unknownname; stay", "AT&T and R&D; &unknownname; stay"),
        ("The eﬃcient ﬁlter ﬂows", "The efficient filter flows"),
        ("zero\u200bwidth, \u202ereversed\u202c, soft\u00adhyphen\ufeff", "zerowidth, reversed, softhyphen"),
        ("GÃ¶del and â€œquotesâ€\x9d", "Gödel and “quotes”"),
        ("Abstract: We try.", "We try."),
        ("ABSTRACT We try.", "We try."),
        ("Abstract algebra is hard.", "Abstract algebra is hard."),
        ("bell\x07 and \x1b[31mred", "bell and [31mred"),
    ],
)
def test_what_was_marked_up_reads_as_text(raw: str, text: str) -> None:
    assert plain(raw) == text


def test_clean_text_stays_as_it_is() -> None:
    for path in seeds().glob("*.txt"):
        for line in path.read_text("utf-8").splitlines():
            assert plain(line) == line
