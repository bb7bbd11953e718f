"""LaTeX and Markdown marks in an abstract in, readable Unicode out; what is not a mark stays as it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from rag.text.latex_plain import plain

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

MAX_DEPTH = 25
MAX_FORMULA = 600

# Characters that mean something to a TeX parser but are literal here travel as Unicode noncharacters,
# which no text may hold, and are put back at the end.
_LITERAL = "\\{}$%&#~^_*`'-[]"
_STAND_IN = {char: chr(0xFDD0 + i) for i, char in enumerate(_LITERAL)}
_OPEN, _CLOSE = chr(0xFDD0 + len(_LITERAL)), chr(0xFDD1 + len(_LITERAL))
_PROTECT = str.maketrans(_STAND_IN)
_RESTORE = str.maketrans({stand_in: char for char, stand_in in _STAND_IN.items()} | {_OPEN: "(", _CLOSE: ")"})
_NONCHARACTERS = re.compile("[\ufdd0-\ufdef]")

_SUPERSCRIPT = str.maketrans("0123456789+-−=()ni∘′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ°′")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_RAISED = re.compile(r"[0-9+\-−=()ni∘′]+")
_LOWERED = re.compile(r"[0-9+\-−=()]+")

_SPACE = re.compile(r"\s+")
_MARKS = re.compile(r"[\\$^{}*_`~]|--")
_URL = re.compile(r"https?://[^\s{}\\]+")
_CITATION = re.compile(r"[\s~]?\\(?:[Cc]ite\w{0,12}|label|nocite)\*?(?:\[[^\[\]{}]{0,200}\]){0,2}\{[^{}]*\}")
_LINK = re.compile(r"\\url\{([^{}]*)\}")
_HREF = re.compile(r"\\href\{[^{}]*\}\s?(?=\{)")
_ENVIRONMENT = re.compile(r"\\(?:begin|end)\{[^{}]*\}|\\item(?![A-Za-z])")
_FOOTNOTE = re.compile(r"\\footnote\{([^{}]*)\}")
_ENDS_IN_WORD = re.compile(r"\\[A-Za-z]+$")
_DOLLARS = re.compile(r"\\.|\$\$?|\\$")
_BRACES = re.compile(r"\\.|[{}]")
_SCRIPT_BRACE = re.compile(r"([\^_])\s?$")
_SCRIPT_GROUP = re.compile(rf"([\^_]){_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_SCRIPT_DIGIT = re.compile(r"([\^_])([0-9∘′])")
_PLAIN_POWER = re.compile(r"(?<=[\w)\]])\^(?:\{([0-9+\-−ni]{1,12})\}|(-?[0-9]{1,12}))")
_BOLD = re.compile(r"(?<![\w*])(\*\*|__)(?=[\w\"“'‘(\[$\\])((?:(?!\1)[^\n]){1,300})(?<=[^\s*_])\1(?![\w*])")
_STARRED = re.compile(r"(?<![\w*\\^])\*(?=[\w\"“'‘$\\])([^*\n]{1,300})(?<=[\w.!?\"”'’)$}%])\*(?![\w*])")
_UNDERLINED = re.compile(r"(?<![\w_\\])_(?=[^\W_])([^_\n]{1,300})(?<=[^\W_])_(?![\w_])")
_WORD = re.compile(r"\\([A-Za-z]+)(\*?)")
_BRACE_SIGNS = {"textbraceleft": "{", "textbraceright": "}"}
_TIE = re.compile(r"(?<=[\w.,)}\]])~(?=[\w\\(\[$])")
_ACCENT = re.compile(r"\\([\"'`^~=.])(?:\{\s?(\\?[A-Za-z])\s?\}|(\\?[A-Za-z])|)")
_COMBINING = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307"
}  # fmt: skip
_DASHES = (
    (re.compile(r"(?<!-)---(?!-)"), "—"),
    (re.compile(r"(?<=[\w)\]}”’\".,%])--(?=[\w(\[{$\\“\"])"), "–"),
    (re.compile(r"(?<= )--(?= )"), "–"),
)
_FORMULA_MARK = re.compile(r"\\[A-Za-z,;!|{]|[\^_{}=<>≤≥±×≈∈+/|]")
_PROSE_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{3,}")

# Words that only shape the page.
_SILENT = frozenset(
    """
    left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr middle limits nolimits
    displaystyle textstyle scriptstyle bf it em sl tt rm sc sf bfseries itshape slshape ttfamily rmfamily
    sffamily scshape mdseries upshape normalfont normalsize tiny scriptsize footnotesize small large Large
    LARGE huge Huge centering noindent protect xspace hfill vfill newline linebreak par smallskip medskip
    bigskip boldmath relax null strut phantom allowbreak nobreak
    """.split()
)

# Words whose argument the parser changes; of any other word with an argument, the argument is shown as it is.
_TAKES_ARGUMENT = frozenset(
    """
    textbf textit emph textsc textsl textrm textsf textup mathrm mathbf mathit mathsf mathtt mathcal
    mathbb mathfrak mathscr text frac sqrt hat tilde bar vec dot ddot acute grave
    check breve c H k v u r d b
    """.split()
)
# Letters that carry each accent in names people write; `\"word\"` is a quotation.
_ACCENTED = {
    '"': "aeiouy", "'": "aeiouycnszrlg", "`": "aeiou", "^": "aeioucghjs", "~": "anoiu", "=": "aeiou",
    ".": "zceg",
}  # fmt: skip


class _Formula(NamedTuple):
    start: int
    end: int
    content: str


def readable(raw: str) -> str:
    """Return `raw` as plain Unicode text on one line, without its LaTeX and Markdown marks.

    Never raises; what cannot be understood stays in the text. A `%` or `$` of plain prose is kept.
    """
    text = _SPACE.sub(" ", _NONCHARACTERS.sub("", raw)).strip()
    if not _MARKS.search(text):
        return text
    has_commands = "\\" in text
    text = plain(_citations_dropped(text))
    text = _URL.sub(lambda m: m[0].translate(_PROTECT), text)
    text = _LINK.sub(lambda m: m[1].translate(_PROTECT), text)
    text = _formulas_replaced(text)
    text = _markdown_dropped(text)
    text = _PLAIN_POWER.sub(lambda m: (m[1] or m[2]).translate(_SUPERSCRIPT), text)
    text = _decoded(_prose(text, has_commands)).translate(_RESTORE)
    return _SPACE.sub(" ", text).strip()


def _citations_dropped(text: str) -> str:
    text = _CITATION.sub("", text)
    text = _ENVIRONMENT.sub(" ", _HREF.sub("", text))
    return _FOOTNOTE.sub(r" (\1)", text)


def _formulas_replaced(text: str) -> str:
    pieces, at = [], 0
    for formula in _formulas(text):
        pieces += [text[at : formula.start], _formula(formula.content)]
        at = formula.end
    pieces.append(text[at:])
    return "".join(pieces)


def _formulas(text: str) -> Iterator[_Formula]:
    """Yield the formulas between dollars or `\\(`, `\\[`; amounts of money are not formulas."""
    opened: re.Match[str] | None = None
    for mark in _DOLLARS.finditer(text):
        if mark[0] in ("\\(", "\\["):
            opened = mark
        elif mark[0] in ("\\)", "\\]"):
            if opened and opened[0] == {"\\)": "\\(", "\\]": "\\["}[mark[0]]:
                yield _Formula(opened.start(), mark.end(), text[opened.end() : mark.start()])
            opened = None
        elif mark[0].startswith("$"):
            if opened and opened[0] == mark[0] and _is_formula(text, opened.end(), mark.start(), mark.end()):
                yield _Formula(opened.start(), mark.end(), text[opened.end() : mark.start()])
                opened = None
            elif not (opened and opened[0].startswith("\\")):
                opened = mark


def _is_formula(text: str, start: int, end: int, after: int) -> bool:
    content = text[start:end].strip()
    if not content or end - start > MAX_FORMULA:
        return False
    if text[after : after + 1].isdigit():
        # "$\sim$20k" is no money: nothing in it could be an amount.
        return content.startswith("\\") or not any(char.isalnum() for char in content)
    if " " not in content:
        return True
    if not _FORMULA_MARK.search(content):
        return not _PROSE_WORD.search(content) and text[start] != " " and text[end - 1] != " "
    plain_words = len(_PROSE_WORD.findall(content))
    return plain_words < 2 or "\\" in content or "{" in content


def _formula(content: str) -> str:
    shown = _decoded(_nouns(_balanced(_scripts_marked(content)), content))
    while _SCRIPT_GROUP.search(shown):
        shown = _SCRIPT_GROUP.sub(lambda m: _script(m[1], m[2]), shown)
    shown = _SCRIPT_DIGIT.sub(lambda m: _script(m[1], m[2]), shown)
    return _SPACE.sub(" ", shown).strip().translate(_PROTECT)


def _script(mark: str, content: str) -> str:
    content = content.strip()
    pattern, table = (_RAISED, _SUPERSCRIPT) if mark == "^" else (_LOWERED, _SUBSCRIPT)
    if pattern.fullmatch(content):
        return content.translate(table)
    bracketed = len(content) > 1 and not content.isalnum()
    return f"{_STAND_IN[mark]}({content})" if bracketed else _STAND_IN[mark] + content


def _scripts_marked(content: str) -> str:
    """Replace the braces of `^{…}` and `_{…}` by stand-ins that survive the parser."""
    pieces: list[str] = []
    open_braces: list[bool] = []
    at = 0
    for brace in _BRACES.finditer(content):
        pieces.append(content[at : brace.start()])
        at = brace.end()
        if brace[0] == "{":
            open_braces.append(bool(pieces[-1] and _SCRIPT_BRACE.search(pieces[-1][-2:])))
            pieces.append(_OPEN if open_braces[-1] else "{")
        elif brace[0] == "}" and open_braces:
            pieces.append(_CLOSE if open_braces.pop() else "}")
        else:
            pieces.append(brace[0])
    return "".join(pieces) + content[at:]


def _markdown_dropped(text: str) -> str:
    text = _BOLD.sub(r"\2", text)
    text = _STARRED.sub(r"\1", text)
    return _UNDERLINED.sub(r"\1", text)


def _prose(text: str, has_commands: bool) -> str:
    """Prepare text outside formulas for the parser: literal characters protected, words known."""
    text = _ACCENT.sub(_accented, text)
    if "``" in text:
        text = text.replace("``", "“").replace("''", "”")
    for pattern, dash in _DASHES:
        text = pattern.sub(dash, text)
    text = _TIE.sub(_tied, text)
    if not has_commands:
        return text.translate(_PROTECT)
    text = _nouns(text, text)
    text = re.sub(r"(?<!\\)[%&#~$^_*]|[`'\[\]]|--+", lambda m: m[0].translate(_PROTECT), text)
    text = re.sub(r"\\([%&#$_{}~^*`'\"\-\[\]])", lambda m: m[1].translate(_PROTECT), text)
    text = re.sub(r"\\(?:\\|(?=\s))", " ", text)
    return _balanced(re.sub(r"\\(?=[^A-Za-z,;!|/]|$)", _STAND_IN["\\"], text))


def _tied(match: re.Match[str]) -> str:
    around = match.string[match.start() - 1] + match.string[match.end()]
    return match[0] if around.isdigit() else " "


def _accented(match: re.Match[str]) -> str:
    letter = (match[2] or match[3] or "").lstrip("\\")
    joined = unicodedata.normalize("NFC", letter + _COMBINING[match[1]])
    if letter and letter.lower() in _ACCENTED[match[1]] and len(joined) == 1:
        return joined
    return match[0]


def _nouns(text: str, whole: str) -> str:
    """Spell out control words no LaTeX package defines: `\\Engine` reads as a name."""
    text = text.replace("\\\\", " ")
    spoken = cache(lambda name: _spoken(name, whole))

    def spelled(match: re.Match[str]) -> str:
        name, end = match[1], match.end()
        following = text[end : end + 1]
        if name in _SILENT:
            return ""
        if _known(name):
            return match[0] + "{}" if following.isspace() and name not in _TAKES_ARGUMENT else match[0]
        if re.match(r"[^\W_]|:", text[match.start() - 1 : match.start()]):
            return _STAND_IN["\\"] + name
        if following == "{" and text[end : end + 2] != "{}":
            return ""
        return spoken(name)

    return _WORD.sub(spelled, text)


def _spoken(name: str, whole: str) -> str:
    """Return how an undefined control word reads: in capitals where the text spells it so."""
    capitals = name.upper()
    if re.search(rf"(?<![A-Za-z\\]){capitals}(?![A-Za-z])", whole):
        return capitals
    bold = "".join(re.findall(r"\\(?:textbf|mathbf|underline|textit|emph)\{([A-Za-z]{1,3})\}", whole))
    return capitals if bold.upper() == capitals else name


def _balanced(text: str) -> str:
    """Drop braces without a partner, and those nested deeper than any real text."""
    pieces, at, depth = [], 0, 0
    partners = _partners(text)
    for brace in _BRACES.finditer(text):
        if len(brace[0]) == 2:
            continue
        pieces.append(text[at : brace.start()])
        at = brace.end()
        depth -= brace[0] == "}" and brace.start() in partners
        if brace.start() in partners and depth < MAX_DEPTH:
            pieces.append(brace[0])
        elif _ENDS_IN_WORD.search(pieces[-1][-40:]):
            pieces.append(" ")
        depth += brace[0] == "{" and brace.start() in partners
    return "".join(pieces) + text[at:]


def _partners(text: str) -> set[int]:
    partners: set[int] = set()
    opened: list[int] = []
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            partners |= {opened.pop(), brace.start()}
    return partners


def _decoded(text: str) -> str:
    if "\\" not in text and "{" not in text:
        return text
    try:
        return str(_decoder().latex_to_text(text))
    except (ValueError, IndexError, KeyError, AttributeError, TypeError, RecursionError):
        return re.sub(r"\\([A-Za-z]+) ?|[{}]", "", text)


@cache
def _decoder() -> LatexNodes2Text:
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

    context = get_default_latex_context_db()
    specs = [MacroTextSpec("frac", simplify_repl=_fraction), MacroTextSpec("sqrt", simplify_repl=_root)]
    specs += [MacroTextSpec(name, simplify_repl=sign) for name, sign in _BRACE_SIGNS.items()]
    context.add_context_category("readable", prepend=True, macros=specs)
    return LatexNodes2Text(math_mode="text", keep_comments=True, latex_context=context)


def _arguments(node: Any, l2tobj: Any) -> list[str]:
    found = node.nodeargd.argnlist if node.nodeargd and node.nodeargd.argnlist else []
    return [l2tobj.nodelist_to_text([argument]).strip() if argument else "" for argument in found]


def _fraction(node: Any, l2tobj: Any) -> str:
    return "/".join(_grouped(part) for part in _arguments(node, l2tobj))


def _root(node: Any, l2tobj: Any) -> str:
    arguments = _arguments(node, l2tobj)
    sign = {"3": "∛", "4": "∜"}.get(arguments[0], "√") if len(arguments) > 1 else "√"
    return sign + (_grouped(arguments[-1]) if arguments else "")


def _grouped(part: str) -> str:
    return part if len(part) <= 1 or part.isalnum() else f"({part})"


@cache
def _known(name: str) -> bool:
    """Tell whether the parser can be trusted with a control word: a plain sign, or in `_TAKES_ARGUMENT`."""
    return name in _TAKES_ARGUMENT or name in _BRACE_SIGNS or name in _signs()


@cache
def _signs() -> frozenset[str]:
    from pylatexenc.latex2text import get_default_latex_context_db
    from pylatexenc.latexwalker import get_default_latex_context_db as get_default_parser_db

    parser_knows = get_default_parser_db().get_macro_spec
    specs = get_default_latex_context_db().iter_macro_specs()
    return frozenset(
        spec.macroname
        for spec in specs
        if isinstance(spec.simplify_repl, str)
        and "%" not in spec.simplify_repl
        and not parser_knows(spec.macroname)
    )
