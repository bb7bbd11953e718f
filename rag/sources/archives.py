"""A zip archive in, the files in it out, one after the other; nothing is ever written to a path."""

from __future__ import annotations

import stat
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from typing import BinaryIO

from rag.domain import Notice
from rag.errors import SourceError, UnknownFormat
from rag.sources.opening import (
    HEAD,
    MAX_BYTES,
    Source,
    buffered,
    source,
    suffix,
    within_ratio,
)

MAX_FILES = 10_000
MAX_TOTAL = 5 * MAX_BYTES
_MAGIC = b"PK\x03\x04"
_OFFICE = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF")
_PACKED = frozenset(".zip .gz .tgz .tar .bz2 .xz .7z .rar .zst .jar".split())
_PACKED_MAGIC = (_MAGIC, b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")
_ENCRYPTED = 0x1


def detects(source: Source) -> bool:
    """Tell whether a file begins as a zip archive does."""
    return source.head.startswith(_MAGIC)


def members(archive: Source) -> Iterator[Source | Notice]:
    """Yield each file of the archive as a source called `archive/member`, or a notice why it is left out.

    Raises SourceError for a damaged archive or one that is too large, UnknownFormat for an office document.
    """
    with archive.open() as stream:
        try:
            opened = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError) as error:
            raise SourceError(
                f"the zip archive is damaged ({error}).", hint="Fetch or pack it again."
            ) from error
        with opened:
            yield from _members(opened, archive.name)


def _members(opened: zipfile.ZipFile, name: str) -> Iterator[Source | Notice]:
    entries = [entry for entry in opened.infolist() if not entry.is_dir()]
    if any(entry.filename in _OFFICE for entry in entries):
        raise UnknownFormat(
            "an office document, not an archive of files.", hint="Save it as a table or as text."
        )
    if len(entries) > MAX_FILES:
        reason = f"{len(entries):,} files are more than the {MAX_FILES:,} an archive may hold."
        raise SourceError(reason, hint="Unpack it and give the folder.")
    given: Counter[str] = Counter()
    total = 0
    for entry in entries:
        inner = _plain(entry.filename)
        if _is_hidden(inner):
            continue
        given[inner] += 1
        label = f"{name}/{inner}" + (f" ({given[inner]})" if given[inner] > 1 else "")
        reason = _refusal(entry)
        if not reason:
            total += entry.file_size
            if total > MAX_TOTAL:
                reason = f"the archive unpacks to more than {MAX_TOTAL / 1e6:.0f} MB; the rest is not read"
        found = Notice(label, 0, reason, kind="unreadable") if reason else _looked_at(opened, entry, label)
        if found is not None:
            yield found


def _refusal(entry: zipfile.ZipInfo) -> str:
    """Return why a file in an archive is not read; "" if it may be."""
    if entry.flag_bits & _ENCRYPTED:
        return "it is encrypted; unpack the archive with its password"
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "it is a link, which is not followed"
    if suffix(entry.filename) in _PACKED or entry.filename.lower().endswith(".gz"):
        return "an archive in an archive is not opened; unpack it first"
    if entry.file_size > MAX_BYTES:
        return f"{entry.file_size / 1e6:.0f} MB are more than the {MAX_BYTES / 1e6:.0f} MB a file may have"
    return ""


def _looked_at(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, label: str) -> Source | Notice | None:
    """Return a file of the archive with its beginning read; None if it is empty."""
    faults: list[str] = []
    open_ = _opener(opened, entry, faults)
    with open_() as stream:
        head = stream.read(HEAD)
    if not head and faults:
        return Notice(label, 0, f"damaged: {faults[0]}", kind="unreadable")
    if head.startswith(_PACKED_MAGIC):
        return Notice(label, 0, "an archive in an archive is not opened; unpack it first", kind="unreadable")
    if not head:
        return None
    found = source(label, head, entry.file_size, open_)
    return Source(found.name, found.suffix, found.size, found.head, found.sample, open_, faults)


def _opener(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, faults: list[str]) -> Callable[[], BinaryIO]:
    return lambda: buffered(_blocks(opened, entry), faults)


def _blocks(opened: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield the content of a file block by block, no more of it than the archive promised."""
    given = 0
    with opened.open(entry) as stream:
        while block := stream.read(HEAD):
            given += len(block)
            within_ratio(given, entry.compress_size)
            yield block


def _plain(name: str) -> str:
    """Return the name of a file in an archive without what leads out of it; it is only ever shown."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(parts)[-200:] or "unnamed"


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in name.split("/"))
