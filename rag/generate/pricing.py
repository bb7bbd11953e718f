"""What calls to a model cost: tokens and a price list → dollars, and a budget that is kept.

The price list is the one that comes in the package `genai-prices`; it is never fetched. A model that is not
in it has no known price, which is not the same as costing nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from rag.domain import Usage
from rag.endpoint import Endpoint
from rag.errors import BudgetError


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


class Budget:
    """What one command may spend, and has spent; `limit_usd` None is no limit. Safe to share by threads."""

    def __init__(self, limit_usd: float | None = None) -> None:
        self.limit_usd = limit_usd
        self._spent = 0.0
        self._lock = threading.Lock()

    @property
    def spent_usd(self) -> float:
        """What the calls so far have cost, as far as their price is known."""
        return self._spent

    def check(self, estimate: float | None, model: str, server: Endpoint) -> None:
        """Raise BudgetError if a call that may cost `estimate` does not fit in what is left."""
        if self.limit_usd is None:
            return
        if estimate is None:
            if server.is_near:
                return
            raise BudgetError(
                f"the price of {model} at {server.host} is unknown: no limit can be kept",
                hint="Leave out --max-cost (RAG_MAX_COST_USD) to use it all the same.",
            )
        if self._spent + estimate > self.limit_usd:
            before = f" after {shown(self._spent)} already spent" if self._spent else ""
            raise BudgetError(
                f"this may cost {shown(estimate)}{before}, more than the limit of {shown(self.limit_usd)}",
                hint="Raise --max-cost (RAG_MAX_COST_USD), or take a cheaper model with RAG_MODEL.",
            )

    def add(self, cost: float | None) -> None:
        """Count what a call has cost."""
        with self._lock:
            self._spent += cost or 0.0


class Bill:
    """What one answer has used so far; `counted` tells that a server gave no usage, so it was counted."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.counted = False

    def add(self, used: Tokens, cost: float | None) -> None:
        """Add a call; a cost that is unknown makes the whole unknown."""
        total = self.usage
        known = total.cost_usd is not None and cost is not None
        self.usage = replace(
            total,
            calls=total.calls + 1,
            prompt_tokens=total.prompt_tokens + used.prompt,
            completion_tokens=total.completion_tokens + used.completion,
            cost_usd=(total.cost_usd or 0.0) + (cost or 0.0) if known else None,
        )
