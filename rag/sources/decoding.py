"""Bytes of a file in, text and what had to be repaired out."""

from __future__ import annotations

import codecs
import re

from rag.errors import UnknownFormat
from rag.sources.encodings import guessed_encoding as guessed_encoding

_MAGIC = {
    b"%PDF": "a PDF",
    b"PK\x05\x06": "an empty zip archive",
    b"PK\x03\x04": "a zip archive or office document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-zip archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"SQLite format 3": "an SQLite database",
    b"\xd0\xcf\x11\xe0": "an old office document",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAX_CONTROL_SHARE = 0.02
_SURROGATES = re.compile("[\ud800-\udfff]")
_SURROGATE_BYTES = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
_SAMPLE = 65536
_WIDE, _MANY_ZEROS, _FEW_ZEROS = 2000, 0.6, 0.05


def decode(data: bytes) -> tuple[str, list[str]]:
    """Return the text of `data` with `\\n` line ends, and a sentence for each repair.

    Raises UnknownFormat where `data` is not text.
    """
    refuse_binary(data[:_SAMPLE])
    notices: list[str] = []
    text = _characters(data, notices)
    text, surrogates = _SURROGATES.subn("", text)
    if surrogates:
        notices.append(f"{surrogates} lone surrogates removed")
    nuls = text.count("\x00")
    if nuls:
        notices.append(f"{nuls} NUL characters removed")
    return text.replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n"), notices


def sample(head: bytes) -> str:
    """Return the first bytes of a file as text, well enough to tell its format; never raises."""
    return head.decode(_by_mark(head) or "utf-8", "replace").lstrip("\ufeff")


def refuse_binary(head: bytes) -> None:
    """Raise UnknownFormat if the first bytes of a file are those of something other than text."""
    kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "")
    if kind:
        raise UnknownFormat(f"not text but {kind}.", hint="Give a text file of abstracts.")
    if _by_mark(head):
        return
    if len(_CONTROL.findall(head)) > max(8, len(head) * _MAX_CONTROL_SHARE):
        raise UnknownFormat("not text: it holds binary data.", hint="Give a text file of abstracts.")


def _characters(data: bytes, notices: list[str]) -> str:
    encoding = _by_mark(data) or "utf-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        pass
    if encoding != "utf-8" and encoding != "utf-8-sig":
        notices.append(f"damaged {encoding.upper()}; what could not be read is shown as �")
        return data.decode(encoding, "replace")
    without, surrogates = _SURROGATE_BYTES.subn(b"", data)
    try:
        text = without.decode(encoding)
    except UnicodeDecodeError:
        return _guessed(data, notices)
    notices.append(f"{surrogates} lone surrogates removed")
    return text


def _by_mark(data: bytes) -> str:
    """Return the encoding that a mark at the start tells, or the zeros of UTF-16 without one; else ""."""
    marked = next((encoding for bom, encoding in _BOMS if data.startswith(bom)), "")
    if marked or len(data) < 4:
        return marked
    even, odd = data[:_WIDE:2], data[1:_WIDE:2]
    zeros_even, zeros_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if zeros_odd > _MANY_ZEROS and zeros_even < _FEW_ZEROS:
        return "utf-16-le"
    return "utf-16-be" if zeros_even > _MANY_ZEROS and zeros_odd < _FEW_ZEROS else ""


def is_wide(head: bytes) -> bool:
    """Tell whether a file begins as one with two or four bytes to a character."""
    return _by_mark(head).startswith(("utf-16", "utf-32"))


def _guessed(data: bytes, notices: list[str]) -> str:
    """Decode text that is not UTF-8: a few bad bytes are marked, another encoding is guessed."""
    marked = data.decode("utf-8", "replace")
    bad = marked.count("\ufffd")
    beyond_ascii = sum(char > "\x7f" for char in marked)
    if bad and beyond_ascii >= 10 * bad:
        notices.append(f"{bad} bytes are not UTF-8; shown as �")
        return marked
    encoding = guessed_encoding(data)
    notices.append(f"not UTF-8; read as {encoding}")
    return data.decode(encoding, "replace")
