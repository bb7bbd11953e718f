"""The commands of a chat: a line as typed comes in, what it asks for is done.

A command is a function and a line in COMMANDS; whatever is no command is a question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain

from rag.cli.chatting.talk import Talk
from rag.cli.chatting.typed import words_of
from rag.cli.session import note
from rag.counting import counted
from rag.domain import Paper
from rag.errors import RagError, UnknownPaper, UsageError
from rag.outputs.printable import one_line
from rag.outputs.terminal import Line, hit_lines, paper_lines, print_table, reference_lines, where
from rag.settings import closest

_LISTED = 50
_FOUND = 10
# Typed by people who want to leave; as questions they would only cost money.
_LEAVING = frozenset({"quit", "exit", "bye", "q", ":q", "help", "?"})
_KEYS = (
    ("Esc Enter", "a new line in the question; so does \\ at the end of a line"),
    ("Tab", "complete a command or the name of a paper"),
    ("Ctrl-C", "stop an answer, or empty the line"),
    ("Ctrl-D", "leave"),
)


class Leave(Exception):
    """Whoever chats wants to leave."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does with what stands behind it, what may stand there, and its line in /help."""

    run: Callable[[Talk, str], None]
    takes: str
    help: str
    names_papers: bool = False


def take(talk: Talk, line: str) -> None:
    """Carry out a command, or answer a question.

    Raises Leave to end the chat, UsageError for a command that is none, RagError where one fails.
    """
    line = line.strip()
    if line.casefold() in _LEAVING:
        raise UsageError(f"{line!r} is not asked as a question", hint="/quit or Ctrl-D leaves, /help helps.")
    if not line.startswith("/"):
        talk.ask(line)
        return
    name, rest = [*line.split(maxsplit=1), ""][:2]
    if name.lower() not in COMMANDS:
        near = closest(name.lower(), COMMANDS)
        raise UsageError(f"there is no command {one_line(name, 40)}.{near}", hint="/help lists them.")
    COMMANDS[name.lower()].run(talk, rest.strip())


def limit_of(talk: Talk) -> str:
    """Say in a few words what the chat is limited to, "" if to nothing."""
    if not talk.only:
        return ""
    return one_line(talk.only[0].name, 30) if len(talk.only) == 1 else f"{len(talk.only)} papers"


def _compare(talk: Talk, rest: str) -> None:
    words = words_of(rest)
    if len(words) < 2:
        raise UsageError(
            "there is nothing to compare", hint='Name two papers or more: /compare A B "name with spaces"'
        )
    # A number stands for a reference of the last answer; names are looked up where they are compared.
    names = [talk.referred(word).name if _is_number(word) else word for word in words]
    talk.compare(f"/compare {rest}", names)


def _summarize(talk: Talk, rest: str) -> None:
    talk.summarize(f"/summarize {rest}".strip(), rest)


def _papers(talk: Talk, rest: str) -> None:
    if rest:
        hits = talk.finding.search(rest, _FOUND)
        talk.show(hit_lines(hits))
        if not hits:
            note("nothing found")
        return
    from rag.cli.papers import COLUMNS, LAYOUT, paper_rows

    papers = talk.finding.papers()
    print_table(COLUMNS, paper_rows(papers[:_LISTED]), talk.stream, LAYOUT)
    more = len(papers) - _LISTED
    rest = f", {more} of them not shown; /papers WORDS searches" if more > 0 else ""
    note(counted(len(papers), "paper") + rest)


def _show(talk: Talk, rest: str) -> None:
    if not rest:
        raise UsageError("there is no paper to show", hint="Give a number or a name: /show 2, /show EVA-0")
    paper = talk.referred(" ".join(words_of(rest)))
    quoted = _quoted_of(talk, paper)
    talk.show(paper_lines(paper, quoted))
    if not paper.text:
        note("It is no longer in the library; its abstract is not kept.")
    elif talk.last is not None and not quoted:
        note("The answers so far quote nothing of it.")


def _only(talk: Talk, rest: str) -> None:
    if not rest:
        note("All papers again." if talk.only else "Nothing to lift: all papers are asked.")
        talk.only = ()
        return
    papers = {paper.id: paper for paper in _named(talk, rest)}
    talk.only = tuple(papers.values())
    talk.show([Line("Asked from now on:", "heading"), *(Line(f"- {where(p)}", indent=2) for p in talk.only)])
    note("/only alone lifts this.")


def _sources(talk: Talk, rest: str) -> None:
    if talk.last is None or not (talk.last.references or talk.last.hits):
        raise UsageError("there are no sources to show yet", hint="Ask something first.")
    lines = list(reference_lines(talk.last))
    talk.show(lines[1:] or [Line("The last answer cites nothing.")])


def _export(talk: Talk, rest: str) -> None:
    from rag.outputs.conversation import FORMATS, format_of, write_new
    from rag.outputs.files import file_named

    if not rest:
        raise UsageError("there is no file to write to", hint="Name one: /export talk.md (or .html, .json)")
    if not talk.turns:
        raise UsageError("there is nothing to save yet", hint="Ask something first.")
    name = " ".join(words_of(rest)) if rest.startswith(('"', "“")) else rest
    path = file_named(name).expanduser()
    text = FORMATS[format_of(name)](talk.keeper.conversation, talk.turns)
    write_new(path, text, again=path in talk.written)
    talk.written.add(path)
    note(f"{counted(len(talk.turns), 'turn')} written to {path}")


def _new(talk: Talk, rest: str) -> None:
    lifted = ", and all papers are asked again" if talk.only else ""
    talk.begin_anew()
    note(f"A new conversation: what was said before is not looked back on{lifted}.")


def _help(talk: Talk, rest: str) -> None:
    rows = [(f"{name} {command.takes}".rstrip(), command.help) for name, command in COMMANDS.items()]
    width = max(len(left) for left, _ in rows) + 2
    talk.show(
        [
            Line("Whatever does not begin with / is a question. It may refer to what was said before."),
            Line(),
            *(Line(f"{left:<{width}}{right}", indent=2, hang=width) for left, right in rows),
            Line(),
            *(Line(f"{key:<{width}}{right}", indent=2, hang=width) for key, right in _KEYS),
        ]
    )


def _quit(talk: Talk, rest: str) -> None:
    raise Leave


COMMANDS: Mapping[str, Command] = {
    "/compare": Command(_compare, "A B [C…]", "compare papers; a name with spaces in quotes", True),
    "/summarize": Command(_summarize, "[TOPIC]", "an overview of a topic, or of all papers"),
    "/papers": Command(_papers, "[WORDS]", "list the papers, or search them"),
    "/show": Command(_show, "2 or A", "a paper whole, with what was quoted of it marked", True),
    "/only": Command(_only, "[A B…]", "ask these papers alone; without names, all again", True),
    "/sources": Command(_sources, "", "the references of the last answer, with quotations"),
    "/export": Command(_export, "FILE", "save the conversation: .md, .html or .json"),
    "/new": Command(_new, "", "begin a new conversation"),
    "/help": Command(_help, "", "show this"),
    "/quit": Command(_quit, "", "leave"),
}


def _is_number(word: str) -> bool:
    bare = word.removeprefix("[").removesuffix("]")
    return bare.isascii() and bare.isdigit()


def _named(talk: Talk, rest: str) -> list[Paper]:
    """Return the papers named; a name of several words may stand alone without quotes."""
    words = words_of(rest)
    try:
        return [talk.referred(word) for word in words]
    except UnknownPaper:
        if len(words) > 1 and '"' not in rest:
            try:
                return [talk.finding.paper(rest)]
            except RagError:
                pass
        raise


def _quoted_of(talk: Talk, paper: Paper) -> set[tuple[int, int]]:
    """Return where what the answers so far quote of a paper stands in it."""
    sentences = chain.from_iterable(turn.answer.sentences for turn in talk.turns)
    cited = (c for sentence in sentences for c in sentence.citations if c.paper_id == paper.id)
    # An answer that was kept may quote from an older copy of the paper.
    return {(c.start, c.end) for c in cited if c.quote and paper.text[c.start : c.end] == c.quote}
