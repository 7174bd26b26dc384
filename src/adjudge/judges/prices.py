"""What a call cost, from published prices; None where nobody publishes one."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from ..arithmetic import rounded_money
from ..verdicts import Usage

LOCAL = "local"  # in-process models cost nothing


def cost_of(provider: str, model: str, usage: Usage, at: float) -> Decimal | None:
    """Dollars for one call at the prices of its day."""
    if provider == LOCAL:
        return Decimal(0)
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
    try:
        price = calc_price(priced, model, provider_id=provider, genai_request_timestamp=datetime.fromtimestamp(at, UTC))
    except (LookupError, ValueError):
        return None
    return rounded_money(price.total_price)
