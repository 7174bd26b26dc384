"""Estimates a run's calls and cost before anything is paid: the protocol runs over a sample of the cases, on wires that
send nothing. Replies that are already in the journal are found by the same keys as in the run. How often a reply has
to be repaired is taken from the verdicts that the same judges made in this journal; at most it is every reply, once.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any, NamedTuple

import orjson

from ..engine import Engine, case_of, open_engine
from ..errors import SetupError
from ..journal import Journal
from ..judges.specs import single_judges
from ..llm.base import Delivery, Prompt, Sampling, Wire, WrappedWire
from ..llm.prices import cost_of
from ..models.common import Failure, Usage, repaired_replies
from ..models.figures import Figure
from ..protocols.base import protocol_of
from .directory import case_digest, position_of, read_case
from .job import Job
from .plan import Plan
from .state import RunState

SAMPLE = 30
_VERDICTS = 200  # that are looked at for repairs
_BYTES_PER_TOKEN = 4


class Seen(NamedTuple):
    """What the journal shows of these judges: verdicts, the replies they needed, and how many of these were repaired.

    `repaired` is that share with its interval, the figure that a run has of its judge's conduct.
    """

    verdicts: int = 0
    replies: int = 0
    repairs: int = 0
    repaired: Figure = Figure(None, 0, "no verdict of this judge is known yet")


@dataclass(frozen=True, slots=True)
class Estimate:
    """For all open cases: unpaid calls, their tokens and dollars (None: no price); `paid_calls` are in the journal.

    `most_calls` counts a repair of every reply and all calls that may follow one. `seen` says in how many replies the
    expected share of repairs was seen.
    """

    sampled: int = 0
    calls: int = 0
    paid_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    unpriced: tuple[str, ...] = ()
    missing: SetupError | None = None
    most_calls: int = 0
    seen: Seen = field(default_factory=lambda: Seen())

    def as_json(self) -> dict[str, Any]:
        """Return what people are shown before they start a run."""
        return {
            "calls": self.calls,
            "most_calls": self.most_calls,
            "found": self.paid_calls,
            "tokens": self.input_tokens + self.output_tokens,
            "cost_usd": None if self.cost is None else format(self.cost, "f"),
            "unpriced": list(self.unpriced),
        }


class _SilentWire(WrappedWire):
    """Records the kind and size of each call that would be sent, and sends nothing."""

    def __init__(self, inner: Wire) -> None:
        super().__init__(inner)
        self.sent: dict[str, tuple[str, int]] = {}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        self.sent[key] = prompt.schema_name, len(orjson.dumps((prompt.system, prompt.user, prompt.schema)))
        # Pretend that the model rejected the call: a cascade then asks its next stage, so the estimate is the maximum.
        return Failure(reason="rejected", message="nothing is sent while estimating", judge=self.inner.model)


async def estimate(state: RunState, *, store: bool = True) -> Estimate:
    """Estimate the calls and the cost of the run's open cases. The run's configuration is stored in the journal for
    good, unless the run may still be changed (`store` is false)."""
    async with open_engine(state.journal) as engine:
        if store:
            await engine.journal.put_run(state.plan.run_id, state.directory.config_file.read_bytes())
        return await _estimate(state, engine)


async def _estimate(state: RunState, engine: Engine) -> Estimate:
    """Estimate from a sample of the open cases. Equal cases are paid for and counted once. Once the run has replies,
    their average length is used."""
    plan, tally, counts = state.plan, state.tally, state.config["input"]
    Job(plan, engine)  # opens the wires
    silent = engine.wrap_wires(_SilentWire)
    if not silent:
        return Estimate()
    job = Job(plan, engine)
    lines = list({case_digest(line): line for line in _sample(state)}.values())
    found: dict[str, Usage] = {}
    for line in lines:
        calls = await job.calls_for(line, state.attempts.get(position_of(line), 0))
        found |= {call.key: call.usage for call in calls}
    # If there are few cases, the sample contains all distinct ones and needs no scaling.
    scale = 1.0
    if state.open > SAMPLE:
        scale = max(1.0, state.open * counts.get("distinct", counts["cases"]) / counts["cases"] / max(1, len(lines)))
    calls_left = most_calls = tokens_in = tokens_out = 0
    total, unpriced = Decimal(0), []
    sizes = [size for wire in silent.values() for _, size in wire.sent.values()]
    sent: float = sum(sizes) / _BYTES_PER_TOKEN / max(1, len(sizes))
    reply: float = protocol_of(plan.protocol).calls.reply_tokens
    if tally.calls:
        sent, reply = tally.input_tokens / tally.calls, tally.output_tokens / tally.calls
    elif found:
        reply = sum(usage.output_tokens for usage in found.values()) / len(found)
    seen = _seen(engine.journal, plan)
    further, possible = _further(plan, silent, lines, seen)
    repaired = 1 + seen.repairs / seen.replies if seen.replies else 1.0
    for name, wire in silent.items():
        asked = round((len(wire.sent) + further.get(name, 0)) * scale * repaired)
        most_calls += max(asked, round((len(wire.sent) + possible.get(name, 0)) * scale * 2))
        used = Usage(input_tokens=round(asked * sent), output_tokens=round(asked * reply))
        calls_left += asked
        tokens_in += used.input_tokens
        tokens_out += used.output_tokens
        cost = cost_of(wire.provider, wire.model, used, time.time())
        if cost is None:
            unpriced.append(name)
        else:
            total += cost
    return Estimate(
        len(lines), calls_left, round(len(found) * scale), tokens_in, tokens_out,
        None if unpriced and not total else total, tuple(unpriced), _missing(silent), most_calls, seen,
    )  # fmt: skip


def _further(
    plan: Plan, wires: Mapping[str, _SilentWire], lines: list[bytes], seen: Seen
) -> tuple[dict[str, float], dict[str, int]]:
    """Return by judge how many calls will probably follow those of the sample, and how many may: silent wires never
    reply. Where not every case needs such a call, they are those that the cases make probable; if the journal shows
    more, as often as there."""
    expected = protocol_of(plan.protocol).calls
    if not expected.after:
        return {}, {}
    judges = single_judges(str(plan.settings[expected.judge]))
    replies = max(sum(kind == expected.after for kind, _ in wire.sent.values()) for wire in wires.values())
    possible = replies * expected.times(plan.opened())
    probable: float = possible
    if expected.probable is not None:
        shown = seen.replies / len(judges) / seen.verdicts - 1 if seen.verdicts else 0.0
        given = (read_case(line).input for line in lines)
        cases = [case_of(plan.protocol, case) for case in given if case is not None]
        probable = min(possible, max(sum(map(expected.probable, cases)), shown * possible))
    return dict.fromkeys(judges, probable), dict.fromkeys(judges, possible)


def _seen(journal: Journal, plan: Plan) -> Seen:
    """Count what the latest verdicts in the journal show of this plan's judges."""
    found = []
    for stored in journal.verdicts_before(None, _VERDICTS):
        inputs = orjson.loads(stored.inputs)
        if inputs["protocol"] == plan.protocol and inputs["settings"] == plan.settings:
            purposes = [call["purpose"] for call in orjson.loads(stored.verdict)["calls"]]
            found.append(repaired_replies(purposes))
    if not found:
        return Seen()
    from ..statistics.shares import share_by_unit  # imports SciPy, which most runs do not need before they begin

    share = share_by_unit((repaired, replies, at) for at, (replies, repaired) in enumerate(found))
    return Seen(len(found), sum(replies for replies, _ in found), sum(repaired for _, repaired in found), share)


def _missing(wires: Mapping[str, _SilentWire]) -> SetupError | None:
    """Return the error about something that must be set up before the first call, such as a key, or None."""
    for wire in wires.values():
        needs = getattr(getattr(wire.inner, "endpoint", wire.inner), "needs", None)
        if isinstance(needs, SetupError):
            return needs
    return None


def _sample(state: RunState) -> list[bytes]:
    """Return the lines of up to `SAMPLE` open cases, spread evenly over the file."""
    left = (line for line in state.lines() if not state.done[position_of(line)])
    return list(islice(left, 0, None, -(-state.open // SAMPLE) or 1))
