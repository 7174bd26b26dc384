"""A run in progress as its page shows it: the bar, the cases judged last, how long it may take, and the buttons."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ...protocols.base import protocol_of
from ...protocols.figures import OutcomeShare
from ...rendering.wording import dollars, duration, rounded
from ...runs.hosted_run import HostedRun, RunStatus

_STATES = {"ready": "ready to start", "queued": "waiting for its turn"}
_TONES = {"undecided": "undecided", "failed": "failure"}


def parts_of(status: RunStatus) -> list[tuple[str, float, str]]:
    """Return the outcomes so far, each as its tone, its share of all cases, and its label."""
    counts = [
        *protocol_of(status.protocol).listing.parts(status.answers),
        OutcomeShare("undecided", status.undecided, "undecided"),
        OutcomeShare("bad", status.failures, "failed"),
    ]
    return [(tone, count / status.cases, f"{count:,} {label}") for tone, count, label in counts if count]


def state_words(status: RunStatus, state: str) -> str:
    """Return the state of a run in words; `state` may also be `ready`."""
    if status.pausing:
        return "pausing"
    if state == "stopped" and status.stopped_by == "paused":
        return "paused"
    return _STATES.get(state, state)


def live_of(run: HostedRun, status: RunStatus, state: str, name: str) -> dict[str, Any]:
    """Return what a page shows of a run's progress besides its overview."""
    done, live = status.cases - status.open, run.live
    share = f"{100 * done // max(status.cases, 1)} %"
    percent = f"{share} · " if state in ("queued", "running") else ""
    waiting = [("waiting", status.open / status.cases, f"{status.open:,} waiting")] if status.open else []
    words = state_words(status, state)
    # Whoever paused or cancelled a run knows it; other ends are worth a notice.
    ended = (
        "" if status.stopped_by in ("paused", "cancelled") else f"{name}: {words}, {done:,} of {status.cases:,} cases"
    )
    return {
        "done": done,
        "share": share,
        "percent": percent,
        "title": f"{percent}{name} · adjudge",
        "words": words,
        "ended": ended,
        "bar": [*parts_of(status), *waiting],
        "rate": f"{rounded(status.per_second, 1)} cases a second" if status.per_second else "",
        "left": _left(live["left_between"]) if state == "running" and not status.pausing else "",
        "latest": [_judged(status.protocol, each) for each in reversed(live["latest"])],
        "acts": _acts(status, state),
    }


def _left(between: tuple[float, float] | None) -> str:
    if between is None:
        return ""
    low, high = map(duration, map(_coarse, between))
    return f"about {low} left" if low == high else f"{low} to {high} left"


def _coarse(seconds: float) -> float:
    """Round an estimated time: to ten seconds, from ten minutes on to minutes, from ten hours on to hours."""
    unit = 10 if seconds < 600 else 60 if seconds < 36_000 else 3_600
    return max(unit, round(seconds / unit) * unit)


def _judged(protocol: str, each: Mapping[str, Any]) -> dict[str, Any]:
    tone, words = _TONES.get(each["outcome"], ""), each["outcome"]
    if words == "decided":
        tone, _, words = next(part for part in protocol_of(protocol).listing.parts({each["answer"]: 1}) if part.cases)
    return {"position": each["position"], "case": each["case"], "tone": tone, "words": words}


def _acts(status: RunStatus, state: str) -> list[tuple[str, str, bool]]:
    """Return the buttons: the action, the label, and whether it is a quiet one."""
    if status.pausing:
        return [("resume", "Resume", False), ("cancel", "Stop without waiting", True)]
    if state in ("queued", "running"):
        return [("pause", "Pause", True)]
    if state == "stopped":
        return [("resume", "Resume", False)]
    return [("resume", "Try failed cases again", True)] if state == "finished" and status.failures else []


def estimated(found: Mapping[str, Any], status: RunStatus) -> tuple[tuple[str, str, str], ...]:
    """Describe the estimate of a run that waits for its start, as rows of label, figure and note."""
    cost, calls = None if found["cost_usd"] is None else Decimal(found["cost_usd"]), found["calls"]
    most = max(calls, found.get("most_calls", calls))
    price = "price unknown" if cost is None else f"about {dollars(round(cost, 4))}" if cost else "none"
    unpriced = ", ".join(found.get("unpriced", ()))
    stored = f"{found['found']:,} replies are in the journal already" if found.get("found") else ""
    at_most = f"at most {most:,}, if every reply has to be repaired" if most > calls else ""
    highest = f"at most about {dollars(round(cost * most / calls, 4))}" if cost and most > calls else ""
    tokens = f"no price is published for {unpriced}" if unpriced else f"{found['tokens']:,} tokens"
    calls_note = "; ".join(filter(None, (stored, at_most))) or ("to be paid" if calls else "no model is called")
    return (
        ("Cases", f"{status.cases:,}", f"{status.protocol}, from {status.source}"),
        ("Calls", f"{calls:,}", calls_note),
        ("Cost", price, "; ".join(filter(None, (highest, tokens)))),
    )
