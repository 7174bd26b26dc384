"""A run in a few words: what lists and progress say of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from ....reports.wording import dollars, many
from ....runs.hosted_run import HostedRun, RunStatus
from ...run_results import glance_at

_SIDES = {
    "compare": {"A": "for A", "B": "for B", "tie": "tied"},
    "review": {"A": "for response 1", "B": "for response 2", "tie": "for neither"},
}
_HIGH, _LOW = 80, 40  # steps of a dialogue that are well, and that are not


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list; `parts` are the shares of its cases: tone, share, and what it says."""

    run_id: str
    name: str
    state: str
    said: str
    protocol: str
    judges: str
    cases: int
    finding: str
    tone: str
    parts: tuple[tuple[str, float, str], ...]
    cost: str
    created: str
    when: str


def name_of(status: RunStatus) -> str:
    """What people call the run."""
    return status.name or status.source or status.run_id


def line_for(run: HostedRun, status: RunStatus) -> RunLine:
    """A run as a list shows it."""
    glance, state = glance_at(run), state_of(run, status)
    finding = glance.title if glance is not None and not status.open else _counted(status)
    return RunLine(
        run_id=status.run_id,
        name=name_of(status),
        state=state,
        said=_said(state, status),
        protocol=status.protocol,
        judges=", ".join(status.judges),
        cases=status.cases,
        finding=finding,
        tone=glance.tone if glance is not None else "",
        parts=parts_of(status),
        cost=cost_of(status),
        created=status.created,
        when=moment(status.created),
    )


def state_of(run: HostedRun, status: RunStatus) -> str:
    """The run's state; `ready` if it was never started."""
    waits = status.state == "stopped" and status.stopped_by is None and status.open == status.cases
    return "ready" if waits and run.estimate is not None else status.state


def _said(state: str, status: RunStatus) -> str:
    if state == "running" and status.cases:
        return f"running, {100 * (status.cases - status.open) // status.cases} %"
    return f"stopped: {status.stopped_by}" if state == "stopped" and status.stopped_by else state


def _counted(status: RunStatus) -> str:
    if not status.verdicts:
        return f"{many(status.failures, 'failure')}" if status.failures else "No verdict yet"
    return ", ".join(said for _, _, said in parts_of(status) if said)


def parts_of(status: RunStatus) -> tuple[tuple[str, float, str], ...]:
    """The outcomes so far as shares of all cases."""
    if status.protocol == "dialogue":
        counts = [
            ("A" if float(step) >= _HIGH else "B" if float(step) <= _LOW else "tie", count, f"{count:,} at {step}")
            for step, count in sorted(status.answers.items(), key=lambda item: -float(item[0]))
        ]
    else:
        sides = Counter[str]()
        for answer, count in status.answers.items():
            # A review's answer is its preference from 1 to 7.
            sides["A" if answer in "123" else "tie" if answer == "4" else "B" if answer in "567" else answer] += count
        names = {**_SIDES[status.protocol], "invalid": "cannot be rated"}
        counts = [
            ("bad" if side == "invalid" else side, sides[side], f"{sides[side]:,} {said}")
            for side, said in names.items()
        ]
    counts.append(("undecided", status.undecided, f"{status.undecided:,} undecided"))
    counts.append(("bad", status.failures, f"{status.failures:,} failed"))
    return tuple((tone, count / status.cases, said) for tone, count, said in counts if count)


def cost_of(status: RunStatus) -> str:
    """What the run cost so far."""
    if not status.calls:
        return "–"
    cost = dollars(Decimal(status.cost_usd))
    return f"{cost} + unknown" if status.cases_without_a_price else cost


def moment(time: str | float) -> str:
    """A time for people, in UTC: of ISO 8601, or of the seconds that computers count."""
    known = datetime.fromtimestamp(time, UTC) if isinstance(time, float) else datetime.fromisoformat(time)
    return f"{known.day} {known:%b %Y, %H:%M}"


def estimated(found: dict[str, Any] | None, status: RunStatus) -> tuple[tuple[str, str, str], ...]:
    """What a run that waits for its start would ask and cost: a word, a number and a note each."""
    if found is None:
        return ()
    cost = None if found["cost_usd"] is None else Decimal(found["cost_usd"])
    price = "price unknown" if cost is None else f"about {dollars(round(cost, 4))}" if cost else "none"
    unpriced = ", ".join(found.get("unpriced", ()))
    stored = f"{found['found']:,} replies are in the journal already" if found.get("found") else ""
    return (
        ("Cases", f"{status.cases:,}", f"{status.protocol}, from {status.source}"),
        ("Calls", f"{found['calls']:,}", stored or ("no model is called" if not found["calls"] else "to be paid")),
        ("Cost", price, f"no price is published for {unpriced}" if unpriced else f"{found['tokens']:,} tokens"),
    )
