"""An engine for a worker's part of a run, from what the parent sent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..engine import Engine
from ..journal import Journal, open_journal
from ..judges.budget import Budget
from ..judges.turns import Turns
from ..judges.wires.batches.base import BatchSettings
from ..judges.wires.pacing import Pacing

# A jury goes on without a member that is down. A judge alone is worth waiting for: its run ends when it stays away.
_NEVER = 10**9


def open_for_run(known: Mapping[str, Any], budget: Budget | None = None, journal: Journal | None = None) -> Engine:
    """The run's journal or the one given, this worker's share of its pace, and its budget."""
    share = known["concurrency"]
    return Engine(
        open_journal(known["journal"]) if journal is None else journal,
        pacing=Pacing(
            start=share, ceiling=share, per_minute=known["rate"], breaks_after=5 if known["jury"] else _NEVER
        ),
        budget=budget,
        batches=BatchSettings(Path(known["batches"]), poll=known["poll"]) if known.get("batches") else None,
        turns=Turns(),
    )
