"""An answer as a page: an answer comes in, one self-contained HTML file without scripts goes out.

Pointing at a marker, or moving to it with Tab, shows the quote; following it leads into the abstract.
"""

from __future__ import annotations

from collections.abc import Iterator

from rag.counting import counted
from rag.domain import Answer, AnswerSentence, Citation, Hit, Quotation
from rag.outputs import reference_html, table_html
from rag.outputs.page import page, safe
from rag.outputs.parts import Part, by_marker, coverage_line, parts, understood, worst
from rag.outputs.printable import one_line
from rag.outputs.reference_html import Address, facts_html, named_html, place_of, references_html
from rag.outputs.table_html import flags_html, table_section
from rag.outputs.wording import ALSO_RELATED, NEAREST, NEAREST_SHOWN, STATUS

# How much of an abstract is shown of a paper that was only found near.
GLIMPSE = 220
NO_MODEL = "No language model was used."
EXTRACTIVE = "Answered with sentences quoted from the abstracts; no language model was used."
STYLE = """
.kicker { margin: 0 0 .25rem; color: var(--soft); font-size: .85rem; font-weight: 600; letter-spacing: .04em;
  text-transform: uppercase; }
.status { margin: 0 0 1.25rem; padding: .7rem 1rem; border-left: .3rem dashed var(--some); 
  background: var(--some-back); border-radius: .2rem; font-weight: 600; }
.status.not_found { border-left-style: double; border-color: var(--bad); background: var(--bad-back); }
.sentence { position: relative; margin: 0 0 .7rem; padding: .05rem 0; scroll-margin-top: 1rem; }
.sentence.partial, .sentence.unsupported { padding: .5rem .8rem; border-left: .3rem dashed var(--some);
  background: var(--some-back); border-radius: .2rem; }
.sentence.unsupported { border-left-style: double; border-color: var(--bad); background: var(--bad-back); }
.sentence:target { outline: 2px solid var(--focus); outline-offset: .3rem; border-radius: .2rem; }
.flag { display: block; color: var(--some); font-size: .9rem; font-weight: 600; }
.unsupported .flag { color: var(--bad); }
.cite > a { padding: .1rem .15rem; font-weight: 600; text-decoration: none; white-space: nowrap; }
.cite > a:hover, .cite > a:focus { text-decoration: underline; }
.quote { display: none; position: absolute; z-index: 1; left: 0; right: 0; top: 100%; padding: .7rem .9rem;
  color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .5rem;
  box-shadow: 0 .4rem 1.4rem var(--shade); font-size: .95rem; }
.cite:hover .quote, .cite:focus-within .quote { display: block; }
.quote b, .quote q { display: block; } .quote q + q { margin-top: .5rem; }
.near { margin: 0; padding: 0; list-style: none; }
.near li { margin: 0 0 .8rem; padding: .8rem 1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
.near p { margin: 0; }
.count { color: var(--soft); font-weight: 400; font-size: .9rem; }
.remarks { padding-left: 1.2rem; }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
footer p { margin: 0 0 .3rem; }
@media print { .quote { display: none !important; } .sentence { break-inside: avoid; }
  .near li { border: 0; padding: 0; } }
"""


ANSWER_STYLE = STYLE + table_html.STYLE + reference_html.STYLE


def answer_html(answer: Answer) -> str:
    """Return the page; everything from the question, the papers and the model is escaped."""
    title = one_line(answer.question, 120) or "Answer"
    return page(title, f"<main>\n{answer_body(answer)}\n</main>", ANSWER_STYLE)


def answer_body(answer: Answer, *, references: bool = True, address: Address | None = None) -> str:
    """Return what of a page is about one answer; its references may stand elsewhere on the page.

    `address` tells where a paper has a page of its own.
    """
    listed = references_html(answer, address) if references else ""
    return "\n".join(filter(None, _blocks(answer, listed, address)))


def _blocks(answer: Answer, references: str, address: Address | None) -> Iterator[str]:
    yield f'<header>\n<p class="kicker">{_kind(answer)}</p>\n<h1 dir="auto">{safe(answer.question)}</h1>'
    if understood(answer):
        yield f'<p class="soft">Understood as: {safe(understood(answer))}</p>'
    yield "</header>"
    if answer.status in STATUS:
        yield f'<p class="status {answer.status}">{STATUS[answer.status]}</p>'
    yield table_section(answer)
    for part in parts(answer):
        yield _part(part, answer)
    if answer.coverage is not None:
        yield f'<p class="soft">{coverage_line(answer.coverage)}</p>'
    yield _also_related(answer, address)
    yield references
    yield _nearest(answer, address)
    yield _footer(answer)


def _kind(answer: Answer) -> str:
    if answer.table is not None:
        return "Comparison"
    return "Question" if answer.coverage is None else "Overview"


def _part(part: Part, answer: Answer) -> str:
    count = f' <span class="count">{counted(part.papers, "paper")}</span>' if part.papers else ""
    heading = f'<h2 dir="auto">{safe(part.heading)}{count}</h2>\n' if part.heading else ""
    sentences = "\n".join(_sentence(number, sentence, answer) for number, sentence in part.sentences)
    return f"<section>\n{heading}{sentences}\n</section>"


def _sentence(number: int, sentence: AnswerSentence, answer: Answer) -> str:
    cited = by_marker(sentence.citations)
    marks = "".join(_marker(number, marker, some, answer) for marker, some in cited.items())
    return (
        f'<div class="sentence {worst(sentence)}" id="s{number}">{flags_html(sentence)}'
        f'<span dir="auto">{safe(sentence.text)}</span>{marks}</div>'
    )


def _marker(number: int, marker: int, cited: tuple[Citation, ...], answer: Answer) -> str:
    names = {reference.marker: reference.paper.name for reference in answer.references}
    quotes = "".join(f'<q dir="auto">{safe(quote)}</q>' for quote in dict.fromkeys(c.quote for c in cited))
    box = f"q{number}-{marker}"
    place = place_of(cited[0], answer)
    return (
        f'&nbsp;<span class="cite"><a href="#{place}" aria-describedby="{box}">[{marker}]</a>'
        f'<span class="quote" id="{box}" role="tooltip">'
        f"<b>{safe(names.get(marker, ''))}</b> {quotes}</span></span>"
    )


def _also_related(answer: Answer, address: Address | None) -> str:
    if not answer.also_related:
        return ""
    items = "\n".join(_related(related, address) for related in answer.also_related)
    return f'<section>\n<h2>{ALSO_RELATED}</h2>\n<ul class="near">\n{items}\n</ul>\n</section>'


def _related(related: Quotation, address: Address | None) -> str:
    return _near(named_html(related.paper, address), facts_html(related.paper), f"“{related.quote}”")


def _nearest(answer: Answer, address: Address | None) -> str:
    if answer.status != "not_found" or not answer.hits:
        return ""
    items = "\n".join(_hit(hit, address) for hit in answer.hits[:NEAREST_SHOWN])
    return f'<section>\n<h2>{NEAREST.rstrip(":")}</h2>\n<ul class="near">\n{items}\n</ul>\n</section>'


def _hit(hit: Hit, address: Address | None) -> str:
    return _near(named_html(hit.paper, address), facts_html(hit.paper), one_line(hit.paper.text, GLIMPSE))


def _near(name: str, facts: str, words: str) -> str:
    return (
        f'<li><p class="name" dir="auto">{name}</p>\n<p class="facts">{facts}</p>\n'
        f'<p class="abstract" dir="auto">{safe(words)}</p></li>'
    )


def _footer(answer: Answer) -> str:
    from rag.generate.pricing import told

    how = told(answer.engine, answer.usage) if answer.usage.calls else _without_calls(answer)
    remarks = "".join(f"<li>{safe(warning)}</li>" for warning in answer.warnings)
    listed = f'<p class="soft">Remarks:</p>\n<ul class="remarks soft">{remarks}</ul>\n' if remarks else ""
    return (
        f'<footer>\n{listed}<p class="soft">{safe(how)}</p>\n'
        f'<p class="soft">{counted(len(answer.hits), "paper")} looked at, '
        f"{len(answer.references)} cited. Made with askpapers.</p>\n</footer>"
    )


def _without_calls(answer: Answer) -> str:
    if answer.engine != "extractive":
        return f"{answer.engine}: no call was made"
    return EXTRACTIVE if answer.references else NO_MODEL
