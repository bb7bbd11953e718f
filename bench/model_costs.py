"""What a chat model is asked to read, how often it is called, and what the program adds to the call.

    python bench/model_costs.py QUESTIONS.jsonl [--seeds seeds/]

Asks every question of the file with a stub server in the place of the model: it answers at once, with the
first sentence shown. Prompt tokens are those of the messages and the schema, counted by tiktoken. The
overhead is the time of the chain, the checks and the packing beside the bare HTTP call to the same server.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from rag import Library, Settings  # noqa: E402
from rag.domain import Answer  # noqa: E402
from rag.tokens import count  # noqa: E402
from tests.stub_server import Asked, Handler, Stub, answers, numbered_sentences  # noqa: E402


def quotes_the_first(handler: Handler, asked: Asked) -> None:
    """Answer with the first sentence shown."""
    number, text = next(numbered_sentences(asked.prompt), ("", ""))
    answers((text, [number]), answerable=bool(number))(handler, asked)


def read_tokens(asked: Asked) -> int:
    """Return the tokens of the messages and the schema of a request."""
    messages = sum(count(str(m["content"])) + 4 for m in asked.body["messages"])
    return messages + 3 + count(json.dumps(asked.body.get("response_format", {})))


def bare_call_ms(stub: Stub, body: Any) -> float:
    """Return how long the raw call takes, streamed, without anything around it."""
    import httpx2

    with httpx2.Client() as client:
        times = []
        for _ in range(9):
            started = time.perf_counter()
            client.post(f"{stub.url}/chat/completions", json=body).read()
            times.append((time.perf_counter() - started) * 1e3)
    return statistics.median(times)


def main() -> None:
    """Ask every question and print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--seeds", type=Path, default=ROOT / "seeds")
    arguments = parser.parse_args()
    cases = [json.loads(line) for line in arguments.questions.read_text("utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as folder, Stub([quotes_the_first]) as stub:
        settings = Settings(model="openai:stub", openai_base_url=stub.url, cache=False)
        with Library.open(folder, settings, write=True) as library:
            library.ingest([arguments.seeds])
            library.ask("Warm up?")
            rows = [row for case in cases for row in asked_once(library, stub, case)]
        body = stub.chats[-1].body
        report(rows, bare_call_ms(stub, dict(body)))


def asked_once(library: Library, stub: Stub, case: dict[str, Any]) -> list[tuple[int, int, float, str]]:
    """Return prompt tokens of the answering call, calls, milliseconds a call, and kind of question."""
    turns = case.get("turns") or [case["question"]]
    history: list[Answer] = []
    for turn in turns[:-1]:
        history.append(library.ask(turn, history))
    before = len(stub.chats)
    answer = library.ask(turns[-1], history)
    calls = stub.chats[before:]
    if not calls:
        return []
    answering = next((c for c in calls if "=== papers" in c.prompt), calls[0])
    spent = answer.timings_ms["generate"] + answer.timings_ms["verify"]
    return [(read_tokens(answering), len(calls), spent / len(calls), str(case["type"]))]


def report(rows: list[tuple[int, int, float, str]], bare_ms: float) -> None:
    """Print the numbers."""
    tokens, calls, spent = ([row[i] for row in rows] for i in range(3))
    plain = [row[1] for row in rows if row[3] not in ("lang", "followup")]
    p90 = statistics.quantiles(tokens, n=10)[-1]
    print(f"questions        {len(rows)}")
    print(f"prompt tokens    median {statistics.median(tokens):.0f}, 90% {p90:.0f}, max {max(tokens)}")
    print(f"calls            mean {statistics.mean(calls):.2f}; {max(plain)} without follow-ups, foreign")
    extra = statistics.median(spent) - bare_ms
    print(f"overhead         {extra:.1f} ms a call (call through the program {statistics.median(spent):.1f}, "
          f"bare {bare_ms:.1f})")  # fmt: skip


if __name__ == "__main__":
    main()
