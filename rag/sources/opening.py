"""A file on disk in, its bytes out: unpacked if it is gzipped, and never more of them than is allowed."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from rag.domain import Notice
from rag.errors import SourceError
from rag.sources.decoding import decode, sample

MAX_BYTES = 200 * 1024 * 1024
"""Most bytes of a file that is read as a whole."""
HEAD = 65536
# Text packs three to twenty times; what packs much better was made to fill a disk.
MAX_RATIO = 200
_RATIO_FROM = 8 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_BLOCK, _READ = 65536, 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read: `name` stands in the sources of its records, `open` gives its bytes from the start.

    `sample` is the beginning as text. A stream that breaks off ends early and says why in `faults`.
    """

    name: str
    suffix: str
    size: int
    head: bytes
    sample: str
    open: Callable[[], BinaryIO]
    faults: list[str] = field(default_factory=list)


def opened(path: Path, name: str) -> Source:
    """Return the file at `path` as a source, looked into if it is gzipped.

    Raises SourceError, calling it `name`, if it is no file, empty or not to be read.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise SourceError("a folder that cannot be opened.", source=name, hint="Check its permissions.")
        # Reading a pipe would wait for whoever writes into it, perhaps for ever.
        if not stat.S_ISREG(status.st_mode):
            raise SourceError("not a file.", source=name, hint="Give a file or a folder.")
        with path.open("rb") as file:
            head = file.read(HEAD)
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from error
    if not status.st_size:
        raise SourceError("the file is empty.", source=name, hint="Check that it was written to its end.")
    if head.startswith(_GZIP):
        return _unzipped(path, name, status.st_size)
    return source(name, head, status.st_size, lambda: path.open("rb"))


def source(name: str, head: bytes, size: int, open_: Callable[[], BinaryIO]) -> Source:
    """Return a source of which the first bytes are known."""
    return Source(name, suffix(name), size, head, sample(head), open_)


def suffix(name: str) -> str:
    """Return the lower-case ending of a file's name, without that of its packing."""
    plain = name[:-3] if name.lower().endswith(".gz") else name
    return PurePosixPath(plain).suffix.lower()


def read_all(source: Source) -> bytes:
    """Return all bytes of a source; raise SourceError if they are more than MAX_BYTES."""
    data = bytearray()
    with source.open() as stream:
        # A read of so many bytes at once would take their room before there are any.
        while block := stream.read(_READ):
            data += block
            if len(data) > MAX_BYTES:
                raise too_large(source.name, len(data))
    return bytes(data)


def text_of(source: Source) -> tuple[str, list[Notice]]:
    """Return the whole text of a source with `\\n` line ends, and a notice for each repair.

    Raises SourceError where it is too large, UnknownFormat where it is not text.
    """
    text, repairs = decode(read_all(source))
    return text, [Notice(source.name, 1, repair, skipped=False) for repair in repairs]


def too_large(name: str, size: int, most: int = MAX_BYTES) -> SourceError:
    """Return the error for a file of more than `most` bytes."""
    reason = f"{size / 1e6:.0f} MB is more than the {most / 1e6:.0f} MB a file may have."
    return SourceError(reason, source=name, hint="Split it into smaller files.")


def unreadable(name: str, error: OSError | ValueError) -> SourceError:
    """Return the error for a file that the system does not give."""
    reason = f"cannot be read ({getattr(error, 'strerror', None) or error})."
    return SourceError(reason, source=name, hint="Check its permissions.")


class Blocks(io.RawIOBase):
    """A stream of blocks of bytes that ends where they fail, and notes why."""

    def __init__(self, blocks: Iterator[bytes], faults: list[str]) -> None:
        self._blocks, self._faults, self._rest = blocks, faults, memoryview(b"")

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill `buffer` with what comes next; return how many bytes that were."""
        while not self._rest:
            try:
                self._rest = memoryview(next(self._blocks))
            except StopIteration:
                return 0
            except (
                OSError,
                EOFError,
                zlib.error,
                zipfile.BadZipFile,
                NotImplementedError,
                RuntimeError,
            ) as e:
                self._fail(str(e) or type(e).__name__)
                return 0
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def _fail(self, reason: str) -> None:
        if reason not in self._faults:
            self._faults.append(reason)


def buffered(blocks: Iterator[bytes], faults: list[str]) -> BinaryIO:
    """Return a buffered stream of the blocks."""
    return io.BufferedReader(Blocks(blocks, faults), _BLOCK)


def within_ratio(unpacked: int, packed: int) -> None:
    """Raise EOFError if so few bytes may not unpack to so many."""
    if unpacked > _RATIO_FROM and unpacked > MAX_RATIO * packed:
        raise EOFError(f"it unpacks to more than {MAX_RATIO} times its size; the rest is not read")


def _unzipped(path: Path, name: str, size: int) -> Source:
    faults: list[str] = []

    def open_() -> BinaryIO:
        return buffered(_gunzip(path), faults)

    with open_() as stream:
        head = stream.read(HEAD)
    if not head:
        reason = f"the gzip file is damaged ({faults[0]})." if faults else "the gzip file holds nothing."
        raise SourceError(reason, source=name, hint="Fetch or pack it again.")
    return Source(name, suffix(name), size, head, sample(head), open_, faults)


def _gunzip(path: Path) -> Iterator[bytes]:
    """Yield the content of a gzip file, of one or more parts, block by block."""
    taken = given = 0
    ended = True
    with path.open("rb") as file:
        unpacker = zlib.decompressobj(wbits=31)
        while data := file.read(_BLOCK):
            taken += len(data)
            while data:
                block = unpacker.decompress(data, _BLOCK)
                given += len(block)
                within_ratio(given, taken)
                yield block
                data, ended = unpacker.unconsumed_tail, unpacker.eof
                if ended:
                    data = unpacker.unused_data.lstrip(b"\0")
                    unpacker = zlib.decompressobj(wbits=31)
        yield unpacker.flush(_BLOCK)
    if not ended:
        raise EOFError("the gzip file breaks off before its end")
