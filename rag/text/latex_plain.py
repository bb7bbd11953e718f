"""LaTeX in, LaTeX that a plain parser reads right out: fractions, names of functions, units."""

from __future__ import annotations

import re

_FRACTION = re.compile(r"\\(?:[tdcsx]|nice)frac(?![A-Za-z])")
_PART = r"\s?(?:\{[^{}]{0,80}\}|[A-Za-z0-9])"
_RAISED_FRACTION = re.compile(rf"(?P<mark>[\^_])\s?(?P<fraction>\\frac{_PART}{_PART})")
_DIVIDED_BY_FRACTION = re.compile(rf"/\s?(?P<fraction>\\frac{_PART}{_PART})")
# "5\frac12" is five and a half, no fraction of 51.
_MIXED = re.compile(r"(?<=\d)(?=\\frac(?![A-Za-z]))")
_COLOUR = re.compile(r"\\(?:textcolor|color)\s?(?:\[[^\[\]{}]{0,40}\])?\{[^{}]{0,80}\}")
_FUNCTION = re.compile(
    r"(?<=[\w)\]}])\s?(?=\\(?:log|ln|lg|exp|sin|cos|tan|tanh|cosh|sinh|max|min|sup|inf|arg|lim|det|dim|gcd|Pr)"
    r"(?![A-Za-z]))"
)
_GIVEN = r"(?:\[[^\[\]{}]{0,80}\])?"
_IN_BRACES = r"\{([^{}]{0,80})\}"
_QUANTITY = re.compile(rf"\\(?:SI|qty){_GIVEN}{_IN_BRACES}{_IN_BRACES}")
_RANGE = re.compile(rf"\\(?:SIrange|qtyrange){_GIVEN}{_IN_BRACES}{_IN_BRACES}{_IN_BRACES}")
_UNIT = re.compile(rf"\\(?:si|unit){_GIVEN}{_IN_BRACES}")
_NUMBER = re.compile(rf"\\num{_GIVEN}{_IN_BRACES}")
_UNIT_WORD = re.compile(r"\\([A-Za-z]+)\s?")
# Prefixes and units as the package siunitx calls them.
_SIGNS = dict(
    pair.split("=")
    for pair in (
        "nano=n micro=µ milli=m centi=c deci=d kilo=k mega=M giga=G tera=T peta=P per=/ squared=² cubed=³"
        " square= cubic= metre=m meter=m second=s gram=g hertz=Hz byte=B bit=bit percent=% watt=W joule=J"
        " volt=V ampere=A kelvin=K celsius=°C degreeCelsius=°C degree=° hour=h minute=min day=d litre=L"
        " liter=L newton=N pascal=Pa mole=mol electronvolt=eV decibel=dB ohm=Ω tesla=T"
    ).split(" ")
)


def plain(text: str) -> str:
    """Return LaTeX without what its parser does not know or would run together."""
    if "\\" not in text:
        return text
    text = _COLOUR.sub("", text)
    text = _RANGE.sub(lambda m: f"{m[1]}–{m[2]} {_unit(m[3])}", text)
    text = _QUANTITY.sub(lambda m: f"{m[1]}{_gap(m[2])}{_unit(m[2])}", text)
    text = _UNIT.sub(lambda m: _unit(m[1]), text)
    text = _NUMBER.sub(r"\1", text)
    text = _FRACTION.sub(r"\\frac", text)
    text = _DIVIDED_BY_FRACTION.sub(r"/(\g<fraction>)", _MIXED.sub(" ", text))
    text = _RAISED_FRACTION.sub(r"\g<mark>{\g<fraction>}", text)
    return _FUNCTION.sub(" ", text)


def _unit(words: str) -> str:
    """Return a unit in signs: `\\kilo\\metre` is km; what is not known stays as its name."""
    return _UNIT_WORD.sub(lambda m: _SIGNS.get(m[1], m[1]), words).strip()


def _gap(unit: str) -> str:
    return "" if _unit(unit)[:1] in ("%", "°") else " "
