"""What calls to a model cost: tokens and a price list → dollars, and a budget that is kept.

The price list is the one that comes in the package `genai-prices`; it is never fetched. A model that is not
in it has no known price, which is not the same as costing nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rag.domain import Usage
from rag.endpoint import Endpoint
from rag.errors import BudgetError

COUNTED = "The server does not say how many tokens it used; they were counted here."


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one call; `cached` are those of the prompt that the server had read before."""

    prompt: int
    completion: int
    cached: int = 0


def price(model: str, server: Endpoint, used: Tokens) -> float | None:
    """Return the price of a call in US dollars; None when the price of `model` at `server` is not known."""
    from genai_prices import Usage as Amounts
    from genai_prices import calc_price

    amounts = Amounts(
        input_tokens=used.prompt,
        output_tokens=used.completion,
        cache_read_tokens=min(used.cached, used.prompt),
    )
    try:
        found = (
            calc_price(amounts, model, provider_id="openai")
            if server.is_openai
            else calc_price(amounts, model, provider_api_url=server.base_url)
        )
    # The list names no such provider or model, or gives no price for this kind of token.
    except (LookupError, ValueError):
        return None
    return float(found.total_price)


def shown(cost: float | None) -> str:
    """Return a cost as people read it: `$0.0012`, or "unknown"."""
    if cost is None:
        return "unknown"
    return f"${cost:.4f}" if cost >= 0.0001 or cost == 0 else f"${cost:.2g}"


def told(engine: str, usage: Usage) -> str:
    """Say what calls to a model have used and cost."""
    calls = "1 call" if usage.calls == 1 else f"{usage.calls} calls"
    tokens = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens"
    return f"{engine}: {calls}, {tokens}, cost {shown(usage.cost_usd)}"


class Budget:
    """What one job may spend, and has spent; `limit_usd` None is no limit. Safe to share by threads."""

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self._spent = 0.0
        self._reserved = 0.0
        self._lock = threading.Lock()

    @property
    def spent_usd(self) -> float:
        """What the calls so far have cost, as far as their price is known."""
        return self._spent

    @contextmanager
    def reserved(self, estimate: float | None, model: str, server: Endpoint) -> Iterator[None]:
        """Set aside what a call may cost until it is over; what it did cost is to be added before.

        Raises BudgetError if that does not fit in what is left by calls made and calls under way.
        """
        self._reserve(estimate, model, server)
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= estimate or 0.0

    def _reserve(self, estimate: float | None, model: str, server: Endpoint) -> None:
        if self.limit_usd is not None and estimate is None and not server.is_near:
            raise BudgetError(
                f"the price of {model} at {server.host} is unknown: no limit can be kept",
                hint="Leave out --max-cost (RAG_MAX_COST_USD) to use it all the same.",
            )
        amount = estimate or 0.0
        with self._lock:
            before = self._spent + self._reserved
            if self.limit_usd is not None and amount and before + amount > self.limit_usd:
                after = f" after {shown(before)} already spent" if before else ""
                raise BudgetError(
                    f"this may cost {shown(amount)}{after}, more than the limit of {shown(self.limit_usd)}",
                    hint="Raise --max-cost (RAG_MAX_COST_USD), or take a cheaper model with RAG_MODEL.",
                )
            self._reserved += amount

    def add(self, cost: float | None) -> None:
        """Count what a call has cost."""
        with self._lock:
            self._spent += cost or 0.0


class Bill:
    """What one job, such as an answer, has used so far, and the budget it must keep to.

    `engine` is the model that was called; `counted` tells that a server gave no usage, so it was counted.
    `on_piece` is told of each piece of a reply the job pays for; it may raise a BaseException to end it.
    """

    def __init__(self, limit_usd: float | None = None, on_piece: Callable[[], None] = lambda: None) -> None:
        self.on_piece = on_piece
        self.budget = Budget(limit_usd)
        self.usage = Usage()
        self.engine = ""
        self.counted = False
        self._lock = threading.Lock()

    def add(self, used: Tokens, cost: float | None, engine: str) -> None:
        """Add a call; a cost that is unknown makes the whole unknown."""
        self.budget.add(cost)
        with self._lock:
            self.engine = engine
            total = self.usage
            known = total.cost_usd is not None and cost is not None
            self.usage = replace(
                total,
                calls=total.calls + 1,
                prompt_tokens=total.prompt_tokens + used.prompt,
                completion_tokens=total.completion_tokens + used.completion,
                cost_usd=(total.cost_usd or 0.0) + (cost or 0.0) if known else None,
            )

    def warnings(self) -> tuple[str, ...]:
        """Return what is to be known of the figures."""
        return (COUNTED,) if self.counted else ()
