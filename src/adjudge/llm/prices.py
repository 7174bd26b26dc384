"""The cost of a call, and its maximum cost, by published prices; None for a model without a published price."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal
from typing import Any

from ..arithmetic import rounded_money
from ..models.common import Usage

LOCAL = "local"  # in-process models cost nothing
_CENT_PARTS = Decimal("0.0000001")
_OVERHEAD = 2048  # tokens that a provider may add to frame the chat and the schema


def cost_of(provider: str, model: str, usage: Usage, at: float, *, batch: bool = False) -> Decimal | None:
    """Return the dollars for one call at the prices of its day; with `batch`, at the batch API's price."""
    if provider == LOCAL:
        return Decimal(0)
    price = _price(provider, model, usage, at, batch)
    return None if price is None else rounded_money(price)


def most_input(prompt_bytes: int) -> int:
    """Return the most tokens that a prompt can have: one per byte, and what the provider adds to frame it."""
    return prompt_bytes + _OVERHEAD


def at_most(provider: str, model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """Return the most dollars that a call with this many tokens can cost, assuming no cache reads."""
    if provider == LOCAL:
        return Decimal(0)
    dearest = Decimal(0)
    # Tokens written to a provider's cache may cost more than others.
    for written in (0, input_tokens):
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_write_tokens=written)
        price = _price(provider, model, usage, time.time(), False)
        if price is None:
            return None
        dearest = max(dearest, price)
    return dearest.quantize(_CENT_PARTS, rounding=ROUND_CEILING)


def _price(provider: str, model: str, usage: Usage, at: float, batch: bool) -> Decimal | None:
    if not provider:
        return None
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    priced = Priced(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    asked: dict[str, Any] = {"provider_id": provider, "genai_request_timestamp": datetime.fromtimestamp(at, UTC)}
    try:
        whole = calc_price(priced, model, **asked).total_price
        if not batch:
            return whole
        price = calc_price(priced, model, **asked, price_context={"processing": "batch"}).total_price
    except (LookupError, ValueError):
        return None
    # If the list has no batch price for a model, take half the price, as the providers state for all models.
    return price if price != whole else whole / 2
