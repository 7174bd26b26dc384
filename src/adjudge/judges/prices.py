"""What a call cost, and what it may cost at most, from published prices; None where nobody publishes one."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

from ..arithmetic import rounded_money
from ..verdicts import Usage

LOCAL = "local"  # in-process models cost nothing
_BATCH: Any = {"processing": "batch"}
_CENT_PARTS = Decimal("0.0000001")
_OVERHEAD = 2048  # tokens a provider may add of its own: how a chat and a schema are framed
_STEP = 1024


def cost_of(provider: str, model: str, usage: Usage, at: float, *, batch: bool = False) -> Decimal | None:
    """Dollars for one call at the prices of its day; `batch`: it came through the provider's batch API."""
    if provider == LOCAL:
        return Decimal(0)
    price = _price(provider, model, usage, at, batch)
    return None if price is None else rounded_money(price)


def at_most(provider: str, model: str, prompt_bytes: int, max_tokens: int) -> Decimal | None:
    """Dollars that one call cannot pass: no token is shorter than a byte, and none of them comes from a cache."""
    if provider == LOCAL:
        return Decimal(0)
    if not provider:
        return None
    # Asked for every call, answered for every kilobyte.
    return _at_most(provider, model, -(-prompt_bytes // _STEP), max_tokens, int(time.time() // 3600))


@lru_cache(maxsize=4096)
def _at_most(provider: str, model: str, steps: int, max_tokens: int, hour: int) -> Decimal | None:
    tokens = steps * _STEP + _OVERHEAD
    dearest = Decimal(0)
    # What is written to a provider's cache may cost more than what is only read.
    for written in (0, tokens):
        usage = Usage(input_tokens=tokens, output_tokens=max_tokens, cache_write_tokens=written)
        price = _price(provider, model, usage, hour * 3600.0, False)
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
    day = datetime.fromtimestamp(at, UTC)
    try:
        whole = calc_price(priced, model, provider_id=provider, genai_request_timestamp=day).total_price
        if not batch:
            return whole
        context = _BATCH
        price = calc_price(
            priced, model, provider_id=provider, genai_request_timestamp=day, price_context=context
        ).total_price
    except (LookupError, ValueError):
        return None
    # A model without a batch price in the list costs half, as its provider says of all.
    return price if price != whole else whole / 2
