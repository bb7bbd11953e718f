"""Rules every page keeps: its HTML comes in, what breaks a rule goes out; and how far colours are apart."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

_VOID = {"meta", "link", "input", "br", "hr", "img"}
_FIELDS = {"input", "textarea", "select"}
_REFERS = ("for", "aria-describedby", "aria-labelledby", "aria-controls", "list")
_NAMED = {"a", "button"}


class _Reader(HTMLParser):
    """Collects what the rules ask about."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.refers: list[str] = []
        self.labels: set[str] = set()
        self.fields: list[dict[str, str]] = []
        self.headings: list[int] = []
        self.faults: list[str] = []
        self.open: list[tuple[str, dict[str, str], list[str]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.refers += [ref for name in _REFERS for ref in given.get(name, "").split()]
        if tag == "label":
            self.labels.add(given.get("for", ""))
        if tag in _FIELDS and given.get("type") not in ("hidden", "submit"):
            self.fields.append(given)
        if re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "script" and "src" not in given:
            self.faults.append("an inline script")
        if tag == "style" or "style" in given:
            self.faults.append(f"an inline style on <{tag}>")
        self.faults += [f"{name} on <{tag}>" for name in given if name.startswith("on")]
        for name in ("href", "src", "action"):
            if re.match(r"\s*(?:javascript|data|vbscript):", given.get(name, ""), re.I):
                self.faults.append(f"{name}={given[name]!r}")
        if tag not in _VOID:
            self.open.append((tag, given, []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not any(name == tag for name, _, _ in self.open):
            self.faults.append(f"</{tag}> closes nothing")
            return
        while self.open:
            name, given, words = self.open.pop()
            if self.open:
                self.open[-1][2].extend(words)
            if name in _NAMED and not (
                "".join(words).strip() or given.get("aria-label") or "tabindex" in given
            ):
                self.faults.append(f"<{name}> without a name")
            if name == tag:
                return
            self.faults.append(f"<{name}> is not closed before </{tag}>")

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self.open:
            self.open[-1][2].append(data)


def read(html: str) -> _Reader:
    """Read a page whole."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def faults(html: str) -> list[str]:
    """Return what is wrong with a page, in words."""
    page = read(html)
    found = list(page.faults)
    found += [f"the id {name} stands {n} times" for name, n in Counter(page.ids).items() if n > 1]
    found += [f"{name} is referred to and is not there" for name in page.refers if name not in page.ids]
    found += [
        f"a field without a label: {field}" for field in page.fields if not _labelled(field, page.labels)
    ]
    if page.headings[:1] != [1] or page.headings.count(1) != 1:
        found.append(f"headings begin {page.headings[:3]}")
    steps = zip(page.headings, page.headings[1:], strict=False)
    found += [f"h{one} is followed by h{two}" for one, two in steps if two > one + 1]
    if '<html lang="en">' not in html or not re.search(r"<title>[^<]+</title>", html):
        found.append("no language or no title")
    return found


def _labelled(field: dict[str, str], labels: set[str]) -> bool:
    return bool(field.get("aria-label")) or field.get("id", "") in labels


def contrast(one: str, two: str) -> float:
    """Return the contrast ratio of two colours `#rrggbb`, as WCAG 2 defines it."""
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = "".join(d * 2 for d in digits) if len(digits) == 3 else digits
    parts = [int(digits[n : n + 2], 16) / 255 for n in (0, 2, 4)]
    r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
