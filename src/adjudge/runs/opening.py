"""An engine for a worker's part of a run, from what the parent sent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..engine import Engine
from ..journal import Journal, open_journal
from ..judges.budget import Budget
from ..llm.batch.base import BatchSettings
from ..llm.rate_limiter import RateLimits

# A jury goes on without a member that is down. For a single judge we wait: its run ends if it stays away.
_NEVER = 10**9


def open_for_run(known: Mapping[str, Any], budget: Budget | None = None, journal: Journal | None = None) -> Engine:
    """The run's journal or the one given, this worker's share of the rate limits, and its budget."""
    share = known["concurrency"]
    return Engine(
        open_journal(known["journal"]) if journal is None else journal,
        rate_limits=RateLimits(
            start=share,
            ceiling=share,
            per_minute=known["rate"],
            open_after=5 if known["jury"] else _NEVER,
            max_unsaved=share,
        ),
        budget=budget,
        batches=BatchSettings(Path(known["batches"]), poll=known["poll"]) if known.get("batches") else None,
    )
