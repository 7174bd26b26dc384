"""What a run is, and how it is executed.

A `Plan` determines the verdicts: runs with equal plans over equal cases give equal verdicts. `RunOptions` do not affect
them, and may change from one resume to the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from ..errors import InputError
from ..judges.specs import single_judges
from ..protocols.base import protocol_of
from ..protocols.rubrics import parse
from ..protocols.settings import Settings as Settings


@dataclass(frozen=True, slots=True)
class Plan:
    """The protocol, and its settings and rubric in their stored form."""

    run_id: str
    protocol: str
    settings: Mapping[str, Any]
    rubric: str

    @classmethod
    def of(cls, run_id: str, settings: Settings[Any]) -> Plan:
        """Build the plan for these settings."""
        return cls(run_id, settings.protocol, settings.stored(), settings.rubric.source)

    def opened(self) -> Settings[Any]:
        """Rebuild the settings from their stored form."""
        return protocol_of(self.protocol).settings(**self.settings, rubric=parse(self.rubric, "the run's rubric"))

    @property
    def judges(self) -> tuple[str, ...]:
        """The names of all judges this plan may ask, including members of juries and stages of cascades."""
        return tuple(dict.fromkeys(single for name in self._named for single in single_judges(name)))

    @property
    def has_jury(self) -> bool:
        """Whether several judges are asked the same, so that the run can continue without one of them."""
        return any(re.search(r"(^|[>:])\s*jury[:(]", name) for name in self._named)

    @property
    def has_cascade(self) -> bool:
        """Whether the number of judges asked is known only while a case is being judged."""
        return any(name.strip().startswith("cascade") for name in self._named)

    @property
    def _named(self) -> list[str]:
        return [str(self.settings[name]) for name in protocol_of(self.protocol).settings.named("judge")]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is executed: calls in flight to each provider, calls a minute, dollars and calls in all, the engine.

    `engine` is "local" or "ray". Without a Ray cluster's address, a cluster is started on this machine for the run.
    With `batch`, calls go through the provider's batch API, which is polled every `poll` seconds. `workers` is the
    number of processes for the embedded judge. All options are stored with the run.
    """

    concurrency: int = 20
    rate: float | None = None
    budget: Decimal | None = None
    max_calls: int | None = None
    workers: int | None = None
    batch: bool = False
    poll: float = 20.0
    engine: str = "local"
    ray_address: str | None = None

    def __post_init__(self) -> None:
        for name, lowest, highest, allowed in (
            ("concurrency", 1, 10_000, "1 to 10000 is allowed"),
            ("rate", 1e-9, 10_000_000, "a number of calls a minute above 0"),
            ("poll", 0.05, 3600, "0.05 to 3600 seconds"),
            ("workers", 1, 256, "1 to 256 is allowed"),
            ("max_calls", 1, 10**9, "1 to 1000000000 is allowed"),
        ):
            value = getattr(self, name)
            if value is not None and not lowest <= value <= highest:
                raise InputError("--" + name.replace("_", "-"), f"{value:g}", allowed)
        if self.budget is not None and not (self.budget.is_finite() and self.budget > 0):
            raise InputError("--budget", str(self.budget), "a number of dollars above 0")
        if self.ray_address is not None and self.engine != "ray":
            raise InputError("--ray-address", "needs --engine ray", "give both, or neither")
        if self.batch and self.engine == "ray":
            raise InputError("--batch", "cannot be combined with --engine ray", "a batch needs no cluster")

    @classmethod
    def of(cls, stored: Mapping[str, Any], given: Mapping[str, Any]) -> RunOptions:
        """Combine the run's stored options with those given now, which take precedence."""
        known = dict(stored)
        if known.get("budget") is not None:
            known["budget"] = Decimal(known["budget"])
        if given.get("engine") == "local":
            known["ray_address"] = None
        return cls(**{**known, **given})

    def limits(self, sent: int) -> tuple[Decimal, int | None]:
        """Return how many dollars may be spent in all, and how many calls are left after those that were sent."""
        left = None if self.max_calls is None else max(0, self.max_calls - sent)
        return Decimal("Infinity") if self.budget is None else self.budget, left

    def stored(self) -> dict[str, Any]:
        """Return the options for JSON. The budget is a string, so that no digit is lost."""
        return {**asdict(self), "budget": None if self.budget is None else format(self.budget, "f")}

    def check(self, plan: Plan, journal: str) -> None:
        """Raise InputError for options that do not fit the run's judges and journal."""
        other = next((name for name in plan.judges if not is_embedded(name)), None)
        if self.workers is not None and other is not None:
            found = f"sets the embedded judge's processes; with {other} use --concurrency"
            raise InputError("--workers", found)
        if self.engine == "ray" and "://" not in journal:
            found = f"its workers share the run's journal, but {journal} is a file on this machine"
            raise InputError("--engine ray", found, "begin the run with --journal postgresql://…")


def is_embedded(judge: str) -> bool:
    """Return whether this is the embedded judge, with the shipped model or one of the user's own."""
    return judge == "embedded" or judge.startswith("embedded:")
