"""Estimates a run's calls and cost before anything is paid: the protocol runs over a sample of the cases, on wires that
send nothing. Replies that are already in the journal are found by the same keys as in the run.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

import orjson

from ..engine import Engine
from ..errors import SetupError
from ..judges.specs import single_judges
from ..llm.base import Delivery, Prompt, Sampling, Wire, WrappedWire
from ..llm.prices import cost_of
from ..models import Failure, Usage
from ..models.cases import Review
from .directory import case_digest, position_of, read_case, whole_lines
from .job import Job
from .plan import Plan
from .state import RunState

SAMPLE = 30
_BYTES_PER_TOKEN = 4
# Output tokens per call, used until a reply has been seen: what replies to the shipped rubrics usually take.
_USUAL_REPLY = {"compare": 1000, "dialogue": 800, "review": 1500}
# Some calls follow a reply, and silent wires never reply. By protocol: the kind of reply, and who is asked after it.
_FOLLOWED = {"compare": ("searches", "judge"), "dialogue": ("evaluation", "critic"), "review": ("rating", "judge")}


@dataclass(frozen=True, slots=True)
class Estimate:
    """For all open cases: unpaid calls, their tokens and dollars (None: no price); `paid_calls` are in the journal."""

    cases: int
    sampled: int
    calls: int
    paid_calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal | None
    unpriced: tuple[str, ...] = ()
    missing: SetupError | None = None


class _SilentWire(WrappedWire):
    """Records the kind and size of each call that would be sent, and sends nothing."""

    def __init__(self, inner: Wire) -> None:
        super().__init__(inner)
        self.sent: dict[str, tuple[str, int]] = {}

    async def send(self, prompt: Prompt, sampling: Sampling, *, key: str = "") -> Delivery | Failure:
        self.sent[key] = prompt.schema_name, len(orjson.dumps((prompt.system, prompt.user, prompt.schema)))
        # Pretend that the model rejected the call: a cascade then asks its next stage, so the estimate is the maximum.
        return Failure(reason="rejected", message="nothing is sent while estimating", judge=self.inner.model)


async def estimate(state: RunState, engine: Engine) -> Estimate:
    """Estimate the calls and the cost of all open cases from a sample of them.

    Equal cases are paid for and counted once. Once the run has replies, their average length is used.
    """
    plan, tally, known = state.plan, state.tally, state.known["input"]
    Job(plan, engine)  # opens the wires
    silent = engine.wrap_wires(_SilentWire)
    if not silent:
        return Estimate(state.open, 0, 0, 0, 0, 0, Decimal(0))
    job = Job(plan, engine)
    lines = list({case_digest(line): line for line in _sample(state)}.values())
    found: dict[str, Usage] = {}
    for line in lines:
        found |= {call.key: call.usage for call in await job.calls_for(line)}
    # If there are few cases, the sample contains all distinct ones and needs no scaling.
    scale = 1.0
    if state.open > SAMPLE:
        scale = max(1.0, state.open * known.get("distinct", known["cases"]) / known["cases"] / max(1, len(lines)))
    calls_left = tokens_in = tokens_out = 0
    total, unpriced = Decimal(0), []
    sizes = [size for wire in silent.values() for _, size in wire.sent.values()]
    sent: float = sum(sizes) / _BYTES_PER_TOKEN / max(1, len(sizes))
    reply: float = _USUAL_REPLY[plan.protocol]
    if tally.calls:
        sent, reply = tally.input_tokens / tally.calls, tally.output_tokens / tally.calls
    elif found:
        reply = sum(usage.output_tokens for usage in found.values()) / len(found)
    further = _further(plan, silent, lines)
    for name, wire in silent.items():
        asked = round((len(wire.sent) + further.get(name, 0)) * scale)
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
        state.open, len(lines), calls_left, round(len(found) * scale), tokens_in, tokens_out,
        None if unpriced and not total else total, tuple(unpriced), _missing(silent),
    )  # fmt: skip


def _further(plan: Plan, wires: Mapping[str, _SilentWire], lines: list[bytes]) -> dict[str, int]:
    """Count by judge the calls that follow those of the sample: the critic's; the comparisons after a search; and the
    calls about a person's justifications, at most one for each review that has any."""
    reply, judge = _FOLLOWED[plan.protocol]
    follow = max(sum(kind == reply for kind, _ in wire.sent.values()) for wire in wires.values())
    if plan.protocol == "compare":
        follow *= 1 if plan.settings["one_order"] else 2
    elif plan.protocol == "review":
        follow = min(follow, sum(map(_has_words, lines)))
    return dict.fromkeys(single_judges(str(plan.settings[judge])), follow)


def _has_words(line: bytes) -> bool:
    """Return whether the person who rated gave a justification."""
    given = read_case(line).input
    if given is None:
        return False
    case = Review.model_validate(given)
    entered = (*case.ratings_a.values(), *case.ratings_b.values(), case.preference)
    return any(original.justification for original in entered)


def _missing(wires: Mapping[str, _SilentWire]) -> SetupError | None:
    """Return the error about something that must be set up before the first call, such as a key, or None."""
    for wire in wires.values():
        needs = getattr(getattr(wire.inner, "endpoint", None), "needs", None)
        if isinstance(needs, SetupError):
            return needs
    return None


def _sample(state: RunState) -> list[bytes]:
    """Return the lines of up to `SAMPLE` open cases, spread evenly over the file."""
    left = (line for line in whole_lines(state.directory.cases) if not state.done[position_of(line)])
    return list(islice(left, 0, None, -(-state.tally.open // SAMPLE) or 1))
