"""Make the lists of abstracts that bench/questions/cs_*.jsonl ask about, from the CSAbstruct collection.

    python bench/make_lists.py CSABSTRUCT/train.jsonl OUT_FOLDER

The collection (Cohan et al. 2019, "Pretrained language models for sequential sentence classification") is not
part of this project. The draw is seeded: the lists are the same each time.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

LISTS = "abcdef"
SIZE = 60
SEED = 7


def lists(collection: Path) -> dict[str, list[str]]:
    """Return the abstracts of each list by its letter."""
    rows = [json.loads(line)["sentences"] for line in collection.read_text(encoding="utf-8").splitlines()]
    fit = [s for s in rows if 5 <= len(s) <= 14 and len(" ".join(s)) > 600]
    random.Random(SEED).shuffle(fit)
    texts = [" ".join(sentences).replace("\n", " ") for sentences in fit]
    return {letter: texts[i * SIZE : (i + 1) * SIZE] for i, letter in enumerate(LISTS)}


def main() -> None:
    """Read the command line and write one file per list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for letter, texts in lists(args.collection).items():
        body = "\n\n".join(["Paper list", *texts]) + "\n"
        (args.out / f"cs_{letter}.txt").write_text(body, encoding="utf-8")


if __name__ == "__main__":
    main()
