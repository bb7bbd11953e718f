"""Resources: the name of a folder that travels with the program comes in, its path goes out.

In a checkout the working copy beside the code wins, so that an edited prompt is the one used.
"""

from __future__ import annotations

from pathlib import Path

from rag.errors import RagError

PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return the folder `prompts` or `seeds`; raise RagError when the installation lacks it."""
    root = PACKAGE.parent
    places = [PACKAGE / "_data" / name]
    if (root / "pyproject.toml").is_file():
        places.insert(0, root / name)
    for place in places:
        if place.is_dir():
            return place
    raise RagError(
        f"the installed program lacks its {name} folder (looked in {places[0]})",
        hint="Install it again: pip install --force-reinstall --no-deps askpapers",
    )


def prompts() -> Path:
    """Return the folder of prompt templates."""
    return folder("prompts")


def seeds() -> Path:
    """Return the folder of seed abstracts that come with the program."""
    return folder("seeds")
