"""An engine for a worker's part of a run, from what the parent sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..engine import Engine, open_engine
from ..journal import Journal


def open_for_run(known: Mapping[str, Any], budget: Any = None, journal: Journal | None = None) -> Engine:
    """The run's journal or the one given, this worker's share of its pace, and its budget."""
    return open_engine(known["journal"]) if journal is None else Engine(journal)
